/* One task takes runs and beats, one listens for notices, and each run has one. The first sleeps
 * until the next heartbeat or the time of the next run, and whoever has news ends its sleep. */
#include "application/workers/work.h"
#include "application/workers/work_job.h"
#include "domain/base/text.h"
#include <stdlib.h>
#include <string.h>

#define SECOND_MS INT64_C(1000)
#define HOUR_MS (3600 * SECOND_MS)
#define DAY_MS (24 * HOUR_MS)
#define BEATS_PER_LEASE 3
#define OPERATION_MS (10 * SECOND_MS) /* for the store to answer */
#define PRUNED_AT_ONCE 1000

struct worker {
    struct work_crew crew; /* first */
    struct scope *scope;
    const struct work_options *options;
    struct queue_worker me;
    uint64_t takings[WORK_MAX_JOBS];
    struct scope listening;
    struct scope *sleeping; /* of the first task; NULL: it is awake, */
    bool has_news;          /* … and there is something that it has not looked at */
    bool may_find;          /* there may be a run to take */
    bool may_have_missed;   /* that a run is to end */
    bool may_be_later;      /* a run was queued, perhaps for later */
    int64_t beaten_ms;      /* when the latest heartbeat was */
    int64_t beat_ms, due_ms,
        prune_ms; /* when the next one is; due_ms: INT64_MAX where none waits */
    struct err fatal;
};

static int64_t now_of(const struct worker *worker)
{
    return runtime_now_ms(worker->crew.services->runtime);
}

static struct scope operation_scope(const struct worker *worker)
{
    return scope_child(NULL, now_of(worker) + OPERATION_MS);
}

static void wake(struct work_crew *crew)
{
    struct worker *worker = (struct worker *)crew;
    worker->has_news = true;
    if (worker->sleeping)
        runtime_cancel(crew->services->runtime, worker->sleeping);
}

static int64_t beat_every_ms(const struct worker *worker)
{
    return worker->crew.services->settings->worker_lease_seconds * SECOND_MS / BEATS_PER_LEASE;
}

/* What the store answered; false where it did not. */
static bool is_there(struct worker *worker, enum err_code code, const struct err *why)
{
    struct work_crew *crew = &worker->crew;
    if (code == ERR_INVALID) { /* it is not for this mistro */
        worker->fatal = *why;
        return false;
    }
    if (!code && crew->is_away)
        worker->options->watch->store(worker->options->watch, NULL);
    else if (code && !crew->is_away)
        worker->options->watch->store(worker->options->watch, why);
    crew->is_away = code != ERR_NONE;
    crew->pause_ms = code ? work_longer_pause(crew->pause_ms) : 0;
    if (code)
        worker->beat_ms = worker->due_ms = now_of(worker) + crew->pause_ms;
    return !code;
}

static void beat(struct worker *worker)
{
    struct scope scope = operation_scope(worker);
    struct queue_pulse pulse = { 0 };
    struct err err = { 0 };
    worker->me.n_busy = 0;
    for (size_t i = 0; i < WORK_MAX_JOBS; i++)
        if (worker->crew.jobs[i])
            worker->takings[worker->me.n_busy++] = worker->crew.jobs[i]->run->taking;
    enum err_code r = run_queue_beat(worker->crew.queue, &scope, &worker->me, &pulse, &err);
    bool was_away = worker->crew.is_away;
    if (!is_there(worker, r, &err))
        return;
    worker->beaten_ms = now_of(worker);
    worker->beat_ms = worker->beaten_ms + beat_every_ms(worker);
    worker->may_be_later = false;
    worker->due_ms = pulse.next_in_ms < 0 ? INT64_MAX : now_of(worker) + pulse.next_in_ms;
    worker->may_find |= pulse.is_due;
    worker->may_have_missed |= was_away;
}

static void prune(struct worker *worker)
{
    struct scope scope = operation_scope(worker);
    int64_t keep_ms = worker->crew.services->settings->runs_keep_days * DAY_MS;
    size_t n_removed = 0;
    worker->prune_ms = now_of(worker) + HOUR_MS;
    if (keep_ms) /* what is left over goes another time */
        (void)!run_queue_prune(worker->crew.queue, &scope, keep_ms, PRUNED_AT_ONCE, &n_removed,
                               NULL);
}

