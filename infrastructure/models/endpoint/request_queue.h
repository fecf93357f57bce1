/* One request at a time for a model that answers one at a time: the others wait here, in the order
 * in which they came, instead of growing a queue in the server that nobody can see or leave.
 * A request that is only a favour (a warm-up) waits until nobody else does, and is cancelled as
 * soon as anybody comes. */
#ifndef INFRASTRUCTURE_MODELS_ENDPOINT_REQUEST_QUEUE_H
#define INFRASTRUCTURE_MODELS_ENDPOINT_REQUEST_QUEUE_H

#include "infrastructure/runtime/completion.h"

struct request_queue {
    struct uv_runtime *runtime;
    struct queued_request *first; /* in the frames of those who wait; those that yield are last */
    struct scope *yielding;       /* of the one whose turn it is, if it yields */
    bool busy;
};

/* On success the caller is the one, until request_queue_leave. */
awaits MUST_CHECK enum err_code request_queue_enter(struct request_queue *queue,
                                                    const struct scope *scope, struct err *err);
/* The same for a favour; the scope, under which it is to be done, is the one that is cancelled. */
awaits MUST_CHECK enum err_code request_queue_enter_yielding(struct request_queue *queue,
                                                             struct scope *scope, struct err *err);
void request_queue_leave(struct request_queue *queue);

#endif
