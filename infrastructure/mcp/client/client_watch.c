/* What a client hears of changes, in both eras. A legacy server tells them unasked, except those of
 * resources, which are subscribed to one by one. A modern server is asked for all that it can
 * announce in one request that stays open (subscriptions/listen); when one more
 * resource is watched, a wider one is opened and the old one is given up once that is acknowledged.
 *
 * A subscription that breaks off may have missed something: it is opened again, later and later,
 * and then everything counts as changed. One that breaks off too often is given up, which is told
 * the same way. A server that was started again is asked again. */
#include "application/ports/runtime.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/client/client_request.h"
#include "infrastructure/mcp/client/mcp_task.h"
#include <stdlib.h>
#include <string.h>

static void on_changed(void *context)
{
    struct client *client = context;
    if (client->state != SERVER_CLOSED && client->listener.on_tools_changed)
        client->listener.on_tools_changed(client->listener.context, &client->base);
}

static void forget_tools(struct client *client)
{
    client->is_stale = true;
    hint_cache_drop(&client->hints, "tools/list");
}

static void note_tools(struct client *client)
{
    forget_tools(client);
    if (client->listener.on_tools_changed)
        alarm_set(client->watch.changed, client->context.settings->mcp_list_changed_delay_ms);
}

static void note_update(struct client *client, const char *uri)
{
    const struct tool_server_listener *listener = &client->listener;
    if (uri)
        hint_cache_drop_resource(&client->hints, uri);
    else
        hint_cache_drop(&client->hints, "resources/read");
    if (client->watch.n_uris && client->state != SERVER_CLOSED && listener->on_resource_updated)
        listener->on_resource_updated(listener->context, &client->base, uri);
}

static void note_all(struct client *client)
{
    hint_cache_drop_all(&client->hints);
    if (client->session.announces_tools)
        note_tools(client);
    note_update(client, NULL);
}

bool client_watch_hears_tools(const struct client *client)
{
    const struct subscription *current = client->watch.current;
    return client->session.era == ERA_LEGACY || (current && current->tools);
}

static bool is_open(const struct subscription *subscription)
{
    return subscription->request.is_pending;
}

static struct subscription *find_subscription(struct client *client, const json_t *id)
{
    int64_t number;
    if (!jsonrpc_read_whole(id, &number) &&
        (!json_is_string(id) || !text_to_int64(json_string_value(id), &number)))
        return NULL;
    for (size_t i = 0; i < ARRAY_LENGTH(client->watch.subscriptions); i++) {
        struct subscription *subscription = &client->watch.subscriptions[i];
        if (is_open(subscription) && subscription->request.id.number == number)
            return subscription;
    }
    return NULL;
}

static bool grants(const struct subscription *subscription, const char *uri)
{
    for (size_t i = 0; i < json_array_size(subscription->uris); i++)
        if (text_equal(json_string_value(json_array_get(subscription->uris, i)), uri))
            return true;
    return false;
}

/* What was asked for may be known by its result alone. */
static void give_up(struct client *client)
{
    struct err err;
    client->watch.has_given_up = true;
    err_set(&err, ERR_UNAVAILABLE, 0,
            "subscriptions/listen: broke off %d times; changes are not heard any more",
            WATCH_MAX_REOPENINGS + 1);
    client_report(client, &err);
    note_all(client);
}

static void open_later(struct client *client)
{
    struct watch *watch = &client->watch;
    int64_t delay_ms = client->context.settings->mcp_list_changed_delay_ms << watch->n_drops;
    if (watch->n_drops++ == WATCH_MAX_REOPENINGS)
        give_up(client);
    else
        alarm_set(watch->reopening,
                  delay_ms < WATCH_MAX_REOPEN_MS ? delay_ms : WATCH_MAX_REOPEN_MS);
}

