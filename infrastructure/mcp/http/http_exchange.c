/* One message and its way: sent, redirected, put off, resumed, and in the end answered or lost. The
 * cases are in on_done, in the order in which they are looked for. */
#include "infrastructure/mcp/http/http_exchange.h"
#include "infrastructure/net/http_address.h"
#include "infrastructure/runtime/alarm.h"
#include <stdlib.h>
#include <string.h>

static size_t max_message_bytes(const struct http_transport *t)
{
    return (size_t)t->settings->mcp_max_message_bytes;
}

struct http_exchange *http_exchange_create(struct http_transport *t,
                                           const struct transport_message *about,
                                           struct buf *message)
{
    struct http_exchange *exchange = calloc(1, sizeof *exchange);
    if (!exchange)
        abort();
    exchange->transport = t;
    exchange->kind = EXCHANGE_LISTEN;
    exchange->url = t->config->url;
    http_answer_init(&exchange->answer, max_message_bytes(t));
    if (about) {
        exchange->kind = about->id.number ? EXCHANGE_REQUEST : EXCHANGE_NOTE;
        exchange->method = about->method;
        exchange->id = about->id;
        if (about->name)
            exchange->name = http_header_value(&exchange->arena, about->name, strlen(about->name));
        exchange->n_further = about->n_headers;
        exchange->further = arena_array(&exchange->arena, const char *, about->n_headers + 1);
        for (size_t i = 0; i < about->n_headers; i++)
            exchange->further[i] = arena_strdup(&exchange->arena, about->headers[i]);
        if (t->endpoint)
            exchange->url = t->endpoint;
        exchange->message = *message;
        buf_init(message, message->max_bytes);
    }
    struct http_exchange **last = &t->exchanges;
    while (*last)
        last = &(*last)->next;
    *last = exchange;
    t->n_exchanges++;
    return exchange;
}

static void release(struct http_exchange *exchange)
{
    struct http_transport *t = exchange->transport;
    bool listened = exchange->kind == EXCHANGE_LISTEN;
    struct http_exchange **at = &t->exchanges;
    while (*at != exchange)
        at = &(*at)->next;
    *at = exchange->next;
    t->n_exchanges--;
    alarm_destroy(exchange->pause);
    http_answer_finish(&exchange->answer);
    buf_finish(&exchange->message);
    arena_finish(&exchange->passing);
    arena_finish(&exchange->arena);
    free(exchange);
    if (listened)
        http_transport_listens(t);
}

void http_exchange_stop(struct http_exchange *exchange)
{
    exchange->is_over = true;
    if (exchange->transfer)
        http_client_stop(exchange->transfer);
    else if (!exchange->is_inside)
        release(exchange);
}

void http_exchange_lose(struct http_exchange *exchange, enum transport_loss loss,
                        const struct err *why)
{
    struct http_transport *t = exchange->transport;
    if (exchange->kind == EXCHANGE_REQUEST && !exchange->is_answered && !exchange->is_over)
        t->events.on_lost(t->events.context, exchange->id, loss, why);
}

static bool is_get(const struct http_exchange *exchange)
{
    return exchange->kind == EXCHANGE_LISTEN || exchange->is_resumed;
}

/* The endpoint of HTTP+SSE may lie beside the URL that a login is for; it is of the same origin. */
static const char *bearer_of(const struct http_exchange *exchange)
{
    const struct http_transport *t = exchange->transport;
    bool is_endpoint = exchange->url == t->endpoint;
    return oauth_bearer(t->oauth, is_endpoint ? t->config->url : exchange->url);
}

static void set_headers(struct http_exchange *exchange)
{
    enum { OURS = 3 };
    struct http_transport *t = exchange->transport;
    struct arena *arena = &exchange->passing;
    size_t n;
    arena_finish(arena);
    const char **headers = http_transport_headers(t, arena, OURS + exchange->n_further, &n);
    bool is_modern = http_transport_is_modern(t);
    if (is_modern && exchange->method)
        headers[n++] = arena_printf(arena, "Mcp-Method: %s", exchange->method);
    if (is_modern && exchange->name)
        headers[n++] = arena_printf(arena, "Mcp-Name: %s", exchange->name);
    for (size_t i = 0; i < exchange->n_further && is_modern; i++)
        headers[n++] = exchange->further[i];
    if (is_get(exchange) && exchange->answer.events.id[0])
        headers[n++] = arena_printf(arena, "Last-Event-ID: %s", exchange->answer.events.id);
    exchange->used_session = t->session[0] != '\0';
    exchange->http.bearer = arena_strdup(arena, bearer_of(exchange));
    exchange->token = oauth_generation(t->oauth);
    exchange->http.headers = headers;
    exchange->http.n_headers = n;
}

