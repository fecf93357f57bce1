/* Tasks of 2025-11-25: tasks/result gives the outcome, and waits for it where there is none yet. */
#include "infrastructure/mcp/client/client_tasks.h"

static enum err_code take_outcome(void *context, const struct result_outline *result,
                                  struct err *err)
{
    struct server_task *task = context;
    server_task_end(task);
    return step_result_keep(task->arena, result, task->out, err);
}

/* The last that is heard of a task whose end was waited for. */
static void note_end(struct server_task *task, bool is_error)
{
    struct task_state state = { .status = is_error ? TASK_FAILED : TASK_COMPLETED };
    if (task->state.status == TASK_WORKING || task->state.status == TASK_INPUT_REQUIRED)
        server_task_note(task, &state);
}

/* Questions belong to the request that waits now, not to the call; one that came before is the
 * call's still. */
awaits MUST_CHECK static enum err_code await_outcome(struct server_task *task, struct scope *scope,
                                                     struct err *err)
{
    struct request request = server_task_request(task, "tasks/result");
    request.on_result = take_outcome;
    request.answerer = task->call->answerer;
    enum err_code r = connection_pause(task->client->connection, &task->kept, 1, scope, err);
    if (r)
        return r;
    task->kept.answerer = NULL;
    r = server_task_ask(task, &request, NULL, scope, err);
    task->kept.answerer = task->call->answerer;
    if (request.error || task->is_over) {
        task->is_over = true;
        note_end(task, r || task->out->is_error);
    }
    request_finish(&request);
    return r;
}

/* A server that wants something, and is silent for as long as a call may be, is looked at again. */
enum err_code task_legacy_go_on(struct server_task *task, struct scope *scope, struct err *err)
{
    if (task->state.status == TASK_WORKING)
        return ERR_NONE;
    bool is_waiting = task->state.status == TASK_INPUT_REQUIRED;
    enum err_code r = await_outcome(task, scope, err);
    return r == ERR_TIMEOUT && is_waiting ? ERR_NONE : r;
}
