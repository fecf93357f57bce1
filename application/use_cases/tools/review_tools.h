/* `servers review`: the tools that wait for a person, with what became of each, and what the person
 * says. Every server that is asked for is started and listed. */
#ifndef APPLICATION_USE_CASES_TOOLS_REVIEW_TOOLS_H
#define APPLICATION_USE_CASES_TOOLS_REVIEW_TOOLS_H

#include "application/tools/reviewed_server.h"

struct tool_review {
    struct toolbox *toolbox;         /* what is reviewed belongs to it */
    struct reviewed_server *servers; /* only those where something waits */
    size_t n_servers;
    const struct toolbox_failure *failures; /* could not be listed */
    size_t n_failures;
};

struct review_request {
    const char *only;     /* one server's name, or NULL for all */
    bool without_project; /* no server that the project folder brings is started */
};

/* Fails when the named server is unknown or dead, or when all are. On success tool_review_finish
 * must be called. */
awaits MUST_CHECK enum err_code review_tools(struct services *services, struct scope *scope,
                                             struct arena *arena,
                                             const struct review_request *request,
                                             struct tool_review *out, struct err *err);
void tool_review_finish(struct tool_review *review);

#endif
