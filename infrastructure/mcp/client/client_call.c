/* A call of a tool: what it says to a server of either era, beside its arguments and in headers,
 * and what a refusal means. Sending it, and sending it again, is client_request.c; what follows
 * when it becomes a task is mcp_task.c. */
#include "application/ports/runtime.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/client/client_request.h"
#include "infrastructure/mcp/client/mcp_task.h"
#include "infrastructure/mcp/wire/header_parameters.h"
#include <string.h>
#include <strings.h>

/* A call and where its answer goes: it is read once, on arrival, into the caller's arena. */
struct sent_call {
    struct client_request request;
    const struct tool_call *call;
    struct arena *arena;
    struct step_result *out;
    struct mcp_task task; /* that the call may become */
};

/* A server that answers in a way that cannot be used has carried the call out all the same, unless
 * it only asks for something first. */
static enum err_code take_result(void *context, const struct result_outline *result,
                                 struct err *err)
{
    struct sent_call *sent = context;
    bool is_made = mcp_task_is_made(&sent->task, result);
    enum err_code r =
        is_made ? mcp_task_take(&sent->task, result, err) : client_check_result_type(result, err);
    if (!r && !is_made)
        r = step_result_keep(sent->arena, result, sent->out, err);
    return r && !json_string_is(result->type, "input_required") ? err_outcome_unknown(err, r) : r;
}

/* `{"name":…,"arguments":…,"_meta":{…}}` */
static bool append_params(const struct client_request *x, struct buf *line)
{
    const struct sent_call *sent = x->context;
    const struct tool_call *call = sent->call;
    const struct client *client = x->client;
    bool is_modern = x->is_modern;
    struct era_offer offer = client_offer_of(client, call->answerer);
    offer.tasks = true;
    bool fits =
        buf_puts(line, "{\"name\":") && jsonrpc_append_string(line, call->name) &&
        buf_puts(line, ",\"arguments\":") &&
        (call->arguments ? jsonrpc_append_json(line, call->arguments) : buf_puts(line, "{}")) &&
        input_rounds_append(&x->rounds, line);
    if (fits && sent->task.is_asked)
        fits = buf_printf(line, ",\"task\":{\"ttl\":%lld}",
                          (long long)client->context.settings->mcp_task_ttl_seconds * 1000);
    if (!is_modern && !call->on_progress && !call->effect_id && !call->trace.parent)
        return fits && buf_puts(line, "}");
    const char *comma = "";
    fits = fits && client_append_call_meta(client, line, is_modern ? &offer : NULL, call, &comma);
    if (fits && call->on_progress) {
        fits = buf_printf(line, "%s\"progressToken\":\"%lld\"", comma,
                          (long long)x->request.id.number);
        comma = ",";
    }
    return fits && client_append_text(line, &comma, TOOL_CALL_EFFECT_ID, call->effect_id) &&
           buf_puts(line, "}}");
}

/* A modern server behind a URL wants some parameters of a call in headers as well
 * (header_parameters.h). The definition of the tool says which, so the tools are listed first where
 * they were not, or have changed since; a server that does not list them is called without. */
awaits MUST_CHECK static enum err_code prepare_headers(struct sent_call *sent, struct arena *arena,
                                                       struct err *err)
{
    struct client *client = sent->request.client;
    struct request *request = &sent->request.request;
    struct tool_catalogue *catalogue = NULL;
    if (!client_sends_parameters(client))
        return ERR_NONE;
    if (!client->catalogue || client->is_stale) {
        (void)!client_list(&client->base, sent->request.scope, &catalogue, NULL);
        tool_catalogue_unref(catalogue);
        enum err_code r = scope_check(sent->request.scope, runtime_now_ms(client->runtime), err);
        if (r)
            return r;
    }
    const struct tool *tool =
        client->catalogue ? tool_catalogue_find(client->catalogue, sent->call->name) : NULL;
    return tool ? header_parameters_lines(arena, tool->input_schema, sent->call->arguments,
                                          &request->headers, &request->n_headers, err)
                : ERR_NONE;
}

