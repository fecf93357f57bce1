/* Time and tasks, as the application sees them. Calls that wait look blocking: they park the
 * calling task and others run meanwhile. Code between two waits is never interrupted, so plain
 * data needs no locks; whatever is kept across a wait may have changed (see `awaits`).
 *
 * Three adapters: infrastructure/runtime (libuv and fibers), and in tests/support an immediate
 * one (unit tests: no real waiting, spawned tasks run at once) and one on seeded virtual time
 * (scenario tests). */
#ifndef APPLICATION_PORTS_RUNTIME_H
#define APPLICATION_PORTS_RUNTIME_H

#include "domain/base/attributes.h"
#include "domain/base/scope.h"
#include <stddef.h>
#include <stdint.h>

struct runtime;
struct task;

/* What a task returns reaches its waiter; a message travels in the task's own argument. */
typedef enum err_code task_fn(struct runtime *runtime, struct scope *scope, void *argument);

struct runtime_ops {
    /* All mandatory. */
    int64_t (*now_ms)(struct runtime *r);
    int64_t (*wall_ms)(struct runtime *r);
    int64_t (*local_ms)(struct runtime *r, int64_t wall_ms);
    enum err_code (*sleep)(struct runtime *r, struct scope *sc, int64_t ms, struct err *err);
    struct task *(*spawn)(struct runtime *r, struct scope *sc, task_fn *fn, void *argument);
    size_t (*wait_any)(struct runtime *r, struct task **tasks, size_t n, enum err_code *out_result);
    void (*cancel)(struct runtime *r, struct scope *sc);
};

struct runtime {
    const struct runtime_ops *ops;
};

/* Monotonic; the clock of scope deadlines. */
static inline int64_t runtime_now_ms(struct runtime *r)
{
    return r->ops->now_ms(r);
}
/* Since 1970-01-01T00:00:00Z; may jump. */
static inline int64_t runtime_wall_ms(struct runtime *r)
{
    return r->ops->wall_ms(r);
}
/* The same in the time zone of this machine: what a person means by "today". */
static inline int64_t runtime_local_ms(struct runtime *r)
{
    return r->ops->local_ms(r, r->ops->wall_ms(r));
}
/* The same of another time. */
static inline int64_t runtime_local_ms_of(struct runtime *r, int64_t wall_ms)
{
    return r->ops->local_ms(r, wall_ms);
}
/* ERR_CANCELLED or ERR_TIMEOUT when the scope ends first. */
awaits MUST_CHECK static inline enum err_code runtime_sleep(struct runtime *r, struct scope *sc,
                                                            int64_t ms, struct err *err)
{
    return r->ops->sleep(r, sc, ms, err);
}
/* Starts fn beside the caller, under sc, which must outlive it. The task must be waited for: it is
 * freed when wait_any returns it. Never fails: tasks are bounded by the caller. */
static inline struct task *runtime_spawn(struct runtime *r, struct scope *sc, task_fn *fn,
                                         void *argument)
{
    return r->ops->spawn(r, sc, fn, argument);
}
/* Waits until one of n tasks is done (NULL entries are skipped, one at least is not NULL), frees
 * it and returns its index. Not interruptible: cancel the tasks' scope first. */
awaits static inline size_t runtime_wait_any(struct runtime *r, struct task **tasks, size_t n,
                                             enum err_code *out_result)
{
    return r->ops->wait_any(r, tasks, n, out_result);
}
awaits static inline enum err_code runtime_wait(struct runtime *r, struct task *task)
{
    enum err_code result;
    (void)r->ops->wait_any(r, &task, 1, &result);
    return result;
}
/* Ends every wait under sc with ERR_CANCELLED, now and from now on. */
static inline void runtime_cancel(struct runtime *r, struct scope *sc)
{
    r->ops->cancel(r, sc);
}
/* A child scope that ends after ms (<= 0: only with its parent). */
static inline struct scope runtime_scope(struct runtime *r, const struct scope *parent, int64_t ms)
{
    return scope_child(parent, ms > 0 ? runtime_now_ms(r) + ms : SCOPE_NO_DEADLINE);
}

#endif
