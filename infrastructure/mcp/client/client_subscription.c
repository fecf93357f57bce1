#include "application/ports/runtime.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/client/client_internal.h"
#include <string.h>

static bool is_open(const struct subscription *subscription)
{
    return subscription->request.is_pending;
}

struct subscription *subscription_find(struct client *client, const json_t *id)
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

bool subscription_grants(const struct subscription *subscription, const char *uri)
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
    client_note_all(client);
}

static void open_later(struct client *client)
{
    struct watch *watch = &client->watch;
    int64_t delay_ms = client->options.settings->mcp_list_changed_delay_ms << watch->n_drops;
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
    client_forget_tools(client);
    open_later(client);
}

/* Whoever awaits it goes on; by then much may have happened. */
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

void subscription_drop(struct subscription *subscription)
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

enum err_code subscription_open(struct client *client, struct subscription **out, struct err *err)
{
    struct subscription *subscription = make_room(client);
    AUTO(buf) line;
    buf_init(&line, (size_t)client->options.settings->mcp_max_message_bytes);
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

void subscription_acknowledge(struct subscription *subscription, const json_t *granted)
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
        client_note_all(client);
    watch->has_missed = false;
    struct err refusal = { 0 };
    if (watch->awaited != subscription)
        return;
    if (!subscription_grants(subscription, watch->awaited_uri))
        refuse(watch->awaited_uri, &refusal);
    answer(watch, &refusal);
}
