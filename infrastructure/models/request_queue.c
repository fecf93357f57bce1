#include "infrastructure/models/request_queue.h"
#include <stddef.h>

struct queued_request {
    struct completion turn;
    struct queued_request *next;
};

static void append(struct request_queue *queue, struct queued_request *request)
{
    struct queued_request **at = &queue->first;
    while (*at)
        at = &(*at)->next;
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

enum err_code request_queue_enter(struct request_queue *queue, const struct scope *scope,
                                  struct err *err)
{
    if (!queue->busy) {
        queue->busy = true;
        return ERR_NONE;
    }
    struct queued_request request = { .turn = completion_of(queue->runtime) };
    append(queue, &request);
    enum err_code r = completion_await(&request.turn, scope, err);
    if (r && request.turn.done)
        request_queue_leave(queue); /* its turn came while it was giving up */
    else if (r)
        unlink_request(queue, &request);
    return r;
}

void request_queue_leave(struct request_queue *queue)
{
    struct queued_request *next = queue->first;
    if (!next) {
        queue->busy = false;
        return;
    }
    queue->first = next->next; /* stays busy: the turn is handed over */
    completion_complete(&next->turn);
}
