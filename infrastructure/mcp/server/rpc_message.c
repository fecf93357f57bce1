#include "infrastructure/mcp/server/rpc_message.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/wire/jsonrpc.h"

static bool is_id(const json_t *id)
{
    return json_is_number(id) || (json_is_string(id) && json_string_length(id) <= RPC_ID_MAX_BYTES);
}

/* A request, or a notification: without an id that can be answered. */
static bool is_call(const struct jsonrpc_message *message)
{
    return (message->kind == JSONRPC_REQUEST && is_id(message->id)) ||
           message->kind == JSONRPC_NOTIFICATION;
}

bool rpc_message_take(json_t *value, struct rpc_message *out, struct rpc_objection *objection)
{
    json_auto_t *owned = value;
    struct jsonrpc_message message = jsonrpc_classify(value);
    const json_t *params = json_object_get(value, "params");
    *objection = (struct rpc_objection){ 0 };
    if (message.kind == JSONRPC_RESULT || message.kind == JSONRPC_ERROR) {
        *out = (struct rpc_message){ .id = message.id,
                                     .result = message.result,
                                     .error = message.error,
                                     .whole = steal(&owned) };
        return true;
    }
    if (!is_call(&message) || !text_equal(json_get_string(value, "jsonrpc"), "2.0")) {
        json_t *id = is_id(message.id) ? json_incref(message.id) : NULL;
        *objection = (struct rpc_objection){ JSONRPC_INVALID_REQUEST, "Invalid Request", id };
        return false;
    }
    if (params && !json_is_null(params) && !message.params) {
        if (message.id)
            *objection = (struct rpc_objection){ JSONRPC_INVALID_PARAMS, "params must be an object",
                                                 json_incref(message.id) };
        return false;
    }
    *out = (struct rpc_message){
        .id = message.id, .method = message.method, .params = message.params, .whole = steal(&owned)
    };
    return true;
}
