#include "presentation/mcp/serve_tools.h"
#include "domain/base/json.h"
#include "presentation/mcp/serve_session.h"
#include <stdlib.h>

/* Reads one message beside the calls, so that a cancellation is heard while they run. */
struct reader {
    struct rpc *rpc;
    struct rpc_message message;
    struct err err;
    enum err_code result;
    struct task *task;
};

static enum err_code read_message(struct runtime *runtime, struct scope *sc, void *argument)
{
    (void)runtime;
    struct reader *reader = argument;
    reader->result = rpc_next(reader->rpc, sc, &reader->message, &reader->err);
    return ERR_NONE;
}

static enum err_code sleep_for_grace(struct runtime *runtime, struct scope *sc, void *argument)
{
    (void)argument;
    return runtime_sleep(runtime, sc, SERVE_GRACE_MS, NULL);
}

static size_t max_in_flight(const struct session *s)
{
    size_t n = s->options->max_in_flight;
    return n == 0 ? 1 : n > SERVE_MAX_IN_FLIGHT ? SERVE_MAX_IN_FLIGHT : n;
}

/* Calls start in the order they came, as many as may run at once. */
static void start_calls(struct session *s)
{
    size_t n_running = 0;
    for (size_t i = 0; i < s->n_calls; i++)
        n_running += s->calls[i]->task != NULL && !serve_is_answered(s->calls[i]);
    for (size_t i = 0; i < s->n_calls && n_running < max_in_flight(s); i++) {
        struct serve_call *call = s->calls[i];
        if (call->task)
            continue;
        call->task = runtime_spawn(s->runtime, &call->scope, serve_call_run, call);
        n_running++;
    }
}

static void remove_call(struct session *s, size_t index)
{
    serve_call_destroy(s->calls[index]);
    for (size_t i = index + 1; i < s->n_calls; i++)
        s->calls[i - 1] = s->calls[i];
    s->n_calls--;
}

static void drop_cancelled(struct session *s)
{
    for (size_t i = s->n_calls; i-- > 0;)
        if (s->calls[i]->is_cancelled && !s->calls[i]->task)
            remove_call(s, i);
}

static bool is_id_in_use(const struct session *s, const json_t *id)
{
    for (size_t i = 0; i < s->n_calls; i++)
        if (!serve_is_answered(s->calls[i]) && json_equal(s->calls[i]->message.id, id))
            return true;
    for (size_t i = 0; i < json_array_size(s->subscriptions); i++)
        if (json_equal(json_object_get(json_array_get(s->subscriptions, i), "id"), id))
            return true;
    return false;
}

/* Takes the message over. */
static void add_call(struct session *s, struct rpc_message *message)
{
    if (s->n_calls >= s->max_calls) {
        rpc_fail(s->rpc, message->id, MCP_BUSY, "too many requests at once", NULL);
        return;
    }
    struct serve_call *call = calloc(1, sizeof *call);
    if (!call)
        abort();
    const json_t *meta = json_object_get(message->params, "_meta");
    const char *level = json_get_string(meta, "io.modelcontextprotocol/logLevel");
    call->session = s;
    call->message = *message;
    call->is_modern = s->era == SESSION_MODERN;
    call->log_level = level ? serve_log_level(level) : LOG_NEVER;
    call->scope = scope_child(s->calls_scope, SCOPE_NO_DEADLINE);
    serve_question_init(call);
    *message = (struct rpc_message){ 0 };
    s->calls[s->n_calls++] = call;
}

static void handle(struct session *s, struct rpc_message *message)
{
    bool waits = false;
    if (!message->method)
        serve_answered(s, message);
    else if (!message->id)
        session_notified(s, message);
    else if (is_id_in_use(s, message->id))
        rpc_fail(s->rpc, message->id, MCP_INVALID_REQUEST, "this id is in use", NULL);
    else
        session_answer(s, message, &waits);
    if (waits && s->era == SESSION_MODERN && serve_is_retry(message))
        serve_retry(s, message);
    else if (waits)
        add_call(s, message);
    rpc_message_finish(message);
    drop_cancelled(s);
}

