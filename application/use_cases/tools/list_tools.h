/* `tools [SERVER]` and `/tools`: what the configured servers offer, sorted by name. */
#ifndef APPLICATION_USE_CASES_TOOLS_LIST_TOOLS_H
#define APPLICATION_USE_CASES_TOOLS_LIST_TOOLS_H

#include "application/services.h"
#include "application/tools/definition_change.h"

struct listed_tool {
    const char *server, *name, *full_name;
    const char *summary;   /* one line; untrusted */
    const char *signature; /* compact, with the full name; untrusted */
    const json_t *definition;
    const char *quarantined; /* NULL: it may be used; else why not, "changed" or "new" */
};

struct listed_failure {
    const char *server;
    struct err err;
};

struct tool_listing {
    struct listed_tool *tools;
    size_t n_tools;
    struct listed_failure *failures; /* servers that could not be had */
    size_t n_failures;
    const char **warnings; /* of servers with tools in quarantine, or that cannot be pinned */
    size_t n_warnings;
};

#define LISTED_SUMMARY_COLUMNS 100

/* only: one server's name, or NULL for all. Fails when that server is unknown or dead, or when
 * all are. Everything is in the arena. */
awaits MUST_CHECK enum err_code list_tools(struct services *services, struct scope *scope,
                                           struct arena *arena, const char *only,
                                           struct tool_listing *out, struct err *err);

/* What is known of one server's tools without starting it: those of a built-in server, else those
 * that were agreed to (pins.h) and whose names begin so. The caller owns the reference.
 * ERR_NOT_FOUND: no such server, or it was never listed. */
awaits MUST_CHECK enum err_code remembered_tools(struct services *services, struct scope *scope,
                                                 const char *server, const char *begin,
                                                 struct tool_catalogue **out, struct err *err);

struct shown_tool {
    const char *full_name, *title, *description; /* title and description may be NULL; untrusted */
    const char *signature;
    const json_t *definition;                                      /* as the server sent it */
    const json_t *input_schema, *output_schema;                    /* output_schema may be NULL */
    const char *read_only, *destructive, *idempotent, *open_world; /* "yes", "no", "unsaid" */
    const char *policy;      /* what happens in `ask`: "allow", "ask", "deny" */
    bool approved;           /* a person allowed it for good */
    bool may_repeat;         /* mistro may make a call again whose outcome is unknown */
    const char *sha256;      /* of the definition: the identity that an approval is bound to */
    const char *quarantined; /* NULL: it may be used; else why not, "changed" or "new" */
    struct definition_change change; /* since it was agreed to; of a changed tool */
    const json_t *agreed;            /* its definition before that; else NULL */
};

/* ERR_NOT_FOUND with the nearest names. Everything is in the arena. */
awaits MUST_CHECK enum err_code show_tool(struct services *services, struct scope *scope,
                                          struct arena *arena, const char *name,
                                          struct shown_tool *out, struct err *err);
/* For --json; owned by the caller. */
json_t *shown_tool_to_json(const struct shown_tool *tool);

#endif