static void take_runs(struct worker *worker)
{
    struct work_crew *crew = &worker->crew;
    while (worker->may_find && crew->n_jobs < worker->options->jobs) {
        struct scope scope = operation_scope(worker);
        struct work_job *job = work_job_create(crew);
        struct err err = { 0 };
        enum err_code r =
            run_queue_take(crew->queue, &scope, &worker->me, &job->arena, &job->run, &err);
        worker->may_find = !r && job->run;
        if (is_there(worker, r, &err) && job->run)
            work_job_start(job);
        else
            work_job_destroy(job);
    }
}

/* Only a heartbeat tells when the next run is due. Each worker hears of each run, so these are not
 * made for every one. */
static void look_for_later_ones(struct worker *worker)
{
    int64_t soonest_ms = worker->beaten_ms + SECOND_MS;
    if (worker->may_be_later && !worker->may_find && soonest_ms < worker->beat_ms)
        worker->beat_ms = soonest_ms;
}

/* A run that is to end may be one of this worker's. */
static void cancel_run_of(struct worker *worker, const char *run_id)
{
    for (size_t i = 0; i < WORK_MAX_JOBS; i++)
        if (worker->crew.jobs[i] && strcmp(worker->crew.jobs[i]->run->run_id, run_id) == 0)
            work_job_cancel(worker->crew.jobs[i]);
}

static void find_cancelled(struct worker *worker)
{
    worker->may_have_missed = false;
    for (size_t i = 0; i < WORK_MAX_JOBS; i++) {
        AUTO(arena) arena = { 0 };
        struct scope scope = operation_scope(worker);
        struct queued_run *run = NULL;
        const struct work_job *job = worker->crew.jobs[i];
        if (job &&
            !run_queue_find(worker->crew.queue, &scope, job->run->run_id, &arena, &run, NULL))
            if (run->is_cancelled && worker->crew.jobs[i])
                cancel_run_of(worker, run->run_id);
    }
}

static void hear(struct worker *worker, const struct queue_notice *notice)
{
    bool is_ours = strcmp(notice->queue, worker->me.queue) == 0;
    switch (notice->kind) {
    case NOTICE_RUNS:
        worker->may_find |= is_ours;
        worker->may_be_later |= is_ours;
        break;
    case NOTICE_END: /* which lets the next one in */
        worker->may_find |= is_ours && worker->me.queue_jobs;
        break;
    case NOTICE_CANCEL:
        cancel_run_of(worker, notice->run_id);
        break;
    case NOTICE_LOST:
        worker->may_find = worker->may_have_missed = true;
        break;
    }
    if (worker->may_find || worker->may_have_missed)
        wake(&worker->crew);
}

static enum err_code listen(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct worker *worker = argument;
    int64_t pause_ms = 0;
    for (;;) {
        struct queue_notice notice = { .kind = NOTICE_LOST };
        enum err_code r = run_queue_next_notice(worker->crew.queue, scope, &notice, NULL);
        pause_ms = r ? work_longer_pause(pause_ms) : 0;
        if (r && runtime_sleep(runtime, scope, pause_ms, NULL))
            return ERR_NONE;
        if (scope->cancelled)
            return ERR_NONE;
        if (!r)
            hear(worker, &notice);
    }
}

static void begin_to_drain(struct worker *worker)
{
    struct work_crew *crew = &worker->crew;
    crew->is_draining = true;
    crew->drained_ms = now_of(worker) + crew->services->settings->worker_drain_seconds * SECOND_MS;
    for (size_t i = 0; i < WORK_MAX_JOBS; i++)
        if (crew->jobs[i])
            work_job_give_back(crew->jobs[i], /* at_once */ false);
}

static void end_draining(struct worker *worker)
{
    for (size_t i = 0; i < WORK_MAX_JOBS; i++)
        if (worker->crew.jobs[i])
            work_job_give_back(worker->crew.jobs[i], /* at_once */ true);
}

static void reap(struct worker *worker)
{
    for (size_t i = 0; i < WORK_MAX_JOBS; i++) {
        struct work_job *job = worker->crew.jobs[i];
        if (!job || !job->is_done)
            continue;
        (void)runtime_wait(worker->crew.services->runtime, job->task);
        const struct work_report report = { job->run, job->end, &job->result, job->took_ms };
        worker->options->watch->ended(worker->options->watch, &report);
        work_job_destroy(job);
    }
}

