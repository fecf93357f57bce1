/* `servers review`: the tools that wait for a person, with what became of each, and what the person
 * says. Every server that is asked for is started and listed. */
#ifndef APPLICATION_USE_CASES_TOOLS_REVIEW_TOOLS_H
#define APPLICATION_USE_CASES_TOOLS_REVIEW_TOOLS_H

#include "application/services.h"
#include "application/tools/definition_change.h"
#include "application/tools/toolbox.h"

struct reviewed_tool {
    const struct tool *tool; /* as the server lists it now; untrusted */
    enum pin_state why;      /* PIN_CHANGED or PIN_NEW */
    const char *agreed;      /* text of the definition that was agreed to; NULL for a new one */
    struct definition_change change;
};

struct reviewed_server {
    const char *name;
    struct tool_server *server;
    const struct tool_catalogue *catalogue;
    struct reviewed_tool *tools; /* also those that its configuration switches off */
    size_t n;
};

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

/* The person has seen it and agrees, also that tools that say that they only read may be called
 * again when an answer is lost. What the server lists by now does not matter: what is agreed to is
 * what the review holds. */
awaits MUST_CHECK enum err_code review_approve(struct services *services, struct scope *scope,
                                               struct arena *arena,
                                               const struct reviewed_server *server,
                                               struct err *err);
/* For a person who decides: whole, every hidden character made visible. False when the buffer is
 * full. */
MUST_CHECK
bool reviewed_server_print(struct buf *out, const struct reviewed_server *server);
/* {"server":…,"tools":[{"name","reason","agreed","definition","repeat"}]}; owned by the caller. */
json_t *reviewed_server_to_json(const struct reviewed_server *server);

#endif
