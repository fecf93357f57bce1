/* Requests that are sent in turn: they lie here, as lines ready to be written, until fewer of
 * their kind are unanswered than they allow. */
#include "infrastructure/mcp/wire/connection_internal.h"
#include <assert.h>

bool connection_must_hold(const struct connection *connection, const struct request *request)
{
    return request->max_in_flight &&
           (connection->first_held || connection->n_in_flight >= request->max_in_flight);
}

void connection_hold(struct connection *connection, struct request *request, struct buf *line)
{
    request->line = *line;
    buf_init(line, line->max_bytes);
    request->next = NULL;
    if (connection->last_held)
        connection->last_held->next = request;
    else
        connection->first_held = request;
    connection->last_held = request;
    request->is_held = true;
}

void connection_unhold(struct connection *connection, struct request *request)
{
    struct request *before = NULL, **at = &connection->first_held;
    while (*at != request) {
        before = *at;
        at = &before->next;
    }
    *at = request->next;
    if (connection->last_held == request)
        connection->last_held = before;
    request->is_held = false;
    buf_finish(&request->line);
}

static void send_first_held(struct connection *connection)
{
    struct request *request = connection->first_held;
    struct buf line = request->line;
    struct err err;
    request->line = (struct buf){ 0 };
    connection_unhold(connection, request);
    enum err_code r = connection_send_request(connection, request, &line, &err);
    buf_finish(&line);
    if (r)
        connection_settle(connection, request, r, &err);
}

void connection_end_turn(struct connection *connection, struct request *request)
{
    if (!request->has_turn)
        return;
    request->has_turn = false;
    connection->n_in_flight--;
    while (connection->is_open && connection->first_held &&
           connection->n_in_flight < connection->first_held->max_in_flight)
        send_first_held(connection);
}
