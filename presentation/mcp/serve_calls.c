#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/mcp/serve_session.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CURSOR_PREFIX "from-"

static void fail_with(struct serve_call *call, const struct err *err)
{
    /* JSON-RPC keeps -32768 to -32000 for itself and for servers. */
    bool has_code = err->origin <= -32000 && err->origin >= -32768;
    bool is_refused = err->code == ERR_NOT_FOUND || err->code == ERR_INVALID;
    int code = has_code ? err->origin : is_refused ? MCP_BAD_PARAMS : MCP_INTERNAL;
    json_t *data = json_pack("{ss}", "code", err_name(err->code));
    if (*err->hint)
        json_object_set_new(data, "hint", json_string(err->hint));
    /* A message can quote bytes that are no text. */
    AUTO(arena) arena = { 0 };
    const char *message =
        text_one_line(&arena, err->message, strlen(err->message), sizeof err->message);
    rpc_fail(call->session->rpc, call->message.id, code, message, data);
}

/* The index a cursor of ours names; false when it is none or the list became shorter. */
static bool parse_cursor(const json_t *cursor, size_t n_tools, size_t *out_first)
{
    const char *text = json_string_value(cursor);
    size_t prefix = strlen(CURSOR_PREFIX);
    char *end;
    *out_first = 0;
    if (!cursor || json_is_null(cursor))
        return true;
    if (!text || strncmp(text, CURSOR_PREFIX, prefix) != 0 || strlen(text) > prefix + 9)
        return false;
    *out_first = strtoul(text + prefix, &end, 10);
    return end != text + prefix && !*end && *out_first < n_tools;
}

static json_t *page_of(const struct tool_catalogue *catalogue, size_t first, size_t page_size)
{
    json_t *tools = json_array(), *result = json_pack("{so}", "tools", tools);
    size_t left = catalogue->n_tools - first;
    size_t n = page_size && left > page_size ? page_size : left;
    for (size_t i = 0; i < n; i++) {
        const json_t *definition = catalogue->tools[first + i].definition;
        json_array_append(tools, (json_t *)(uintptr_t)definition);
    }
    if (n < left) {
        char cursor[sizeof CURSOR_PREFIX + 20];
        snprintf(cursor, sizeof cursor, CURSOR_PREFIX "%zu", first + n);
        json_object_set_new(result, "nextCursor", json_string(cursor));
    }
    return result;
}

static enum err_code list_tools(struct serve_call *call, struct scope *sc, struct err *err)
{
    struct session *s = call->session;
    struct tool_catalogue *catalogue;
    size_t first;
    enum err_code r = tool_server_list(s->tools, sc, &catalogue, err);
    if (r)
        return r;
    const json_t *cursor = json_object_get(call->message.params, "cursor");
    if (call->is_cancelled) {
        r = ERR_CANCELLED;
    } else if (parse_cursor(cursor, catalogue->n_tools, &first)) {
        json_t *result = page_of(catalogue, first, s->options->page_size);
        rpc_reply(s->rpc, call->message.id, session_complete(s, result, call->is_modern, true));
    } else {
        r = err_set(err, ERR_INVALID, MCP_BAD_PARAMS, "unknown cursor");
    }
    tool_catalogue_unref(catalogue);
    return r;
}

/* Progress has to grow, and nobody asked for it without a token. */
static void tell_progress(void *context, double progress, double total, const char *message)
{
    struct serve_call *call = context;
    if (!call->progress_token || call->is_cancelled || progress <= call->last_progress)
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
    rpc_notify(call->session->rpc, "notifications/progress", params);
}

/* The bytes of the tool pass through; a modern client is owed one member more. */
static void reply_result(struct serve_call *call, const struct step_result *result)
{
    struct rpc *rpc = call->session->rpc;
    bool has_newline = memchr(result->bytes, '\n', result->length) != NULL;
    auto_str one_line = has_newline ? json_print(result->value) : NULL;
    const char *bytes = one_line ? one_line : result->bytes;
    size_t length = one_line ? strlen(one_line) : result->length;
    const char *open = memchr(bytes, '{', length);
    if (!call->is_modern || json_object_get(result->value, "resultType") || !open) {
        rpc_reply_text(rpc, call->message.id, bytes, length);
        return;
    }
    static const char member[] = "{\"resultType\":\"complete\"";
    bool is_empty = json_object_size(result->value) == 0;
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
    const json_t *name = json_object_get(params, "name");
    if (!json_is_string(name) || json_string_has_nul(name))
        return err_set(err, ERR_INVALID, 0, "tools/call needs params.name (string)");
    if (arguments && !json_is_object(arguments))
        return err_set(err, ERR_INVALID, 0, "params.arguments is no object");
    call->progress_token = json_object_get(meta, "progressToken");
    call->last_progress = -1;
    struct tool_call request = {
        .name = json_string_value(name),
        .arguments = arguments,
        .on_progress = tell_progress,
        .context = call,
    };
    AUTO(arena) arena = { 0 };
    struct step_result result;
    enum err_code r = tool_server_call(s->tools, sc, &request, &arena, &result, err);
    if (!r && !call->is_cancelled)
        reply_result(call, &result);
    return r;
}

enum err_code serve_call_run(struct runtime *runtime, struct scope *sc, void *argument)
{
    (void)runtime;
    struct serve_call *call = argument;
    struct err err = { 0 };
    bool is_list = strcmp(call->message.method, "tools/list") == 0;
    enum err_code r = is_list ? list_tools(call, sc, &err) : call_tool(call, sc, &err);
    if (r && !call->is_cancelled)
        fail_with(call, &err);
    call->is_done = true;
    return ERR_NONE;
}

void serve_call_destroy(struct serve_call *call)
{
    rpc_message_finish(&call->message);
    free(call);
}
