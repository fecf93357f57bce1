#include "application/ports/runtime.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/client/client_headers.h"
#include "infrastructure/mcp/client/client_tasks.h"
#include "infrastructure/mcp/client/input_rounds.h"
#include <string.h>
#include <strings.h>

/* Where the answer of a call goes: it is read once, on arrival, into the caller's arena. */
struct call_sink {
    struct arena *arena;
    struct step_result *out;
    struct input_rounds rounds;
    struct server_task task; /* that the call may become */
    bool is_modern;
    bool was_turned_away; /* for its headers or its revision, which may be mended once */
    bool was_corrected, was_authorized;
};

/* NULL: it has none, and is complete. */
static enum err_code check_type_name(const char *name, struct err *err)
{
    if (!name || strcmp(name, "complete") == 0)
        return ERR_NONE;
    if (strcmp(name, "input_required") == 0)
        return err_set(err, ERR_PROTOCOL, 0,
                       "the server asks for input where mistro does not offer any");
    if (strcmp(name, "task") == 0)
        return err_set(err, ERR_PROTOCOL, 0,
                       "the server answers with a task, which mistro does not offer");
    return err_set(err, ERR_PROTOCOL, 0, "the answer has an unknown resultType");
}

enum err_code client_check_result_type(const json_t *result, struct err *err)
{
    const json_t *type = json_object_get(result, "resultType");
    return check_type_name(type && !json_is_string(type) ? "" : json_string_value(type), err);
}

enum err_code client_check_outline_type(const struct result_outline *result, struct err *err)
{
    char name[32] = "";
    struct json_string_reader reader = json_string_read(result->type);
    (void)json_string_next(&reader, name, sizeof name - 1);
    return check_type_name(result->type.length ? name : NULL, err);
}

static enum err_code take_result(void *context, const struct result_outline *result,
                                 struct err *err)
{
    struct call_sink *sink = context;
    if (sink->is_modern && json_string_is(result->type, "input_required"))
        return input_rounds_take(&sink->rounds, result, err);
    if (server_task_is_made(&sink->task, result))
        return server_task_take(&sink->task, result, err);
    enum err_code r = client_check_outline_type(result, err);
    return r ? r : step_result_keep(sink->arena, result, sink->out, err);
}

/* `{…"name":…,"arguments":…,"_meta":{…}}` and the end of the line. */
static bool append_params(struct client *client, const struct request *request,
                          const struct tool_call *call, const struct call_sink *sink,
                          struct buf *line)
{
    bool is_modern = client->session.era == ERA_MODERN;
    struct era_offer offer = client_offer_of(client, call->answerer);
    offer.tasks = true;
    bool fits =
        buf_puts(line, ",\"params\":{\"name\":") && jsonrpc_append_string(line, call->name) &&
        buf_puts(line, ",\"arguments\":") &&
        (call->arguments ? jsonrpc_append_json(line, call->arguments) : buf_puts(line, "{}")) &&
        input_rounds_append(&sink->rounds, line);
    if (fits && sink->task.is_asked)
        fits = buf_printf(line, ",\"task\":{\"ttl\":%lld}",
                          (long long)client->options.settings->mcp_task_ttl_seconds * 1000);
    if (fits && (is_modern || call->on_progress))
        fits = buf_puts(line, ",\"_meta\":{") && (!is_modern || era_append_meta(line, offer));
    if (fits && is_modern && client->listener.on_log)
        fits = buf_puts(line, "," CLIENT_LOG_LEVEL_MEMBER);
    if (fits && call->on_progress)
        fits = buf_printf(line, "%s\"progressToken\":\"%lld\"", is_modern ? "," : "",
                          (long long)request->id.number);
    if (fits && (is_modern || call->on_progress))
        fits = buf_puts(line, "}");
    return fits && buf_puts(line, "}}\n");
}

/* -32602 says both "no such tool" and "bad arguments"; the message tells which. */
static enum err_code refine_error(const struct request *request, const struct tool_call *call,
                                  enum err_code r, struct err *err)
{
    int code = jsonrpc_error_code(request->error);
    const char *message = json_get_string(request->error, "message");
    if (!message || (code != JSONRPC_INVALID_PARAMS && code != JSONRPC_METHOD_NOT_FOUND) ||
        !strstr(message, call->name))
        return r;
    if (!strcasestr(message, "unknown") && !strcasestr(message, "not found") &&
        !strcasestr(message, "no such") && !strcasestr(message, "does not exist"))
        return r;
    if (err)
        err->code = ERR_NOT_FOUND;
    return err_about(err, ERR_NOT_FOUND, "tool");
}

/* A tool that is called in the wrong one of the two ways is refused like one that is not there. */
static void hint_at_tasks(const struct request *request, const struct call_sink *sink,
                          enum err_code r, struct err *err)
{
    if (jsonrpc_error_code(request->error) != JSONRPC_METHOD_NOT_FOUND ||
        !sink->task.client->session.runs_tasks)
        return;
    err_hint(err, r,
             sink->task.is_asked
                 ? "it was called as a task, because its definition says that it must be"
                 : "it may have to be called as a task, but its definition says nothing");
}

