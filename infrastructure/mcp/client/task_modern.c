/* Tasks of the extension io.modelcontextprotocol/tasks: a look brings everything, the outcome as
 * well as what the server wants to know. */
#include "domain/base/json.h"
#include "infrastructure/mcp/client/client_tasks.h"
#include <string.h>

static enum err_code take_outcome(struct server_task *task, struct json_slice outcome,
                                  struct err *err)
{
    const struct result_outline outline = {
        .text = outcome,
        .type = json_slice_member(outcome, "resultType"),
    };
    if (!outcome.length || *outcome.text != '{')
        return err_set(err, ERR_PROTOCOL, 0, "the task is completed, but has no result");
    enum err_code r = client_check_outline_type(&outline, err);
    return r ? r : step_result_init(task->arena, outcome.text, outcome.length, task->out, err);
}

static enum err_code take_failure(const struct server_task *task, const json_t *value,
                                  struct err *err)
{
    const json_t *error = json_object_get(value, "error");
    const char *message = task->state.message;
    if (json_is_object(error))
        return err_prefix(err, jsonrpc_explain_error(error, err), "the task failed");
    return err_set(err, ERR_FAILED, 0, "the task failed%s%s", *message ? ": " : "", message);
}

enum err_code task_modern_take(struct server_task *task, const json_t *value,
                               struct json_slice outcome, struct err *err)
{
    json_decref(task->inputs);
    task->inputs = NULL;
    switch (task->state.status) {
    case TASK_COMPLETED:
        server_task_end(task);
        return take_outcome(task, outcome, err);
    case TASK_FAILED:
        server_task_end(task);
        return take_failure(task, value, err);
    case TASK_INPUT_REQUIRED:
        task->inputs = json_incref(json_object_get(value, "inputRequests"));
        return ERR_NONE;
    case TASK_WORKING:
    case TASK_CANCELLED:
        return ERR_NONE;
    }
    return ERR_NONE;
}

/* Keys are unique for the life of a task: what was answered is not asked again, however long the
 * server shows it. Owned by the caller. */
static json_t *new_inputs(const struct server_task *task)
{
    json_t *fresh = json_object(), *request;
    const char *key;
    json_each_member (task->inputs, key, request) {
        if (!json_object_get(task->answered, key))
            json_object_set(fresh, key, request);
    }
    return fresh;
}

awaits MUST_CHECK static enum err_code get_inputs(struct server_task *task, json_t *fresh,
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

awaits MUST_CHECK static enum err_code send_inputs(struct server_task *task, struct scope *scope,
                                                   struct err *err)
{
    struct request request = server_task_request(task, "tasks/update");
    enum err_code r = server_task_ask(task, &request, task->unsent, scope, err);
    request_finish(&request);
    if (r)
        return r;
    json_decref(task->unsent);
    task->unsent = NULL;
    return ERR_NONE;
}

enum err_code task_modern_go_on(struct server_task *task, struct scope *scope, struct err *err)
{
    if (task->state.status != TASK_INPUT_REQUIRED)
        return ERR_NONE;
    json_auto_t *fresh = new_inputs(task);
    enum err_code r = json_object_size(fresh) ? get_inputs(task, fresh, scope, err) : ERR_NONE;
    return r || !task->unsent ? r : send_inputs(task, scope, err);
}
