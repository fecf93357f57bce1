/* How a session ends: by us, politely, or because the server knows it no more (`mcp.md` 3.3). In
 * the latter case every request that is on its way is given a moment to be turned away as well:
 * then the server has not looked at it, and whoever made it may make it again in the next
 * session. */
#include "infrastructure/mcp/http/http_exchange.h"
#include "infrastructure/mcp/oauth/oauth.h"
#include "infrastructure/runtime/alarm.h"

static bool ignore_bytes(void *context, const char *bytes, size_t length)
{
    (void)context;
    (void)bytes;
    (void)length;
    return false;
}

void http_session_end(struct http_transport *t, const struct scope *sc)
{
    AUTO(arena) scratch = { 0 };
    size_t n;
    if (!t->session[0])
        return;
    const char **headers = http_transport_headers(t, &scratch, 0, &n);
    struct http_request request = {
        .url = t->config->url,
        .method = "DELETE",
        .bearer = oauth_bearer(t->oauth, t->config->url),
        .headers = headers,
        .n_headers = n,
        .connect_timeout_ms = HTTP_CONNECT_TIMEOUT_MS,
        .silence_ms = t->settings->mcp_close_wait_ms,
        .max_bytes = SIZE_MAX,
        .on_bytes = ignore_bytes,
    };
    struct http_response response;
    (void)!http_client_perform(t->http, sc, &request, &response, NULL);
    t->session[0] = '\0';
}

static bool is_on_its_way(const struct http_exchange *exchange)
{
    return exchange->kind == EXCHANGE_REQUEST && exchange->transfer && !exchange->is_answered;
}

static bool is_unseen(const struct http_exchange *exchange)
{
    return exchange->is_turned_away || exchange->is_held;
}

static void on_end(void *context)
{
    struct http_transport *t = context;
    struct http_exchange *next;
    struct err why;
    err_set(&why, ERR_UNAVAILABLE, 404, "it gave up the session");
    for (struct http_exchange *exchange = t->exchanges; exchange; exchange = next) {
        next = exchange->next;
        if (is_unseen(exchange))
            http_exchange_lose(exchange, LOSS_UNSEEN, &why);
    }
    if (!t->is_open)
        return;
    transport_abort(&t->base);
    t->events.on_closed(t->events.context, &why);
}

void http_session_look(struct http_transport *t)
{
    const struct http_exchange *exchange = t->exchanges;
    if (!t->is_losing_session)
        return;
    while (exchange && !is_on_its_way(exchange))
        exchange = exchange->next;
    if (!exchange) /* not from within what told of the last one */
        alarm_set(t->session_end, 0);
}

void http_session_lose(struct http_exchange *exchange)
{
    struct http_transport *t = exchange->transport;
    exchange->is_turned_away = true;
    t->session[0] = '\0';
    if (t->is_losing_session || !t->is_open)
        return;
    t->is_losing_session = true;
    if (!t->session_end)
        t->session_end = alarm_create(t->runtime, on_end, t);
    alarm_set(t->session_end, HTTP_SESSION_END_MS);
}