/* Waits for one of the calls or for `other`; true when it was `other`, which is gone then. */
static bool wait_for_one(struct session *s, struct task **tasks, struct task *other)
{
    enum err_code ignored;
    for (size_t i = 0; i < s->n_calls; i++)
        tasks[i] = s->calls[i]->task;
    tasks[s->n_calls] = other;
    size_t which = runtime_wait_any(s->runtime, tasks, s->n_calls + 1, &ignored);
    if (which == s->n_calls)
        return true;
    remove_call(s, which);
    return false;
}

static enum err_code converse(struct session *s, struct scope *sc, struct task **tasks,
                              struct err *err)
{
    for (;;) {
        struct reader reader = { .rpc = s->rpc };
        reader.task = runtime_spawn(s->runtime, sc, read_message, &reader);
        while (!wait_for_one(s, tasks, reader.task))
            start_calls(s);
        if (reader.result) {
            if (err)
                *err = reader.err;
            return reader.result;
        }
        handle(s, &reader.message);
        start_calls(s);
    }
}

/* The client has gone: what runs may end in peace for a moment, then it is cancelled. */
static void wind_down(struct session *s, struct scope *sc, struct task **tasks)
{
    struct scope grace = scope_child(sc, SCOPE_NO_DEADLINE);
    struct task *timer = NULL;
    serve_abandon_questions(s);
    if (s->n_calls)
        timer = runtime_spawn(s->runtime, &grace, sleep_for_grace, NULL);
    while (s->n_calls) {
        if (wait_for_one(s, tasks, timer)) {
            timer = NULL;
            runtime_cancel(s->runtime, s->calls_scope);
        }
        start_calls(s);
    }
    runtime_cancel(s->runtime, &grace);
    if (timer)
        (void)runtime_wait(s->runtime, timer);
}

static void on_tools_changed(void *context, struct tool_server *server)
{
    (void)server;
    session_tools_changed(context);
}

static void on_resource_updated(void *context, struct tool_server *server, const char *uri)
{
    (void)server;
    session_resource_updated(context, uri);
}

static void on_log(void *context, struct tool_server *server, const char *level, const char *text)
{
    (void)server;
    session_log(context, level, text);
}

enum err_code serve_tools(struct runtime *runtime, struct scope *scope, struct rpc *rpc,
                          struct tool_server *tools, const struct serve_options *options,
                          struct err *err)
{
    static const struct tool_server_listener none = { 0 };
    struct scope calls_scope = scope_child(scope, SCOPE_NO_DEADLINE);
    struct session s = {
        .runtime = runtime,
        .rpc = rpc,
        .tools = tools,
        .options = options,
        .log_level = serve_log_level("info"),
        .calls_scope = &calls_scope,
        .subscriptions = json_array(),
        .watched = json_object(),
    };
    struct tool_server_listener listener = {
        .on_tools_changed = on_tools_changed,
        .on_resource_updated = on_resource_updated,
        .on_log = on_log,
        .context = &s,
    };
    s.max_calls = max_in_flight(&s) + SERVE_MAX_WAITING;
    AUTO(arena) arena = { 0 };
    s.calls = arena_array(&arena, struct serve_call *, s.max_calls);
    struct task **tasks = arena_array(&arena, struct task *, s.max_calls + 1);
    tool_server_listen(tools, &listener);
    enum err_code r = converse(&s, scope, tasks, err);
    wind_down(&s, scope, tasks);
    tool_server_listen(tools, &none);
    session_end(&s);
    if (r == ERR_UNAVAILABLE) /* The client leaving is how serving ends. */
        r = rpc_flush(rpc, scope, err);
    json_decref(s.capabilities);
    json_decref(s.subscriptions);
    json_decref(s.watched);
    return r;
}
