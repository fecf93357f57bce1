/* Calls that run as MCP tasks. serve_task_decide says whether a call becomes one, serve_task_run
 * runs it and keeps its outcome until its time to live is over; the methods tasks/… at the end find
 * the call among those of the session by the id of its task. */
#include "domain/base/json.h"
#include "domain/base/rfc3339.h"
#include "domain/base/text.h"
#include "presentation/mcp/serve_session.h"
#include <string.h>

#define EXTENSION "io.modelcontextprotocol/tasks"

#define TASKS_LACKING "extensions.tasks"

static const char *const status_names[] = { "working", "input_required", "completed", "failed",
                                            "cancelled" };

/* Whether the client of a modern request said that it knows tasks. */
static bool knows_tasks(const struct serve_call *call)
{
    const json_t *extensions = json_object_get(serve_capabilities(call), "extensions");
    return json_object_get(extensions, EXTENSION) != NULL;
}

/* What the tool's definition says of tasks. */
awaits MUST_CHECK static enum err_code find_support(struct serve_call *call, struct scope *sc,
                                                    bool *out_optional, bool *out_required,
                                                    struct err *err)
{
    struct tool_catalogue *catalogue = NULL;
    enum err_code r = tool_server_list(call->session->tools, sc, &catalogue, err);
    if (r)
        return r;
    const char *name = json_get_string(call->message.params, "name");
    const struct tool *tool = tool_catalogue_find(catalogue, name ? name : "");
    const json_t *execution = tool ? json_object_get(tool->definition, "execution") : NULL;
    const char *support = json_get_string(execution, "taskSupport");
    *out_required = text_equal(support, "required");
    *out_optional = *out_required || text_equal(support, "optional");
    tool_catalogue_unref(catalogue);
    return ERR_NONE;
}

enum err_code serve_task_decide(struct serve_call *call, struct scope *sc, bool *out_becomes,
                                struct err *err)
{
    const struct serve_options *options = call->session->options;
    bool is_possible = false, is_required = false;
    if (!options->runs_tasks || !options->ids)
        return ERR_NONE;
    enum err_code r = find_support(call, sc, &is_possible, &is_required, err);
    if (r)
        return r;
    /* A modern server decides by itself, an older one is told. */
    bool is_wanted = call->is_modern
                         ? knows_tasks(call)
                         : json_is_object(json_object_get(call->message.params, "task"));
    if (is_required && !is_wanted && call->is_modern)
        return answerer_lacks(TASKS_LACKING, err);
    if (is_required && !is_wanted)
        return err_set(err, ERR_INVALID, MCP_NO_METHOD, "this tool is called as a task only");
    if (is_wanted && !is_possible && !call->is_modern)
        return err_set(err, ERR_INVALID, MCP_NO_METHOD, "this tool is not called as a task");
    *out_becomes = is_wanted && is_possible;
    return ERR_NONE;
}

bool serve_task_is_over(const struct serve_task *task)
{
    return task->status != SERVE_TASK_WORKING && task->status != SERVE_TASK_INPUT_REQUIRED;
}

/* The members that a task has in every status. */
static json_t *describe(const struct serve_call *call)
{
    const struct serve_task *task = call->as_task;
    char created[RFC3339_SIZE], updated[RFC3339_SIZE];
    return json_pack("{s:s, s:s, s:s, s:s, s:I, s:i}", "taskId", task->id, "status",
                     status_names[task->status], "createdAt",
                     rfc3339_print(task->created_ms, created), "lastUpdatedAt",
                     rfc3339_print(task->updated_ms, updated), call->is_modern ? "ttlMs" : "ttl",
                     (json_int_t)task->ttl_ms, call->is_modern ? "pollIntervalMs" : "pollInterval",
                     SERVE_TASK_POLL_MS);
}

static void wake_fetchers(const struct serve_call *call)
{
    struct session *s = call->session;
    for (size_t i = 0; i < s->n_calls; i++)
        if (s->calls[i]->fetches == call && s->calls[i]->parked)
            runtime_cancel(s->runtime, s->calls[i]->parked);
}

void serve_task_note(struct serve_call *call, enum serve_task_status status)
{
    struct session *s = call->session;
    struct serve_task *task = call->as_task;
    if (task->status == status)
        return;
    task->status = status;
    task->updated_ms = runtime_wall_ms(s->runtime);
    if (!call->is_modern && !s->is_gone)
        rpc_notify(s->rpc, NULL, "notifications/tasks/status", describe(call));
    if (serve_task_is_over(task))
        wake_fetchers(call);
}

static bool is_fetched(const struct serve_call *call)
{
    const struct session *s = call->session;
    for (size_t i = 0; i < s->n_calls; i++)
        if (s->calls[i]->fetches == call && !s->calls[i]->is_cancelled)
            return true;
    return false;
}

/* A legacy client is asked while it waits for the outcome; a modern one finds the questions when it
 * looks. */