/* Without the end of the line, which belongs to another transport. */
static size_t body_length(const struct buf *message)
{
    size_t length = message->length;
    return length && message->bytes[length - 1] == '\n' ? length - 1 : length;
}

static void on_done(void *context, const struct http_response *response, const struct err *why);

enum err_code http_exchange_start(struct http_exchange *exchange, struct err *err)
{
    struct http_transport *t = exchange->transport;
    exchange->http = (struct http_request){
        .url = exchange->url,
        .body = is_get(exchange) ? NULL : buf_string(&exchange->message),
        .body_length = body_length(&exchange->message),
        .accept = is_get(exchange) ? "text/event-stream" : "application/json, text/event-stream",
        .connect_timeout_ms = HTTP_CONNECT_TIMEOUT_MS,
        .total_ms = exchange->kind == EXCHANGE_NOTE ? t->settings->timeout_seconds * 1000 : 0,
        .max_bytes = SIZE_MAX, /* messages are bounded, not what streams carry in their time */
        .on_header = http_answer_on_header,
        .on_headers = http_answer_on_headers,
        .on_bytes = http_answer_on_bytes,
        .context = exchange,
    };
    set_headers(exchange);
    return http_client_begin(t->http, &exchange->http, on_done, &exchange->transfer, err);
}

void http_exchange_go_on(struct http_exchange *exchange)
{
    struct err why;
    exchange->is_held = false;
    if (http_exchange_start(exchange, &why) == ERR_NONE)
        return;
    exchange->is_inside = true;
    http_exchange_lose(exchange, exchange->is_resumed ? LOSS_UNKNOWN : LOSS_UNSEEN, &why);
    release(exchange);
}

static void on_pause_over(void *context)
{
    struct http_exchange *exchange = context;
    http_answer_reset(&exchange->answer, max_message_bytes(exchange->transport));
    http_exchange_go_on(exchange);
}

static void pause_for(struct http_exchange *exchange, int64_t delay_ms)
{
    if (!exchange->pause)
        exchange->pause = alarm_create(exchange->transport->runtime, on_pause_over, exchange);
    alarm_set(exchange->pause, delay_ms);
}

/* Without an id there is nothing to go on from, but the stream that listens may begin anew. */
static bool may_resume(const struct http_exchange *exchange)
{
    const struct http_answer *answer = &exchange->answer;
    bool is_listening = exchange->kind == EXCHANGE_LISTEN;
    return !http_transport_is_modern(exchange->transport) && !exchange->is_answered &&
           !answer->problem.code && !exchange->transport->is_by_sse &&
           !exchange->transport->is_losing_session && http_answer_is_success(answer) &&
           answer->media == HTTP_MEDIA_EVENTS && (answer->events.id[0] || is_listening) &&
           exchange->kind != EXCHANGE_NOTE && exchange->n_resumptions < HTTP_MAX_RESUMPTIONS;
}

/* As long as the server asks for, else longer and longer. */
static void resume_later(struct http_exchange *exchange)
{
    int64_t delay_ms = exchange->answer.events.retry_ms;
    if (delay_ms < 0)
        delay_ms = (int64_t)HTTP_RESUME_MS << exchange->n_resumptions;
    if (delay_ms > HTTP_MAX_RESUME_MS)
        delay_ms = HTTP_MAX_RESUME_MS;
    exchange->n_resumptions++;
    exchange->was_renewed = false;
    exchange->is_resumed = true;
    pause_for(exchange, delay_ms);
}

/* A server that has too much to do has not begun; one that is out of service may have. */
static bool may_come_back(const struct http_exchange *exchange, int64_t retry_after_ms)
{
    int status = exchange->answer.status;
    bool may_repeat = status == 429 || (status == 503 && exchange->method &&
                                        strcmp(exchange->method, "tools/call") != 0);
    return may_repeat && exchange->kind != EXCHANGE_LISTEN && !exchange->is_resumed &&
           retry_after_ms >= 0 && retry_after_ms <= HTTP_MAX_WAIT_MS &&
           exchange->n_waits < HTTP_MAX_WAITS;
}

