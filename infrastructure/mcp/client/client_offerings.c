#include "application/ports/runtime.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/client/client_internal.h"
#include "infrastructure/mcp/client/client_pages.h"
#include "infrastructure/mcp/client/input_rounds.h"
#include <string.h>

static const char *const list_methods[OFFERING_KINDS] = { "resources/list",
                                                          "resources/templates/list",
                                                          "prompts/list" };

/* Which kind is wanted, once the server is there and says that it has it. */
awaits MUST_CHECK static enum err_code require(struct client *client, struct scope *scope,
                                               enum offering_kind kind, struct err *err)
{
    enum err_code r = client_ensure_started(client, scope, err);
    if (r)
        return r;
    bool has_it =
        kind == OFFERING_PROMPT ? client->session.has_prompts : client->session.has_resources;
    return has_it ? ERR_NONE : tool_server_lacks(kind, err);
}

/* One list being fetched. */
struct offering_listing {
    struct client *client;
    enum offering_kind kind;
    struct offerings *out;
    size_t n_before; /* in *out, of other kinds */
    bool is_full;
};

static void begin_list(void *context)
{
    struct offering_listing *listing = context;
    listing->out->n = listing->n_before;
    listing->is_full = false;
}

/* One bad definition does not hide the others. */
static void add_one(struct offering_listing *listing, json_t *definition)
{
    struct err err;
    enum err_code r = offerings_add(listing->out, listing->kind, definition, &err);
    if (r) {
        err_prefix(&err, r, "%s: left out", list_methods[listing->kind]);
        client_report(listing->client, &err);
    }
}

static enum err_code take_page(void *context, const json_t *page, int64_t until_ms, struct err *err)
{
    (void)until_ms;
    struct offering_listing *listing = context;
    const char *member = offering_list_member(listing->kind);
    size_t i, most = (size_t)listing->client->options.settings->tools_max_per_server;
    const json_t *definitions = json_object_get(page, member);
    json_t *definition;
    struct err full;
    if (!json_is_array(definitions))
        return err_set(err, ERR_PROTOCOL, 0, "the answer has no array of %s", member);
    json_array_foreach (definitions, i, definition) {
        if (listing->out->n - listing->n_before < most) {
            add_one(listing, definition);
        } else if (!listing->is_full) {
            listing->is_full = true;
            err_set(&full, ERR_LIMIT, 0, "%s: more than %zu entries; the rest is left out",
                    list_methods[listing->kind], most);
            client_warn(listing->client, &full);
        }
    }
    return ERR_NONE;
}

enum err_code client_offerings(struct tool_server *server, struct scope *scope,
                               enum offering_kind kind, struct offerings *out, struct err *err)
{
    struct client *client = client_of(server);
    struct offering_listing listing = {
        .client = client, .kind = kind, .out = out, .n_before = out->n
    };
    struct pages pages = {
        .client = client,
        .scope = scope,
        .method = list_methods[kind],
        .begin = begin_list,
        .take = take_page,
        .context = &listing,
    };
    struct err why = { 0 };
    enum err_code r = require(client, scope, kind, err);
    if (r)
        return r;
    client_watch_open(client);
    r = client_fetch_pages(&pages, &why);
    if (r)
        out->n = listing.n_before;
    /* A server may have resources and never have heard of templates. */
    if (r && kind == OFFERING_TEMPLATE && why.origin == JSONRPC_METHOD_NOT_FOUND)
        return ERR_NONE;
    if (!r)
        return ERR_NONE;
    if (err)
        *err = why;
    return err_prefix(err, r, "%s", list_methods[kind]);
}

/* What is asked for by its key. The answer is read once, on arrival, into the caller's arena. */
struct question {
    enum offering_kind kind; /* OFFERING_RESOURCE or OFFERING_PROMPT */
    const char *method, *key;
    const json_t *arguments; /* of a prompt; may be NULL */
    const struct answerer *answerer;
    struct arena *arena;
    struct offering_result *out;
    bool is_unseen; /* the server turned it away: for its session, its revision or its token */
    bool was_authorized;
    bool is_modern, had_rounds;
    struct input_rounds rounds;
};

static enum err_code take_result(void *context, const struct result_outline *result,
                                 struct err *err)
{
    struct question *question = context;
    struct json_slice text = result->text;
    json_auto_t *value = NULL;
    if (question->is_modern && json_string_is(result->type, "input_required"))
        return input_rounds_take(&question->rounds, result, err);
    enum err_code r = client_check_outline_type(result, err);
    if (!r)
        r = json_parse_message(text.text, text.length, question->rounds.max_values, &value, err);
    return r ? r
             : offering_result_init(question->arena, question->kind, text.text, text.length, value,
                                    question->out, err);
}

static bool append_params(const struct client *client, const struct question *question,
                          struct buf *line)
{
    struct era_offer offer = client_offer_of(client, question->answerer);
    return buf_printf(line, ",\"params\":{\"%s\":", offering_key_member(question->kind)) &&
           jsonrpc_append_string(line, question->key) &&
           (!question->arguments || (buf_puts(line, ",\"arguments\":") &&
                                     jsonrpc_append_json(line, question->arguments))) &&
           input_rounds_append(&question->rounds, line) &&
           (!question->is_modern ||
            (buf_puts(line, ",") && client_append_meta(client, line, offer))) &&
           buf_puts(line, "}}\n");
}

