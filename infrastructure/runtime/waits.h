/* Everything that waits on one loop, and everything that may go on. Private to this folder.
 *
 * A wait lies in the frame of the fiber that waits. It is woken once, by whichever comes first,
 * and joins the ready queue; waits_resume, on the loop's own stack, runs the fibers of that queue.
 * All waits share one timer, armed for a moment no later than the earliest end among them: it
 * fires, the list is looked through, and it is armed again. So a call with a deadline that is
 * answered in time costs no timer at all. */
#ifndef INFRASTRUCTURE_RUNTIME_WAITS_H
#define INFRASTRUCTURE_RUNTIME_WAITS_H

#include "domain/base/scope.h"
#include "infrastructure/runtime/fiber.h"
#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

struct uv_runtime;

enum wake_reason {
    WAKE_NOT_YET,
    WAKE_DONE,  /* what was waited for has happened */
    WAKE_UNTIL, /* the moment of the wait has come */
    WAKE_SCOPE, /* the scope is cancelled or out of time */
};

struct wait {
    struct wait *next, *previous; /* among those that can end early */
    struct wait *next_ready;
    struct fiber *fiber;
    const struct scope *scope; /* NULL: cannot be interrupted */
    const int64_t *until_ms;   /* NULL: no moment */
    enum wake_reason reason;
};

struct waits {
    uv_loop_t *loop;
    uv_timer_t timer;
    uv_idle_t no_sleep; /* active while a fiber is ready: the loop must not wait for events */
    int64_t armed_ms;   /* INT64_MAX: the timer rests */
    struct wait listed; /* head of a ring */
    struct wait *first_ready, *last_ready;
    void (*on_long_slice)(void *context, int64_t ms);
    void *context;
};

void waits_init(struct waits *waits, uv_loop_t *loop);
/* Begins to close its handles; the loop has to run once more. */
void waits_close(struct waits *waits);

/* Parks the running fiber until the wait is woken, its scope ends or *until_ms has come. */
enum wake_reason waits_park(struct waits *waits, struct wait *wait, const struct scope *scope,
                            const int64_t *until_ms);
/* The first reason stays. */
void waits_wake(struct waits *waits, struct wait *wait, enum wake_reason reason);
/* Wakes everything that waits under the scope, which must be marked as cancelled. */
void waits_cancel(struct waits *waits, const struct scope *scope);
/* Runs ready fibers, a bounded number of them. */
void waits_resume(struct waits *waits);

/* Of a runtime (uv_runtime.c). */
struct waits *uv_runtime_waits(struct uv_runtime *runtime);

#endif
