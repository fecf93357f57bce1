/* A request to the server, sent until it is settled. For every method, client_request.c decides
 * whether the request is sent once more, in one loop over a list of cases: with the answers to what
 * the server asked, with corrected headers or for another revision, with another token, or over
 * another connection because the server never saw it. In none of these cases did the server act on
 * the earlier sending, so nothing can happen twice. Whether a call is repeated that may have taken
 * effect is decided above, by policy and consent, in application/tools/invoke.c.
 *
 * A modern server that needs something in the middle of a call (or of reading a resource, or
 * getting a prompt) answers `input_required`: what it needs is got, and the call is sent again with
 * it (MCP specification, multi round-trip requests). What the server wants back (requestState) goes
 * back as the very text that came, and only in the next round.
 *
 * A legacy server that wants a URL to be visited first refuses the call with -32042; once the
 * person was there it is sent again, and that is a round as well. input_rounds.c gets what is asked
 * for. */
#ifndef INFRASTRUCTURE_MCP_CLIENT_CLIENT_REQUEST_H
#define INFRASTRUCTURE_MCP_CLIENT_CLIENT_REQUEST_H

#include "infrastructure/mcp/client/client_internal.h"

#define INPUT_MAX_ROUNDS 10
#define INPUT_MAX_REQUESTS 16 /* of one round */
/* Before the call is repeated for a server that asked for nothing: it is shedding load. */
#define INPUT_PAUSE_MS 250

/* Zeroed at first. */
struct input_rounds {
    size_t max_values; /* of an answer; set before it is sent */
    unsigned n;        /* answers that asked for something */
    json_t *requests;  /* of the latest of them, or NULL */
    json_t *responses; /* for the next sending, or NULL */
    char *state;       /* requestState as JSON text, or NULL */
    bool is_open;      /* the latest answer asked for something */
    bool is_refusal;   /* the server refused until a URL was visited: nothing is sent to it */
};

/* What one sending came to. */
enum sending_end {
    SENDING_SETTLED,    /* it was answered, or failed for good */
    SENDING_ASKED,      /* the server wants to know something first */
    SENDING_OUTDATED,   /* the server refused it for its headers or its revision */
    SENDING_AUTHORIZED, /* it was turned away for want of a token, and there is another now */
    SENDING_UNSEEN,     /* the server never saw it: the connection or the session was over */
};

struct client_request {
    struct client *client;
    struct scope *scope;
    /* As it is sent each time, but for on_result and context; afterwards, the last sending and its
     * answer, which request_finish releases. Its id is 0 when nothing was sent since the server was
     * started. */
    struct request request;
    bool is_of_session;             /* a part of the session or its handshake: it starts nothing */
    bool may_need_input;            /* the server may ask for something in the middle of it */
    bool has_parameters_in_headers; /* as the list of tools says; a refusal means it is outdated */
    /* May be NULL. Called before each sending, once the server is started, to fill in what depends
     * on the session. What is in the arena lasts as long as the sending. */
    enum err_code (*prepare)(void *context, bool is_again, struct arena *arena, struct err *err);
    /* May be NULL. Appends the object params. */
    bool (*append_params)(const struct client_request *x, struct buf *line);
    /* Takes a result, as on_result of struct request; NULL: request.result keeps it. */
    enum err_code (*take)(void *context, const struct result_outline *result, struct err *err);
    void *context;

    struct input_rounds rounds; /* zeroed; the caller finishes it where input may be needed */
    int64_t used_ms;            /* of request.max_ms, by the sendings so far */

    /* Private. */
    bool is_modern, was_corrected, was_authorized, was_unseen;
};

/* Starts the server where that is needed, and sends the request until it is settled. */
awaits MUST_CHECK enum err_code client_request_run(struct client_request *x, struct err *err);
/* Sends it once, to a server that is started. */
awaits MUST_CHECK enum err_code client_request_send(struct client_request *x,
                                                    enum sending_end *out_end, struct err *err);
/* A small request within the session or its handshake; params may be NULL. An error names the
 * method. */
awaits MUST_CHECK enum err_code client_request_in_session(struct client *client,
                                                          struct scope *scope,
                                                          struct request *request,
                                                          const json_t *params, struct err *err);

/* Between client_request.c, mcp_task_forms.c and input_rounds.c: */

void input_rounds_finish(struct input_rounds *rounds);

/* An answer that is `input_required`. On the loop's stack. ERR_PROTOCOL: it is none that may be;
 * ERR_LIMIT: one too many. */
MUST_CHECK
enum err_code input_rounds_take(struct input_rounds *rounds, const struct result_outline *result,
                                struct err *err);
/* Whether an error says that a URL must be visited, and a person is there to do it. */
bool input_rounds_needs_urls(const json_t *error, const struct answerer *answerer);
/* Such an error. ERR_PROTOCOL: it names no URL, or has a form among them, whose
 * answers could not be sent, as the call is repeated as it was. ERR_LIMIT: one too many. */
MUST_CHECK
enum err_code input_rounds_take_urls(struct input_rounds *rounds, const json_t *error,
                                     struct err *err);
/* Gets what the server wants, of the answerer where it wants that. ERR_DENIED: it was refused in a
 * way that cannot be told to the server; ERR_PROTOCOL: it wants what was not offered. */
awaits MUST_CHECK enum err_code input_rounds_answer(struct input_rounds *rounds,
                                                    struct client *client, struct scope *scope,
                                                    const struct answerer *answerer,
                                                    struct err *err);
/* notifications/elicitation/complete: a visit to a URL is over; ids that are not visited are
 * ignored. */
void input_rounds_end_visit(struct client *client, const json_t *params);
/* Appends the members that a repeated call has beside its arguments, each after a comma. */
MUST_CHECK
bool input_rounds_append(const struct input_rounds *rounds, struct buf *line);

#endif