/* Nothing of ours is open any more. */
static void on_silence(struct client *client, const struct subscription *last)
{
    struct watch *watch = &client->watch;
    bool is_refused = last->request.error && !last->is_acknowledged;
    bool is_ended = last->request.code == ERR_NONE || is_refused;
    int64_t now_ms = runtime_now_ms(client->runtime);
    if (is_refused || (is_ended && !watch->n_uris)) {
        watch->is_over = true;
        return;
    }
    if (last->is_acknowledged && now_ms - watch->acknowledged_ms >= WATCH_STEADY_MS)
        watch->n_drops = 0;
    watch->has_missed = true;
    forget_tools(client);
    open_later(client);
}

/* The task that awaits it goes on; much may have happened by then. */
static void answer(struct watch *watch, const struct err *refusal)
{
    watch->refusal = *refusal;
    watch->awaited = NULL;
    completion_complete(&watch->answered);
}

static void on_end(void *context)
{
    struct subscription *subscription = context;
    struct client *client = subscription->client;
    struct watch *watch = &client->watch;
    bool was_current = watch->current == subscription;
    if (was_current)
        watch->current = NULL;
    struct err ended;
    err_set(&ended, ERR_UNAVAILABLE, 0, "the server ended it");
    if (watch->awaited == subscription)
        answer(watch, subscription->request.code ? &subscription->request.err : &ended);
    bool has_other = is_open(&watch->subscriptions[0]) || is_open(&watch->subscriptions[1]);
    if (!connection_is_open(client->connection))
        watch->must_resume = true;
    else if (!has_other)
        on_silence(client, subscription);
    request_finish(&subscription->request);
}

static void drop_subscription(struct subscription *subscription)
{
    struct request *request = &subscription->request;
    connection_forget(subscription->client->connection, request);
    request->code = err_set(&request->err, ERR_UNAVAILABLE, 0, "the server ended it");
    on_end(subscription);
}

/* The one to use for the next: of two that are open, the one that was not acknowledged goes. */
static struct subscription *make_room(struct client *client)
{
    struct watch *watch = &client->watch;
    struct subscription *list = watch->subscriptions;
    if (!is_open(&list[0]))
        return &list[0];
    struct subscription *chosen = watch->current == &list[1] ? &list[0] : &list[1];
    connection_cancel(client->connection, &chosen->request);
    return chosen;
}

/* The filters; what the server does not announce by its own account is not asked for. */
static bool append_filters(const struct client *client, struct buf *line)
{
    const struct session *session = &client->session;
    const struct watch *watch = &client->watch;
    const struct {
        bool is_wanted;
        const char *member;
    } filters[] = {
        { session->announces_tools, "\"toolsListChanged\":true" },
        { session->announces_prompts, "\"promptsListChanged\":true" },
        { session->announces_resources, "\"resourcesListChanged\":true" },
    };
    const char *comma = "";
    bool fits = true;
    for (size_t i = 0; fits && i < ARRAY_LENGTH(filters); i++)
        if (filters[i].is_wanted) {
            fits = buf_puts(line, comma) && buf_puts(line, filters[i].member);
            comma = ",";
        }
    if (!watch->n_uris || !session->announces_updates)
        return fits;
    fits = fits && buf_puts(line, comma) && buf_puts(line, "\"resourceSubscriptions\":[");
    for (size_t i = 0; fits && i < watch->n_uris; i++)
        fits = buf_puts(line, i ? "," : "") && jsonrpc_append_string(line, watch->uris[i]);
    return fits && buf_puts(line, "]");
}

static enum err_code open_subscription(struct client *client, struct subscription **out,
                                       struct err *err)
{
    struct subscription *subscription = make_room(client);
    AUTO(buf) line;
    buf_init(&line, (size_t)client->context.settings->mcp_max_message_bytes);
    json_decref(subscription->uris);
    *subscription = (struct subscription){
        .client = client,
        .request = { .method = "subscriptions/listen", .on_end = on_end, .context = subscription },
    };
    if (!connection_begin(client->connection, &subscription->request, &line) ||
        !buf_puts(&line, ",\"params\":{\"notifications\":{") || !append_filters(client, &line) ||
        !buf_puts(&line, "},") || !client_append_meta(client, &line, ERA_NO_OFFER) ||
        !buf_puts(&line, "}}\n"))
        return err_set(err, ERR_LIMIT, 0, "the filter is longer than mcp.max_message_bytes");
    alarm_unset(client->watch.reopening);
    enum err_code r = connection_post(client->connection, &subscription->request, &line, err);
    if (r == ERR_NONE)
        *out = subscription;
    return r;
}

