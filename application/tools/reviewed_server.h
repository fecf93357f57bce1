/* The tools of one server that wait for a person, with what became of each since it was agreed to,
 * and the approval of what was shown. */
#ifndef APPLICATION_TOOLS_REVIEWED_SERVER_H
#define APPLICATION_TOOLS_REVIEWED_SERVER_H

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
    const char *folder_path; /* as toolbox_folder_path says */
};

/* *out->n is 0 where nothing waits. It belongs to the toolbox, which listed the server, and to the
 * arena. */
awaits MUST_CHECK enum err_code reviewed_server_load(struct services *services, struct scope *scope,
                                                     struct arena *arena,
                                                     const struct toolbox *toolbox,
                                                     struct tool_server *server,
                                                     struct reviewed_server *out, struct err *err);
/* The person has seen it and agrees, also that tools that say that they only read may be called
 * again when an answer is lost. What the server lists by now does not matter: what is agreed to is
 * what the review holds. */
awaits MUST_CHECK enum err_code reviewed_server_approve(struct services *services,
                                                        struct scope *scope, struct arena *arena,
                                                        const struct reviewed_server *server,
                                                        struct err *err);
/* For a person who decides: whole, every hidden character made visible. False when the buffer is
 * full. */
MUST_CHECK
bool reviewed_server_print(struct buf *out, const struct reviewed_server *server);
/* {"server":…,"folder_path":…,"tools":[{"name","reason","agreed","definition","repeat"}]}; owned by
 * the caller. */
json_t *reviewed_server_to_json(const struct reviewed_server *server);

#endif
