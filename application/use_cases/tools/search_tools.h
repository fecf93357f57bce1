/* `tools --search`: which tools a request of these words would find, in their order, with the
 * reasons, and how a prompt would show each. */
#ifndef APPLICATION_USE_CASES_TOOLS_SEARCH_TOOLS_H
#define APPLICATION_USE_CASES_TOOLS_SEARCH_TOOLS_H

#include "application/services.h"

#define SEARCH_TOOLS_DEFAULT 20
#define SEARCH_TOOLS_MAX 1000

struct search_tools_request {
    const char *words;
    const char *only; /* one server's name, or NULL for all */
    size_t max;       /* tools, at most SEARCH_TOOLS_MAX */
};

struct found_match {
    const char *word;  /* of the request */
    const char *as;    /* what the tool has for it: the word, or a sense of it */
    const char *where; /* "name", "title", "description", "parameters", … */
    double score;
};

struct found_tool {
    const char *full_name, *summary; /* untrusted */
    double score;                    /* of the likeliest about 1; 0 where nothing speaks for it */
    const char *shown;               /* in a prompt: "line", "name" or "no" */
    struct found_match *matches;     /* none: others of its server are likely */
    size_t n_matches;
};

struct tool_search_result {
    const char *language; /* "de" */
    bool has_match;       /* false: tools stand by name */
    struct found_tool *tools;
    size_t n_tools, n_all; /* of those, and of all that there are */
    const char **failures; /* of servers that could not be had */
    size_t n_failures;
};

/* Fails when the server is unknown or dead, or when all are. Everything is in the arena. */
awaits MUST_CHECK enum err_code search_tools(struct services *services, struct scope *scope,
                                             struct arena *arena,
                                             const struct search_tools_request *request,
                                             struct tool_search_result *out, struct err *err);
/* For --json; owned by the caller. */
json_t *tool_search_result_to_json(const struct tool_search_result *result);

#endif
