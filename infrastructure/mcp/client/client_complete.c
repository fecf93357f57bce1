#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/client/client_internal.h"
#include <string.h>

/* The first revision in which the arguments that are known already go along. */
#define FIRST_VERSION_WITH_CONTEXT "2025-06-18"
/* … and in which servers say that they complete; before that they do, or know no such method. */
#define FIRST_VERSION_WITH_CAPABILITY "2025-03-26"

static bool is_without_capability(const struct client *client)
{
    const struct session *session = &client->session;
    return session->era == ERA_LEGACY &&
           strcmp(session->version, FIRST_VERSION_WITH_CAPABILITY) < 0 &&
           (session->has_prompts || session->has_resources);
}

static bool completes(const struct client *client)
{
    return client->session.has_completions || is_without_capability(client);
}

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

/* Where the server does not say that there are more its total may, which is taken for no more. */
static bool has_more(const json_t *completion, size_t n)
{
    const json_t *said = json_object_get(completion, "hasMore");
    if (n > COMPLETION_MAX_VALUES || json_is_true(said))
        return true;
    return !json_is_boolean(said) && json_get_number(completion, "total", 0) > (double)n;
}

/* At most as many as there may be; what is no text is left out. */
static void keep_values(const json_t *completion, struct arena *arena,
                        struct completion_values *out)
{
    const json_t *list = json_object_get(completion, "values");
    size_t n = json_array_size(list);
    *out = (struct completion_values){
        .list = arena_array(arena, const char *, COMPLETION_MAX_VALUES),
        .has_more = has_more(completion, n),
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

/* Whether the server turned it away without a look at it, and may take it now. */
awaits static bool may_ask_again(struct client *client, const struct scope *scope,
                                 const struct request *request, enum err_code *r, struct err *err)
{
    bool was_authorized = false;
    return (*r == ERR_UNAVAILABLE && !request_was_sent(request)) ||
           connection_authorize(client->connection, request, scope, &was_authorized, r, err) ||
           client_revision_was_refused(client, request->error);
}

/* request.result stays NULL where the server completes nothing. */
awaits MUST_CHECK static enum err_code ask(struct client *client, struct scope *scope,
                                           const struct completion_request *wanted,
                                           struct request *request, struct err *err)
{
    struct request again = *request;
    enum err_code r = ask_once(client, scope, wanted, request, err);
    if (!r || !may_ask_again(client, scope, request, &r, err))
        return r;
    request_finish(request);
    *request = again;
    r = client_ensure_started(client, scope, err);
    return r || !completes(client) ? r : ask_once(client, scope, wanted, request, err);
}

MUST_CHECK
static enum err_code take_result(const json_t *result, struct arena *arena,
                                 struct completion_values *out, struct err *err)
{
    const json_t *completion = json_object_get(result, "completion");
    enum err_code r = client_check_result_type(result, err);
    if (r)
        return r;
    if (!json_is_array(json_object_get(completion, "values")))
        return err_set(err, ERR_PROTOCOL, 0, "the answer has no array of values");
    keep_values(completion, arena, out);
    return ERR_NONE;
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
    if (r || !completes(client))
        return r;
    r = ask(client, scope, wanted, &request, err);
    bool knows_none = jsonrpc_error_code(request.error) == JSONRPC_METHOD_NOT_FOUND &&
                      is_without_capability(client);
    if (!r && request.result)
        r = take_result(request.result, arena, out, err);
    request_finish(&request);
    if (r && !knows_none)
        return err_prefix(err, r, "completion/complete");
    if (err) /* what was tried before may have left its failure */
        *err = (struct err){ .code = ERR_NONE };
    return ERR_NONE;
}
