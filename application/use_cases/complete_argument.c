#include "application/use_cases/complete_argument.h"
#include "application/tools/lookup.h"
#include "application/tools/server_events.h"
#include <string.h>

enum err_code complete_argument(struct services *services, struct scope *scope, struct arena *arena,
                                const char *server, const struct completion_request *request,
                                struct completion_values *out, struct err *err)
{
    struct tool_server **servers = NULL;
    struct server_watch watch;
    size_t n = 0;
    enum err_code r = services_servers(services, scope, &servers, &n, err);
    if (r)
        return r;
    struct tool_server *found = lookup_server(servers, n, server, strlen(server));
    if (!found)
        return lookup_no_server(servers, n, server, strlen(server), err);
    server_watch_begin(&watch, services, &found, 1);
    r = tool_server_complete(found, scope, request, arena, out, err);
    server_watch_end(&watch);
    return r ? err_prefix(err, r, "server %s", server) : ERR_NONE;
}
