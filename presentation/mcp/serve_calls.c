/* The methods that wait for the tools: the table of them, tools/list and tools/call, and how a
 * result or an error is answered. */
#include "domain/base/buf.h"
#include "domain/base/json_scan.h"
#include "domain/base/text.h"
#include "presentation/mcp/serve_session.h"
#include <stdlib.h>
#include <string.h>

/* {"elicitation":{"form":{}}} of "elicitation.form". */
static json_t *nested(const char *path)
{
    static const char extension[] = "extensions.";
    AUTO(arena) arena = { 0 };
    const char *dot = strchr(path, '.');
    if (text_starts_with(path, extension))
        return json_pack("{s:{s:{}}}", "extensions",
                         arena_printf(&arena, "io.modelcontextprotocol/%s", dot + 1));
    const char *head = dot ? arena_strndup(&arena, path, (size_t)(dot - path)) : path;
    return json_pack("{s:o}", head, dot ? nested(dot + 1) : json_object());
}

static int error_code(const struct serve_call *call, const struct err *err)
{
    /* JSON-RPC keeps -32768 to -32000 for itself and for servers. */
    bool has_code = err->origin <= -32000 && err->origin >= -32768;
    bool is_refused = err->code == ERR_NOT_FOUND || err->code == ERR_INVALID;
    int code = has_code ? err->origin : is_refused ? MCP_BAD_PARAMS : MCP_INTERNAL;
    /* Older clients do not know this code. */
    return code == MCP_NO_CAPABILITY && !call->is_modern ? MCP_INVALID_REQUEST : code;
}

json_t *serve_error(const struct serve_call *call, const struct err *err)
{
    json_t *data = json_pack("{ss}", "code", err_name(err->code));
    if (*err->hint)
        json_object_set_new(data, "hint", json_string(err->hint));
    if (err->origin == MCP_NO_CAPABILITY)
        json_object_set_new(data, "requiredCapabilities", nested(err->what));
    if (err->code == ERR_NOT_FOUND && strcmp(call->message.method, "resources/read") == 0)
        json_object_set(data, "uri", json_object_get(call->message.params, "uri"));
    /* A message can quote bytes that are not text. */
    AUTO(arena) arena = { 0 };
    const char *message =
        text_one_line(&arena, err->message, strlen(err->message), sizeof err->message);
    return json_pack("{s:i, s:s, s:o}", "code", error_code(call, err), "message", message, "data",
                     data);
}

static void fail_with(struct serve_call *call, const struct err *err)
{
    json_auto_t *error = serve_error(call, err);
    rpc_fail(call->session->rpc, call->message.id, (int)json_get_int(error, "code", 0),
             json_get_string(error, "message"), json_incref(json_object_get(error, "data")));
}

const char *serve_text(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_string(value) && !json_string_has_nul(value) ? json_string_value(value) : NULL;
}

static enum err_code list_tools(struct serve_call *call, struct scope *sc, struct err *err)
{
    struct tool_catalogue *catalogue;
    AUTO(arena) arena = { 0 };
    enum err_code r = tool_server_list(call->session->tools, sc, &catalogue, err);
    if (r)
        return r;
    const json_t **definitions = arena_array(&arena, const json_t *, catalogue->n_tools + 1);
    for (size_t i = 0; i < catalogue->n_tools; i++)
        definitions[i] = catalogue->tools[i].definition;
    r = serve_page(call, "tools", definitions, catalogue->n_tools, err);
    tool_catalogue_unref(catalogue);
    return r;
}

/* Progress ends with the request, or with the legacy task that came of it. */
static bool is_over(const struct serve_call *call)
{
    return call->as_task && (call->is_modern || serve_task_is_over(call->as_task));
}

/* Sent only to a client that gave a token, and only when it grew (MCP, "Progress"). */
static void notify_progress(void *context, double progress, double total, const char *message)
{
    struct serve_call *call = context;
    if (!call->progress_token || call->is_cancelled || serve_is_parked(call) || is_over(call) ||
        progress <= call->last_progress)
        return;
    call->last_progress = progress;
    json_t *params = json_pack("{sO}", "progressToken", call->progress_token);
    bool is_whole =
        progress >= 0 && progress <= 9007199254740992.0 && progress == (double)(json_int_t)progress;
    json_object_set_new(params, "progress",
                        is_whole ? json_integer((json_int_t)progress) : json_real(progress));
    if (total >= 0)
        json_object_set_new(params, "total", json_real(total));
    if (message)
        json_object_set_new(params, "message", json_string(message));
    rpc_notify(call->session->rpc, call->message.id, "notifications/progress", params);
}

static void let_go(void *context, int64_t ms)
{
    const struct serve_call *call = context;
    if (!call->is_cancelled && !serve_is_answered(call))
        rpc_pause(call->session->rpc, call->message.id, ms);
}

/* The result without line breaks, which end a message; NULL where it has none, as nearly always. */
static char *on_one_line(const char *bytes, size_t length)
{
    json_auto_t *value = NULL;
    if (!memchr(bytes, '\n', length) || json_parse(bytes, length, JSON_FOREIGN, &value, NULL))
        return NULL;
    return json_print(value);
}

