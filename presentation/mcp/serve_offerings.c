/* Resources and prompts of the server: lists in pages, reading, and completions of their
 * arguments. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/mcp/serve_session.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CURSOR_PREFIX "from-"

/* The index that a cursor names. False when it is not one of ours, or the list became shorter. */
static bool parse_cursor(const json_t *cursor, size_t n, size_t *out_first)
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
    return end != text + prefix && !*end && *out_first < n;
}

enum err_code serve_page(struct serve_call *call, const char *member,
                         const json_t *const *definitions, size_t n, struct err *err)
{
    struct session *s = call->session;
    size_t first, page_size = s->options->page_size;
    if (call->is_cancelled)
        return ERR_CANCELLED;
    if (!parse_cursor(json_object_get(call->message.params, "cursor"), n, &first))
        return err_set(err, ERR_INVALID, MCP_BAD_PARAMS, "unknown cursor");
    json_t *list = json_array(), *result = json_pack("{so}", member, list);
    size_t n_here = page_size && n - first > page_size ? page_size : n - first;
    for (size_t i = 0; i < n_here; i++)
        json_array_append_new(list, json_share(definitions[first + i]));
    if (first + n_here < n) {
        char cursor[sizeof CURSOR_PREFIX + 20];
        snprintf(cursor, sizeof cursor, CURSOR_PREFIX "%zu", first + n_here);
        json_object_set_new(result, "nextCursor", json_string(cursor));
    }
    rpc_reply(s->rpc, call->message.id, session_complete(s, result, call->is_modern, true));
    return ERR_NONE;
}

static enum err_code list_kind(struct serve_call *call, struct scope *sc, enum offering_kind kind,
                               struct err *err)
{
    AUTO(arena) arena = { 0 };
    struct offerings found = { .arena = &arena };
    enum err_code r = tool_server_offerings(call->session->tools, sc, kind, &found, err);
    if (r)
        return r;
    const json_t **definitions = arena_array(&arena, const json_t *, found.n + 1);
    for (size_t i = 0; i < found.n; i++)
        definitions[i] = found.list[i].definition;
    return serve_page(call, offering_list_member(kind), definitions, found.n, err);
}

enum err_code serve_list_resources(struct serve_call *call, struct scope *sc, struct err *err)
{
    return list_kind(call, sc, OFFERING_RESOURCE, err);
}

enum err_code serve_list_templates(struct serve_call *call, struct scope *sc, struct err *err)
{
    return list_kind(call, sc, OFFERING_TEMPLATE, err);
}

enum err_code serve_list_prompts(struct serve_call *call, struct scope *sc, struct err *err)
{
    return list_kind(call, sc, OFFERING_PROMPT, err);
}

static void pass_on(struct serve_call *call, const struct offering_result *result)
{
    if (!call->is_cancelled)
        serve_pass_on(call, result->bytes, result->length);
}

/* A modern client is told how long a resource may be cached, as it is for lists. */
static void reply_resource(struct serve_call *call, const struct offering_result *result)
{
    struct session *s = call->session;
    if (!call->is_modern) {
        pass_on(call, result);
        return;
    }
    json_t *copy = json_copy((json_t *)(uintptr_t)result->value);
    if (!call->is_cancelled)
        rpc_reply(s->rpc, call->message.id, session_complete(s, copy, true, true));
    else
        json_decref(copy);
}

enum err_code serve_read_resource(struct serve_call *call, struct scope *sc, struct err *err)
{
    const char *uri = serve_text(call->message.params, "uri");
    AUTO(arena) arena = { 0 };
    struct offering_result result;
    if (!uri)
        return err_set(err, ERR_INVALID, 0, "resources/read needs params.uri (string)");
    enum err_code r = tool_server_read_resource(call->session->tools, sc, uri, &call->answerer,
                                                &arena, &result, err);
    serve_round_await(call);
    if (r == ERR_NOT_FOUND && err)
        err->origin = call->is_modern ? MCP_BAD_PARAMS : MCP_NO_RESOURCE;
    if (!r)
        reply_resource(call, &result);
    return r;
}

static bool are_texts(const json_t *arguments)
{
    const char *key;
    json_t *value;
    json_each_member (arguments, key, value)
        if (!json_is_string(value))
            return false;
    return !arguments || json_is_object(arguments);
}

enum err_code serve_get_prompt(struct serve_call *call, struct scope *sc, struct err *err)
{
    const struct prompt_request request = { serve_text(call->message.params, "name"),
                                            json_object_get(call->message.params, "arguments"),
                                            &call->answerer };
    AUTO(arena) arena = { 0 };
    struct offering_result result;
    if (!request.name)
        return err_set(err, ERR_INVALID, 0, "prompts/get needs params.name (string)");
    if (!are_texts(request.arguments))
        return err_set(err, ERR_INVALID, 0, "params.arguments is not an object of strings");
    enum err_code r =
        tool_server_get_prompt(call->session->tools, sc, &request, &arena, &result, err);
    serve_round_await(call);
    if (!r)
        pass_on(call, &result);
    return r;
}

static enum err_code read_request(const struct serve_call *call, struct completion_request *out,
                                  struct err *err)
{
    const json_t *params = call->message.params, *ref = json_object_get(params, "ref");
    const json_t *argument = json_object_get(params, "argument");
    const json_t *others = json_object_get(json_object_get(params, "context"), "arguments");
    bool is_prompt = text_equal(json_get_string(ref, "type"), "ref/prompt");
    bool is_resource = text_equal(json_get_string(ref, "type"), "ref/resource");
    *out = (struct completion_request){
        .kind = is_prompt ? OFFERING_PROMPT : OFFERING_TEMPLATE,
        .key = serve_text(ref, is_prompt ? "name" : "uri"),
        .argument = serve_text(argument, "name"),
        .typed = serve_text(argument, "value"),
        .others = json_is_object(others) ? others : NULL,
    };
    if ((!is_prompt && !is_resource) || !out->key)
        return err_set(err, ERR_INVALID, 0,
                       "completion/complete needs params.ref: a prompt or a resource");
    if (!out->argument || !out->typed)
        return err_set(err, ERR_INVALID, 0,
                       "completion/complete needs params.argument: name and value");
    return ERR_NONE;
}

enum err_code serve_complete(struct serve_call *call, struct scope *scope, struct err *err)
{
    struct session *s = call->session;
    struct completion_request request;
    struct completion_values values = { 0 };
    AUTO(arena) arena = { 0 };
    enum err_code r = read_request(call, &request, err);
    if (!r)
        r = tool_server_complete(s->tools, scope, &request, &arena, &values, err);
    if (r || call->is_cancelled)
        return r;
    json_t *list = json_array();
    for (size_t i = 0; i < values.n; i++)
        json_array_append_new(list, json_string(values.list[i]));
    json_t *result =
        json_pack("{s{sosb}}", "completion", "values", list, "hasMore", values.has_more);
    rpc_reply(s->rpc, call->message.id, session_complete(s, result, call->is_modern, false));
    return ERR_NONE;
}
