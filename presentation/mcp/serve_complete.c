#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/mcp/serve_session.h"

/* A string of an object without U+0000, or NULL. */
static const char *text_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_string(value) && !json_string_has_nul(value) ? json_string_value(value) : NULL;
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
        .key = text_of(ref, is_prompt ? "name" : "uri"),
        .argument = text_of(argument, "name"),
        .typed = text_of(argument, "value"),
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
