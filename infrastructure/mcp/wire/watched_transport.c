#include "infrastructure/mcp/wire/watched_transport.h"
#include <stdlib.h>

struct watched_transport {
    struct transport base;
    struct transport *inner;
    const char *server;
    struct traffic *traffic;
    struct transport_events events;
};

static struct watched_transport *watched_of(struct transport *t)
{
    return (struct watched_transport *)t;
}

static void on_message(void *context, const struct jsonrpc_id *of, const char *bytes, size_t length)
{
    struct watched_transport *watched = context;
    traffic_saw(watched->traffic, watched->server, TRAFFIC_FROM_SERVER, bytes, length);
    watched->events.on_message(watched->events.context, of, bytes, length);
}

static void on_lost(void *context, struct jsonrpc_id id, enum transport_loss loss,
                    const struct err *why)
{
    struct watched_transport *watched = context;
    watched->events.on_lost(watched->events.context, id, loss, why);
}

static void on_diagnostics(void *context, const char *line, size_t length)
{
    struct watched_transport *watched = context;
    watched->events.on_diagnostics(watched->events.context, line, length);
}

static void on_closed(void *context, const struct err *why)
{
    struct watched_transport *watched = context;
    watched->events.on_closed(watched->events.context, why);
}

static enum err_code watched_open(struct transport *t, const struct transport_events *events,
                                  struct err *err)
{
    struct watched_transport *watched = watched_of(t);
    struct transport_events ours = { .on_message = on_message,
                                     .on_lost = on_lost,
                                     .on_diagnostics = on_diagnostics,
                                     .on_closed = on_closed,
                                     .context = watched };
    watched->events = *events;
    return transport_open(watched->inner, &ours, err);
}

static enum err_code watched_send(struct transport *t, const struct transport_message *about,
                                  struct buf *message, struct err *err)
{
    struct watched_transport *watched = watched_of(t);
    size_t length = message->length;
    while (length && message->bytes[length - 1] == '\n')
        length--;
    traffic_saw(watched->traffic, watched->server, TRAFFIC_TO_SERVER, message->bytes, length);
    return transport_send(watched->inner, about, message, err);
}

static void watched_agree(struct transport *t, const char *version)
{
    transport_agree(watched_of(t)->inner, version);
}

static void watched_use_sse(struct transport *t, bool is_wanted)
{
    transport_use_sse(watched_of(t)->inner, is_wanted);
}

static bool watched_release(struct transport *t, struct jsonrpc_id id, bool is_answered)
{
    return transport_release(watched_of(t)->inner, id, is_answered);
}

static enum err_code watched_authorize(struct transport *t, const struct scope *sc, struct err *err)
{
    return transport_authorize(watched_of(t)->inner, sc, err);
}

static void watched_abort(struct transport *t)
{
    transport_abort(watched_of(t)->inner);
}

static void watched_close(struct transport *t, const struct scope *sc)
{
    transport_close(watched_of(t)->inner, sc);
}

static void watched_destroy(struct transport *t)
{
    transport_destroy(watched_of(t)->inner);
    free(t);
}

struct transport *watched_transport_create(struct transport *inner, const char *server,
                                           struct traffic *traffic)
{
    static const struct transport_ops ops = { .open = watched_open,
                                              .send = watched_send,
                                              .agree = watched_agree,
                                              .use_sse = watched_use_sse,
                                              .release = watched_release,
                                              .authorize = watched_authorize,
                                              .abort = watched_abort,
                                              .close = watched_close,
                                              .destroy = watched_destroy };
    struct watched_transport *watched = calloc(1, sizeof *watched);
    if (!watched)
        abort();
    *watched = (struct watched_transport){
        .base = { &ops }, .inner = inner, .server = server, .traffic = traffic
    };
    return &watched->base;
}