/* What the new one hears the older need not hear as well. */
static void end_older(struct subscription *subscription)
{
    struct client *client = subscription->client;
    for (size_t i = 0; i < ARRAY_LENGTH(client->watch.subscriptions); i++) {
        struct subscription *other = &client->watch.subscriptions[i];
        if (is_open(other) && other->request.id.number < subscription->request.id.number)
            connection_cancel(client->connection, &other->request);
    }
}

static void refuse(const char *uri, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    err_set(err, ERR_NOT_FOUND, 0, "the server does not announce changes of %s",
            text_one_line(&scratch, uri, strlen(uri), 200));
}

static void acknowledge(struct subscription *subscription, const json_t *granted)
{
    struct client *client = subscription->client;
    struct watch *watch = &client->watch;
    if (subscription->is_acknowledged)
        return;
    subscription->is_acknowledged = true;
    subscription->tools = json_get_bool(granted, "toolsListChanged", false);
    subscription->prompts = json_get_bool(granted, "promptsListChanged", false);
    subscription->resources = json_get_bool(granted, "resourcesListChanged", false);
    subscription->uris = json_incref(json_object_get(granted, "resourceSubscriptions"));
    end_older(subscription);
    watch->current = subscription;
    watch->acknowledged_ms = runtime_now_ms(client->runtime);
    if (watch->has_missed)
        note_all(client);
    watch->has_missed = false;
    struct err refusal = { 0 };
    if (watch->awaited != subscription)
        return;
    if (!grants(subscription, watch->awaited_uri))
        refuse(watch->awaited_uri, &refusal);
    answer(watch, &refusal);
}

static bool can_announce(const struct client *client)
{
    const struct session *session = &client->session;
    return session->era == ERA_MODERN &&
           (session->announces_tools || session->announces_prompts ||
            session->announces_resources || (session->announces_updates && client->watch.n_uris));
}

void client_watch_open(struct client *client)
{
    const struct watch *watch = &client->watch;
    bool is_open =
        watch->subscriptions[0].request.is_pending || watch->subscriptions[1].request.is_pending;
    struct subscription *opened;
    if (can_announce(client) && !is_open && !watch->is_over && !watch->has_given_up)
        (void)!open_subscription(client, &opened, NULL);
}

static void on_reopening(void *context)
{
    struct client *client = context;
    if (connection_is_open(client->connection))
        client_watch_open(client);
}

void client_watch_init(struct client *client)
{
    client->watch.changed = alarm_create(client->context.runtime, on_changed, client);
    client->watch.reopening = alarm_create(client->context.runtime, on_reopening, client);
}

void client_watch_finish(struct client *client)
{
    struct watch *watch = &client->watch;
    alarm_destroy(watch->changed);
    alarm_destroy(watch->reopening);
    for (size_t i = 0; i < ARRAY_LENGTH(watch->subscriptions); i++)
        json_decref(watch->subscriptions[i].uris);
    for (size_t i = 0; i < watch->n_uris; i++)
        free(watch->uris[i]);
}

void client_watch_reset(struct client *client)
{
    struct watch *watch = &client->watch;
    alarm_unset(watch->reopening);
    watch->n_drops = 0;
    watch->has_missed = watch->is_over = watch->has_given_up = false;
    note_update(client, NULL);
}

void client_watch_stop(struct client *client)
{
    alarm_unset(client->watch.changed);
    alarm_unset(client->watch.reopening);
}

