/* Lets one task at a time do something that several may want: start a server, ask a person, send a
 * request to a model that answers one at a time. The others wait in the order in which they came;
 * the lock is handed to the next one. A task that only does a favour (a warm-up) may take the lock
 * yielding: it waits behind all others, and is cancelled as soon as another task wants the lock. */
#ifndef INFRASTRUCTURE_RUNTIME_TASK_LOCK_H
#define INFRASTRUCTURE_RUNTIME_TASK_LOCK_H

#include "domain/base/attributes.h"
#include "domain/base/scope.h"
#include <stdbool.h>

struct uv_runtime;

struct task_lock {
    bool is_taken;
    struct scope *yielding; /* of the holder, if it yields */
    struct task_lock_waiter
        *first; /* in the frames of the tasks that wait; those that yield last */
};

/* Without a scope (NULL) the wait is not interruptible and the result is ERR_NONE. On success the
 * caller has the lock until task_lock_release. */
awaits MUST_CHECK enum err_code task_lock_take(struct task_lock *lock, struct uv_runtime *runtime,
                                               const struct scope *scope, struct err *err);
/* For a favour. The scope, under which it is to be done, is the one that is cancelled. */
awaits MUST_CHECK enum err_code task_lock_take_yielding(struct task_lock *lock,
                                                        struct uv_runtime *runtime,
                                                        struct scope *scope, struct err *err);
void task_lock_release(struct task_lock *lock);

#endif
