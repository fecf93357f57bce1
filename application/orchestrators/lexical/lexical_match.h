/* Which tool a request is about, by its words alone: the half of the lexical analyst that does
 * intent. Words of the request are looked up in the tool index; a tool's score is the share of
 * the request's weight (rare words weigh more) that it explains, blended with the share of the
 * tool's own name that the request says. The score lies between 0 and 1 and is comparable from
 * request to request, so that one threshold (settings lexical.threshold) can refuse. */
#ifndef APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_MATCH_H
#define APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_MATCH_H

#include "application/ports/tool_index.h"

#define LEXICAL_MAX_CANDIDATES 16 /* tools looked at closely */
#define LEXICAL_MAX_WORDS 400     /* of a request; what follows is not read */

/* One word of the request as the match saw it. */
struct lexical_word_match {
    const char *word;  /* lower case, as in the request */
    const char *where; /* "name", "description", "parameter" or NULL when the tool lacks it */
    double weight;
};

struct lexical_candidate {
    size_t tool;  /* index into the tools */
    double score; /* 0..1 */
    struct lexical_word_match *words;
    size_t n_words;
};

/* The index must have been built from the same tools. Candidates come best first; none when no
 * word of the request occurs in any tool. */
MUST_CHECK
enum err_code lexical_match(struct arena *arena, struct tool_index *index,
                            const struct tool *const *tools, size_t n_tools, const char *request,
                            struct lexical_candidate **out, size_t *out_n, struct err *err);

#endif
