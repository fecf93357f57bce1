/* How messages reach a server and come back: the seam between the MCP client and whatever carries
 * its messages. stdio_transport.h and http_transport.h implement it; the client knows no more than
 * this. Where requests travel each on their own way, as over HTTP, one of them may be lost while
 * the others live. */
#ifndef INFRASTRUCTURE_MCP_WIRE_TRANSPORT_H
#define INFRASTRUCTURE_MCP_WIRE_TRANSPORT_H

#include "domain/base/attributes.h"
#include "domain/base/buf.h"
#include "domain/base/scope.h"
#include "infrastructure/mcp/wire/jsonrpc.h"

struct transport;

/* What a message is, for carriers that must say so beside it. */
struct transport_message {
    const char *method;   /* of static life; NULL: an answer to the server */
    const char *name;     /* what a request is about, such as a tool; or NULL; borrowed */
    struct jsonrpc_id id; /* of a request; number 0: it is none */
    /* Further headers "Name: value" for carriers that have some; borrowed. */
    const char *const *headers;
    size_t n_headers;
};

/* What is known of a request that will not be answered. */
enum transport_loss {
    LOSS_UNKNOWN, /* nothing: the server may have done what it asks for */
    LOSS_UNSEEN,  /* the server did not look at it, and may take it if it is sent again */
    LOSS_REFUSED, /* it was not sent, or the server said that it would not do it */
};

/* All are called on the loop's stack and must not wait. Bytes are borrowed. */
struct transport_events {
    /* One message, or what stood where a message belongs. of: the request in answer to which it
     * was sent; NULL where that cannot be told. */
    void (*on_message)(void *context, const struct jsonrpc_id *of, const char *bytes,
                       size_t length);
    /* No answer to this request will come any more. */
    void (*on_lost)(void *context, struct jsonrpc_id id, enum transport_loss loss,
                    const struct err *why);
    /* A line the server wrote for people. */
    void (*on_diagnostics)(void *context, const char *line, size_t length);
    /* Once, unless closed or aborted first: nothing more comes and nothing can be sent. `why` says
     * how it ended, with the server's last words. */
    void (*on_closed)(void *context, const struct err *why);
    void *context;
};

struct transport_ops {
    enum err_code (*open)(struct transport *t, const struct transport_events *events,
                          struct err *err);
    enum err_code (*send)(struct transport *t, const struct transport_message *about,
                          struct buf *message, struct err *err);
    void (*agree)(struct transport *t, const char *version);                      /* may be NULL */
    void (*use_sse)(struct transport *t, bool is_wanted);                         /* as above */
    bool (*release)(struct transport *t, struct jsonrpc_id id, bool is_answered); /* as above */
    const json_t *(*note)(struct transport *t);                                   /* as above */
    bool (*is_lent)(struct transport *t);                                         /* as above */
    void (*hand_over)(struct transport *t, json_t *note); /* where that may be true */
    enum err_code (*authorize)(struct transport *t, const struct scope *sc, struct err *err);
    void (*abort)(struct transport *t);
    void (*close)(struct transport *t, const struct scope *sc);
    void (*destroy)(struct transport *t);
};

struct transport {
    const struct transport_ops *ops;
};

/* Starts the server where that is the transport's business. Events come until it is closed. */
MUST_CHECK
static inline enum err_code transport_open(struct transport *t,
                                           const struct transport_events *events, struct err *err)
{
    return t->ops->open(t, events, err);
}
/* Takes the content of a message that ends in a newline; the buffer is left empty. A server that
 * no longer listens is reported by on_closed. ERR_LIMIT: too much waits to be read already. */
MUST_CHECK
static inline enum err_code transport_send(struct transport *t,
                                           const struct transport_message *about,
                                           struct buf *message, struct err *err)
{
    return t->ops->send(t, about, message, err);
}
/* Messages are of this revision from now on; NULL before one is agreed. Of static life. */
static inline void transport_agree(struct transport *t, const char *version)
{
    if (t->ops->agree)
        t->ops->agree(t, version);
}
/* From the next opening on, messages are carried by HTTP+SSE of 2024-11-05, or no longer. For
 * servers behind a URL only. */
static inline void transport_use_sse(struct transport *t, bool is_wanted)
{
    if (t->ops->use_sse)
        t->ops->use_sse(t, is_wanted);
}
/* The answer to this request is not awaited any more, because it came or because it does not
 * matter. True: that tells the server, too, and it needs no message. */
static inline bool transport_release(struct transport *t, struct jsonrpc_id id, bool is_answered)
{
    return t->ops->release && t->ops->release(t, id, is_answered);
}
/* Of a server that was opened in the middle of a session that another client handed over: what that
 * one noted, borrowed. NULL: it was started for this one, and no session has begun. */
static inline const json_t *transport_note(struct transport *t)
{
    return t->ops->note ? t->ops->note(t) : NULL;
}
/* Whether the server may outlive this client. */
static inline bool transport_is_lent(struct transport *t)
{
    return t->ops->is_lent && t->ops->is_lent(t);
}
/* Of a server that is lent, when nothing is under way: closing it leaves the server and its session
 * to the next client, which gets the note. The note is taken over. */
static inline void transport_hand_over(struct transport *t, json_t *note)
{
    t->ops->hand_over(t, note);
}
/* After a request was lost with ERR_AUTH, unseen: gets what the server wants, as far as that needs
 * no person. Then the request may be sent once more. ERR_AUTH: a person must log in. */
awaits MUST_CHECK static inline enum err_code transport_authorize(struct transport *t,
                                                                  const struct scope *sc,
                                                                  struct err *err)
{
    if (!t->ops->authorize)
        return err_set(err, ERR_AUTH, 0, "it wants a login, and there is none for it");
    return t->ops->authorize(t, sc, err);
}
/* Ends a server that breaks the rules, at once and without a further event; close releases it. */
static inline void transport_abort(struct transport *t)
{
    t->ops->abort(t);
}
/* Ends it politely; no event comes any more. It can be opened again. */
awaits static inline void transport_close(struct transport *t, const struct scope *sc)
{
    t->ops->close(t, sc);
}
/* Closed before, or never opened. NULL is fine. */
static inline void transport_destroy(struct transport *t)
{
    if (t)
        t->ops->destroy(t);
}

#endif
