#include "infrastructure/mcp/client/mcp_task.h"
#include "application/ports/runtime.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

static int64_t now_ms(const struct mcp_task *task)
{
    return runtime_now_ms(task->client->runtime);
}

static int64_t silence_ms(const struct mcp_task *task)
{
    return task->call->silence_ms ? task->call->silence_ms : client_silence_ms(task->client);
}

/* What the tool says of itself, or NULL. */
static const char *task_support(const struct client *client, const char *name)
{
    const struct tool *tool =
        client->catalogue ? tool_catalogue_find(client->catalogue, name) : NULL;
    return tool ? json_get_string(json_object_get(tool->definition, "execution"), "taskSupport")
                : NULL;
}

void mcp_task_decide(struct mcp_task *task, struct scope *scope)
{
    struct client *client = task->client;
    struct tool_catalogue *catalogue = NULL;
    task->is_asked = false;
    if (!client->session.runs_tasks)
        return;
    if (!client->catalogue && client_list(&client->base, scope, &catalogue, NULL) == ERR_NONE)
        tool_catalogue_unref(catalogue);
    task->is_asked = text_equal(task_support(client, task->call->name), "required");
}

/* Over HTTP the server hears of it by the end of the stream, on which the answer would come. */
int64_t mcp_task_grace_ms(const struct mcp_task *task)
{
    const struct client *client = task->client;
    bool may_be_made = client->session.makes_tasks && !client->config->url;
    return task->is_asked || may_be_made ? MCP_TASK_CANCEL_WAIT_MS : 0;
}

/* Where the answer to the call says what the task is; zeroed when it made none. */
static struct json_slice made_task(const struct mcp_task *task, const struct result_outline *result)
{
    if (task->era == ERA_MODERN)
        return json_string_is(result->type, "task") ? result->text : (struct json_slice){ 0 };
    return task->is_asked ? json_slice_member(result->text, "task") : (struct json_slice){ 0 };
}

bool mcp_task_is_made(const struct mcp_task *task, const struct result_outline *result)
{
    return made_task(task, result).length > 0;
}

static void report(const struct mcp_task *task)
{
    const struct tool_call *call = task->call;
    if (call->on_task)
        call->on_task(call->context, json_string_value(task->id),
                      mcp_task_status_name(task->state.status),
                      *task->state.message ? task->state.message : NULL);
}

void mcp_task_note(struct mcp_task *task, const struct mcp_task_state *state)
{
    bool is_news =
        state->status != task->state.status || strcmp(state->message, task->state.message) != 0;
    task->state = *state;
    if (is_news)
        report(task);
}

MUST_CHECK
static enum err_code read_task(const struct mcp_task *task, struct json_slice text,
                               json_t **out_value, struct json_slice *out_outcome, struct err *err)
{
    size_t most = (size_t)task->client->context.settings->mcp_max_values;
    return mcp_task_value(text, most, out_value, out_outcome, err);
}

enum err_code mcp_task_take(struct mcp_task *task, const struct result_outline *result,
                            struct err *err)
{
    json_t *id;
    struct json_slice outcome;
    json_auto_t *made = NULL;
    enum err_code r = read_task(task, made_task(task, result), &made, &outcome, err);
    if (!r)
        r = mcp_task_id_read(made, &id, err);
    if (r)
        return r;
    task->id = json_incref(id);
    r = mcp_task_state_read(made, &task->state, err);
    if (!r)
        report(task);
    return r;
}

void mcp_task_end(struct mcp_task *task)
{
    task->is_over = true;
    task->kept.on_progress = NULL;
}

static bool append_params(const struct client_request *x, struct buf *line)
{
    const struct mcp_task *task = x->context;
    struct era_offer offer = client_offer_of(task->client, task->call->answerer);
    offer.tasks = true;
    bool fits = buf_puts(line, "{\"taskId\":") && jsonrpc_append_json(line, task->id);
    if (fits && strcmp(x->request.method, "tasks/update") == 0)
        fits = buf_puts(line, ",\"inputResponses\":") && jsonrpc_append_json(line, task->unsent);
    const char *comma = "";
    bool is_modern = task->era == ERA_MODERN;
    if (fits && (is_modern || task->call->trace.parent))
        fits = client_append_call_meta(task->client, line, is_modern ? &offer : NULL, task->call,
                                       &comma) &&
               buf_puts(line, "}");
    return fits && buf_puts(line, "}");
}

struct client_request mcp_task_request(struct mcp_task *task, struct scope *scope,
                                       const char *method)
{
    return (struct client_request){
        .client = task->client,
        .scope = scope,
        .request = { .method = method,
                     .name = json_string_value(task->id),
                     .is_binding = true,
                     .silence_ms = silence_ms(task),
                     .max_ms = task->call->max_ms },
        .append_params = append_params,
        .context = task,
        .used_ms = task->used_ms,
    };
}

