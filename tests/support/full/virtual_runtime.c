#include "tests/support/full/virtual_runtime.h"
#include "domain/base/cleanup.h"
#include "infrastructure/runtime/fiber.h"
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A fiber that does not run: it goes on when `ready`, or when its time or its scope has come. */
struct parked {
    struct parked *next;
    struct fiber *fiber;
    const struct scope *scope; /* NULL: cannot be interrupted */
    int64_t until_ms;          /* INT64_MAX: no moment */
    bool ready;
};

struct virtual_runtime {
    struct runtime port;
    uint64_t seed, random;
    int64_t now_ms, wall_off_ms;
    struct parked *parked;
    size_t n_tasks, switches;
    struct scope *cancel_scope;
    int64_t cancel_at_ms;
};

struct task {
    struct virtual_runtime *runtime;
    struct scope *scope;
    task_fn *fn;
    void *argument;
    struct fiber *fiber;
    struct parked start;   /* until it runs for the first time */
    struct parked *waiter; /* whoever waits for its end */
    enum err_code result;
    bool done;
};

static struct virtual_runtime *self(struct runtime *port)
{
    return (struct virtual_runtime *)port;
}

/* xorshift64*: small, and every seed but 0 gives its own long sequence. */
uint64_t virtual_runtime_random(struct virtual_runtime *runtime, uint64_t n)
{
    assert(n > 0);
    runtime->random ^= runtime->random >> 12;
    runtime->random ^= runtime->random << 25;
    runtime->random ^= runtime->random >> 27;
    return (runtime->random * UINT64_C(0x2545F4914F6CDD1D) >> 11) % n;
}

static void park(struct virtual_runtime *runtime, struct parked *parked)
{
    parked->fiber = fiber_self();
    parked->next = runtime->parked;
    runtime->parked = parked;
    fiber_yield();
}

static bool can_go_on(const struct virtual_runtime *runtime, const struct parked *parked)
{
    if (parked->ready || parked->until_ms <= runtime->now_ms)
        return true;
    return parked->scope && scope_check(parked->scope, runtime->now_ms, NULL) != ERR_NONE;
}

/* Takes one of those who can go on out of the list, each with the same chance; NULL if none. */
static struct parked *take_ready(struct virtual_runtime *runtime)
{
    size_t n = 0;
    for (struct parked *p = runtime->parked; p; p = p->next)
        n += can_go_on(runtime, p);
    if (n == 0)
        return NULL;
    uint64_t chosen = virtual_runtime_random(runtime, n);
    struct parked **link = &runtime->parked;
    while (!can_go_on(runtime, *link) || chosen-- > 0)
        link = &(*link)->next;
    struct parked *taken = *link;
    *link = taken->next;
    return taken;
}

static int64_t next_moment(const struct virtual_runtime *runtime)
{
    int64_t next = runtime->cancel_scope ? runtime->cancel_at_ms : INT64_MAX;
    for (const struct parked *p = runtime->parked; p; p = p->next) {
        int64_t deadline = scope_deadline(p->scope);
        if (deadline < next)
            next = deadline;
        if (p->until_ms < next)
            next = p->until_ms;
    }
    return next;
}

static void let_time_pass(struct virtual_runtime *runtime)
{
    int64_t next = next_moment(runtime);
    if (next == INT64_MAX) {
        fprintf(stderr, "virtual runtime: every task waits for ever (seed %" PRIu64 ")\n",
                runtime->seed);
        abort();
    }
    if (next > runtime->now_ms)
        runtime->now_ms = next;
    if (runtime->cancel_scope && runtime->cancel_at_ms <= runtime->now_ms)
        steal(&runtime->cancel_scope)->cancelled = true;
}

static void step(struct virtual_runtime *runtime)
{
    struct parked *parked = take_ready(runtime);
    if (!parked) {
        let_time_pass(runtime);
        return;
    }
    runtime->switches++;
    fiber_resume(parked->fiber);
}

static int64_t now_ms(struct runtime *port)
{
    return self(port)->now_ms;
}

static int64_t wall_ms(struct runtime *port)
{
    return VIRTUAL_WALL_START_MS + self(port)->now_ms + self(port)->wall_off_ms;
}

