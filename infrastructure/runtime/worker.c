#include "infrastructure/runtime/worker.h"
#include "infrastructure/runtime/completion.h"
#include "infrastructure/runtime/fiber.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <stdlib.h>
#include <uv.h>

/* A job in the queue: in the frame of the task that waits for it, or allocated when none does. */
struct entry {
    struct entry *next;
    job_fn *fn, *done;
    void *job;
    struct completion *completion; /* NULL: posted */
    bool started;
};

struct worker {
    struct uv_runtime *runtime;
    uv_work_t request; /* of the running job: there is never more than one */
    struct entry *running;
    struct entry *first, *last;
    struct completion *idle; /* of the task that destroys the worker */
};

static void on_pool_thread(uv_work_t *request)
{
    struct worker *worker = request->data;
    worker->running->fn(worker->running->job);
}

static void on_done(uv_work_t *request, int status);

static void start_next(struct worker *worker)
{
    struct entry *entry = worker->first;
    if (worker->running || !entry)
        return;
    worker->first = entry->next;
    if (!worker->first)
        worker->last = NULL;
    entry->started = true;
    worker->running = entry;
    worker->request.data = worker;
    /* Fails only without a function to call. */
    (void)uv_queue_work(uv_runtime_loop(worker->runtime), &worker->request, on_pool_thread,
                        on_done);
}

static void finish_entry(struct entry *entry)
{
    if (entry->completion) {
        completion_complete(entry->completion);
        return;
    }
    if (entry->done)
        entry->done(entry->job);
    free(entry);
}

static void on_done(uv_work_t *request, int status)
{
    struct worker *worker = request->data;
    struct entry *entry = worker->running;
    (void)status; /* only uv_cancel would make it other than 0, which is never called */
    worker->running = NULL;
    start_next(worker);
    finish_entry(entry);
    if (!worker->running && worker->idle)
        completion_complete(worker->idle);
}

static void append(struct worker *worker, struct entry *entry)
{
    if (worker->last)
        worker->last->next = entry;
    else
        worker->first = entry;
    worker->last = entry;
    start_next(worker);
}

static void drop(struct worker *worker, const struct entry *entry)
{
    struct entry *before = NULL, **link = &worker->first;
    while (*link != entry) {
        before = *link;
        link = &before->next;
    }
    *link = entry->next;
    if (worker->last == entry)
        worker->last = before;
}

struct worker *worker_create(struct uv_runtime *runtime)
{
    struct worker *worker = calloc(1, sizeof *worker);
    if (!worker)
        abort();
    worker->runtime = runtime;
    return worker;
}

void worker_destroy(struct worker *worker)
{
    if (!worker)
        return;
    if (worker->running && fiber_self()) {
        struct completion idle = completion_of(worker->runtime);
        worker->idle = &idle;
        completion_await_end(&idle);
    }
    while (worker->running)
        uv_run(uv_runtime_loop(worker->runtime), UV_RUN_ONCE);
    free(worker);
}

enum err_code worker_run(struct worker *worker, const struct scope *scope, job_fn *fn, void *job,
                         struct err *err)
{
    struct runtime *clock = uv_runtime_port(worker->runtime);
    struct completion completion = completion_of(worker->runtime);
    struct entry entry = { .fn = fn, .job = job, .completion = &completion };
    enum err_code code = scope_check(scope, runtime_now_ms(clock), err);
    if (code)
        return code;
    append(worker, &entry);
    code = completion_await(&completion, scope, err);
    if (code && !entry.started) {
        drop(worker, &entry);
        return code;
    }
    completion_await_end(&completion);
    return ERR_NONE;
}

/* The error is the job's own until the job is over: a wait that is cancelled writes to the
 * caller's while the job goes on. */
struct attempt {
    failing_job_fn *fn;
    void *job;
    enum err_code code;
    struct err err;
};

static void attempt_job(void *argument)
{
    struct attempt *attempt = argument;
    attempt->code = attempt->fn(attempt->job, &attempt->err);
}

enum err_code worker_try(struct worker *worker, const struct scope *scope, failing_job_fn *fn,
                         void *job, struct err *err)
{
    struct attempt attempt = { .fn = fn, .job = job };
    enum err_code code = worker_run(worker, scope, attempt_job, &attempt, err);
    if (code)
        return code;
    if (attempt.code && err)
        *err = attempt.err;
    return attempt.code;
}

void worker_post(struct worker *worker, job_fn *fn, job_fn *done, void *job)
{
    struct entry *entry = calloc(1, sizeof *entry);
    if (!entry)
        abort();
    *entry = (struct entry){ .fn = fn, .done = done, .job = job };
    append(worker, entry);
}
