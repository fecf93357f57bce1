/* Requests whose work goes on at the server after the answer: they lie among the pending ones, and
 * the task that made them comes here between looks at how far it got. */
#include "infrastructure/mcp/wire/connection_internal.h"

void connection_keep(struct connection *connection, struct request *request)
{
    if (request->is_pending)
        return;
    request->done = completion_of(connection->runtime);
    request->is_kept = true;
    request->is_settled = false;
    request->until_ms = request->latest_ms = INT64_MAX;
    connection_add(connection, request);
}

enum err_code connection_pause(struct connection *connection, struct request *request, int64_t ms,
                               const struct scope *scope, struct err *err)
{
    request->max_ms = ms;
    connection_set_limits(connection, request);
    enum err_code r = connection_await_answer(connection, request, scope, err);
    if (!request->is_settled)
        request->done = completion_of(connection->runtime);
    return scope_check(scope, connection_now_ms(connection), NULL) ? r : ERR_NONE;
}

void connection_wake(struct request *request)
{
    completion_complete(&request->done);
}
