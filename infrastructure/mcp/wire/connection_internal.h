/* The inside of a connection, shared by the files that make it up: connection.c (requests),
 * connection_receive.c (what comes in) and connection_question.c (what the server asks in the
 * middle of a call). */
#ifndef INFRASTRUCTURE_MCP_WIRE_CONNECTION_INTERNAL_H
#define INFRASTRUCTURE_MCP_WIRE_CONNECTION_INTERNAL_H

#include "infrastructure/mcp/wire/connection.h"
#include "infrastructure/mcp/wire/question.h"

#define CONNECTION_BUCKETS 64

struct connection {
    struct uv_runtime *runtime;
    struct transport *transport;
    struct connection_options options;
    struct connection_events events;
    size_t junk_lines;                           /* since it was opened */
    struct request *pending[CONNECTION_BUCKETS]; /* by id */
    struct request *first_held, *last_held;      /* the send queue */
    unsigned n_in_flight;                        /* sent and unanswered */
    int64_t last_id;
    bool is_open, wants_logs, is_modern;
    bool has_given_up; /* a request that the server may be working on still */

    /* Questions. */
    struct question *first_question;
    size_t n_questions;
    struct request *asker;        /* whose task answers them; NULL: none needs to */
    struct scope *question_scope; /* of the one that stands, or NULL */
    const json_t *question_id;    /* its id; NULL when no answer is wanted any more */
    enum question_kind question_kind;
};

int64_t connection_now_ms(const struct connection *connection);
/* NULL when nothing with that id is pending. */
struct request *connection_find(struct connection *connection, struct jsonrpc_id id);
/* The only one that waits for an answer, or NULL. Those that are kept had theirs. */
struct request *connection_find_only(struct connection *connection);
/* It said something: its silence begins anew. */
void connection_note_life(const struct connection *connection, struct request *request);

/* A request of a legacy server that is a question and offered; false: it is none. */
bool connection_take_question(struct connection *connection, const struct jsonrpc_message *message);
/* On the asker's task: answers what waits, then hands the duty on. */
awaits void connection_answer_questions(struct connection *connection, struct request *request,
                                        const struct scope *scope);
/* A question that stands is taken back when no call is left that it could belong to. */
void connection_withdraw_question(struct connection *connection);
/* notifications/cancelled of a legacy server. */
void connection_cancel_question(struct connection *connection, const json_t *params);
void connection_drop_questions(struct connection *connection);

/* The request is not in flight any more: the next in the send queue goes out. */
void connection_end_turn(struct connection *connection, struct request *request);

/* The request is over: r and *why (may be NULL for ERR_NONE) are its outcome. */
void connection_settle(struct connection *connection, struct request *request, enum err_code r,
                       const struct err *why);
/* Queues a whole line that is not a request; what does not fit is dropped. method: of a
 * notification, or NULL. */
void connection_send_line(struct connection *connection, const char *method, struct buf *line);

/* Answers a request of the server with an error. */
void connection_refuse(struct connection *connection, const json_t *id, int code,
                       const char *message);

/* The transport's events; context is the connection. */
void connection_receive(void *context, const struct jsonrpc_id *of, const char *bytes,
                        size_t length);
void connection_lose(void *context, struct jsonrpc_id id, enum transport_loss loss,
                     const struct err *why);
void connection_receive_diagnostics(void *context, const char *line, size_t length);

#endif
