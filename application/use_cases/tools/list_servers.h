/* `servers`: the configured servers and how each was reached. All are started, in parallel. */
#ifndef APPLICATION_USE_CASES_TOOLS_LIST_SERVERS_H
#define APPLICATION_USE_CASES_TOOLS_LIST_SERVERS_H

#include "application/services.h"
#include "application/tools/quarantine.h"

struct server_listing {
    struct tool_server_status *servers; /* strings copied; last_error says why one failed */
    const struct quarantined_server **quarantined; /* of each server; NULL: nothing */
    size_t n_servers, n_failed;
};

/* ERR_NONE however many are dead. Everything is in the arena. */
awaits MUST_CHECK enum err_code list_servers(struct services *services, struct scope *scope,
                                             struct arena *arena, struct server_listing *out,
                                             struct err *err);
#define SERVER_LISTING_VERSION 1
/* {"version", "servers"} for --json; owned by the caller. */
json_t *server_listing_to_json(const struct server_listing *listing);
const char *tool_server_state_name(enum tool_server_state state);

#endif