/* Questions moved the request's end: their time is not the call's. */
static void count_time(struct mcp_task *task, const struct request *request, int64_t began_ms)
{
    int64_t asked_ms = 0;
    if (request->max_ms && request->latest_ms)
        asked_ms = request->latest_ms - (began_ms + request->max_ms - request->used_ms);
    task->used_ms += now_ms(task) - began_ms - asked_ms;
}

/* A request that was turned away is not sent again by itself: the next look needs a session first,
 * and the answer may be another by then. */
enum err_code mcp_task_ask(struct mcp_task *task, struct client_request *x, struct err *err)
{
    int64_t began_ms = now_ms(task);
    enum sending_end end;
    enum err_code r = client_request_send(x, &end, err);
    count_time(task, &x->request, began_ms);
    bool was_turned_away = task->was_turned_away;
    task->was_turned_away = end == SENDING_OUTDATED;
    if (end == SENDING_AUTHORIZED)
        return err_set(err, ERR_UNAVAILABLE, 0, "its token had to be renewed");
    if (task->was_turned_away && !was_turned_away)
        return err_set(err, ERR_UNAVAILABLE, 0, "it refused the revision that it spoke before");
    /* Of a task that failed the same number may be the tool's own error. */
    if (jsonrpc_error_code(x->request.error) != JSONRPC_INVALID_PARAMS ||
        task->state.status == MCP_TASK_FAILED)
        return r;
    task->is_over = true;
    r = err_prefix(err, ERR_FAILED, "the server has forgotten the task that the call became");
    return err_outcome_unknown(err, r);
}

static enum err_code check_look(const struct mcp_task *task, const struct result_outline *result,
                                const json_t *value, struct err *err)
{
    const json_t *id = json_object_get(value, "taskId");
    if (id && !json_equal(id, task->id))
        return err_set(err, ERR_PROTOCOL, 0, "tasks/get: the answer is about another task");
    if (json_string_is(result->type, "task"))
        return ERR_NONE;
    return err_prefix(err, client_check_result_type(result, err), "tasks/get");
}

static enum err_code take_look(void *context, const struct result_outline *result, struct err *err)
{
    struct mcp_task *task = context;
    struct mcp_task_state state;
    struct json_slice outcome;
    json_auto_t *value = NULL;
    enum err_code r = read_task(task, result->text, &value, &outcome, err);
    if (!r)
        r = check_look(task, result, value, err);
    if (!r)
        r = mcp_task_state_read(value, &state, err);
    if (r)
        return r;
    mcp_task_note(task, &state);
    if (state.status == MCP_TASK_CANCELLED) {
        mcp_task_end(task);
        return err_set(err, ERR_FAILED, 0, "the server cancelled the task%s%s",
                       *state.message ? ": " : "", state.message);
    }
    return task->era == ERA_MODERN ? mcp_task_modern_take(task, value, outcome, err) : ERR_NONE;
}

/* Between two looks: the server may ask questions. Not shorter than the bound even when woken. */
awaits MUST_CHECK static enum err_code pause_task(struct mcp_task *task, struct scope *scope,
                                                  struct err *err)
{
    const struct client *client = task->client;
    int64_t max_ms = task->call->max_ms, began_ms = now_ms(task);
    int64_t ms = mcp_task_poll_ms(&task->state, client->context.settings->mcp_task_poll_ms);
    if (max_ms && task->used_ms >= max_ms)
        return err_set(err, ERR_TIMEOUT, 0, "not done within %g s", (double)max_ms / 1000);
    if (max_ms && ms > max_ms - task->used_ms)
        ms = max_ms - task->used_ms;
    enum err_code r = connection_pause(client->connection, &task->kept, ms, scope, err);
    int64_t took_ms = now_ms(task) - began_ms;
    if (!r && took_ms < MCP_TASK_MIN_POLL_MS)
        r = runtime_sleep(client->runtime, scope, MCP_TASK_MIN_POLL_MS - took_ms, err);
    count_time(task, &task->kept, began_ms);
    return r;
}

/* What cannot be started any more has nothing to look at. */
awaits MUST_CHECK static enum err_code ensure_session(struct mcp_task *task, struct scope *scope,
                                                      struct err *err)
{
    struct client *client = task->client;
    enum err_code r = client_ensure_started(client, scope, err);
    if (!r && client->session.era != task->era)
        r = err_set(err, ERR_UNAVAILABLE, 0, "the server was started again as another one");
    task->is_over = r != ERR_NONE;
    if (!r)
        connection_keep(client->connection, &task->kept);
    return r;
}

awaits MUST_CHECK static enum err_code look(struct mcp_task *task, struct scope *scope,
                                            struct err *err)
{
    enum err_code r = ensure_session(task, scope, err);
    if (r)
        return r;
    struct client_request x = mcp_task_request(task, scope, "tasks/get");
    x.take = take_look;
    r = mcp_task_ask(task, &x, err);
    request_finish(&x.request);
    if (r || task->is_over)
        return r;
    return task->era == ERA_MODERN ? mcp_task_modern_go_on(task, scope, err)
                                   : mcp_task_legacy_go_on(task, scope, err);
}

