/* `tools --search`: which tools a request of these words would find, in their order, with the
 * reasons, and how a prompt would show each. */
#ifndef APPLICATION_USE_CASES_TOOLS_SEARCH_TOOLS_H
#define APPLICATION_USE_CASES_TOOLS_SEARCH_TOOLS_H

#include "application/services.h"

#define SEARCH_TOOLS_VERSION 1 /* of its JSON */
#define SEARCH_TOOLS_DEFAULT 20
#define SEARCH_TOOLS_MAX 1000

struct search_tools_request {
    const char *words;
    const char *only; /* one server's name, or NULL for all */
    size_t max;       /* tools */
};

/* {"version", "language", "matched": whether a tool has a word of the request, "tools": [{"name",
 * "summary", "score": 0 where nothing speaks for it, "shown": "line", "name" or "no", "matches":
 * [{"word", "as": the word or its sense, "score"}]}], "n_tools": that there are, "failures": of
 * servers}. Fails when the server is unknown or dead, or when all are. In the arena; names and
 * summaries are untrusted. */
awaits MUST_CHECK enum err_code search_tools(struct services *services, struct scope *scope,
                                             struct arena *arena,
                                             const struct search_tools_request *request,
                                             const json_t **out, struct err *err);

#endif
