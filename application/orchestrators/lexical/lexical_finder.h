/* What the finders of mentions share: the request, and the list that each adds to. */
#ifndef APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_FINDER_H
#define APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_FINDER_H

#include "application/orchestrators/lexical/lexical_mentions.h"
#include <stdint.h>

struct lexical_finder {
    struct arena *arena;
    const char *request;
    const struct lexical_text *words;
    int64_t today; /* days since 1970-01-01, 0 when unknown */
    struct mentions found;
    size_t capacity;
};

/* Adds the tokens first..last, both included; the mention may be changed until the next one. */
struct mention *lexical_add_mention(struct lexical_finder *finder, enum mention_kind kind,
                                    size_t first, size_t last);
/* Dates as written and as seen from today, and times of day. */
void lexical_find_dates(struct lexical_finder *finder);

#endif