void serve_pass_on(struct serve_call *call, const char *bytes, size_t length)
{
    struct rpc *rpc = call->session->rpc;
    auto_str one_line = on_one_line(bytes, length);
    if (one_line) {
        bytes = one_line;
        length = strlen(one_line);
    }
    struct json_slice result = { bytes, length };
    const char *open = memchr(bytes, '{', length);
    if (!call->is_modern || !open || json_slice_member(result, "resultType").length) {
        rpc_reply_text(rpc, call->message.id, bytes, length);
        return;
    }
    static const char member[] = "{\"resultType\":\"complete\"";
    bool is_empty = open[1 + strspn(open + 1, " \t\r")] == '}';
    size_t rest = length - (size_t)(open + 1 - bytes);
    AUTO(buf) text;
    buf_init(&text, rest + sizeof member + 1);
    if (buf_puts(&text, member) && buf_puts(&text, is_empty ? "" : ",") &&
        buf_append(&text, open + 1, rest))
        rpc_reply_text(rpc, call->message.id, text.bytes, text.length);
}

static enum err_code call_tool(struct serve_call *call, struct scope *sc, struct err *err)
{
    struct session *s = call->session;
    const json_t *params = call->message.params;
    const json_t *arguments = json_object_get(params, "arguments");
    const json_t *meta = json_object_get(params, "_meta");
    const char *name = serve_text(params, "name");
    if (!name)
        return err_set(err, ERR_INVALID, 0, "tools/call needs params.name (string)");
    if (arguments && !json_is_object(arguments))
        return err_set(err, ERR_INVALID, 0, "params.arguments is not an object");
    call->progress_token = json_object_get(meta, "progressToken");
    call->last_progress = -1;
    struct tool_call request = {
        .name = name,
        .arguments = arguments,
        .on_progress = notify_progress,
        .on_pause = let_go,
        .answerer = &call->answerer,
        .trace = { serve_text(meta, TRACE_PARENT_KEY), serve_text(meta, TRACE_STATE_KEY) },
        .context = call,
    };
    AUTO(arena) arena = { 0 };
    struct step_result result;
    bool becomes_task = false;
    enum err_code r = serve_task_decide(call, sc, &becomes_task, err);
    if (r || becomes_task)
        return r ? r : serve_task_run(call, sc, &request, err);
    r = tool_server_call(s->tools, sc, &request, &arena, &result, err);
    serve_round_await(call);
    if (!r && !call->is_cancelled)
        serve_pass_on(call, result.bytes, result.length);
    return r;
}

static const struct {
    const char *name;
    serve_method_fn *run;
    enum session_era era; /* SESSION_UNDECIDED: of both */
} methods[] = {
    { "tools/list", list_tools, SESSION_UNDECIDED },
    { "tools/call", call_tool, SESSION_UNDECIDED },
    { "resources/list", serve_list_resources, SESSION_UNDECIDED },
    { "resources/templates/list", serve_list_templates, SESSION_UNDECIDED },
    { "resources/read", serve_read_resource, SESSION_UNDECIDED },
    { "prompts/list", serve_list_prompts, SESSION_UNDECIDED },
    { "prompts/get", serve_get_prompt, SESSION_UNDECIDED },
    { "completion/complete", serve_complete, SESSION_UNDECIDED },
    { "subscriptions/listen", serve_listen, SESSION_MODERN },
    { "resources/subscribe", serve_subscribe, SESSION_LEGACY },
    { "resources/unsubscribe", serve_unsubscribe, SESSION_LEGACY },
    { "tasks/get", serve_get_task, SESSION_UNDECIDED },
    { "tasks/cancel", serve_cancel_task, SESSION_UNDECIDED },
    { "tasks/update", serve_update_task, SESSION_MODERN },
    { "tasks/result", serve_task_result, SESSION_LEGACY },
    { "tasks/list", serve_list_tasks, SESSION_LEGACY },
};

static serve_method_fn *method_named(const char *name, enum session_era era)
{
    for (size_t i = 0; i < ARRAY_LENGTH(methods); i++)
        if (strcmp(methods[i].name, name) == 0 &&
            (methods[i].era == SESSION_UNDECIDED || methods[i].era == era))
            return methods[i].run;
    return NULL;
}

bool serve_is_call(const struct session *session, const char *method, enum session_era era)
{
    const struct tool_server_ops *ops = session->tools->ops;
    struct tool_server_status status = { 0 };
    tool_server_status(session->tools, &status);
    if (text_starts_with(method, "resources/") && !status.has_resources)
        return false;
    if (text_starts_with(method, "prompts/") && !status.has_prompts)
        return false;
    if (text_starts_with(method, "tasks/") && !session->options->runs_tasks)
        return false;
    if (strcmp(method, "completion/complete") == 0 && !ops->complete)
        return false;
    if (text_starts_with(method, "resources/") && strstr(method, "subscribe") &&
        !ops->watch_resource)
        return false;
    return method_named(method, era) != NULL;
}

enum err_code serve_call_run(struct runtime *runtime, struct scope *sc, void *argument)
{
    (void)runtime;
    struct serve_call *call = argument;
    struct err err = { 0 };
    enum session_era era = call->is_modern ? SESSION_MODERN : SESSION_LEGACY;
    enum err_code r = method_named(call->message.method, era)(call, sc, &err);
    if (r && !call->is_cancelled)
        fail_with(call, &err);
    call->is_done = true;
    return ERR_NONE;
}

void serve_call_destroy(struct serve_call *call)
{
    rpc_message_finish(&call->message);
    rpc_message_finish(&call->first);
    free(call);
}
