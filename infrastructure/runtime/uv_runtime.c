#include "infrastructure/runtime/uv_runtime.h"
#include "infrastructure/runtime/fiber.h"
#include "infrastructure/runtime/waits.h"
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <uv.h>

struct uv_runtime {
    struct runtime port;
    uv_loop_t loop;
    struct waits waits;
    size_t n_tasks;
    bool running;
};

struct task {
    struct uv_runtime *runtime;
    struct scope *scope;
    task_fn *fn;
    void *argument;
    struct fiber *fiber;
    struct wait start;   /* how a task that never ran lies in the ready queue */
    struct wait *waiter; /* the task that waits for its end */
    enum err_code result;
    bool done;
};

static struct uv_runtime *self(struct runtime *port)
{
    return (struct uv_runtime *)port;
}

static void task_body(void *argument)
{
    struct task *task = argument;
    task->result = task->fn(&task->runtime->port, task->scope, task->argument);
    task->done = true;
    if (task->waiter)
        waits_wake(&task->runtime->waits, task->waiter, WAKE_DONE);
}

/* The clock is read each time: a task may have computed for long since the loop last did. */
static int64_t now_ms(struct runtime *port)
{
    uv_update_time(&self(port)->loop);
    return (int64_t)uv_now(&self(port)->loop);
}

static int64_t wall_ms(struct runtime *port)
{
    (void)port;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t local_ms(struct runtime *port, int64_t ms)
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm local;
    (void)port;
    return localtime_r(&seconds, &local) ? ms + local.tm_gmtoff * 1000 : ms;
}

static enum err_code sleep_ms(struct runtime *port, struct scope *scope, int64_t ms,
                              struct err *err)
{
    int64_t now = now_ms(port), until = ms < INT64_MAX - now ? now + ms : INT64_MAX;
    enum err_code code = scope_check(scope, now, err);
    if (code)
        return code;
    struct wait wait = { 0 };
    if (waits_park(&self(port)->waits, &wait, scope, &until) == WAKE_UNTIL)
        return ERR_NONE;
    return scope_check(scope, now_ms(port), err);
}

static struct task *spawn(struct runtime *port, struct scope *scope, task_fn *fn, void *argument)
{
    struct uv_runtime *runtime = self(port);
    struct task *task = calloc(1, sizeof *task);
    if (!task)
        abort();
    *task = (struct task){ .runtime = runtime, .scope = scope, .fn = fn, .argument = argument };
    task->fiber = task->start.fiber = fiber_create(task_body, task);
    waits_wake(&runtime->waits, &task->start, WAKE_DONE);
    runtime->n_tasks++;
    return task;
}

static enum err_code free_task(struct task *task)
{
    enum err_code result = task->result;
    task->runtime->n_tasks--;
    fiber_destroy(task->fiber);
    free(task);
    return result;
}

static size_t first_done(struct task *const *tasks, size_t n)
{
    size_t at = 0;
    while (at < n && !(tasks[at] && tasks[at]->done))
        at++;
    return at;
}

static void set_waiter(struct task **tasks, size_t n, struct wait *waiter)
{
    size_t waited_for = 0;
    for (size_t i = 0; i < n; i++) {
        if (!tasks[i])
            continue;
        assert((!waiter || !tasks[i]->waiter) && "two tasks wait for one");
        tasks[i]->waiter = waiter;
        waited_for++;
    }
    assert(waited_for && "waiting for no task");
    (void)waited_for;
}

static size_t wait_any(struct runtime *port, struct task **tasks, size_t n,
                       enum err_code *out_result)
{
    size_t at = first_done(tasks, n);
    if (at == n) {
        struct wait wait = { 0 };
        set_waiter(tasks, n, &wait);
        (void)waits_park(&self(port)->waits, &wait, /* scope= */ NULL, /* until_ms= */ NULL);
        set_waiter(tasks, n, NULL);
        at = first_done(tasks, n);
    }
    *out_result = free_task(tasks[at]);
    return at;
}

static void cancel(struct runtime *port, struct scope *scope)
{
    scope->cancelled = true;
    waits_cancel(&self(port)->waits, scope);
}

static const struct runtime_ops ops = {
    .now_ms = now_ms,
    .wall_ms = wall_ms,
    .local_ms = local_ms,
    .sleep = sleep_ms,
    .spawn = spawn,
    .wait_any = wait_any,
    .cancel = cancel,
};

struct uv_runtime *uv_runtime_create(void)
{
    struct uv_runtime *runtime = calloc(1, sizeof *runtime);
    if (!runtime || uv_loop_init(&runtime->loop) != 0) {
        fputs("mistro: the system has no memory or descriptor left for an event loop\n", stderr);
        abort();
    }
    runtime->port.ops = &ops;
    runtime->loop.data = runtime;
    waits_init(&runtime->waits, &runtime->loop);
    fiber_guard_install();
    signal(SIGPIPE, SIG_IGN);
    return runtime;
}

void uv_runtime_destroy(struct uv_runtime *runtime)
{
    if (!runtime)
        return;
    assert(runtime->n_tasks == 0 && !runtime->running);
    waits_close(&runtime->waits);
    uv_run(&runtime->loop, UV_RUN_DEFAULT);
    int left = uv_loop_close(&runtime->loop);
    assert(left == 0 && "an adapter left a handle open");
    (void)left;
    free(runtime);
}

struct runtime *uv_runtime_port(struct uv_runtime *runtime)
{
    return &runtime->port;
}

uv_loop_t *uv_runtime_loop(struct uv_runtime *runtime)
{
    return &runtime->loop;
}

struct waits *uv_runtime_waits(struct uv_runtime *runtime)
{
    return &runtime->waits;
}

void uv_runtime_on_long_slice(struct uv_runtime *runtime, void (*hook)(void *context, int64_t ms),
                              void *context)
{
    runtime->waits.on_long_slice = hook;
    runtime->waits.context = context;
}

void uv_runtime_give_back(void)
{
    fiber_pool_drain();
}

/* One round: the tasks that are ready go on, then the loop waits for something to happen. */
static void turn(struct uv_runtime *runtime, const struct task *last)
{
    waits_resume(&runtime->waits);
    if (last->done)
        return;
    if (!uv_loop_alive(&runtime->loop)) {
        fputs("mistro: every task waits and nothing is left that could wake one\n", stderr);
        abort();
    }
    uv_run(&runtime->loop, UV_RUN_ONCE);
}

enum err_code uv_runtime_run(struct uv_runtime *runtime, struct scope *scope, task_fn *fn,
                             void *argument)
{
    assert(!fiber_self() && !runtime->running);
    runtime->running = true;
    struct task *task = spawn(&runtime->port, scope, fn, argument);
    while (!task->done)
        turn(runtime, task);
    runtime->running = false;
    return free_task(task);
}
