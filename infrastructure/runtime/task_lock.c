#include "infrastructure/runtime/task_lock.h"
#include "infrastructure/runtime/completion.h"

/* Lies in the frame of whoever waits. */
struct task_lock_waiter {
    struct completion turn;
    struct task_lock_waiter *next;
};

static void leave_queue(struct task_lock *lock, struct task_lock_waiter *waiter)
{
    struct task_lock_waiter **at = &lock->first;
    while (*at != waiter)
        at = &(*at)->next;
    *at = waiter->next;
}

enum err_code task_lock_take(struct task_lock *lock, struct uv_runtime *runtime,
                             const struct scope *scope, struct err *err)
{
    if (!lock->is_taken) {
        lock->is_taken = true;
        return ERR_NONE;
    }
    struct task_lock_waiter self = { .turn = completion_of(runtime) };
    struct task_lock_waiter **end = &lock->first;
    while (*end)
        end = &(*end)->next;
    *end = &self;
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

void task_lock_release(struct task_lock *lock)
{
    struct task_lock_waiter *next = lock->first;
    if (!next) {
        lock->is_taken = false;
        return;
    }
    lock->first = next->next;
    completion_complete(&next->turn);
}
