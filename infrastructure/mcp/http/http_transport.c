#include "infrastructure/mcp/http/http_transport.h"
#include "application/ports/runtime.h"
#include "infrastructure/mcp/http/http_exchange.h"
#include "infrastructure/mcp/oauth/oauth.h"
#include "infrastructure/mcp/wire/era.h"
#include "infrastructure/runtime/alarm.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <stdlib.h>
#include <string.h>

/* The first revision whose messages name theirs in a header. */
#define FIRST_VERSION_WITH_HEADER "2025-06-18"

static struct http_transport *http_of(struct transport *t)
{
    return (struct http_transport *)t;
}

static int64_t now_ms(const struct http_transport *t)
{
    return runtime_now_ms(uv_runtime_port(t->runtime));
}

bool http_transport_is_modern(const struct http_transport *t)
{
    return t->version && strcmp(t->version, ERA_MODERN_VERSION) >= 0;
}

const char **http_transport_headers(const struct http_transport *t, struct arena *arena,
                                    size_t n_further, size_t *out_n)
{
    enum { OURS = 2 };
    const struct server_config *config = t->config;
    const char **headers = arena_array(arena, const char *, config->n_headers + OURS + n_further);
    size_t n = 0;
    for (size_t i = 0; i < config->n_headers; i++)
        if (!http_header_is_ours(config->headers[i]))
            headers[n++] = config->headers[i];
    if (t->version && strcmp(t->version, FIRST_VERSION_WITH_HEADER) >= 0)
        headers[n++] = arena_printf(arena, "MCP-Protocol-Version: %s", t->version);
    if (t->session[0])
        headers[n++] = arena_printf(arena, "Mcp-Session-Id: %s", t->session);
    *out_n = n;
    return headers;
}

static void http_abort(struct transport *base)
{
    struct http_transport *t = http_of(base);
    struct http_exchange *next;
    t->is_open = t->is_losing_session = false;
    if (t->session_end)
        alarm_unset(t->session_end);
    for (struct http_exchange *exchange = t->exchanges; exchange; exchange = next) {
        next = exchange->next;
        http_exchange_stop(exchange);
    }
}

void http_transport_let_go(struct http_transport *t)
{
    struct http_exchange *next;
    for (struct http_exchange *exchange = t->exchanges; exchange; exchange = next) {
        next = exchange->next;
        if (exchange->is_held && !t->is_losing_session)
            http_exchange_go_on(exchange);
    }
}

void http_transport_listens(struct http_transport *t)
{
    if (!t->is_open || !t->is_initializing)
        return;
    t->is_initializing = false;
    alarm_unset(t->listening);
    http_transport_let_go(t);
}

static void on_listening_over(void *context)
{
    http_transport_listens(context);
}

/* First of all the server gets a stream on which it can be heard even when nothing is asked. */
void http_transport_initialized(struct http_transport *t)
{
    if (t->is_by_sse) {
        http_transport_listens(t);
        return;
    }
    alarm_set(t->listening, HTTP_LISTEN_MS);
    http_exchange_go_on(http_exchange_listen(t));
}

/* Streams that stay open after their answer are closed. */
static void on_linger_over(void *context)
{
    struct http_transport *t = context;
    struct http_exchange *next;
    bool goes_on = false;
    for (struct http_exchange *exchange = t->exchanges; exchange; exchange = next) {
        next = exchange->next;
        if (exchange->is_answered && exchange->linger_until_ms <= now_ms(t))
            http_exchange_stop(exchange);
        else
            goes_on = goes_on || exchange->is_answered;
    }
    t->lingers = goes_on;
    if (goes_on)
        alarm_set(t->lingering, HTTP_LINGER_MS);
}