awaits MUST_CHECK static enum err_code ask(struct client *client, struct scope *scope,
                                           struct question *question, struct err *err)
{
    struct request request = {
        .method = question->method,
        .name = question->key,
        .silence_ms = client_silence_ms(client),
        .answerer = question->answerer,
        .on_result = take_result,
        .context = question,
    };
    AUTO(buf) line;
    question->is_modern = client->session.era == ERA_MODERN;
    buf_init(&line, (size_t)client->options.settings->mcp_max_message_bytes);
    if (!connection_begin(client->connection, &request, &line) ||
        !append_params(client, question, &line))
        return err_set(err, ERR_LIMIT, 0, "the request is longer than mcp.max_message_bytes");
    enum err_code r = connection_post(client->connection, &request, &line, err);
    if (r == ERR_NONE)
        r = connection_await(client->connection, &request, scope, err);
    int code = jsonrpc_error_code(request.error);
    if (input_rounds_needs_urls(request.error, question->answerer))
        r = input_rounds_take_urls(&question->rounds, request.error, err);
    question->is_unseen = (r == ERR_UNAVAILABLE && !request_was_sent(&request)) ||
                          connection_authorize(client->connection, &request, scope,
                                               &question->was_authorized, &r, err) ||
                          client_revision_was_refused(client, request.error);
    request_finish(&request);
    if (!r)
        return ERR_NONE;
    if (question->kind == OFFERING_RESOURCE &&
        (code == JSONRPC_NO_RESOURCE || code == JSONRPC_INVALID_PARAMS))
        r = ERR_NOT_FOUND;
    return err_prefix(err, r, "%s", question->method);
}

awaits MUST_CHECK static enum err_code ask_until_seen(struct client *client, struct scope *scope,
                                                      struct question *question, struct err *err)
{
    enum err_code r = require(client, scope, question->kind, err);
    if (!r)
        r = ask(client, scope, question, err);
    if (!r || !question->is_unseen)
        return r;
    r = require(client, scope, question->kind, err);
    return r ? r : ask(client, scope, question, err);
}

/* Until the answer is one that asks for nothing more. */
awaits MUST_CHECK static enum err_code ask_in_rounds(struct client *client, struct scope *scope,
                                                     struct question *question, struct err *err)
{
    for (;;) {
        enum err_code r = ask_until_seen(client, scope, question, err);
        if (r || !question->rounds.is_open)
            return r;
        r = input_rounds_answer(&question->rounds, client, scope, question->answerer, err);
        if (r)
            return err_prefix(err, r, "%s", question->method);
    }
}

awaits MUST_CHECK static enum err_code answer(struct client *client, struct scope *scope,
                                              struct question *question, struct err *err)
{
    struct offering_result result = { 0 };
    struct offering_result *out = question->out;
    if (!text_is_utf8(question->key, strlen(question->key)))
        return err_set(err, ERR_INVALID, 0, "the %s is not UTF-8",
                       offering_key_member(question->kind));
    question->out = &result;
    question->rounds.max_values = (size_t)client->options.settings->mcp_max_values;
    enum err_code r = ask_in_rounds(client, scope, question, err);
    question->had_rounds = question->rounds.n > 0;
    input_rounds_finish(&question->rounds);
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
static bool use_old(struct client *client, const struct scope *scope,
                    const struct question *question, struct err *why)
{
    const struct hint_entry *known =
        hint_cache_find(&client->hints, question->method, question->key);
    bool goes_on = connection_is_open(client->connection) &&
                   scope_check(scope, runtime_now_ms(client->runtime), NULL) == ERR_NONE;
    if (!goes_on || why->code == ERR_NOT_FOUND || why->code == ERR_DENIED ||
        !recall(question->arena, known, question->out))
        return false;
    err_prefix(why, why->code, "may be out of date");
    client_report(client, why);
    return true;
}

/* Unless it is known and still holds. What it took several rounds to say holds for nobody else. */
awaits MUST_CHECK static enum err_code read_resource(struct client *client, struct scope *scope,
                                                     struct question *question, struct err *err)
{
    struct hint_cache *hints = &client->hints;
    const struct hint_entry *known = hint_cache_find(hints, question->method, question->key);
    uint64_t n_changes = hints->n_changes;
    struct offering_result *out = question->out;
    struct err why = { 0 };
    enum err_code r = scope_check(scope, runtime_now_ms(client->runtime), err);
    if (r)
        return r;
    if (hint_entry_is_fresh(known, runtime_now_ms(client->runtime)) &&
        recall(question->arena, known, out))
        return ERR_NONE;
    r = answer(client, scope, question, &why);
    if (r) {
        question->out = out;
        if (use_old(client, scope, question, &why))
            return ERR_NONE;
        if (err)
            *err = why;
    } else if (client->session.era == ERA_MODERN && !question->had_rounds) {
        hint_cache_keep(hints, question->method, question->key, (json_t *)(uintptr_t)out->value,
                        out->bytes, out->length, runtime_now_ms(client->runtime), n_changes);
    }
    return r;
}

enum err_code client_read_resource(struct tool_server *server, struct scope *scope, const char *uri,
                                   const struct answerer *answerer, struct arena *arena,
                                   struct offering_result *out, struct err *err)
{
    struct question question = {
        .kind = OFFERING_RESOURCE,
        .method = "resources/read",
        .key = uri,
        .answerer = answerer,
        .arena = arena,
        .out = out,
    };
    return read_resource(client_of(server), scope, &question, err);
}

enum err_code client_get_prompt(struct tool_server *server, struct scope *scope, const char *name,
                                const json_t *arguments, const struct answerer *answerer,
                                struct arena *arena, struct offering_result *out, struct err *err)
{
    struct question question = {
        .kind = OFFERING_PROMPT,
        .method = "prompts/get",
        .key = name,
        .arguments = arguments,
        .answerer = answerer,
        .arena = arena,
        .out = out,
    };
    return answer(client_of(server), scope, &question, err);
}
