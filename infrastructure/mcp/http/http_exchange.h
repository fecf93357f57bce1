/* The inside of the HTTP transport, shared by its files: http_transport.c (the port, the session),
 * http_exchange.c (one message and its way), http_answer.c (what comes back) and http_session.c
 * (how a session ends, that of HTTP+SSE, and streams that are refused for their token).
 *
 * An exchange is one message to the server with everything that comes of it, redirects and
 * resumptions included, or the stream for what belongs to no request. It has a transfer, or waits
 * for its turn, for a pause to pass or for another token. Nothing here waits but what says so. */
#ifndef INFRASTRUCTURE_MCP_HTTP_HTTP_EXCHANGE_H
#define INFRASTRUCTURE_MCP_HTTP_HTTP_EXCHANGE_H

#include "application/ports/runtime.h"
#include "domain/base/arena.h"
#include "infrastructure/mcp/http/http_transport.h"
#include "infrastructure/mcp/oauth/oauth.h"
#include "infrastructure/mcp/wire/http_headers.h"
#include "infrastructure/net/http_client.h"
#include "infrastructure/net/sse.h"
#include "infrastructure/runtime/completion.h"

enum exchange_kind {
    EXCHANGE_REQUEST,
    EXCHANGE_NOTE,   /* a notification, or an answer to the server */
    EXCHANGE_LISTEN, /* a GET, for what belongs to no request */
};

/* Of the token, for streams. */
struct http_renewal {
    struct scope scope;
    struct task *task; /* NULL before the first refusal */
    struct completion wanted;
};

struct http_transport {
    struct transport base;
    struct uv_runtime *runtime;
    struct http_client *http;
    struct oauth *oauth; /* or NULL */
    const struct server_config *config;
    const struct settings *settings;
    struct transport_events events;
    struct http_exchange *exchanges; /* in the order in which they came */
    size_t n_exchanges;
    const char *version;                         /* agreed; or NULL */
    char session[HTTP_MAX_SESSION_ID_BYTES + 1]; /* "" when there is none */
    bool is_by_sse;                              /* HTTP+SSE: everything comes on one stream */
    char *endpoint; /* where that stream says messages are posted to; NULL before it did */
    bool is_open;
    bool is_initializing;    /* requests are held until the handshake is over */
    struct alarm *listening; /* bounds the wait for the stream that listens */
    struct alarm *lingering;
    bool lingers;           /* the alarm is set */
    bool is_losing_session; /* the server no longer knows it; requests are held until it is over */
    struct alarm *session_end; /* NULL before the first */
    struct http_renewal renewal;
};

/* What came back for one transfer. */
struct http_answer {
    int status; /* 0 before the headers */
    enum http_media media;
    const char *location, *session; /* or NULL */
    struct challenge challenge;
    bool has_bad_session;
    bool has_first_line, is_by_line; /* JSON, a message on each line */
    struct buf text;                 /* of JSON, and of anything but a stream of events */
    struct sse events;
    struct err problem;     /* what ended it from our side; code ERR_NONE: nothing */
    int64_t retry_after_ms; /* the server asks to come back then; 0: it does not say */
};

struct http_exchange {
    struct http_transport *transport;
    struct http_exchange *next;
    enum exchange_kind kind;
    const char *method; /* as in struct transport_message */
    struct jsonrpc_id id;
    struct arena arena;   /* name, addresses */
    struct arena passing; /* headers, until it is sent again */
    const char *name;
    const char **further; /* headers of this message */
    size_t n_further;
    const char *url;
    struct buf message;
    struct http_request http;
    struct http_transfer *transfer; /* NULL while it waits */
    struct alarm *pause;            /* NULL before the first */
    struct http_answer answer;
    unsigned n_redirects, n_resumptions, n_waits;
    int64_t linger_until_ms;
    bool is_turned_away;               /* unseen, because its session is over */
    bool is_held;                      /* for the end of the handshake */
    bool is_resumed;                   /* as a GET, from the last event's id */
    unsigned token;                    /* which one went with it, as oauth_generation counts them */
    bool waits_for_token, was_renewed; /* of a stream */
    bool used_session;
    bool is_answered;
    bool is_inside; /* its outcome is being handed over: it must not be released */
    bool is_over;   /* it is released as soon as that is possible */
};

/* Whether the agreed revision is one without a session and a handshake. */
bool http_transport_is_modern(const struct http_transport *t);
/* The headers of every message, in the arena; n is set. */
const char **http_transport_headers(const struct http_transport *t, struct arena *arena,
                                    size_t n_further, size_t *out_n);