bool client_watch_leaves_nothing(struct client *client)
{
    struct watch *watch = &client->watch;
    for (size_t i = 0; i < ARRAY_LENGTH(watch->subscriptions); i++)
        connection_cancel(client->connection, &watch->subscriptions[i].request);
    return watch->n_uris == 0;
}

awaits MUST_CHECK static enum err_code subscribe(struct client *client, struct scope *scope,
                                                 const char *uri, int64_t silence_ms,
                                                 struct err *err)
{
    struct request request = { .method = "resources/subscribe", .silence_ms = silence_ms };
    json_auto_t *params = json_pack("{s:s}", "uri", uri);
    enum err_code r = client_request_in_session(client, scope, &request, params, err);
    int code = jsonrpc_error_code(request.error);
    request_finish(&request);
    if (code != JSONRPC_NO_RESOURCE && code != JSONRPC_INVALID_PARAMS)
        return r;
    if (err)
        err->code = ERR_NOT_FOUND;
    return ERR_NOT_FOUND;
}

void client_watch_resume(struct client *client, struct scope *scope)
{
    struct watch *watch = &client->watch;
    struct err err;
    if (client->session.era == ERA_MODERN && (watch->must_resume || watch->n_uris))
        client_watch_open(client);
    watch->must_resume = false;
    for (size_t i = 0; client->session.era == ERA_LEGACY && i < watch->n_uris; i++)
        if (subscribe(client, scope, watch->uris[i], client->context.settings->mcp_probe_timeout_ms,
                      &err))
            client_report(client, &err);
}

static bool is_watched(const struct watch *watch, const char *uri)
{
    for (size_t i = 0; i < watch->n_uris; i++)
        if (strcmp(watch->uris[i], uri) == 0)
            return true;
    return false;
}

static void add_uri(struct watch *watch, const char *uri)
{
    char *copy = strdup(uri);
    if (!copy)
        abort();
    watch->uris[watch->n_uris++] = copy;
}

/* Only the task that added it may take it out again: it is the last one. */
static void remove_last_uri(struct watch *watch)
{
    free(watch->uris[--watch->n_uris]);
}

/* Until the subscription is acknowledged or ends. */
awaits MUST_CHECK static enum err_code await_acknowledgement(struct client *client,
                                                             struct scope *scope,
                                                             struct subscription *subscription,
                                                             const char *uri, struct err *err)
{
    struct watch *watch = &client->watch;
    int64_t silence_ms = client_silence_ms(client);
    int64_t until_ms = runtime_now_ms(client->runtime) + silence_ms;
    watch->awaited = subscription;
    watch->awaited_uri = uri;
    watch->answered = completion_of(client->context.runtime);
    watch->refusal = (struct err){ 0 };
    enum err_code r = completion_await_until(&watch->answered, scope, &until_ms, err);
    watch->awaited = NULL;
    if (r == ERR_TIMEOUT && runtime_now_ms(client->runtime) >= until_ms)
        err_set(err, r, 0, "no answer for %g s", (double)silence_ms / 1000);
    if (r)
        connection_cancel(client->connection, &subscription->request);
    if (r || !watch->refusal.code)
        return r;
    if (err)
        *err = watch->refusal;
    return watch->refusal.code;
}

awaits MUST_CHECK static enum err_code watch_modern(struct client *client, struct scope *scope,
                                                    const char *uri, struct err *err)
{
    struct watch *watch = &client->watch;
    struct subscription *opened = NULL;
    if (watch->current && grants(watch->current, uri))
        return ERR_NONE;
    if (watch->has_given_up)
        return err_set(err, ERR_UNAVAILABLE, 0, "it broke off %d times", WATCH_MAX_REOPENINGS + 1);
    watch->is_over = false;
    enum err_code r = open_subscription(client, &opened, err);
    return r ? r : await_acknowledgement(client, scope, opened, uri, err);
}