/* Its place is Greenwich. */
static int64_t local_ms(struct runtime *port, int64_t ms)
{
    (void)port;
    return ms;
}

void virtual_runtime_set_wall(struct virtual_runtime *runtime, int64_t off_ms)
{
    runtime->wall_off_ms = off_ms;
}

static enum err_code sleep_ms(struct runtime *port, struct scope *scope, int64_t ms,
                              struct err *err)
{
    struct virtual_runtime *runtime = self(port);
    enum err_code code = scope_check(scope, runtime->now_ms, err);
    if (code)
        return code;
    int64_t now = runtime->now_ms;
    struct parked parked = { .scope = scope,
                             .until_ms = ms < INT64_MAX - now ? now + ms : INT64_MAX };
    park(runtime, &parked);
    return scope_check(scope, runtime->now_ms, err);
}

static void task_body(void *argument)
{
    struct task *task = argument;
    task->result = task->fn(&task->runtime->port, task->scope, task->argument);
    task->done = true;
    if (task->waiter)
        task->waiter->ready = true;
}

static struct task *spawn(struct runtime *port, struct scope *scope, task_fn *fn, void *argument)
{
    struct virtual_runtime *runtime = self(port);
    struct task *task = calloc(1, sizeof *task);
    if (!task)
        abort();
    *task = (struct task){ .runtime = runtime, .scope = scope, .fn = fn, .argument = argument };
    task->fiber = fiber_create(task_body, task);
    task->start = (struct parked){ .next = runtime->parked, .fiber = task->fiber, .ready = true };
    runtime->parked = &task->start;
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

/* One of the tasks that are done, chosen by the seed; n when none is. */
static size_t some_done(struct virtual_runtime *runtime, struct task *const *tasks, size_t n)
{
    size_t chosen = n, seen = 0;
    for (size_t i = 0; i < n; i++)
        if (tasks[i] && tasks[i]->done && virtual_runtime_random(runtime, ++seen) == 0)
            chosen = i;
    return chosen;
}

static void set_waiter(struct task **tasks, size_t n, struct parked *waiter)
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
}

static size_t wait_any(struct runtime *port, struct task **tasks, size_t n,
                       enum err_code *out_result)
{
    struct virtual_runtime *runtime = self(port);
    size_t at = some_done(runtime, tasks, n);
    if (at == n) {
        struct parked parked = { .until_ms = INT64_MAX };
        set_waiter(tasks, n, &parked);
        park(runtime, &parked);
        set_waiter(tasks, n, NULL);
        at = some_done(runtime, tasks, n);
    }
    *out_result = free_task(tasks[at]);
    return at;
}

/* Nobody has to be woken: who can go on is looked up at each step. */
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

struct virtual_runtime *virtual_runtime_create(uint64_t seed)
{
    struct virtual_runtime *runtime = calloc(1, sizeof *runtime);
    if (!runtime)
        abort();
    runtime->port.ops = &ops;
    runtime->seed = seed;
    runtime->random = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15);
    if (runtime->random == 0)
        runtime->random = 1;
    return runtime;
}

void virtual_runtime_destroy(struct virtual_runtime *runtime)
{
    assert(!runtime || runtime->n_tasks == 0);
    free(runtime);
}

struct runtime *virtual_runtime_port(struct virtual_runtime *runtime)
{
    return &runtime->port;
}

enum err_code virtual_runtime_run(struct virtual_runtime *runtime, struct scope *scope, task_fn *fn,
                                  void *argument)
{
    assert(!fiber_self());
    struct task *task = spawn(&runtime->port, scope, fn, argument);
    while (!task->done)
        step(runtime);
    return free_task(task);
}

enum err_code virtual_wait(struct virtual_runtime *runtime, struct scope *scope, int64_t ms,
                           struct err *err)
{
    return sleep_ms(&runtime->port, scope, ms, err);
}

void virtual_runtime_cancel_at(struct virtual_runtime *runtime, struct scope *scope, int64_t at_ms)
{
    runtime->cancel_scope = scope;
    runtime->cancel_at_ms = at_ms;
}

size_t virtual_runtime_switches(const struct virtual_runtime *runtime)
{
    return runtime->switches;
}

size_t virtual_runtime_tasks(const struct virtual_runtime *runtime)
{
    return runtime->n_tasks;
}