static bool follow_redirect(struct http_exchange *exchange)
{
    struct http_answer *answer = &exchange->answer;
    if ((answer->status != 307 && answer->status != 308) || !answer->location)
        return false;
    const char *url = http_address_follow(&exchange->arena, exchange->url, answer->location,
                                          strlen(answer->location));
    if (!url)
        return false;
    if (exchange->n_redirects == HTTP_MAX_REDIRECTS) {
        err_set(&answer->problem, ERR_UNAVAILABLE, answer->status,
                "it redirects more than %d times (HTTP %d)", HTTP_MAX_REDIRECTS, answer->status);
        err_hint(&answer->problem, ERR_UNAVAILABLE,
                 "its redirects may lead in a circle: is its url right?");
        return false;
    }
    exchange->n_redirects++;
    exchange->url = url;
    http_answer_reset(&exchange->answer, max_message_bytes(exchange->transport));
    http_exchange_go_on(exchange);
    return true;
}

/* Another token may help, and then the request may be sent once more: the server has not looked at
 * it, unless it is its interrupted answer that was asked for. */
static bool note_challenge(struct http_exchange *exchange)
{
    struct http_transport *t = exchange->transport;
    const struct http_answer *answer = &exchange->answer;
    if (!t->oauth || !oauth_is_challenge(answer->status, &answer->challenge))
        return false;
    oauth_refused(t->oauth, answer->status, &answer->challenge, exchange->token);
    return !exchange->is_resumed;
}

/* A status in the 400s refuses, but for 408, which is a matter of time, and so does a redirect that
 * would have the request sent elsewhere as it is. Other redirects may come after the deed, and what
 * a resumed stream is told concerns the stream. */
static enum transport_loss loss_of(const struct http_exchange *exchange, bool was_sent)
{
    int status = exchange->answer.status;
    if (exchange->is_resumed)
        return LOSS_UNKNOWN;
    bool is_refused =
        (status >= 400 && status < 500 && status != 408) || status == 307 || status == 308;
    return is_refused || !was_sent ? LOSS_REFUSED : LOSS_UNKNOWN;
}

static void conclude(struct http_exchange *exchange, bool was_sent, const struct err *why)
{
    struct http_transport *t = exchange->transport;
    struct err err = *why;
    enum transport_loss loss = note_challenge(exchange) ? LOSS_UNSEEN : loss_of(exchange, was_sent);
    bool is_initialized = exchange->method && exchange->kind == EXCHANGE_NOTE &&
                          strcmp(exchange->method, "notifications/initialized") == 0;
    if (http_sse_is_stream(exchange)) {
        http_sse_end(exchange, why);
        return;
    }
    if (exchange->kind != EXCHANGE_LISTEN && http_answer_ends_session(exchange)) {
        http_session_lose(exchange);
        return;
    }
    if (is_initialized)
        http_transport_initialized(t);
    if (exchange->kind != EXCHANGE_REQUEST)
        return;
    if (t->is_by_sse) {
        http_sse_conclude_post(exchange, loss, why);
        return;
    }
    if (err.code == ERR_NONE && !http_answer_turns_elsewhere(exchange))
        http_answer_deliver(exchange);
    if (err.code == ERR_NONE || exchange->answer.problem.code)
        (void)http_answer_explain(exchange, &err);
    else if (err.code == ERR_INVALID)
        (void)err_hint(&err, err.code, "write it as http://HOST:PORT/PATH, PORT at most 65535");
    else if (exchange->answer.status == 0 && err.code != ERR_LIMIT)
        (void)err_hint(&err, err.code, "is the server running, and its url right?");
    http_exchange_lose(exchange, loss, &err);
}

/* why: what the network has to say; the server's own word is in the answer. */
static void on_done(void *context, const struct http_response *response, const struct err *why)
{
    struct http_exchange *exchange = context;
    struct http_transport *t = exchange->transport;
    exchange->transfer = NULL;
    if (exchange->is_over) {
        release(exchange);
        http_session_look(t);
        return;
    }
    if (follow_redirect(exchange))
        return;
    if (may_resume(exchange)) {
        resume_later(exchange);
        return;
    }
    if (may_come_back(exchange, response->retry_after_ms)) {
        exchange->n_waits++;
        pause_for(exchange, response->retry_after_ms);
        return;
    }
    if (http_renewal_take(exchange))
        return;
    exchange->is_inside = true;
    if (response->retry_after_ms > 0)
        exchange->answer.retry_after_ms = response->retry_after_ms;
    conclude(exchange, response->was_sent, why);
    exchange->is_inside = false;
    if (!exchange->is_turned_away || exchange->is_over)
        release(exchange);
    http_session_look(t);
}