static enum err_code http_open(struct transport *base, const struct transport_events *events,
                               struct err *err)
{
    struct http_transport *t = http_of(base);
    (void)err;
    t->events = *events;
    t->version = NULL;
    t->session[0] = '\0';
    free(steal(&t->endpoint));
    t->is_initializing = false;
    t->is_open = true;
    if (!t->lingering) {
        t->lingering = alarm_create(t->runtime, on_linger_over, t);
        t->listening = alarm_create(t->runtime, on_listening_over, t);
    }
    return ERR_NONE;
}

static enum err_code http_send(struct transport *base, const struct transport_message *about,
                               struct buf *message, struct err *err)
{
    struct http_transport *t = http_of(base);
    if (!t->is_open)
        return err_set(err, ERR_UNAVAILABLE, 0, "it is not connected");
    if (t->n_exchanges >= HTTP_MAX_EXCHANGES)
        return err_set(err, ERR_LIMIT, 0, "more than %d messages are on their way",
                       HTTP_MAX_EXCHANGES);
    struct http_exchange *exchange = http_exchange_create(t, about, message);
    if (t->is_by_sse && !t->endpoint)
        return http_sse_hold(exchange, err);
    if (about->method && strcmp(about->method, "notifications/initialized") == 0) {
        t->is_initializing = true;
    } else if (t->is_initializing || t->is_losing_session) {
        exchange->is_held = true;
        return ERR_NONE;
    }
    enum err_code r = http_exchange_start(exchange, err);
    if (r)
        http_exchange_stop(exchange);
    return r;
}

static void http_agree(struct transport *base, const char *version)
{
    struct http_transport *t = http_of(base);
    t->version = version;
    if (!version)
        t->session[0] = '\0';
}

static void http_use_sse(struct transport *base, bool is_wanted)
{
    http_of(base)->is_by_sse = is_wanted;
}

static bool http_release(struct transport *base, struct jsonrpc_id id, bool is_answered)
{
    struct http_transport *t = http_of(base);
    struct http_exchange *exchange = t->exchanges;
    while (exchange && (exchange->kind != EXCHANGE_REQUEST || exchange->id.number != id.number))
        exchange = exchange->next;
    if (exchange && is_answered && exchange->transfer) {
        exchange->is_answered = true;
        exchange->linger_until_ms = now_ms(t) + HTTP_LINGER_MS;
        if (!t->lingers)
            alarm_set(t->lingering, HTTP_LINGER_MS);
        t->lingers = true;
    } else if (exchange && is_answered && exchange->is_inside) {
        exchange->is_answered = true;
    } else if (exchange) {
        http_exchange_stop(exchange);
    }
    return http_transport_is_modern(t);
}

static enum err_code http_authorize(struct transport *base, const struct scope *sc, struct err *err)
{
    return oauth_renew(http_of(base)->oauth, sc, err);
}

static void http_close(struct transport *base, const struct scope *sc)
{
    struct http_transport *t = http_of(base);
    http_abort(base);
    http_renewal_end(t);
    t->lingers = false;
    if (t->lingering) {
        alarm_unset(t->lingering);
        alarm_unset(t->listening);
    }
    http_session_end(t, sc);
}

static void http_destroy(struct transport *base)
{
    struct http_transport *t = http_of(base);
    alarm_destroy(t->lingering);
    alarm_destroy(t->listening);
    alarm_destroy(t->session_end);
    free(t->endpoint);
    free(t);
}

struct transport *http_transport_create(struct uv_runtime *runtime, struct http_client *http,
                                        struct oauth *oauth, const struct server_config *config,
                                        const struct settings *settings)
{
    static const struct transport_ops ops = {
        .open = http_open,
        .send = http_send,
        .agree = http_agree,
        .use_sse = http_use_sse,
        .release = http_release,
        .authorize = http_authorize,
        .abort = http_abort,
        .close = http_close,
        .destroy = http_destroy,
    };
    struct http_transport *t = calloc(1, sizeof *t);
    if (!t)
        abort();
    t->base.ops = &ops;
    t->runtime = runtime;
    t->http = http;
    t->oauth = oauth;
    t->config = config;
    t->settings = settings;
    return &t->base;
}
