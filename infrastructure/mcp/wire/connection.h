/* A JSON-RPC conversation over a transport, seen from the client: requests find their answers,
 * whatever order those come in; progress and notifications reach those that want them; the server's
 * own requests are answered. What a peer does wrong (unknown ids, late answers, lines that are not
 * messages) is counted and never hurts another request.
 *
 * A request lies in the frame of the caller that waits for it, so a call costs no allocation here.
 * It is known to the connection from connection_post until its answer came, it was forgotten, or
 * the connection ended. */
#ifndef INFRASTRUCTURE_MCP_WIRE_CONNECTION_H
#define INFRASTRUCTURE_MCP_WIRE_CONNECTION_H

#include "infrastructure/mcp/wire/jsonrpc.h"
#include "infrastructure/mcp/wire/transport.h"
#include "infrastructure/runtime/completion.h"

/* Questions of a server that may wait to be asked. */
#define CONNECTION_MAX_QUESTIONS 16
/* How often a request that is out of time looks whether a question still stands. */
#define CONNECTION_QUESTION_LOOK_MS 500

struct answerer;
struct connection;
struct traffic;
struct uv_runtime;

struct request {
    const char *method; /* of static life */
    const char *name;   /* what it is about, such as a tool; or NULL; as long as the request */
    const char *const *headers; /* further ones, for carriers that have some; as long as that */
    size_t n_headers;
    bool has_text_id;
    bool is_binding;    /* never cancelled: the handshake, and what is cancelled in another way */
    int64_t grace_ms;   /* a caller that gives up waits so long for an answer that may still come;
                         * only where a message tells the server, not the transport */
    int64_t silence_ms; /* 0 = no bound */
    int64_t max_ms;     /* however much progress there is; 0 = no bound */
    int64_t used_ms;    /* of max_ms, by earlier requests of the same call */
    unsigned max_in_flight; /* held until fewer such requests are unanswered; 0 = sent at once */
    /* May be NULL; called on the loop's stack. */
    void (*on_progress)(void *context, double progress, double total, const char *message);
    void *progress_context;
    void (*on_sent)(void *context); /* May be NULL; called with progress_context */
    /* NULL: the result is kept in the request, as a value. Else it is handed over on the loop's
     * stack as the text it is, sound and borrowed. */
    enum err_code (*on_result)(void *context, const struct result_outline *result, struct err *err);
    /* May be NULL: what a legacy server asks is not for this request. */
    const struct answerer *answerer;
    /* May be NULL: told when the request is over, for requests that are not awaited. */
    void (*on_end)(void *context);
    void *context;

    /* Afterwards. */
    json_t *result; /* owned; NULL unless kept */
    json_t *error;  /* owned; the error object of the answer, or NULL */
    bool was_sent;  /* the server may have seen it; not after a connection that ended too early, or
                     * when the server turned it away unseen */

    /* Private. */
    struct jsonrpc_id id;
    struct completion done;
    struct request *next;
    struct buf line; /* while held */
    int64_t until_ms, latest_ms;
    bool is_held, is_pending, is_kept, has_turn, was_answered, is_settled;
    enum err_code code;
    struct err err;
};

/* All are called on the loop's stack and may be NULL. Everything is borrowed. */
struct connection_events {
    void (*on_notification)(void *context, const char *method, const json_t *params);
    void (*on_log)(void *context, const char *level, const char *text, size_t length);
    void (*on_closed)(void *context, const struct err *why);
    void *context;
};

struct connection_options {
    size_t max_message_bytes;
    size_t max_values; /* of a message; of a result that is handed over as text, its taker's */
    int64_t max_junk_lines;
    const char *roots;       /* the result of roots/list, borrowed; NULL: there is no such method */
    bool takes_elicitation;  /* elicitation/create is a method */
    bool takes_sampling;     /* sampling/createMessage is one */
    struct traffic *traffic; /* is told of every message; borrowed; NULL as a rule */
    const char *server;      /* its name there; borrowed */
};