awaits MUST_CHECK static enum err_code send_call(struct client *client, struct scope *scope,
                                                 const struct tool_call *call,
                                                 struct call_sink *sink, bool *out_unseen,
                                                 struct err *err)
{
    struct request request = {
        .method = "tools/call",
        .name = call->name,
        .is_binding = sink->task.is_asked,
        .grace_ms = server_task_grace_ms(&sink->task),
        .silence_ms = call->silence_ms ? call->silence_ms : client_silence_ms(client),
        .max_ms = call->max_ms,
        .used_ms = sink->rounds.used_ms,
        .on_progress = call->on_progress,
        .in_turn = call->in_turn,
        .on_sent = sink->rounds.n ? NULL : call->on_sent,
        .progress_context = call->context,
        .answerer = call->answerer,
        .on_result = take_result,
        .context = sink,
    };
    AUTO(buf) line = { 0 };
    AUTO(arena) beside = { 0 };
    enum err_code r = client_headers_prepare(client, scope, call, &beside, &request, err);
    if (r)
        return r;
    int64_t began_ms = runtime_now_ms(client->runtime);
    sink->is_modern = client->session.era == ERA_MODERN;
    sink->task.era = client->session.era;
    buf_init(&line, (size_t)client->options.settings->mcp_max_message_bytes);
    if (!connection_begin(client->connection, &request, &line) ||
        !append_params(client, &request, call, sink, &line))
        return err_set(err, ERR_LIMIT, 0, "the arguments are longer than mcp.max_message_bytes");
    sink->task.kept.id = request.id;
    r = connection_post(client->connection, &request, &line, err);
    if (r == ERR_NONE)
        r = connection_await(client->connection, &request, scope, err);
    if (input_rounds_needs_urls(request.error, call->answerer))
        r = input_rounds_take_urls(&sink->rounds, request.error, err);
    else if (request.error)
        r = refine_error(&request, call, r, err);
    hint_at_tasks(&request, sink, r, err);
    sink->was_turned_away = client_headers_were_refused(client, request.error, err) ||
                            client_revision_was_refused(client, request.error);
    *out_unseen =
        (r == ERR_UNAVAILABLE && !request_was_sent(&request)) ||
        connection_authorize(client->connection, &request, scope, &sink->was_authorized, &r, err);
    if (r && request_is_unanswered(&request))
        err_outcome_unknown(err, r);
    sink->rounds.used_ms += runtime_now_ms(client->runtime) - began_ms;
    request_finish(&request);
    return r;
}

/* A server may end while a call is held, or turn it away because its session is over or a token is
 * missing: it never saw that one, and the next may take it. Each further start counts against the
 * bound of restarts. A call that it refused for its headers or its revision is made once more, with
 * those of a new list or a new handshake. */
awaits MUST_CHECK static enum err_code call_started(struct client *client, struct scope *scope,
                                                    const struct tool_call *call,
                                                    struct call_sink *sink, struct err *err)
{
    for (bool is_first = true;; is_first = false) {
        bool is_unseen = false, was_authorized = sink->was_authorized;
        enum err_code r = client_ensure_started(client, scope, err);
        if (r)
            return r;
        server_task_decide(&sink->task, scope);
        r = send_call(client, scope, call, sink, &is_unseen, err);
        if (sink->was_turned_away && !sink->was_corrected) {
            sink->was_corrected = true;
            continue;
        }
        bool has_token = sink->was_authorized && !was_authorized;
        if (!is_unseen || (!call->in_turn && !is_first && !has_token))
            return r;
    }
}

/* Until the answer is one that asks for nothing more. */
awaits MUST_CHECK static enum err_code call_in_rounds(struct client *client, struct scope *scope,
                                                      const struct tool_call *call,
                                                      struct call_sink *sink, struct err *err)
{
    for (;;) {
        enum err_code r = call_started(client, scope, call, sink, err);
        if (r || !sink->rounds.is_open)
            return r;
        r = input_rounds_answer(&sink->rounds, client, scope, call->answerer, err);
        if (r)
            return r;
    }
}

static enum err_code check_call(const struct tool_call *call, struct err *err)
{
    if (!text_is_utf8(call->name, strlen(call->name)))
        return err_set(err, ERR_INVALID, 0, "the tool's name is not UTF-8");
    if (call->arguments && !json_is_object(call->arguments))
        return err_set(err, ERR_INVALID, 0, "the arguments are no object");
    return ERR_NONE;
}

enum err_code client_call(struct tool_server *server, struct scope *scope,
                          const struct tool_call *call, struct arena *arena,
                          struct step_result *out, struct err *err)
{
    struct client *client = client_of(server);
    struct step_result result = { 0 };
    struct call_sink sink = { .arena = arena, .out = &result };
    sink.rounds.max_values = (size_t)client->options.settings->mcp_max_values;
    sink.task = (struct server_task){
        .client = client, .call = call, .arena = arena, .out = &result, .rounds = &sink.rounds
    };
    enum err_code r = check_call(call, err);
    if (r == ERR_NONE)
        r = call_in_rounds(client, scope, call, &sink, err);
    if (r == ERR_NONE && sink.task.id)
        r = server_task_await(&sink.task, scope, err);
    if (sink.task.id && (r == ERR_TIMEOUT || r == ERR_UNAVAILABLE || r == ERR_CANCELLED))
        err_outcome_unknown(err, r);
    server_task_finish(&sink.task);
    input_rounds_finish(&sink.rounds);
    if (r)
        return r;
    *out = result;
    if (err) /* what was tried before may have left its failure */
        *err = (struct err){ .code = ERR_NONE };
    return ERR_NONE;
}