/* One task at a time. */
awaits MUST_CHECK static enum err_code watch_one(struct client *client, struct scope *scope,
                                                 const char *uri, struct err *err)
{
    struct watch *watch = &client->watch;
    bool is_modern = client->session.era == ERA_MODERN, is_new = !is_watched(watch, uri);
    if (is_new && watch->n_uris == WATCH_MAX_RESOURCES)
        return err_set(err, ERR_LIMIT, 0, "more than %d resources are watched",
                       WATCH_MAX_RESOURCES);
    if (!is_new && !is_modern)
        return ERR_NONE;
    if (is_new)
        add_uri(watch, uri);
    enum err_code r = is_modern ? watch_modern(client, scope, uri, err)
                                : subscribe(client, scope, uri, client_silence_ms(client), err);
    if (r && is_new)
        remove_last_uri(watch);
    return is_modern ? err_prefix(err, r, "subscriptions/listen") : r;
}

enum err_code client_watch_resource(struct tool_server *server, struct scope *scope,
                                    const char *uri, struct err *err)
{
    struct client *client = client_of(server);
    if (!text_is_utf8(uri, strlen(uri)))
        return err_set(err, ERR_INVALID, 0, "the uri is not UTF-8");
    enum err_code r = client_ensure_started(client, scope, err);
    if (r)
        return r;
    if (!client->session.announces_updates)
        return err_set(err, ERR_NOT_FOUND, 0, "the server announces no changes of resources");
    r = task_lock_take(&client->watch.lock, client->context.runtime, scope, err);
    if (r)
        return r;
    r = watch_one(client, scope, uri, err);
    task_lock_release(&client->watch.lock);
    return r;
}

static const json_t *subscription_id(const json_t *params)
{
    return json_object_get(json_object_get(params, "_meta"),
                           "io.modelcontextprotocol/subscriptionId");
}

static void receive_acknowledgement(struct client *client, const json_t *params)
{
    struct subscription *subscription = find_subscription(client, subscription_id(params));
    if (subscription)
        acknowledge(subscription, json_object_get(params, "notifications"));
}

/* A server may also end a subscription with a cancellation. */
static void receive_cancellation(struct client *client, const json_t *params)
{
    struct subscription *subscription =
        find_subscription(client, json_object_get(params, "requestId"));
    if (subscription)
        drop_subscription(subscription);
}

/* Legacy servers, and some others, do not say for whom it is. */
static bool is_for_us(struct client *client, const json_t *params)
{
    const json_t *id = subscription_id(params);
    return !id || find_subscription(client, id);
}

static void receive_update(struct client *client, const json_t *params)
{
    const char *uri = json_get_string(params, "uri");
    if (uri && is_for_us(client, params))
        note_update(client, uri);
}

static void receive_tools_changed(struct client *client, const json_t *params)
{
    if (is_for_us(client, params))
        note_tools(client);
}

static void receive_prompts_changed(struct client *client, const json_t *params)
{
    if (is_for_us(client, params))
        hint_cache_drop(&client->hints, "prompts/list");
}

static void receive_resources_changed(struct client *client, const json_t *params)
{
    if (!is_for_us(client, params))
        return;
    hint_cache_drop(&client->hints, "resources/list");
    hint_cache_drop(&client->hints, "resources/templates/list");
}

void client_on_notification(void *context, const char *method, const json_t *params)
{
    static const struct {
        const char *method;
        void (*receive)(struct client *client, const json_t *params);
    } notices[] = {
        { "notifications/tools/list_changed", receive_tools_changed },
        { "notifications/prompts/list_changed", receive_prompts_changed },
        { "notifications/resources/list_changed", receive_resources_changed },
        { "notifications/resources/updated", receive_update },
        { "notifications/subscriptions/acknowledged", receive_acknowledgement },
        { "notifications/cancelled", receive_cancellation },
        { "notifications/tasks/status", mcp_task_receive_notice },
        { "notifications/tasks", mcp_task_receive_notice },
        { "notifications/elicitation/complete", input_rounds_end_visit },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(notices); i++)
        if (strcmp(notices[i].method, method) == 0)
            notices[i].receive(context, params);
}
