#include "application/use_cases/tools/complete_argument.h"
#include "application/tools/lookup.h"
#include "application/tools/server_events.h"

enum err_code complete_argument(struct services *services, struct scope *scope, struct arena *arena,
                                const char *server, const struct completion_request *request,
                                struct completion_values *out, struct err *err)
{
    struct tool_server *found = NULL;
    struct server_watch watch;
    enum err_code r = lookup_configured(services, scope, server, &found, err);
    if (r)
        return r;
    server_watch_begin(&watch, services, &found, 1);
    r = tool_server_complete(found, scope, request, arena, out, err);
    server_watch_end(&watch);
    return r ? err_prefix(err, r, "server %s", server) : ERR_NONE;
}
