#include "tests/support/immediate_runtime.h"
#include <assert.h>
#include <stdlib.h>

struct task {
    enum err_code result;
};

static struct immediate_runtime *self(struct runtime *port)
{
    return (struct immediate_runtime *)port;
}

static int64_t now_ms(struct runtime *port)
{
    return self(port)->now_ms;
}

static int64_t wall_ms(struct runtime *port)
{
    return IMMEDIATE_WALL_START_MS + self(port)->now_ms;
}

/* Its place is Greenwich. */
static int64_t local_ms(struct runtime *port, int64_t ms)
{
    (void)port;
    return ms;
}

static void move_clock(struct immediate_runtime *runtime, int64_t to_ms)
{
    if (to_ms > runtime->now_ms)
        runtime->now_ms = to_ms;
}

/* Whether the cancellation that the test asked for comes while sleeping until then. */
static bool is_cancelled_before(struct immediate_runtime *runtime, const struct scope *scope,
                                int64_t until_ms)
{
    return runtime->cancel_scope && scope_is_within(scope, runtime->cancel_scope) &&
           runtime->cancel_at_ms < until_ms;
}

static enum err_code sleep_ms(struct runtime *port, struct scope *scope, int64_t ms,
                              struct err *err)
{
    struct immediate_runtime *runtime = self(port);
    int64_t until = ms < INT64_MAX - runtime->now_ms ? runtime->now_ms + ms : INT64_MAX;
    int64_t deadline = scope_deadline(scope);
    enum err_code code = scope_check(scope, runtime->now_ms, err);
    if (code)
        return code;
    runtime->sleeps++;
    if (deadline < until)
        until = deadline;
    if (is_cancelled_before(runtime, scope, until)) {
        until = runtime->cancel_at_ms;
        runtime->cancel_scope->cancelled = true;
    }
    assert(until < INT64_MAX && "sleeping for ever");
    move_clock(runtime, until);
    return scope_check(scope, runtime->now_ms, err);
}

static struct task *spawn(struct runtime *port, struct scope *scope, task_fn *fn, void *argument)
{
    struct task *task = calloc(1, sizeof *task);
    if (!task)
        abort();
    self(port)->tasks++;
    task->result = fn(port, scope, argument);
    return task;
}

static size_t wait_any(struct runtime *port, struct task **tasks, size_t n,
                       enum err_code *out_result)
{
    size_t at = 0;
    while (at < n && !tasks[at])
        at++;
    assert(at < n && "waiting for no task");
    *out_result = tasks[at]->result;
    free(tasks[at]);
    self(port)->tasks--;
    return at;
}

static void cancel(struct runtime *port, struct scope *scope)
{
    (void)port;
    scope->cancelled = true;
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

struct immediate_runtime immediate_runtime(void)
{
    return (struct immediate_runtime){ .port.ops = &ops };
}