static enum err_code prepare(void *context, bool is_again, struct arena *arena, struct err *err)
{
    (void)is_again;
    struct sent_call *sent = context;
    struct request *request = &sent->request.request;
    mcp_task_decide(&sent->task, sent->request.scope);
    enum err_code r = prepare_headers(sent, arena, err);
    sent->task.era = sent->request.client->session.era;
    request->is_binding = sent->task.is_asked;
    request->grace_ms = mcp_task_grace_ms(&sent->task);
    request->on_sent = sent->request.rounds.n ? NULL : sent->call->on_sent;
    return r;
}

/* -32602 says both "no such tool" and "bad arguments"; the message tells which. A tool that is
 * called in the wrong one of the two ways, as a task or not, is refused like one that is not
 * there. */
static enum err_code explain_refusal(const struct sent_call *sent, enum err_code r, struct err *err)
{
    const json_t *error = sent->request.request.error;
    int code = jsonrpc_error_code(error);
    const char *message = json_get_string(error, "message");
    if (message && (code == JSONRPC_INVALID_PARAMS || code == JSONRPC_METHOD_NOT_FOUND) &&
        strstr(message, sent->call->name) &&
        (strcasestr(message, "unknown") || strcasestr(message, "not found") ||
         strcasestr(message, "no such") || strcasestr(message, "does not exist"))) {
        r = ERR_NOT_FOUND;
        if (err)
            err->code = r;
        (void)err_about(err, r, "tool");
    }
    if (code != JSONRPC_METHOD_NOT_FOUND || !sent->request.client->session.runs_tasks)
        return r;
    return err_hint(err, r,
                    sent->task.is_asked
                        ? "it was called as a task, because its definition says that it must be"
                        : "it may have to be called as a task, but its definition says nothing");
}

/* Sends the call and, where it becomes a task, waits for the end of that. */
awaits MUST_CHECK static enum err_code call_to_its_end(struct sent_call *sent, struct err *err)
{
    struct request *request = &sent->request.request;
    if (sent->call->task)
        return mcp_task_take_up(&sent->task, sent->request.scope, err);
    enum err_code r = client_request_run(&sent->request, err);
    if (r)
        r = explain_refusal(sent, r, err);
    if (r && request_is_unanswered(request))
        err_outcome_unknown(err, r);
    if (r || !sent->task.id)
        return r;
    sent->task.kept.id = request->id;
    sent->task.used_ms = sent->request.used_ms;
    return mcp_task_await(&sent->task, sent->request.scope, err);
}

enum err_code client_call(struct tool_server *server, struct scope *scope,
                          const struct tool_call *call, struct arena *arena,
                          struct step_result *out, struct err *err)
{
    struct client *client = client_of(server);
    struct step_result result = { 0 };
    struct sent_call sent = {
        .request = {
            .client = client,
            .scope = scope,
            .request = {
                .method = "tools/call",
                .name = call->name,
                .silence_ms = call->silence_ms ? call->silence_ms : client_silence_ms(client),
                .max_ms = call->max_ms,
                .max_in_flight = call->max_in_flight,
                .on_progress = call->on_progress,
                .progress_context = call->context,
                .answerer = call->answerer,
            },
            .may_need_input = true,
            .has_parameters_in_headers = true,
            .prepare = prepare,
            .append_params = append_params,
            .take = take_result,
            .context = &sent,
        },
        .call = call,
        .arena = arena,
        .out = &result,
        .task = {
            .client = client,
            .call = call,
            .arena = arena,
            .out = &result,
            .rounds = &sent.request.rounds,
        },
    };
    if (!text_is_utf8(call->name, strlen(call->name)))
        return err_set(err, ERR_INVALID, 0, "the tool's name is not UTF-8");
    if (call->arguments && !json_is_object(call->arguments))
        return err_set(err, ERR_INVALID, 0, "the arguments are not an object");
    enum err_code r = call_to_its_end(&sent, err);
    request_finish(&sent.request.request);
    mcp_task_finish(&sent.task);
    input_rounds_finish(&sent.request.rounds);
    if (r)
        return r;
    *out = result;
    if (err) /* what was tried before may have left its failure */
        *err = (struct err){ .code = ERR_NONE };
    return ERR_NONE;
}
