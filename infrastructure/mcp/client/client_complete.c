#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/client/client_request.h"
#include <string.h>

/* The first revision in which the arguments that are known already go along. */
#define FIRST_VERSION_WITH_CONTEXT "2025-06-18"
/* The first in which servers say that they complete; older ones complete, or do not know the
 * method. */
#define FIRST_VERSION_WITH_CAPABILITY "2025-03-26"

/* A completion asked for and where its values go. */
struct asked_completion {
    const struct client *client;
    const struct completion_request *wanted;
    struct arena *arena;
    struct completion_values *out;
};

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

static bool append_params(const struct client_request *x, struct buf *line)
{
    const struct asked_completion *asked = x->context;
    const struct completion_request *wanted = asked->wanted;
    const struct session *session = &x->client->session;
    bool has_context = wanted->others && json_object_size(wanted->others) &&
                       strcmp(session->version, FIRST_VERSION_WITH_CONTEXT) >= 0;
    return buf_puts(line, "{") && append_reference(line, wanted) &&
           buf_puts(line, ",\"argument\":{\"name\":") &&
           jsonrpc_append_string(line, wanted->argument) && buf_puts(line, ",\"value\":") &&
           jsonrpc_append_string(line, wanted->typed) && buf_puts(line, "}") &&
           (!has_context || (buf_puts(line, ",\"context\":{\"arguments\":") &&
                             jsonrpc_append_json(line, wanted->others) && buf_puts(line, "}"))) &&
           (session->era != ERA_MODERN ||
            (buf_puts(line, ",") && client_append_meta(x->client, line, ERA_NO_OFFER))) &&
           buf_puts(line, "}");
}

/* Where the server does not say whether there are more, its total may tell. */
static bool has_more(const json_t *completion, size_t n)
{
    const json_t *said = json_object_get(completion, "hasMore");
    if (n > COMPLETION_MAX_VALUES || json_is_true(said))
        return true;
    return !json_is_boolean(said) && json_get_number(completion, "total", 0) > (double)n;
}

/* At most as many as there may be; what is not text is left out. */
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

static enum err_code take_result(void *context, const struct result_outline *result,
                                 struct err *err)
{
    const struct asked_completion *asked = context;
    size_t max_values = (size_t)asked->client->context.settings->mcp_max_values;
    json_auto_t *value = NULL;
    enum err_code r = client_check_result_type(result, err);
    if (!r)
        r = json_parse_message(result->text.text, result->text.length, max_values, &value, err);
    if (r)
        return r;
    const json_t *completion = json_object_get(value, "completion");
    if (!json_is_array(json_object_get(completion, "values")))
        return err_set(err, ERR_PROTOCOL, 0, "the answer has no array of values");
    keep_values(completion, asked->arena, asked->out);
    return ERR_NONE;
}

enum err_code client_complete(struct tool_server *server, struct scope *scope,
                              const struct completion_request *wanted, struct arena *arena,
                              struct completion_values *out, struct err *err)
{
    struct client *client = client_of(server);
    struct asked_completion asked = {
        .client = client, .wanted = wanted, .arena = arena, .out = out
    };
    struct client_request x = {
        .client = client,
        .scope = scope,
        .request = { .method = "completion/complete", .silence_ms = client_silence_ms(client) },
        .append_params = append_params,
        .take = take_result,
        .context = &asked,
    };
    if (!text_is_utf8(wanted->key, strlen(wanted->key)) ||
        !text_is_utf8(wanted->argument, strlen(wanted->argument)) ||
        !text_is_utf8(wanted->typed, strlen(wanted->typed)))
        return err_set(err, ERR_INVALID, 0, "what is to be completed is not UTF-8");
    enum err_code r = client_ensure_started(client, scope, err);
    if (r || !completes(client))
        return r;
    r = client_request_run(&x, err);
    bool knows_none = jsonrpc_error_code(x.request.error) == JSONRPC_METHOD_NOT_FOUND &&
                      !client->session.has_completions;
    request_finish(&x.request);
    if (r && !knows_none)
        return err_prefix(err, r, "completion/complete");
    if (err) /* what was tried before may have left its failure */
        *err = (struct err){ .code = ERR_NONE };
    return ERR_NONE;
}
