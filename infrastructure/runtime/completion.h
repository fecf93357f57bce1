/* The one way an adapter waits: a callback completes, at most one task awaits.
 *
 * complete may be called before, during or never; on the loop's stack or on a fiber, but not from
 * another thread. A completion lies in the frame of the task that awaits it, or in a longer-lived
 * object. When an await ends early (cancelled, out of time) the operation behind it still exists:
 * the adapter cancels it and awaits again with completion_await_end. */
#ifndef INFRASTRUCTURE_RUNTIME_COMPLETION_H
#define INFRASTRUCTURE_RUNTIME_COMPLETION_H

#include "domain/base/attributes.h"
#include "domain/base/scope.h"
#include <stdbool.h>

struct uv_runtime;

struct completion {
    struct uv_runtime *runtime;
    bool done;
    struct wait *waiter; /* private */
};

static inline struct completion completion_of(struct uv_runtime *runtime)
{
    return (struct completion){ .runtime = runtime };
}

/* Sets done and wakes the waiter, if any. Completing twice is once. */
void completion_complete(struct completion *completion);

/* Returns at once when done. ERR_CANCELLED or ERR_TIMEOUT when the scope ends first. */
awaits MUST_CHECK enum err_code completion_await(struct completion *completion,
                                                 const struct scope *scope, struct err *err);
/* Also ends with ERR_TIMEOUT at until_ms of the runtime's clock (INT64_MAX: never). *until_ms may
 * be moved later while a task waits: it is looked at again when it has passed. That is how
 * silence is measured without touching a timer for every byte. */
awaits MUST_CHECK enum err_code completion_await_until(struct completion *completion,
                                                       const struct scope *scope,
                                                       const int64_t *until_ms, struct err *err);
/* Not interruptible: for operations that were cancelled and will end. */
awaits void completion_await_end(struct completion *completion);

#endif
