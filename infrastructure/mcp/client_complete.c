#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/client_internal.h"
#include <string.h>

/* The first revision in which the arguments that are known already go along. */
#define FIRST_VERSION_WITH_CONTEXT "2025-06-18"

/* `{"type":"ref/prompt","name":"p"}` */
static bool append_reference(struct buf *line, const struct completion_request *wanted)
{
    bool is_prompt = wanted->kind == OFFERING_PROMPT;
    return buf_printf(line,
                      "\"ref\":{\"type\":\"%s\",\"%s\":", is_prompt ? "ref/prompt" : "ref/resource",
                      is_prompt ? "name" : "uri") &&
           jsonrpc_append_string(line, wanted->key) && buf_puts(line, "}");
}

static bool append_params(const struct client *client, const struct completion_request *wanted,
                          struct buf *line)
{
    const struct session *session = &client->session;
    bool has_context = wanted->others && json_object_size(wanted->others) &&
                       strcmp(session->version, FIRST_VERSION_WITH_CONTEXT) >= 0;
    return buf_puts(line, ",\"params\":{") && append_reference(line, wanted) &&
           buf_puts(line, ",\"argument\":{\"name\":") &&
           jsonrpc_append_string(line, wanted->argument) && buf_puts(line, ",\"value\":") &&
           jsonrpc_append_string(line, wanted->typed) && buf_puts(line, "}") &&
           (!has_context || (buf_puts(line, ",\"context\":{\"arguments\":") &&
                             jsonrpc_append_json(line, wanted->others) && buf_puts(line, "}"))) &&
           (session->era != ERA_MODERN ||
            (buf_puts(line, ",") && client_append_meta(client, line, ERA_NO_OFFER))) &&
           buf_puts(line, "}}\n");
}

/* At most as many as there may be; what is no text is left out. */
static void keep_values(const json_t *completion, struct arena *arena,
                        struct completion_values *out)
{
    const json_t *list = json_object_get(completion, "values");
    size_t n = json_array_size(list);
    *out = (struct completion_values){
        .list = arena_array(arena, const char *, COMPLETION_MAX_VALUES),
        .has_more = json_get_bool(completion, "hasMore", false) || n > COMPLETION_MAX_VALUES,
    };
    for (size_t i = 0; i < n && out->n < COMPLETION_MAX_VALUES; i++) {
        const json_t *value = json_array_get(list, i);
        if (json_is_string(value) && !json_string_has_nul(value))
            out->list[out->n++] = arena_strdup(arena, json_string_value(value));
    }
}

awaits MUST_CHECK static enum err_code ask_once(struct client *client, struct scope *scope,
                                                const struct completion_request *wanted,
                                                struct request *request, struct err *err)
{
    AUTO(buf) line;
    buf_init(&line, (size_t)client->options.settings->mcp_max_message_bytes);
    if (!connection_begin(client->connection, request, &line) ||
        !append_params(client, wanted, &line))
        return err_set(err, ERR_LIMIT, 0, "the request is longer than mcp.max_message_bytes");
    enum err_code r = connection_post(client->connection, request, &line, err);
    return r ? r : connection_await(client->connection, request, scope, err);
}

awaits MUST_CHECK static enum err_code ask(struct client *client, struct scope *scope,
                                           const struct completion_request *wanted,
                                           struct request *request, struct err *err)
{
    struct request again = *request;
    bool was_authorized = false;
    enum err_code r = ask_once(client, scope, wanted, request, err);
    if (!connection_authorize(client->connection, request, scope, &was_authorized, &r, err))
        return r;
    request_finish(request);
    *request = again;
    return ask_once(client, scope, wanted, request, err);
}

enum err_code client_complete(struct tool_server *server, struct scope *scope,
                              const struct completion_request *wanted, struct arena *arena,
                              struct completion_values *out, struct err *err)
{
    struct client *client = client_of(server);
    struct request request = { .method = "completion/complete",
                               .silence_ms = client_silence_ms(client) };
    if (!text_is_utf8(wanted->key, strlen(wanted->key)) ||
        !text_is_utf8(wanted->argument, strlen(wanted->argument)) ||
        !text_is_utf8(wanted->typed, strlen(wanted->typed)))
        return err_set(err, ERR_INVALID, 0, "what is to be completed is not UTF-8");
    enum err_code r = client_ensure_started(client, scope, err);
    if (r || !client->session.has_completions)
        return r;
    r = ask(client, scope, wanted, &request, err);
    const json_t *completion = json_object_get(request.result, "completion");
    if (!r && !json_is_array(json_object_get(completion, "values")))
        r = err_set(err, ERR_PROTOCOL, 0, "the answer has no array of values");
    if (!r)
        r = client_check_result_type(request.result, err);
    if (!r)
        keep_values(completion, arena, out);
    request_finish(&request);
    return err_prefix(err, r, "completion/complete");
}
