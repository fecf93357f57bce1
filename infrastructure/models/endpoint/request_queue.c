#include "infrastructure/models/endpoint/request_queue.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <stddef.h>

struct queued_request {
    struct completion turn;
    struct scope *yielding; /* NULL: it yields to nobody */
    struct queued_request *next;
};

/* Behind those that came before; in front of those that yield unless it does so itself. */
static void insert(struct request_queue *queue, struct queued_request *request)
{
    struct queued_request **at = &queue->first;
    while (*at && (request->yielding || !(*at)->yielding))
        at = &(*at)->next;
    request->next = *at;
    *at = request;
}

static void unlink_request(struct request_queue *queue, const struct queued_request *request)
{
    struct queued_request **at = &queue->first;
    while (*at && *at != request)
        at = &(*at)->next;
    if (*at)
        *at = request->next;
}

static void ask_to_yield(struct request_queue *queue)
{
    if (queue->yielding)
        runtime_cancel(uv_runtime_port(queue->runtime), queue->yielding);
    queue->yielding = NULL;
}

awaits static enum err_code enter(struct request_queue *queue, const struct scope *scope,
                                  struct scope *yielding, struct err *err)
{
    if (!queue->busy) {
        queue->busy = true;
        queue->yielding = yielding;
        return ERR_NONE;
    }
    if (!yielding)
        ask_to_yield(queue);
    struct queued_request request = { .turn = completion_of(queue->runtime), .yielding = yielding };
    insert(queue, &request);
    enum err_code r = completion_await(&request.turn, scope, err);
    if (r && request.turn.done)
        request_queue_leave(queue); /* its turn came while it was giving up */
    else if (r)
        unlink_request(queue, &request);
    return r;
}

enum err_code request_queue_enter(struct request_queue *queue, const struct scope *scope,
                                  struct err *err)
{
    return enter(queue, scope, NULL, err);
}

enum err_code request_queue_enter_yielding(struct request_queue *queue, struct scope *scope,
                                           struct err *err)
{
    return enter(queue, scope, scope, err);
}

void request_queue_leave(struct request_queue *queue)
{
    struct queued_request *next = queue->first;
    queue->yielding = next ? next->yielding : NULL;
    queue->busy = next != NULL; /* the turn is handed over */
    if (!next)
        return;
    queue->first = next->next;
    completion_complete(&next->turn);
}
