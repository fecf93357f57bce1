#include "infrastructure/runtime/task_lock.h"
#include "infrastructure/runtime/completion.h"
#include "infrastructure/runtime/uv_runtime.h"

struct task_lock_waiter {
    struct completion turn;
    struct scope *yielding; /* NULL: it yields to no one */
    struct task_lock_waiter *next;
};

/* Behind those that came before; in front of those that yield unless it does so itself. */
static void join_queue(struct task_lock *lock, struct task_lock_waiter *waiter)
{
    struct task_lock_waiter **at = &lock->first;
    while (*at && (waiter->yielding || !(*at)->yielding))
        at = &(*at)->next;
    waiter->next = *at;
    *at = waiter;
}

static void leave_queue(struct task_lock *lock, const struct task_lock_waiter *waiter)
{
    struct task_lock_waiter **at = &lock->first;
    while (*at != waiter)
        at = &(*at)->next;
    *at = waiter->next;
}

awaits static enum err_code take(struct task_lock *lock, struct uv_runtime *runtime,
                                 const struct scope *scope, struct scope *yielding, struct err *err)
{
    if (!lock->is_taken) {
        lock->is_taken = true;
        lock->yielding = yielding;
        return ERR_NONE;
    }
    if (lock->yielding && !yielding) {
        runtime_cancel(uv_runtime_port(runtime), lock->yielding);
        lock->yielding = NULL;
    }
    struct task_lock_waiter self = { .turn = completion_of(runtime), .yielding = yielding };
    join_queue(lock, &self);
    enum err_code r = ERR_NONE;
    if (scope)
        r = completion_await(&self.turn, scope, err);
    else
        completion_await_end(&self.turn);
    /* The turn may have come in the same moment as the end of the scope. */
    if (r && self.turn.done)
        task_lock_release(lock);
    else if (r)
        leave_queue(lock, &self);
    return r;
}

enum err_code task_lock_take(struct task_lock *lock, struct uv_runtime *runtime,
                             const struct scope *scope, struct err *err)
{
    return take(lock, runtime, scope, NULL, err);
}

enum err_code task_lock_take_yielding(struct task_lock *lock, struct uv_runtime *runtime,
                                      struct scope *scope, struct err *err)
{
    return take(lock, runtime, scope, scope, err);
}

void task_lock_release(struct task_lock *lock)
{
    struct task_lock_waiter *next = lock->first;
    lock->yielding = next ? next->yielding : NULL;
    lock->is_taken = next != NULL;
    if (!next)
        return;
    lock->first = next->next;
    completion_complete(&next->turn);
}
