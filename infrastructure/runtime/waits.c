#include "infrastructure/runtime/waits.h"
#include <stddef.h>

/* After so many fibers the loop is polled, so that tasks that keep waking each other cannot keep
 * the input of all others waiting. */
#define RESUMES_PER_POLL 64
#define LONG_SLICE_MS 50

void waits_init(struct waits *waits, uv_loop_t *loop)
{
    *waits = (struct waits){ .loop = loop, .armed_ms = INT64_MAX };
    waits->listed.next = waits->listed.previous = &waits->listed;
    uv_timer_init(loop, &waits->timer);
    waits->timer.data = waits;
    uv_idle_init(loop, &waits->no_sleep);
}

void waits_close(struct waits *waits)
{
    uv_close((uv_handle_t *)&waits->timer, NULL);
    uv_close((uv_handle_t *)&waits->no_sleep, NULL);
}

static void list(struct waits *waits, struct wait *wait)
{
    wait->next = waits->listed.next;
    wait->previous = &waits->listed;
    wait->next->previous = wait;
    waits->listed.next = wait;
}

static void unlist(struct wait *wait)
{
    wait->next->previous = wait->previous;
    wait->previous->next = wait->next;
}

static void on_idle(uv_idle_t *idle)
{
    (void)idle;
}

void waits_wake(struct waits *waits, struct wait *wait, enum wake_reason reason)
{
    if (wait->reason != WAKE_NOT_YET)
        return;
    wait->reason = reason;
    wait->next_ready = NULL;
    if (waits->last_ready) {
        waits->last_ready->next_ready = wait;
    } else {
        waits->first_ready = wait;
        uv_idle_start(&waits->no_sleep, on_idle);
    }
    waits->last_ready = wait;
}

void waits_cancel(struct waits *waits, const struct scope *scope)
{
    for (struct wait *w = waits->listed.next; w != &waits->listed; w = w->next)
        if (scope_is_within(w->scope, scope))
            waits_wake(waits, w, WAKE_SCOPE);
}

static int64_t end_of(const struct wait *wait)
{
    int64_t deadline = scope_deadline(wait->scope);
    if (wait->until_ms && *wait->until_ms < deadline)
        return *wait->until_ms;
    return deadline;
}

static void on_timer(uv_timer_t *timer);

static void need_timer(struct waits *waits, int64_t at_ms)
{
    if (at_ms >= waits->armed_ms)
        return;
    int64_t now = (int64_t)uv_now(waits->loop);
    waits->armed_ms = at_ms;
    uv_timer_start(&waits->timer, on_timer, at_ms > now ? (uint64_t)(at_ms - now) : 0, 0);
}

static void on_timer(uv_timer_t *timer)
{
    struct waits *waits = timer->data;
    int64_t now = (int64_t)uv_now(waits->loop), earliest = INT64_MAX;
    waits->armed_ms = INT64_MAX;
    for (struct wait *w = waits->listed.next; w != &waits->listed; w = w->next) {
        int64_t end = end_of(w);
        if (end <= now)
            waits_wake(waits, w, scope_deadline(w->scope) <= now ? WAKE_SCOPE : WAKE_UNTIL);
        else if (end < earliest)
            earliest = end;
    }
    if (earliest != INT64_MAX)
        need_timer(waits, earliest);
}

enum wake_reason waits_park(struct waits *waits, struct wait *wait, const struct scope *scope,
                            const int64_t *until_ms)
{
    wait->fiber = fiber_self();
    wait->scope = scope;
    wait->until_ms = until_ms;
    if (!scope && !until_ms) {
        fiber_yield();
        return wait->reason;
    }
    list(waits, wait);
    need_timer(waits, end_of(wait));
    fiber_yield();
    unlist(wait);
    return wait->reason;
}

static void resume(struct waits *waits, struct fiber *fiber)
{
    if (!waits->on_long_slice) {
        fiber_resume(fiber);
        return;
    }
    uint64_t began = uv_hrtime();
    fiber_resume(fiber);
    int64_t ms = (int64_t)((uv_hrtime() - began) / 1000000);
    if (ms > LONG_SLICE_MS)
        waits->on_long_slice(waits->context, ms);
}

void waits_resume(struct waits *waits)
{
    for (unsigned n = 0; waits->first_ready && n < RESUMES_PER_POLL; n++) {
        struct wait *wait = waits->first_ready;
        waits->first_ready = wait->next_ready;
        if (!waits->first_ready) {
            waits->last_ready = NULL;
            uv_idle_stop(&waits->no_sleep);
        }
        resume(waits, wait->fiber);
    }
}
