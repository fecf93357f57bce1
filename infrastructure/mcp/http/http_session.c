/* What outlives a single message: the session, the stream of HTTP+SSE, and tokens for streams.
 *
 * A session ends by us, politely, or because the server no longer knows it (MCP specification,
 * "Session Management"). In the latter case every request that is on its way is given a moment to
 * be turned away as well: then the server has not looked at it, and its caller may make it again in
 * the next session.
 *
 * The session of HTTP+SSE, the transport of 2024-11-05, is one GET that stays open. It brings
 * everything the server says, first of all the address to which messages are posted. Losing it ends
 * the session.
 *
 * A request that is refused for its token gets another one on the task that waits for it. No task
 * waits for a stream that listens or goes on where it broke off, so the transport has a task of its
 * own, from the first such refusal until it is closed. Each stream gets one more token: where a
 * fresh one is refused as well, another would not help. */
#include "infrastructure/mcp/http/http_exchange.h"
#include "infrastructure/mcp/oauth/oauth.h"
#include "infrastructure/net/http_address.h"
#include "infrastructure/runtime/alarm.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <stdlib.h>
#include <string.h>

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

static void on_session_end(void *context)
{
    struct http_transport *t = context;
    struct http_exchange *next;
    struct err why;
    err_set(&why, ERR_UNAVAILABLE, 404, "it gave up the session");
    for (struct http_exchange *exchange = t->exchanges; exchange; exchange = next) {
        next = exchange->next;
        if (exchange->is_turned_away || exchange->is_held)
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
        t->session_end = alarm_create(t->runtime, on_session_end, t);
    alarm_set(t->session_end, HTTP_SESSION_END_MS);
}

static bool has_stream(const struct http_transport *t)
{
    const struct http_exchange *exchange = t->exchanges;
    while (exchange && (exchange->kind != EXCHANGE_LISTEN || exchange->is_over))
        exchange = exchange->next;
    return exchange != NULL;
}

enum err_code http_sse_hold(struct http_exchange *exchange, struct err *err)
{
    struct http_transport *t = exchange->transport;
    exchange->is_held = true;
    if (has_stream(t))
        return ERR_NONE;
    struct http_exchange *stream = http_exchange_listen(t);
    enum err_code r = http_exchange_start(stream, err);
    if (r == ERR_NONE)
        return ERR_NONE;
    http_exchange_stop(stream);
    http_exchange_stop(exchange);
    return r;
}

bool http_sse_take_endpoint(struct http_exchange *stream, const char *data, size_t length)
{
    struct http_transport *t = stream->transport;
    if (t->endpoint)
        return true;
    const char *url = http_address_follow(&stream->arena, stream->url, data, length);
    if (!url) {
        err_set(&stream->answer.problem, ERR_DENIED, 0,
                "it wants messages sent to another origin than its own");
        return false;
    }
    t->endpoint = strdup(url);
    if (!t->endpoint)
        abort();
    for (struct http_exchange *exchange = t->exchanges; exchange; exchange = exchange->next)
        if (exchange->is_held)
            exchange->url = t->endpoint;
    http_transport_let_go(t);
    return !stream->is_over;
}

/* Why there is no stream, or none any more. */
static enum err_code explain_end(const struct http_exchange *stream, const struct err *why,
                                 struct err *err)
{
    const struct http_answer *answer = &stream->answer;
    bool is_begun = http_answer_is_success(answer) && answer->media == HTTP_MEDIA_EVENTS;
    if (answer->problem.code || (why->code && answer->status == 0)) {
        *err = answer->problem.code ? answer->problem : *why;
        return err->code;
    }
    if (!http_answer_is_success(answer))
        return http_status_explain(answer->status, stream->transport->config, err);
    if (!is_begun)
        return err_set(err, ERR_PROTOCOL, answer->status, "it has no stream of events");
    if (!stream->transport->endpoint)
        return err_set(err, ERR_PROTOCOL, 0, "its stream of events does not name an endpoint");
    return err_set(err, ERR_UNAVAILABLE, 0, "its stream of events ended, and with it the session");
}

void http_sse_end(struct http_exchange *stream, const struct err *why)
{
    struct http_transport *t = stream->transport;
    struct err err;
    (void)!explain_end(stream, why, &err);
    if (!t->is_open)
        return;
    transport_abort(&t->base);
    t->events.on_closed(t->events.context, &err);
}

void http_sse_conclude_post(struct http_exchange *exchange, enum transport_loss loss,
                            const struct err *why)
{
    const struct http_answer *answer = &exchange->answer;
    struct err err = *why;
    if (why->code == ERR_NONE && http_answer_is_success(answer))
        return;
    if (why->code == ERR_NONE)
        (void)http_status_explain(answer->status, exchange->transport->config, &err);
    http_exchange_lose(exchange, loss, &err);
}

static bool is_stream(const struct http_exchange *exchange)
{
    return exchange->kind == EXCHANGE_LISTEN || exchange->is_resumed ||
           (exchange->method && strcmp(exchange->method, "subscriptions/listen") == 0);
}

static void give_up(struct http_exchange *exchange, const struct err *why)
{
    exchange->is_inside = true;
    if (http_sse_is_stream(exchange))
        http_sse_end(exchange, why);
    else
        http_exchange_lose(exchange, exchange->is_resumed ? LOSS_UNKNOWN : LOSS_UNSEEN, why);
    exchange->is_inside = false;
    http_exchange_stop(exchange);
}

/* why: there is no other token; NULL: there is. What happens may end others of them. */
static void go_on_with_token(struct http_transport *t, const struct err *why)
{
    struct http_exchange *exchange = t->exchanges;
    while (exchange) {
        bool waits = exchange->waits_for_token;
        exchange->waits_for_token = false;
        if (waits && why)
            give_up(exchange, why);
        else if (waits)
            http_exchange_go_on(exchange);
        exchange = waits ? t->exchanges : exchange->next;
    }
}

static enum err_code renew(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct http_transport *t = argument;
    struct http_renewal *renewal = &t->renewal;
    (void)runtime;
    while (completion_await(&renewal->wanted, scope, NULL) == ERR_NONE) {
        struct err why;
        renewal->wanted = completion_of(t->runtime);
        enum err_code r = oauth_renew(t->oauth, scope, &why);
        go_on_with_token(t, r ? &why : NULL);
    }
    return ERR_NONE;
}

bool http_renewal_take(struct http_exchange *exchange)
{
    struct http_transport *t = exchange->transport;
    struct http_renewal *renewal = &t->renewal;
    const struct http_answer *answer = &exchange->answer;
    if (!t->oauth || !t->is_open || answer->status != 401 || exchange->was_renewed ||
        !is_stream(exchange))
        return false;
    oauth_refused(t->oauth, answer->status, &answer->challenge, exchange->token);
    http_answer_reset(&exchange->answer, (size_t)t->settings->mcp_max_message_bytes);
    exchange->was_renewed = exchange->waits_for_token = true;
    if (!renewal->task) {
        renewal->scope = scope_child(NULL, SCOPE_NO_DEADLINE);
        renewal->wanted = completion_of(t->runtime);
        renewal->task = runtime_spawn(uv_runtime_port(t->runtime), &renewal->scope, renew, t);
    }
    completion_complete(&renewal->wanted);
    return true;
}

void http_renewal_end(struct http_transport *t)
{
    struct runtime *runtime = uv_runtime_port(t->runtime);
    if (!t->renewal.task)
        return;
    runtime_cancel(runtime, &t->renewal.scope);
    (void)runtime_wait(runtime, t->renewal.task);
    t->renewal.task = NULL;
}
