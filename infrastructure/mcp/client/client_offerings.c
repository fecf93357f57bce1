/* What a resource holds and what a prompt gives, asked for by URI or name. The answer is read once,
 * on arrival, into the caller's arena. What a modern server says of a resource may hold for a while
 * (hint_cache.h). */
#include "application/ports/runtime.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/client/client_request.h"
#include <string.h>

struct asked_offering {
    struct client_request request;
    enum offering_kind kind; /* OFFERING_RESOURCE or OFFERING_PROMPT */
    const char *key;
    const json_t *arguments; /* of a prompt; may be NULL */
    struct arena *arena;
    struct offering_result *out;
};

enum err_code client_check_offers(const struct client *client, enum offering_kind kind,
                                  struct err *err)
{
    bool has_it =
        kind == OFFERING_PROMPT ? client->session.has_prompts : client->session.has_resources;
    return has_it ? ERR_NONE : tool_server_lacks(kind, err);
}

static enum err_code prepare(void *context, bool is_again, struct arena *arena, struct err *err)
{
    (void)is_again;
    (void)arena;
    const struct asked_offering *asked = context;
    return client_check_offers(asked->request.client, asked->kind, err);
}

static bool append_params(const struct client_request *x, struct buf *line)
{
    const struct asked_offering *asked = x->context;
    struct era_offer offer = client_offer_of(x->client, x->request.answerer);
    return buf_printf(line, "{\"%s\":", offering_key_member(asked->kind)) &&
           jsonrpc_append_string(line, asked->key) &&
           (!asked->arguments ||
            (buf_puts(line, ",\"arguments\":") && jsonrpc_append_json(line, asked->arguments))) &&
           input_rounds_append(&x->rounds, line) &&
           (!x->is_modern || (buf_puts(line, ",") && client_append_meta(x->client, line, offer))) &&
           buf_puts(line, "}");
}

static enum err_code take_result(void *context, const struct result_outline *result,
                                 struct err *err)
{
    const struct asked_offering *asked = context;
    struct json_slice text = result->text;
    json_auto_t *value = NULL;
    enum err_code r = client_check_result_type(result, err);
    if (!r)
        r = json_parse_message(text.text, text.length, asked->request.rounds.max_values, &value,
                               err);
    return r ? r
             : offering_result_init(asked->arena, asked->kind, text.text, text.length, value,
                                    asked->out, err);
}

/* *out_rounds: how often the server asked for something before it answered; may be NULL. */
awaits MUST_CHECK static enum err_code ask(struct asked_offering *asked, unsigned *out_rounds,
                                           struct err *err)
{
    struct offering_result result = { 0 }, *out = asked->out;
    struct client_request *x = &asked->request;
    if (!text_is_utf8(asked->key, strlen(asked->key)))
        return err_set(err, ERR_INVALID, 0, "the %s is not UTF-8",
                       offering_key_member(asked->kind));
    x->request.name = asked->key;
    x->request.silence_ms = client_silence_ms(x->client);
    x->may_need_input = true;
    x->prepare = prepare;
    x->append_params = append_params;
    x->take = take_result;
    x->context = asked;
    asked->out = &result;
    enum err_code r = client_request_run(x, err);
    int code = jsonrpc_error_code(x->request.error);
    if (r && asked->kind == OFFERING_RESOURCE &&
        (code == JSONRPC_NO_RESOURCE || code == JSONRPC_INVALID_PARAMS))
        r = ERR_NOT_FOUND;
    if (r && x->request.id.number) /* it was sent */
        err_prefix(err, r, "%s", x->request.method);
    asked->out = out;
    if (out_rounds)
        *out_rounds = x->rounds.n;
    request_finish(&x->request);
    input_rounds_finish(&x->rounds);
    if (r)
        return r;
    *out = result;
    if (err) /* what was tried before may have left its failure */
        *err = (struct err){ .code = ERR_NONE };
    return ERR_NONE;
}

static bool recall(struct arena *arena, const struct hint_entry *known, struct offering_result *out)
{
    return known && offering_result_init(arena, OFFERING_RESOURCE, known->text, known->length,
                                         known->value, out, NULL) == ERR_NONE;
}

/* A server that goes on and cannot answer just now: what it said before is used. */
static bool use_old(const struct asked_offering *asked, struct err *why)
{
    struct client *client = asked->request.client;
    const struct hint_entry *known =
        hint_cache_find(&client->hints, asked->request.request.method, asked->key);
    if (!client_goes_on(client, asked->request.scope) || why->code == ERR_NOT_FOUND ||
        why->code == ERR_DENIED || !recall(asked->arena, known, asked->out))
        return false;
    err_prefix(why, why->code, "may be out of date");
    client_report(client, why);
    return true;
}

enum err_code client_read_resource(struct tool_server *server, struct scope *scope, const char *uri,
                                   const struct answerer *answerer, struct arena *arena,
                                   struct offering_result *out, struct err *err)
{
    static const char method[] = "resources/read";
    struct client *client = client_of(server);
    struct asked_offering asked = {
        .request = { .client = client,
                     .scope = scope,
                     .request = { .method = method, .answerer = answerer } },
        .kind = OFFERING_RESOURCE,
        .key = uri,
        .arena = arena,
        .out = out,
    };
    const struct hint_entry *known = hint_cache_find(&client->hints, method, uri);
    uint64_t n_changes = client->hints.n_changes;
    unsigned n_rounds;
    struct err why = { 0 };
    enum err_code r = scope_check(scope, runtime_now_ms(client->runtime), err);
    if (r)
        return r;
    if (hint_entry_is_fresh(known, runtime_now_ms(client->runtime)) && recall(arena, known, out))
        return ERR_NONE;
    r = ask(&asked, &n_rounds, &why);
    if (r) {
        if (use_old(&asked, &why))
            return ERR_NONE;
        if (err)
            *err = why;
    } else if (client->session.era == ERA_MODERN && !n_rounds) {
        /* What it took several rounds to say holds for no one else. */
        const struct hint_answer answer = { .method = method,
                                            .key = uri,
                                            .value = (json_t *)(uintptr_t)out->value,
                                            .text = out->bytes,
                                            .length = out->length };
        hint_cache_keep(&client->hints, &answer, runtime_now_ms(client->runtime), n_changes);
    }
    return r;
}

enum err_code client_get_prompt(struct tool_server *server, struct scope *scope,
                                const struct prompt_request *wanted, struct arena *arena,
                                struct offering_result *out, struct err *err)
{
    struct asked_offering asked = {
        .request = { .client = client_of(server),
                     .scope = scope,
                     .request = { .method = "prompts/get", .answerer = wanted->answerer } },
        .kind = OFFERING_PROMPT,
        .key = wanted->name,
        .arguments = wanted->arguments,
        .arena = arena,
        .out = out,
    };
    return ask(&asked, NULL, err);
}