/* The server took notifications/initialized, or never will. */
void http_transport_initialized(struct http_transport *t);
/* The stream that listens stands, or there is none: the handshake is over. */
void http_transport_listens(struct http_transport *t);
/* Tells the server that the session is over, if there is one. */
awaits void http_session_end(struct http_transport *t, const struct scope *sc);
/* The server no longer knows the session; it did not look at this exchange, which is kept until the
 * others on their way have come to an end, or too much time has passed. */
void http_session_lose(struct http_exchange *exchange);
/* One of those on their way has come to an end. */
void http_session_look(struct http_transport *t);

/* Whether this is a stream that was refused for its token, and now waits for another. */
bool http_renewal_take(struct http_exchange *exchange);
/* Nothing of the transport waits for a token any more. */
awaits void http_renewal_end(struct http_transport *t);

/* Messages that were held go out. */
void http_transport_let_go(struct http_transport *t);

/* HTTP+SSE of 2024-11-05: the message waits until the stream has begun that says where to. */
MUST_CHECK
enum err_code http_sse_hold(struct http_exchange *exchange, struct err *err);
/* An event of the stream named where messages belong. False: that is nowhere. */
bool http_sse_take_endpoint(struct http_exchange *stream, const char *data, size_t length);
/* The stream is over, and with it the session. */
void http_sse_end(struct http_exchange *stream, const struct err *why);
/* What became of a message that was posted; its answer comes on the stream. */
void http_sse_conclude_post(struct http_exchange *exchange, enum transport_loss loss,
                            const struct err *why);
static inline bool http_sse_is_stream(const struct http_exchange *exchange)
{
    return exchange->transport->is_by_sse && exchange->kind == EXCHANGE_LISTEN;
}

/* about and message are NULL for a stream that listens; takes the content of the message. */
struct http_exchange *http_exchange_create(struct http_transport *t,
                                           const struct transport_message *about,
                                           struct buf *message);
static inline struct http_exchange *http_exchange_listen(struct http_transport *t)
{
    return http_exchange_create(t, NULL, NULL);
}
/* Sends it. The exchange remains the caller's when that fails. */
MUST_CHECK
enum err_code http_exchange_start(struct http_exchange *exchange, struct err *err);
/* As http_exchange_start for one that was announced before: a failure is its outcome. */
void http_exchange_go_on(struct http_exchange *exchange);
/* Ends it without an event. */
void http_exchange_stop(struct http_exchange *exchange);
/* Tells that no answer comes, where one is waited for. */
void http_exchange_lose(struct http_exchange *exchange, enum transport_loss loss,
                        const struct err *why);

void http_answer_init(struct http_answer *answer, size_t max_message_bytes);
void http_answer_finish(struct http_answer *answer);
/* Begins anew, but knows where the stream broke off. */
void http_answer_reset(struct http_answer *answer, size_t max_message_bytes);
/* The callbacks of the request; context is the exchange. */
void http_answer_on_header(void *context, const char *name, size_t name_length, const char *value,
                           size_t value_length);
void http_answer_on_headers(void *context, int status);
bool http_answer_on_bytes(void *context, const char *bytes, size_t length);
/* Whether it refuses initialize the way a server of 2024-11-05 does, which takes messages
 * elsewhere: its status says more then than the error that may come with it, which goes into the
 * explanation.
 */
bool http_answer_turns_elsewhere(const struct http_exchange *exchange);
/* Hands over what was not handed over while it came. */
void http_answer_deliver(struct http_exchange *exchange);
/* Whether it says that the session the exchange named is over. */
bool http_answer_ends_session(const struct http_exchange *exchange);
/* What the status of an answer without a message means to the caller of an MCP server, and what a
 * person does about it. Nothing that the server wrote is repeated, since it may repeat what it was
 * given. ERR_AUTH: 401 and 403. ERR_UNAVAILABLE: it may go away (408, 429, 502 and beyond), or
 * leads elsewhere. ERR_PROTOCOL: everything else. err->origin is the status. */
enum err_code http_status_explain(int status, const struct server_config *config, struct err *err);
/* Why there is no message in it. */
enum err_code http_answer_explain(const struct http_exchange *exchange, struct err *err);

static inline bool http_answer_is_success(const struct http_answer *answer)
{
    return answer->status >= 200 && answer->status < 300;
}

#endif
