#include "infrastructure/runtime/alarm.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <stdlib.h>
#include <uv.h>

struct alarm {
    uv_timer_t timer;
    void (*fn)(void *context);
    void *context;
};

struct alarm *alarm_create(struct uv_runtime *runtime, void (*fn)(void *context), void *context)
{
    struct alarm *alarm = calloc(1, sizeof *alarm);
    if (!alarm || uv_timer_init(uv_runtime_loop(runtime), &alarm->timer) != 0)
        abort();
    alarm->timer.data = alarm;
    alarm->fn = fn;
    alarm->context = context;
    return alarm;
}

static void ring(uv_timer_t *timer)
{
    struct alarm *alarm = timer->data;
    alarm->fn(alarm->context);
}

void alarm_set(struct alarm *alarm, int64_t ms)
{
    /* The loop's idea of now is as old as its last poll. */
    uv_update_time(alarm->timer.loop);
    uv_timer_start(&alarm->timer, ring, ms > 0 ? (uint64_t)ms : 0, 0);
}

void alarm_unset(struct alarm *alarm)
{
    uv_timer_stop(&alarm->timer);
}

static void release(uv_handle_t *handle)
{
    free(handle->data);
}

void alarm_destroy(struct alarm *alarm)
{
    if (alarm)
        uv_close((uv_handle_t *)&alarm->timer, release);
}
