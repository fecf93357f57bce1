/* A modern server that needs something in the middle of a call (or of reading a resource, or
 * getting a prompt) answers `input_required`: what it needs is got, and the call is sent again with
 * it (MCP specification, multi round-trip requests). What the server wants back (requestState) goes
 * back as the very text that came, and only in the next round.
 *
 * A legacy server that wants a URL to be visited first refuses the call with -32042; once the
 * person was there it is sent again, and that is a round as well. */
#ifndef INFRASTRUCTURE_MCP_CLIENT_INPUT_ROUNDS_H
#define INFRASTRUCTURE_MCP_CLIENT_INPUT_ROUNDS_H

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
