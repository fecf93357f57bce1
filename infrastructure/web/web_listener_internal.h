/* What the listener and its exchanges share. Private to this folder.
 *
 * A connection is the library's, with a `struct web_connection` of ours beside it from its first
 * to its last moment. An exchange is one request on it. It is gone once the library has done with
 * it (is_finished) and its task has ended (is_handled), whichever comes last; no call of the
 * library is made for it after is_finished. While a task works on the answer, and while a stream
 * has nothing to send, the connection is suspended: then the library does not look at it, and a
 * poll handle of ours hears when the client goes. */
#ifndef INFRASTRUCTURE_WEB_WEB_LISTENER_INTERNAL_H
#define INFRASTRUCTURE_WEB_WEB_LISTENER_INTERNAL_H

#include "domain/base/arena.h"
#include "domain/base/buf.h"
#include "infrastructure/runtime/completion.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "infrastructure/web/microhttpd.h"
#include "infrastructure/web/web_listener.h"
#include <uv.h>

struct web_listener;

struct web_connection {
    struct web_connection *next, *previous;
    struct web_listener *listener;
    struct live_exchange *exchange; /* that is worked on; NULL between requests */
    uv_poll_t gone;                 /* watches for the client's end while it is suspended */
    int fd;
    int64_t waits_since_ms; /* for a request to come in whole; 0: it has */
    bool is_closed;
};

struct live_exchange {
    struct web_exchange base;
    struct live_exchange *next; /* in one of the listener's lists */
    struct web_listener *listener;
    struct web_connection *connection; /* NULL once it is finished */
    struct MHD_Connection *mhd;
    struct arena arena;
    struct buf body;
    struct MHD_Response *response; /* until it is queued */
    unsigned status;
    struct buf unsent; /* of a stream, */
    size_t n_sent;     /* from here on */
    struct scope scope;
    struct task *task;
    const struct web_header *headers;
    size_t n_headers;
    bool is_begun, is_refused, is_suspended, is_stream, is_ended;
    bool is_handled, is_finished;
};

struct web_listener {
    struct web_server base;
    struct uv_runtime *runtime;
    const struct settings *settings;
    const struct microhttpd *mhd;
    struct MHD_Daemon *daemon;
    int socket; /* -1 once the daemon has it */
    char authority[96];
    uv_poll_t poll;
    uv_timer_t timer, sweep;
    struct web_connection connections; /* head of a ring */
    struct live_exchange *ready;       /* came in whole, newest first */
    struct live_exchange *handled;     /* their tasks are about to end */
    size_t n_exchanges, open_handles;
    web_handler *handle;
    void *context;
    struct scope work; /* encloses every handler */
    struct completion wake;
    bool is_draining;
    bool has_moved;  /* the library called us since it was run */
    bool has_turned; /* likewise, with a connection that began or ended */
    bool has_worked; /* somebody was there since memory was given back */
};

/* The library is to look at its connections on the next turn of the loop: it hears of none that is
 * resumed. */
void web_listener_run_soon(struct web_listener *listener);

/* The library's callbacks (web_exchange.c). */
void *web_exchange_begin(void *listener, const char *target, struct MHD_Connection *mhd);
enum MHD_Result web_exchange_take(void *listener, struct MHD_Connection *mhd, const char *url,
                                  const char *method, const char *version, const char *bytes,
                                  size_t *length, void **exchange);
void web_exchange_finished(void *listener, struct MHD_Connection *mhd, void **exchange,
                           enum MHD_RequestTerminationCode why);
/* The client will not take the rest: what works on it is cancelled. */
void web_exchange_lose(struct live_exchange *x);
/* Its handler has returned: what it left open is closed. */
void web_exchange_close(struct live_exchange *x);
/* Frees it where nobody needs it any more. */
void web_exchange_settle(struct live_exchange *x);

#endif