/* A connection that breaks says nothing about the task: as long as a call may be silent the server
 * is asked again. */
static bool may_look_again(struct mcp_task *task, enum err_code r)
{
    if (r != ERR_UNAVAILABLE || task->is_over)
        return false;
    if (!task->lost_ms)
        task->lost_ms = now_ms(task);
    return now_ms(task) - task->lost_ms < silence_ms(task);
}

awaits MUST_CHECK static enum err_code follow(struct mcp_task *task, struct scope *scope,
                                              struct err *err)
{
    bool is_due = task->is_taken_up || task->state.status != MCP_TASK_WORKING;
    for (;;) {
        enum err_code r = is_due ? ERR_NONE : pause_task(task, scope, err);
        if (r)
            return r;
        r = look(task, scope, err);
        if (!may_look_again(task, r) && (r || task->is_over))
            return r;
        if (r == ERR_NONE)
            task->lost_ms = 0;
        is_due = false;
    }
}

/* Only a task that its server says has failed, or was cancelled there, tells what became of the
 * call. Whatever else stands between here and its result leaves that open. */
static enum err_code tell_outcome(const struct mcp_task *task, enum err_code r, struct err *err)
{
    bool has_failed =
        task->state.status == MCP_TASK_FAILED || task->state.status == MCP_TASK_CANCELLED;
    return r && !has_failed ? err_outcome_unknown(err, r) : r;
}

enum err_code mcp_task_await(struct mcp_task *task, struct scope *scope, struct err *err)
{
    struct client *client = task->client;
    task->kept.method = "tools/call";
    task->kept.is_binding = true;
    task->kept.on_progress = task->call->on_progress;
    task->kept.progress_context = task->call->context;
    task->kept.answerer = task->call->answerer;
    task->next = client->tasks;
    client->tasks = task;
    connection_keep(client->connection, &task->kept);
    enum err_code r = follow(task, scope, err);
    connection_forget(client->connection, &task->kept);
    struct mcp_task **at = &client->tasks;
    while (*at != task)
        at = &(*at)->next;
    *at = task->next;
    return tell_outcome(task, r, err);
}

enum err_code mcp_task_take_up(struct mcp_task *task, struct scope *scope, struct err *err)
{
    struct client *client = task->client;
    enum err_code r = client_ensure_started(client, scope, err);
    task->is_taken_up = true;
    task->era = client->session.era;
    task->id = json_string(task->call->task);
    return r ? tell_outcome(task, r, err) : mcp_task_await(task, scope, err);
}

static enum err_code take_cancellation(void *context, const struct result_outline *result,
                                       struct err *err)
{
    struct mcp_task_state state;
    struct json_slice outcome;
    json_auto_t *value = NULL;
    if (!read_task(context, result->text, &value, &outcome, err) &&
        !mcp_task_state_read(value, &state, err))
        mcp_task_note(context, &state);
    return ERR_NONE;
}

/* The caller is gone, or will be: this waits on its own, and briefly. */
awaits static void cancel(struct mcp_task *task)
{
    const struct client *client = task->client;
    struct scope briefly = scope_child(NULL, now_ms(task) + MCP_TASK_CANCEL_WAIT_MS);
    bool can_be = task->era == ERA_MODERN || client->session.cancels_tasks;
    if (!can_be || !connection_is_open(client->connection) || client->session.era != task->era)
        return;
    /* Once more where it was turned away unseen. */
    for (int i = 0; i < 2 && connection_is_open(client->connection); i++) {
        struct client_request x = mcp_task_request(task, &briefly, "tasks/cancel");
        x.request.max_ms = 0;
        x.take = take_cancellation;
        enum err_code r = mcp_task_ask(task, &x, NULL);
        request_finish(&x.request);
        if (r != ERR_UNAVAILABLE)
            return;
    }
}

void mcp_task_finish(struct mcp_task *task)
{
    if (task->id && !task->is_over)
        cancel(task);
    json_decref(task->id);
    json_decref(task->inputs);
    json_decref(task->answered);
    json_decref(task->unsent);
    *task = (struct mcp_task){ 0 };
}

/* What a server says unasked is worth a look, and no more. */
void mcp_task_receive_notice(struct client *client, const json_t *params)
{
    struct mcp_task_state state;
    const json_t *id = json_object_get(params, "taskId");
    struct mcp_task *task = client->tasks;
    while (task && !json_equal(task->id, id))
        task = task->next;
    if (!task || task->is_over || mcp_task_state_read(params, &state, NULL))
        return;
    bool is_news = state.status != task->state.status;
    mcp_task_note(task, &state);
    if (is_news)
        connection_wake(&task->kept);
}
