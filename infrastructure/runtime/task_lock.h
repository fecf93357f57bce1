/* Lets one task at a time do something that several may want: start a server, ask a person.
 * The others wait in order; the lock is handed to the next one. */
#ifndef INFRASTRUCTURE_RUNTIME_TASK_LOCK_H
#define INFRASTRUCTURE_RUNTIME_TASK_LOCK_H

#include "domain/base/attributes.h"
#include "domain/base/scope.h"
#include <stdbool.h>

struct uv_runtime;

struct task_lock {
    bool is_taken;
    struct task_lock_waiter *first;
};

/* Without a scope (NULL) the wait is not interruptible and the result is ERR_NONE. */
awaits MUST_CHECK enum err_code task_lock_take(struct task_lock *lock, struct uv_runtime *runtime,
                                               const struct scope *scope, struct err *err);
void task_lock_release(struct task_lock *lock);

#endif
