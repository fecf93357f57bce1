/* The session of HTTP+SSE, the transport of 2024-11-05 (`mcp.md` 3.4): one GET that stays open
 * brings everything the server says, first of all the address to which messages are posted. Losing
 * it ends the session. */
#include "infrastructure/mcp/http/http_exchange.h"
#include "infrastructure/mcp/http/http_status.h"
#include "infrastructure/net/http_address.h"
#include <stdlib.h>
#include <string.h>

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
    struct http_exchange *stream = http_exchange_create(t, NULL, NULL);
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