/* Earlier where a run is due that could be taken, which a heartbeat tells with the time of the one
 * behind it. */
static int64_t next_beat_ms(const struct worker *worker)
{
    const struct work_crew *crew = &worker->crew;
    bool may_take = !crew->is_draining && crew->n_jobs < worker->options->jobs;
    return may_take && worker->due_ms < worker->beat_ms ? worker->due_ms : worker->beat_ms;
}

static void sleep_until_news(struct worker *worker)
{
    const struct work_crew *crew = &worker->crew;
    int64_t until_ms = next_beat_ms(worker);
    if (crew->is_draining && now_of(worker) < crew->drained_ms && crew->drained_ms < until_ms)
        until_ms = crew->drained_ms;
    struct scope scope = scope_child(crew->is_draining ? NULL : worker->scope, SCOPE_NO_DEADLINE);
    int64_t ms = until_ms - now_of(worker);
    if (worker->has_news || ms <= 0)
        return;
    worker->sleeping = &scope;
    (void)!runtime_sleep(crew->services->runtime, &scope, ms, NULL);
    worker->sleeping = NULL;
}

static bool is_to_end(const struct worker *worker)
{
    return worker->fatal.code || scope_check(worker->scope, now_of(worker), NULL);
}

static void take_and_beat(struct worker *worker)
{
    struct work_crew *crew = &worker->crew;
    while (!crew->is_draining || crew->n_jobs) {
        if (!crew->is_draining && is_to_end(worker)) {
            begin_to_drain(worker);
            continue; /* there may be nothing to wait for */
        }
        if (crew->is_draining && now_of(worker) >= crew->drained_ms)
            end_draining(worker);
        sleep_until_news(worker);
        worker->has_news = false;
        reap(worker);
        if (now_of(worker) >= next_beat_ms(worker))
            beat(worker);
        if (crew->is_draining || crew->is_away || is_to_end(worker))
            continue;
        if (worker->may_have_missed)
            find_cancelled(worker);
        take_runs(worker);
        look_for_later_ones(worker);
        if (now_of(worker) >= worker->prune_ms)
            prune(worker);
    }
}

static enum err_code name_servers(struct worker *worker, struct arena *arena, struct err *err)
{
    struct tool_server **servers = NULL;
    size_t n = 0;
    enum err_code r = services_servers(worker->crew.services, worker->scope, &servers, &n, err);
    const char **names = arena_array(arena, const char *, n + 1);
    for (size_t i = 0; !r && i < n; i++)
        names[i] = tool_server_name(servers[i]);
    worker->me.servers = names;
    worker->me.n_servers = n;
    return r;
}

enum err_code work(struct services *services, struct scope *scope,
                   const struct work_options *options, struct err *err)
{
    AUTO(arena) arena = { 0 };
    struct worker *worker = calloc(1, sizeof *worker);
    if (!worker)
        abort();
    *worker = (struct worker){
        .crew = { .services = services, .watch = options->watch, .wake = wake },
        .scope = scope,
        .options = options,
        .me = { .name = options->name,
                .queue = options->queue,
                .jobs = options->jobs,
                .queue_jobs = (unsigned)services->settings->worker_queue_jobs,
                .takings = worker->takings },
        .listening = { .deadline_ms = SCOPE_NO_DEADLINE },
        .due_ms = INT64_MAX,
    };
    worker->beat_ms = worker->prune_ms = now_of(worker);
    enum err_code r = services_queue(services, &worker->crew.queue, err);
    if (!r)
        r = name_servers(worker, &arena, err);
    if (!r) {
        struct task *listener =
            runtime_spawn(services->runtime, &worker->listening, listen, worker);
        take_and_beat(worker);
        runtime_cancel(services->runtime, &worker->listening);
        (void)runtime_wait(services->runtime, listener);
        struct scope last = operation_scope(worker);
        if (!worker->crew.is_away)
            (void)!run_queue_leave(worker->crew.queue, &last, NULL);
        r = worker->fatal.code;
        if (r && err)
            *err = worker->fatal;
    }
    free(worker);
    return r;
}
