#include "application/ports/runtime.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/client_internal.h"
#include <string.h>

#define LISTEN_PARAMS ",\"params\":{\"notifications\":{\"toolsListChanged\":true},\"_meta\":{"

void client_on_changed(void *context)
{
    struct client *client = context;
    if (client->state != SERVER_CLOSED && client->listener.on_tools_changed)
        client->listener.on_tools_changed(client->listener.context, &client->base);
}

/* The old list is not used any more from now on; that it changed is told once for a burst. */
static void note_change(struct client *client)
{
    client->is_stale = true;
    if (client->listener.on_tools_changed)
        alarm_set(client->changed, client->options.settings->mcp_list_changed_delay_ms);
}

/* A subscription that broke off may have missed something; the next list opens it again. One that
 * the server ended or refused is over: then lists age as they say. */
static void on_listen_end(void *context)
{
    struct client *client = context;
    bool was_subscribed = client->is_subscribed;
    client->is_subscribed = false;
    if (client->listening.code == ERR_NONE || client->listening.error)
        client->n_listens = CLIENT_MAX_LISTENS;
    else if (was_subscribed)
        note_change(client);
    request_finish(&client->listening);
}

void client_watch_tools(struct client *client)
{
    struct request *listening = &client->listening;
    if (client->session.era != ERA_MODERN || !client->session.announces_tools ||
        listening->is_pending || client->n_listens >= CLIENT_MAX_LISTENS)
        return;
    AUTO(buf) line;
    buf_init(&line, (size_t)client->options.settings->mcp_max_message_bytes);
    *listening = (struct request){ .method = "subscriptions/listen",
                                   .on_end = on_listen_end,
                                   .context = client };
    client->n_listens++;
    if (connection_begin(client->connection, listening, &line) && buf_puts(&line, LISTEN_PARAMS) &&
        era_append_meta(&line, ERA_NO_OFFER) && buf_puts(&line, "}}}\n"))
        (void)!connection_post(client->connection, listening, &line, NULL);
}

void client_watch_reset(struct client *client)
{
    client->n_listens = 0;
    client->is_subscribed = false;
}

/* Ids of subscriptions are compared as text: one server returned "16" for 16. */
static bool is_ours(const struct client *client, const json_t *id)
{
    int64_t number;
    bool is_number = jsonrpc_read_whole(id, &number) ||
                     (json_is_string(id) && text_to_int64(json_string_value(id), &number));
    return is_number && client->listening.is_pending && number == client->listening.id.number;
}

static const json_t *subscription_of(const json_t *params)
{
    return json_object_get(json_object_get(params, "_meta"),
                           "io.modelcontextprotocol/subscriptionId");
}

static void receive_acknowledgement(struct client *client, const json_t *params)
{
    const json_t *granted = json_object_get(params, "notifications");
    if (is_ours(client, subscription_of(params)))
        client->is_subscribed = json_get_bool(granted, "toolsListChanged", false);
}

/* A server may also end a subscription with a cancellation. */
static void receive_cancellation(struct client *client, const json_t *params)
{
    if (!is_ours(client, json_object_get(params, "requestId")))
        return;
    connection_forget(client->connection, &client->listening);
    client->listening.code = ERR_UNAVAILABLE;
    on_listen_end(client);
}

static void receive_change(struct client *client, const json_t *params)
{
    const json_t *subscription = subscription_of(params);
    if (!subscription || is_ours(client, subscription))
        note_change(client);
}

void client_on_notification(void *context, const char *method, const json_t *params)
{
    struct client *client = context;
    if (strcmp(method, "notifications/tools/list_changed") == 0)
        receive_change(client, params);
    else if (strcmp(method, "notifications/subscriptions/acknowledged") == 0)
        receive_acknowledgement(client, params);
    else if (strcmp(method, "notifications/cancelled") == 0)
        receive_cancellation(client, params);
}
