/* `tools [SERVER]` and `/tools`: what the configured servers offer, sorted by name. */
#ifndef APPLICATION_USE_CASES_TOOLS_LIST_TOOLS_H
#define APPLICATION_USE_CASES_TOOLS_LIST_TOOLS_H

#include "application/services.h"

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

#endif
