/* Which tools a request may mean, likeliest first: by all of its words, and by the words of each of
 * its clauses, so that "chart it and mail it" finds both. */
#ifndef APPLICATION_FINDING_TOOL_RANKING_H
#define APPLICATION_FINDING_TOOL_RANKING_H

#include "application/finding/query_words.h"

/* In `_meta` of a tool: beginnings of words, in lower case, without one of which a request is not
 * about it. mistro's own jobs have them, so that they change nothing for other requests. */
#define SHORTLIST_ONLY_FOR "mistro/only_for"
#define SHORTLIST_MAX_ONLY_FOR 32

struct ranked_tool {
    const struct tool *tool;
    double score; /* 0 where nothing speaks for it */
    const struct tool_match *matches;
    size_t n_matches; /* 0 where at most others of its server have words of the request */
};

struct tool_ranking {
    struct query_words request;
    struct ranked_tool *tools; /* all that the request may be about, the likeliest first */
    size_t n;
};

/* Whether the request may be about the tool: it is not reserved, or the request has its words. */
bool tool_is_admitted(const struct tool *tool, const struct query_words *words);

struct tool_query {
    struct tool_index *index;
    struct assets *assets;
    const struct tool *const *tools; /* what the index was built from; sorted by full name */
    size_t n_tools;
    const char *text; /* the request; one without words needs no index */
};

/* Tools of equal score stay in their order. Everything is in the arena. */
MUST_CHECK
enum err_code tool_ranking_make(struct arena *arena, const struct tool_query *query,
                                struct tool_ranking *out, struct err *err);

#endif
