#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/mcp/serve_session.h"
#include <string.h>

/* The task of that id, or NULL. */
static struct serve_call *task_named(const struct session *s, const char *id)
{
    for (size_t i = 0; i < s->n_calls; i++)
        if (s->calls[i]->as_task && !s->calls[i]->is_cancelled &&
            text_equal(s->calls[i]->as_task->id, id))
            return s->calls[i];
    return NULL;
}

/* *out is NULL where it fails. */
static enum err_code find(const struct serve_call *call, struct serve_call **out, struct err *err)
{
    *out = NULL;
    if (call->is_modern && !serve_knows_tasks(call))
        return serve_tasks_lacking(err);
    *out = task_named(call->session, json_get_string(call->message.params, "taskId"));
    return *out ? ERR_NONE
                : err_set(err, ERR_NOT_FOUND, MCP_BAD_PARAMS, "no such task, or not any more");
}

/* Steals result. */
static void reply(struct serve_call *call, json_t *result)
{
    rpc_reply(call->session->rpc, call->message.id,
              session_complete(call->session, result, call->is_modern, false));
}

enum err_code serve_get_task(struct serve_call *call, struct scope *sc, struct err *err)
{
    struct serve_call *found = NULL;
    (void)sc;
    enum err_code r = find(call, &found, err);
    if (!found)
        return r;
    struct serve_task *task = found->as_task;
    json_t *result = serve_task_describe(found);
    if (call->is_modern && task->status == SERVE_TASK_INPUT_REQUIRED)
        json_object_set_new(result, "inputRequests", serve_input_requests(found));
    if (call->is_modern && task->status == SERVE_TASK_COMPLETED)
        json_object_set(result, "result", task->outcome);
    if (call->is_modern && task->status == SERVE_TASK_FAILED)
        json_object_set(result, "error", task->outcome);
    reply(call, result);
    return ERR_NONE;
}

/* Waits for the end of the task; meanwhile its questions can be asked. */
awaits MUST_CHECK static enum err_code await_end(struct serve_call *call, struct serve_call *found,
                                                 struct scope *sc, struct err *err)
{
    struct runtime *runtime = call->session->runtime;
    struct scope waiting = scope_child(sc, SCOPE_NO_DEADLINE);
    call->fetches = found;
    call->parked = &waiting;
    if (found->questions)
        serve_task_ask(found);
    (void)!runtime_sleep(runtime, &waiting, SERVE_TASK_MAX_TTL_MS, NULL);
    call->fetches = NULL;
    call->parked = NULL;
    return scope_check(sc, runtime_now_ms(runtime), err);
}

enum err_code serve_task_result(struct serve_call *call, struct scope *sc, struct err *err)
{
    struct serve_call *found = NULL;
    enum err_code r = find(call, &found, err);
    if (found && !serve_task_is_over(found->as_task)) {
        r = await_end(call, found, sc, err);
        found = NULL;
        if (!r)
            r = find(call, &found, err);
    }
    if (!found)
        return r;
    const struct serve_task *task = found->as_task;
    if (task->status == SERVE_TASK_FAILED) {
        rpc_fail(call->session->rpc, call->message.id, (int)json_get_int(task->outcome, "code", 0),
                 json_get_string(task->outcome, "message"),
                 json_incref(json_object_get(task->outcome, "data")));
        return ERR_NONE;
    }
    if (task->status != SERVE_TASK_COMPLETED)
        return err_set(err, ERR_INVALID, MCP_BAD_PARAMS, "the task was cancelled");
    json_t *result = json_copy(task->outcome), *meta = json_object_get(result, "_meta");
    meta = json_is_object(meta) ? json_copy(meta) : json_object();
    json_object_set_new(meta, "io.modelcontextprotocol/related-task",
                        json_pack("{s:s}", "taskId", task->id));
    json_object_set_new(result, "_meta", meta);
    reply(call, result);
    return ERR_NONE;
}

enum err_code serve_list_tasks(struct serve_call *call, struct scope *sc, struct err *err)
{
    const struct session *s = call->session;
    AUTO(arena) arena = { 0 };
    const json_t **tasks = arena_array(&arena, const json_t *, s->n_calls + 1);
    size_t n = 0;
    (void)sc;
    for (size_t i = 0; i < s->n_calls; i++)
        if (s->calls[i]->as_task && !s->calls[i]->is_cancelled)
            tasks[n++] = arena_keep_json(&arena, serve_task_describe(s->calls[i]));
    return serve_page(call, "tasks", tasks, n, err);
}

enum err_code serve_cancel_task(struct serve_call *call, struct scope *sc, struct err *err)
{
    struct serve_call *found = NULL;
    (void)sc;
    enum err_code r = find(call, &found, err);
    if (!found)
        return r;
    bool was_over = serve_task_is_over(found->as_task);
    if (was_over && !call->is_modern)
        return err_set(err, ERR_INVALID, MCP_BAD_PARAMS, "the task is %s already",
                       serve_task_status_name(found->as_task->status));
    if (!was_over) {
        serve_task_note(found, SERVE_TASK_CANCELLED);
        runtime_cancel(call->session->runtime, found->as_task->work);
    }
    reply(call, call->is_modern ? json_object() : serve_task_describe(found));
    return ERR_NONE;
}

enum err_code serve_update_task(struct serve_call *call, struct scope *sc, struct err *err)
{
    struct serve_call *found = NULL;
    const json_t *responses = json_object_get(call->message.params, "inputResponses");
    (void)sc;
    enum err_code r = find(call, &found, err);
    if (!found)
        return r;
    if (!json_is_object(responses))
        return err_set(err, ERR_INVALID, 0, "tasks/update needs params.inputResponses (object)");
    serve_settle_questions(found, responses);
    if (!serve_has_open_question(found) && !serve_task_is_over(found->as_task))
        serve_task_note(found, SERVE_TASK_WORKING);
    reply(call, json_object());
    return ERR_NONE;
}