void serve_task_ask(struct serve_call *call)
{
    bool can_ask = !call->is_modern && is_fetched(call);
    serve_task_note(call, SERVE_TASK_INPUT_REQUIRED);
    for (struct serve_question *at = call->questions; can_ask && at; at = at->next) {
        json_t *related = json_pack("{s:{s:s}}", "io.modelcontextprotocol/related-task", "taskId",
                                    call->as_task->id);
        json_object_set_new(at->params, "_meta", related);
        if (!at->is_sent)
            serve_send_question(call, at);
    }
}

/* The oldest task that is over gives way to a new one. */
static enum err_code make_room(struct session *s, struct err *err)
{
    struct serve_call *oldest = NULL;
    size_t n = 0;
    for (size_t i = 0; i < s->n_calls; i++) {
        struct serve_task *task = s->calls[i]->as_task;
        n += task != NULL && !s->calls[i]->is_cancelled;
        if (!oldest && task && serve_task_is_over(task) && !s->calls[i]->is_cancelled)
            oldest = s->calls[i];
    }
    if (n < SERVE_MAX_TASKS)
        return ERR_NONE;
    if (!oldest)
        return err_set(err, ERR_LIMIT, MCP_BUSY, "%d tasks are running", SERVE_MAX_TASKS);
    serve_round_drop(oldest);
    return ERR_NONE;
}

static int64_t ttl_of(const struct serve_call *call)
{
    const json_t *asked = json_object_get(call->message.params, "task");
    int64_t ttl = json_get_int(asked, "ttl", SERVE_TASK_TTL_MS);
    return ttl < 0 ? 0 : ttl > SERVE_TASK_MAX_TTL_MS ? SERVE_TASK_MAX_TTL_MS : ttl;
}

static void reply_task(struct serve_call *call)
{
    json_t *result = describe(call);
    if (call->is_modern) {
        session_complete(call->session, result, true, false);
        json_object_set_new(result, "resultType", json_string("task"));
    } else {
        result = json_pack("{s:o}", "task", result);
    }
    rpc_reply(call->session->rpc, call->message.id, result);
}

static void conclude(struct serve_call *call, enum err_code r, const struct step_result *result,
                     const struct err *why)
{
    struct serve_task *task = call->as_task;
    if (serve_task_is_over(task))
        return;
    if (!r)
        r = json_parse(result->bytes, result->length, JSON_FOREIGN, &task->outcome, NULL);
    if (!task->outcome)
        task->outcome = serve_error(call, why);
    serve_task_note(call, r == ERR_NONE        ? SERVE_TASK_COMPLETED
                          : r == ERR_CANCELLED ? SERVE_TASK_CANCELLED
                                               : SERVE_TASK_FAILED);
}

enum err_code serve_task_run(struct serve_call *call, struct scope *sc,
                             const struct tool_call *request, struct err *err)
{
    struct session *s = call->session;
    struct scope work = scope_child(sc, SCOPE_NO_DEADLINE);
    struct serve_task task = { .ttl_ms = ttl_of(call), .work = &work };
    struct step_result result = { 0 };
    struct err why = { 0 };
    AUTO(arena) arena = { 0 };
    enum err_code r = make_room(s, err);
    if (r)
        return r;
    task.created_ms = task.updated_ms = runtime_wall_ms(s->runtime);
    ids_fresh(s->options->ids, task.id);
    call->as_task = &task;
    reply_task(call);
    r = tool_server_call(s->tools, &work, request, &arena, &result, &why);
    conclude(call, r, &result, &why);
    (void)!runtime_sleep(s->runtime, sc, task.ttl_ms, NULL);
    call->is_cancelled = true;
    call->as_task = NULL;
    json_decref(task.outcome);
    return ERR_NONE;
}

/* The task that the request names. *out is NULL where it fails. */
static enum err_code find(const struct serve_call *call, struct serve_call **out, struct err *err)
{
    const struct session *s = call->session;
    const char *id = json_get_string(call->message.params, "taskId");
    *out = NULL;
    if (call->is_modern && !knows_tasks(call))
        return answerer_lacks(TASKS_LACKING, err);
    for (size_t i = 0; i < s->n_calls && !*out; i++)
        if (s->calls[i]->as_task && !s->calls[i]->is_cancelled &&
            text_equal(s->calls[i]->as_task->id, id))
            *out = s->calls[i];
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
    json_t *result = describe(found);
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
            tasks[n++] = arena_keep_json(&arena, describe(s->calls[i]));
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
                       status_names[found->as_task->status]);
    if (!was_over) {
        serve_task_note(found, SERVE_TASK_CANCELLED);
        runtime_cancel(call->session->runtime, found->as_task->work);
    }
    reply(call, call->is_modern ? json_object() : describe(found));
    return ERR_NONE;
}

enum err_code serve_update_task(struct serve_call *call, struct scope *sc, struct err *err)
{
    struct serve_call *found = NULL;
    json_t *responses = json_object_get(call->message.params, "inputResponses");
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
