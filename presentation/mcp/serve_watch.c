#include "domain/base/json.h"
#include "domain/tool/offering.h"
#include "presentation/mcp/serve_session.h"
#include <string.h>

json_t *session_subscription_meta(const json_t *id)
{
    return json_pack("{s{sO}}", "_meta", "io.modelcontextprotocol/subscriptionId", id);
}

/* The first message of a subscription says what was granted of it. Steals uris (may be NULL). */
static void subscribe(struct session *s, const struct rpc_message *message, json_t *uris)
{
    const json_t *asked = json_object_get(message->params, "notifications");
    bool has_tools =
        json_get_bool(asked, "toolsListChanged", false) && s->tools->ops->listen != NULL;
    json_t *granted = json_object();
    if (has_tools)
        json_object_set_new(granted, "toolsListChanged", json_true());
    if (uris)
        json_object_set(granted, "resourceSubscriptions", uris);
    json_array_append_new(s->subscriptions,
                          json_pack("{sOsbso}", "id", message->id, "tools", has_tools, "uris",
                                    uris ? uris : json_array()));
    json_t *params = session_subscription_meta(message->id);
    json_object_set_new(params, "notifications", granted);
    rpc_notify(s->rpc, message->id, "notifications/subscriptions/acknowledged", params);
}

/* The subscriptions of all modern clients of a person are counted together. */
static void refuse_one_more(struct session *s, const struct rpc_message *message)
{
    rpc_fail(s->rpc, message->id, MCP_BUSY, "too many subscriptions",
             json_pack("{s:o}", "hint",
                       json_sprintf("%d are open, those of your other clients among them: end "
                                    "one, or name up to %d resources in one",
                                    SERVE_MAX_SUBSCRIPTIONS, SERVE_MAX_WATCHED)));
}

void session_listen(struct session *s, const struct rpc_message *message, bool *out_waits)
{
    const json_t *asked = json_object_get(message->params, "notifications");
    const json_t *uris = json_object_get(asked, "resourceSubscriptions");
    if (!json_is_object(asked))
        rpc_fail(s->rpc, message->id, MCP_BAD_PARAMS,
                 "subscriptions/listen needs params.notifications", NULL);
    else if (json_array_size(s->subscriptions) >= SERVE_MAX_SUBSCRIPTIONS)
        refuse_one_more(s, message);
    else if (json_array_size(uris) > SERVE_MAX_WATCHED)
        rpc_fail(s->rpc, message->id, MCP_BUSY, "too many resources", NULL);
    else if (json_array_size(uris))
        *out_waits = true;
    else
        subscribe(s, message, NULL);
}

enum err_code serve_listen(struct serve_call *call, struct scope *scope, struct err *err)
{
    struct session *s = call->session;
    const json_t *asked = json_object_get(call->message.params, "notifications");
    const json_t *uris = json_object_get(asked, "resourceSubscriptions");
    json_t *granted = json_array();
    enum err_code r = ERR_NONE;
    for (size_t i = 0; r != ERR_CANCELLED && i < json_array_size(uris); i++) {
        json_t *uri = json_array_get(uris, i);
        r = ERR_INVALID;
        if (json_is_string(uri) && !json_string_has_nul(uri))
            r = tool_server_watch_resource(s->tools, scope, json_string_value(uri), err);
        if (!r)
            json_array_append(granted, uri);
    }
    if (!call->is_cancelled && r != ERR_CANCELLED)
        subscribe(s, &call->message, granted);
    else
        json_decref(granted);
    return r == ERR_CANCELLED ? r : ERR_NONE;
}

enum err_code serve_subscribe(struct serve_call *call, struct scope *scope, struct err *err)
{
    struct session *s = call->session;
    const char *uri = serve_text(call->message.params, "uri");
    if (!uri)
        return err_set(err, ERR_INVALID, 0, "%s needs params.uri (string)", call->message.method);
    if (json_object_size(s->watched) >= SERVE_MAX_WATCHED && !json_object_get(s->watched, uri))
        return err_set(err, ERR_LIMIT, MCP_BUSY, "too many resources");
    enum err_code r = tool_server_watch_resource(s->tools, scope, uri, err);
    if (r == ERR_NOT_FOUND && err)
        err->origin = MCP_NO_RESOURCE;
    if (r || call->is_cancelled)
        return r;
    json_object_set_new(s->watched, uri, json_true());
    rpc_reply(s->rpc, call->message.id, json_object());
    return ERR_NONE;
}

enum err_code serve_unsubscribe(struct serve_call *call, struct scope *scope, struct err *err)
{
    struct session *s = call->session;
    const char *uri = serve_text(call->message.params, "uri");
    (void)scope;
    if (!uri)
        return err_set(err, ERR_INVALID, 0, "%s needs params.uri (string)", call->message.method);
    json_object_del(s->watched, uri);
    rpc_reply(s->rpc, call->message.id, json_object());
    return ERR_NONE;
}

/* subscription: its id, or NULL. */
static void notify_updated(struct session *s, const json_t *subscription, const char *uri)
{
    json_t *params = subscription ? session_subscription_meta(subscription) : json_object();
    json_object_set_new(params, "uri", json_string(uri));
    rpc_notify(s->rpc, subscription, "notifications/resources/updated", params);
}

/* watched: a URI that the client asked for; uri: the one that changed, NULL when any may have. */
static bool concerns(const char *watched, const char *uri)
{
    return !uri || offering_uri_is_within(uri, watched);
}

static void notify_subscription(struct session *s, const json_t *subscription, const char *uri)
{
    const json_t *uris = json_object_get(subscription, "uris");
    bool is_notified = false;
    for (size_t i = 0; !is_notified && i < json_array_size(uris); i++) {
        const char *watched = json_string_value(json_array_get(uris, i));
        if (!concerns(watched, uri))
            continue;
        notify_updated(s, json_object_get(subscription, "id"), uri ? uri : watched);
        is_notified = uri != NULL; /* once, however many of them it concerns */
    }
}

void session_resource_updated(struct session *s, const char *uri)
{
    const char *watched;
    json_t *value;
    bool is_notified = false;
    json_each_member (s->watched, watched, value) {
        if (is_notified || !concerns(watched, uri))
            continue;
        notify_updated(s, NULL, uri ? uri : watched);
        is_notified = uri != NULL;
    }
    for (size_t i = 0; i < json_array_size(s->subscriptions); i++)
        notify_subscription(s, json_array_get(s->subscriptions, i), uri);
}
