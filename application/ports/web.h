/* HTTP as a program that serves sees it: requests that came in whole, each with the answer that it
 * is owed, whole or as a stream. The adapter (infrastructure/web) knows sockets and the syntax of
 * HTTP; whoever handles a request knows what it means. */
#ifndef APPLICATION_PORTS_WEB_H
#define APPLICATION_PORTS_WEB_H

#include "domain/base/attributes.h"
#include "domain/base/scope.h"
#include <stdbool.h>
#include <stddef.h>

struct web_exchange;

struct web_header {
    const char *name, *value;
};

struct web_answer {
    unsigned status;
    const char *type; /* Content-Type; NULL: there is no body */
    const struct web_header *headers;
    size_t n_headers;
    const char *bytes; /* of the body; NULL where it is sent as a stream */
    size_t length;
};

struct web_exchange_ops {
    /* All mandatory. */
    const char *(*header)(const struct web_exchange *x, const char *name);
    void (*answer)(struct web_exchange *x, const struct web_answer *answer);
    void (*send)(struct web_exchange *x, const char *bytes, size_t length);
};

/* One request. It lives until its handler returns, and the strings as long. */
struct web_exchange {
    const struct web_exchange_ops *ops;
    const char *method; /* GET, HEAD, POST, DELETE, … */
    const char *path;   /* as it was sent, percent signs and all; begins with '/' */
    const char *query;  /* what stood behind '?', likewise; "" for nothing */
    const char *body;   /* ends with a NUL that is not part of it */
    size_t length;
    bool is_answered;    /* at least its head */
    bool is_gone;        /* the client will not take the rest */
    bool may_end;        /* set by the handler: nothing is lost when the server ends it first */
    struct scope *scope; /* of the handler; cancelled when the client goes */
    /* Set by who lets the client in, with what it needs for that; NULL: it may stay. May wait. */
    bool (*may_stay)(const struct web_exchange *x);
    void *let_in_by;
    /* Set by the same: whoever asks has as many requests under way as may be. Only what is answered
     * at once may still be begun, so that what is under way can be ended, and answered. */
    bool is_beyond_share;
};

/* The value of a header that came at most once (a request in which one of those that decide
 * something came twice is refused before it gets here); NULL when it did not come. */
static inline const char *web_header(const struct web_exchange *x, const char *name)
{
    return x->ops->header(x, name);
}
/* Answers whole, or begins a stream (bytes NULL, type not): web_send adds to it, and it ends when
 * the handler returns. Only the first answer counts. Copies. */
static inline void web_answer(struct web_exchange *x, const struct web_answer *answer)
{
    x->ops->answer(x, answer);
}
/* Queues bytes of a stream. A client that does not take them counts as gone once too much waits. */
static inline void web_send(struct web_exchange *x, const char *bytes, size_t length)
{
    x->ops->send(x, bytes, length);
}

/* Answers a request, on a task of its own; may wait. One that returns without an answer has given
 * 500. */
typedef void web_handler(void *context, struct scope *scope, struct web_exchange *exchange);
/* Whether the client would still be let in: asked now and then by what may go on for long. */
awaits static inline bool web_may_stay(const struct web_exchange *x)
{
    return !x->may_stay || x->may_stay(x);
}

struct web_server;

struct web_server_ops {
    /* All mandatory. */
    const char *(*authority)(struct web_server *w);
    enum err_code (*serve)(struct web_server *w, struct scope *sc, web_handler *handle,
                           void *context, struct err *err);
    void (*destroy)(struct web_server *w);
};

struct web_server {
    const struct web_server_ops *ops;
};

/* "127.0.0.1:8080", as it stands in a URL and in the header Host; borrowed. */
static inline const char *web_server_authority(struct web_server *w)
{
    return w->ops->authority(w);
}
/* Serves until the scope ends, then drains: nobody new is let in, and handlers that still run get
 * http.drain_seconds before their scopes are cancelled. Returns when the last one has. */
awaits MUST_CHECK static inline enum err_code web_server_serve(struct web_server *w,
                                                               struct scope *sc,
                                                               web_handler *handle, void *context,
                                                               struct err *err)
{
    return w->ops->serve(w, sc, handle, context, err);
}
static inline void web_server_destroy(struct web_server *w)
{
    if (w)
        w->ops->destroy(w);
}

#endif