/* The transport is borrowed. */
struct connection *connection_create(struct uv_runtime *runtime, struct transport *transport,
                                     const struct connection_options *options,
                                     const struct connection_events *events);
/* Not while it is open. NULL is fine. */
void connection_destroy(struct connection *connection);

MUST_CHECK
enum err_code connection_open(struct connection *connection, struct err *err);
bool connection_is_open(const struct connection *connection);
/* Whether it is open, the server owes no answer and is owed none, and none was given up: who goes
 * on with it then, behind the last id, is not taken for somebody else. */
bool connection_is_at_rest(const struct connection *connection);
int64_t connection_last_id(const struct connection *connection);
/* Goes on behind the ids of another connection to the same server. */
void connection_begin_behind(struct connection *connection, int64_t last_id);
/* Whether the server's log lines are wanted. */
void connection_set_logging(struct connection *connection, bool is_wanted);
/* Messages are of this revision from now on; NULL before one is agreed. Of static life. */
void connection_agree(struct connection *connection, const char *version);
/* As transport_use_sse; not while it is open. */
void connection_use_sse(struct connection *connection, bool is_wanted);
/* A modern server sends no requests, and what it sends all the same is not answered. */
void connection_set_modern(struct connection *connection, bool is_modern);

/* Starts a request: gives it its id and writes `{"jsonrpc":"2.0","id":7,"method":"m"`. The caller
 * adds `,"params":…}` and the newline. */
MUST_CHECK
bool connection_begin(struct connection *connection, struct request *request, struct buf *line);
/* Sends what was begun, or holds it ready; the request is pending or held afterwards. What is held
 * goes out as soon as the answer that it waits for is recognized, before that is read. */
MUST_CHECK
enum err_code connection_post(struct connection *connection, struct request *request,
                              struct buf *line, struct err *err);
/* Waits for the answer. A silence or a scope that ends cancels the request and forgets it: its
 * answer will be ignored. A JSON-RPC error is explained by err and kept in request->error. */
awaits MUST_CHECK enum err_code connection_await(struct connection *connection,
                                                 struct request *request, const struct scope *scope,
                                                 struct err *err);
/* After a request was turned away for want of a token: gets another, as transport_authorize. */
awaits MUST_CHECK enum err_code connection_authorize(struct connection *connection,
                                                     const struct scope *scope, struct err *err);
/* The request was answered, and what it asked for goes on at the server: it is pending once more
 * under its id, so that progress and questions find it, until it is forgotten or the connection
 * ends. Nothing is sent. */
void connection_keep(struct connection *connection, struct request *request);
/* On the task of a request that is kept: answers the server's questions meanwhile. Returns after
 * these ms, not counting the time that questions stand, or when it is woken or the connection ends.
 * ERR_CANCELLED or ERR_TIMEOUT when the scope ends first. */
awaits MUST_CHECK enum err_code connection_pause(struct connection *connection,
                                                 struct request *request, int64_t ms,
                                                 const struct scope *scope, struct err *err);
/* Ends the pause, or the next one. */
void connection_wake(struct request *request);
/* Takes a pending request out, whose answer does not matter any more, and tells the server. */
void connection_cancel(struct connection *connection, struct request *request);
/* Takes it out without telling the server. */
void connection_forget(struct connection *connection, struct request *request);
void connection_notify(struct connection *connection, const char *method, const json_t *params);
/* Whether it went out, and nothing tells what the server made of it. */
static inline bool request_is_unanswered(const struct request *request)
{
    return request->was_sent && !request->was_answered;
}
/* Releases what the answer left. The request is not pending any more. */
void request_finish(struct request *request);

/* Ends everything pending with this reason; nothing is sent or received any more. */
void connection_fail(struct connection *connection, const struct err *why);
/* Ends the server politely; what is pending fails with ERR_UNAVAILABLE. */
awaits void connection_close(struct connection *connection, const struct scope *scope);

#endif
