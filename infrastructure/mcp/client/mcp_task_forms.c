/* The two forms of a task. In that of 2025-11-25, legacy, tasks/result gives the outcome, and waits
 * for it where there is none yet. In that of the extension io.modelcontextprotocol/tasks, modern, a
 * look brings everything: the outcome as well as what the server wants to know. */
#include "domain/base/json.h"
#include "infrastructure/mcp/client/mcp_task.h"
#include <string.h>

static enum err_code take_legacy_outcome(void *context, const struct result_outline *result,
                                         struct err *err)
{
    struct mcp_task *task = context;
    mcp_task_end(task);
    return step_result_keep(task->arena, result, task->out, err);
}

/* Questions belong to the request that waits now, not to the call; one that came before it is still
 * the call's. */
awaits MUST_CHECK static enum err_code await_outcome(struct mcp_task *task, struct scope *scope,
                                                     struct err *err)
{
    struct client_request x = mcp_task_request(task, scope, "tasks/result");
    x.take = take_legacy_outcome;
    x.request.answerer = task->call->answerer;
    enum err_code r = connection_pause(task->client->connection, &task->kept, 1, scope, err);
    if (r)
        return r;
    task->kept.answerer = NULL;
    r = mcp_task_ask(task, &x, err);
    task->kept.answerer = task->call->answerer;
    if (x.request.error || task->is_over) {
        const struct mcp_task_state end = { .status = x.request.error || task->out->is_error
                                                          ? MCP_TASK_FAILED
                                                          : MCP_TASK_COMPLETED };
        task->is_over = true;
        if (task->state.status == MCP_TASK_WORKING || task->state.status == MCP_TASK_INPUT_REQUIRED)
            mcp_task_note(task, &end);
    }
    request_finish(&x.request);
    return r;
}

/* A server that wants something, and is silent for as long as a call may be, is asked again. */
enum err_code mcp_task_legacy_go_on(struct mcp_task *task, struct scope *scope, struct err *err)
{
    if (task->state.status == MCP_TASK_WORKING)
        return ERR_NONE;
    bool is_waiting = task->state.status == MCP_TASK_INPUT_REQUIRED;
    enum err_code r = await_outcome(task, scope, err);
    return r == ERR_TIMEOUT && is_waiting ? ERR_NONE : r;
}

static enum err_code take_modern_outcome(struct mcp_task *task, struct json_slice outcome,
                                         struct err *err)
{
    const struct result_outline outline = {
        .text = outcome,
        .type = json_slice_member(outcome, "resultType"),
    };
    if (!outcome.length || *outcome.text != '{')
        return err_set(err, ERR_PROTOCOL, 0, "the task is completed, but has no result");
    enum err_code r = client_check_result_type(&outline, err);
    return r ? r : step_result_init(task->arena, outcome.text, outcome.length, task->out, err);
}

static enum err_code take_failure(const struct mcp_task *task, const json_t *value, struct err *err)
{
    const json_t *error = json_object_get(value, "error");
    const char *message = task->state.message;
    if (json_is_object(error))
        return err_prefix(err, jsonrpc_explain_error(error, err), "the task failed");
    return err_set(err, ERR_FAILED, 0, "the task failed%s%s", *message ? ": " : "", message);
}

enum err_code mcp_task_modern_take(struct mcp_task *task, const json_t *value,
                                   struct json_slice outcome, struct err *err)
{
    json_decref(task->inputs);
    task->inputs = NULL;
    switch (task->state.status) {
    case MCP_TASK_COMPLETED:
        mcp_task_end(task);
        return take_modern_outcome(task, outcome, err);
    case MCP_TASK_FAILED:
        mcp_task_end(task);
        return take_failure(task, value, err);
    case MCP_TASK_INPUT_REQUIRED:
        task->inputs = json_incref(json_object_get(value, "inputRequests"));
        return ERR_NONE;
    case MCP_TASK_WORKING:
    case MCP_TASK_CANCELLED:
        return ERR_NONE;
    }
    return ERR_NONE;
}

/* Keys are unique for the life of a task: what was answered is not asked again, however long the
 * server shows it. Owned by the caller. */
static json_t *new_inputs(const struct mcp_task *task)
{
    json_t *fresh = json_object(), *request;
    const char *key;
    json_each_member (task->inputs, key, request) {
        if (!json_object_get(task->answered, key))
            json_object_set(fresh, key, request);
    }
    return fresh;
}

awaits MUST_CHECK static enum err_code get_inputs(struct mcp_task *task, json_t *fresh,
                                                  struct scope *scope, struct err *err)
{
    struct input_rounds *rounds = task->rounds;
    json_auto_t *round = json_pack("{s:O}", "inputRequests", fresh);
    auto_str text = json_print(round);
    const struct result_outline outline = { .text = { text, strlen(text) } };
    enum err_code r = input_rounds_take(rounds, &outline, err);
    if (!r)
        r = input_rounds_answer(rounds, task->client, scope, task->call->answerer, err);
    if (r)
        return r;
    if (!task->answered)
        task->answered = json_object();
    if (!task->unsent)
        task->unsent = json_object();
    json_object_update(task->answered, rounds->responses);
    json_object_update(task->unsent, rounds->responses);
    return ERR_NONE;
}

awaits MUST_CHECK static enum err_code send_inputs(struct mcp_task *task, struct scope *scope,
                                                   struct err *err)
{
    struct client_request x = mcp_task_request(task, scope, "tasks/update");
    enum err_code r = mcp_task_ask(task, &x, err);
    request_finish(&x.request);
    if (r)
        return r;
    json_decref(task->unsent);
    task->unsent = NULL;
    return ERR_NONE;
}

enum err_code mcp_task_modern_go_on(struct mcp_task *task, struct scope *scope, struct err *err)
{
    if (task->state.status != MCP_TASK_INPUT_REQUIRED)
        return ERR_NONE;
    json_auto_t *fresh = new_inputs(task);
    enum err_code r = json_object_size(fresh) ? get_inputs(task, fresh, scope, err) : ERR_NONE;
    return r || !task->unsent ? r : send_inputs(task, scope, err);
}
