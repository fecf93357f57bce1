/* The serving side of MCP: what a handler of requests speaks through, whatever carries the
 * messages. One client at a time. */
#ifndef APPLICATION_PORTS_RPC_H
#define APPLICATION_PORTS_RPC_H

#include "domain/base/attributes.h"
#include "domain/base/scope.h"
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct rpc;

struct rpc_message {
    json_t *id;             /* string or number; NULL for a notification */
    const char *method;     /* NULL: the answer to something that was asked of the client */
    json_t *params;         /* object, or NULL */
    json_t *result, *error; /* of an answer: one of them */
    json_t *whole;          /* owns the above */
};

struct rpc_ops {
    /* All mandatory but pause. */
    enum err_code (*next)(struct rpc *r, struct scope *sc, struct rpc_message *out,
                          struct err *err);
    void (*reply)(struct rpc *r, const json_t *id, json_t *result);
    void (*reply_text)(struct rpc *r, const json_t *id, const char *result, size_t length);
    void (*refuse)(struct rpc *r, const json_t *id, int code, const char *message, json_t *data);
    void (*notify)(struct rpc *r, const json_t *about, const char *method, json_t *params);
    void (*ask)(struct rpc *r, const json_t *about, int64_t id, const char *method, json_t *params);
    void (*pause)(struct rpc *r, const json_t *about, int64_t ms);
    enum err_code (*flush)(struct rpc *r, struct scope *sc, struct err *err);
    void (*destroy)(struct rpc *r);
};

struct rpc {
    const struct rpc_ops *ops;
};

/* The next request, notification or answer; rpc_message_finish releases it. ERR_UNAVAILABLE once
 * the client has gone; ERR_FAILED where it did not take all of its answers, as in rpc_flush. What
 * is not JSON-RPC is answered with -32700 or -32600 and not returned. */
awaits MUST_CHECK static inline enum err_code rpc_next(struct rpc *r, struct scope *sc,
                                                       struct rpc_message *out, struct err *err)
{
    return r->ops->next(r, sc, out, err);
}
/* Queues; steals result. */
static inline void rpc_reply(struct rpc *r, const json_t *id, json_t *result)
{
    r->ops->reply(r, id, result);
}
/* Queues the JSON text of a result, which is sent byte for byte (no raw newline in it). */
static inline void rpc_reply_text(struct rpc *r, const json_t *id, const char *result,
                                  size_t length)
{
    r->ops->reply_text(r, id, result, length);
}
/* Queues; steals data (may be NULL). id NULL is sent as null. */
static inline void rpc_fail(struct rpc *r, const json_t *id, int code, const char *message,
                            json_t *data)
{
    r->ops->refuse(r, id, code, message, data);
}
/* Queues; steals params. about: the id of the client's request that it belongs to, which decides
 * where it goes when requests are answered apart; NULL: none. */
static inline void rpc_notify(struct rpc *r, const json_t *about, const char *method,
                              json_t *params)
{
    r->ops->notify(r, about, method, params);
}
/* Queues a request to the client, which only legacy ones take; its answer comes by rpc_next with
 * the same id, or never. about as above. Steals params. */
static inline void rpc_ask(struct rpc *r, const json_t *about, int64_t id, const char *method,
                           json_t *params)
{
    r->ops->ask(r, about, id, method, params);
}
/* Lets the client of a request go, who is told to come back after so many milliseconds for what it
 * missed; nothing happens where it could not come back (SEP-1699). */
static inline void rpc_pause(struct rpc *r, const json_t *about, int64_t ms)
{
    if (r->ops->pause)
        r->ops->pause(r, about, ms);
}
/* Waits until everything queued is written. */
awaits MUST_CHECK static inline enum err_code rpc_flush(struct rpc *r, struct scope *sc,
                                                        struct err *err)
{
    return r->ops->flush(r, sc, err);
}
static inline void rpc_destroy(struct rpc *r)
{
    if (r)
        r->ops->destroy(r);
}
static inline void rpc_message_finish(struct rpc_message *message)
{
    json_decref(message->whole);
    *message = (struct rpc_message){ 0 };
}

#endif
