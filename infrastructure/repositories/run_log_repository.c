/* A run log behind its port, whichever database it is in. begin, append and finish put a copy into
 * a queue and return. What is queued is written after RUN_GATHER_MS, or at once when a task syncs
 * or the queue is long. One commit is under way at a time, on the worker; the next takes everything
 * that was queued meanwhile. So a burst of events becomes few transactions of few rows. All tasks
 * that sync wait for the commit that takes what was queued before, and that commit is forced to
 * disk; one that questions wait for is not. Where the log can be away, what a commit did not write
 * goes back to the front of the queue, and those who sync are told. */
#include "domain/base/json.h"
#include "infrastructure/repositories/repository_create.h"
#include "infrastructure/repositories/run_log.h"
#include "infrastructure/runtime/alarm.h"
#include "infrastructure/runtime/completion.h"
#include "infrastructure/runtime/fiber.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "infrastructure/runtime/worker.h"
#include <stdlib.h>
#include <string.h>
#include <uv.h>

/* How long events that no task waits for may lie in memory, and how many bytes of them. */
#define RUN_GATHER_MS 50
#define RUN_GATHER_BYTES (256 * 1024)
#define RUN_AGAIN_MS 1000 /* until what failed is written again */

struct run_log_repository;

/* In the frame of the task that syncs. */
struct sync_waiter {
    struct sync_waiter *next;
    struct completion done;
    enum err_code code;
    struct err err;
};

/* One transaction under way. */
struct commit {
    struct run_log_repository *repository;
    struct run_entry *entries; /* those that are still to be written, once it is over */
    struct sync_waiter *waiters;
    bool durable;
    enum err_code code;
    struct err err;
};

struct run_log_repository {
    struct run_repository base;
    struct uv_runtime *runtime;
    struct worker *worker;
    bool owns_worker;
    bool is_used;        /* a job had to do with the log */
    struct run_log *log; /* touched by jobs only */
    struct run_entry *first, *last;
    size_t queued_bytes;
    struct alarm *gathered; /* set while something is queued and nothing is being written */
    struct commit *running;
    struct sync_waiter *waiters; /* of the next commit */
    bool is_forced;              /* a waiter of the next commit wants it on disk */
    bool dirty;                  /* there are entries that no durable commit has taken */
    bool ends;                   /* being destroyed: the last commit is forced to disk */
    struct completion *over;     /* of the task that destroys it */
    enum err_code failed;        /* of a commit that no task waited for; the next sync reports it */
    struct err failure;
};

static struct run_log_repository *repository_of(struct run_repository *r)
{
    return (struct run_log_repository *)r;
}

static void commit_job(void *argument)
{
    struct commit *commit = argument;
    struct run_log *log = commit->repository->log;
    commit->code = log->ops->write(log, commit->entries, commit->durable, &commit->err);
    if (log->writes_again && commit->code == ERR_UNAVAILABLE)
        return;
    run_entries_free(commit->entries);
    commit->entries = NULL;
}

static void keep_failure(struct run_log_repository *r, enum err_code code, const struct err *err)
{
    if (!code || r->failed)
        return;
    r->failed = code;
    r->failure = *err;
}

static void commit_done(void *argument);

static void start_commit(struct run_log_repository *r)
{
    if (r->running || (!r->first && !r->waiters))
        return;
    struct commit *commit = calloc(1, sizeof *commit);
    if (!commit)
        abort();
    *commit = (struct commit){ .repository = r,
                               .entries = r->first,
                               .waiters = r->waiters,
                               .durable = r->is_forced || r->ends };
    r->first = r->last = NULL;
    r->queued_bytes = 0;
    r->waiters = NULL;
    r->is_forced = false;
    r->dirty = r->dirty && !commit->durable;
    r->running = commit;
    r->is_used = true;
    alarm_unset(r->gathered);
    worker_post(r->worker, commit_job, commit_done, commit);
}

static void on_gathered(void *argument)
{
    start_commit(argument);
}

/* In front of what was queued since. */
static void put_back(struct run_log_repository *r, struct run_entry *entries)
{
    struct run_entry **end = &entries;
    for (; *end; end = &(*end)->next) {
        (*end)->was_sent = true;
        r->queued_bytes += (*end)->bytes;
        r->last = r->first ? r->last : *end;
    }
    *end = r->first;
    r->first = entries;
    r->dirty = true;
}

/* Who waits is told of the failure; what is queued again has not failed for good. */
static void tell(struct run_log_repository *r, const struct commit *commit)
{
    bool was_sound = !r->failed;
    keep_failure(r, commit->code, &commit->err);
    for (struct sync_waiter *waiter = commit->waiters, *next; waiter; waiter = next) {
        next = waiter->next;
        waiter->code = r->failed;
        waiter->err = r->failure;
        completion_complete(&waiter->done);
    }
    if (commit->waiters || (commit->entries && was_sound))
        r->failed = ERR_NONE;
}

static void commit_done(void *argument)
{
    struct commit *commit = argument;
    struct run_log_repository *r = commit->repository;
    bool goes_again = commit->entries && !r->ends;
    tell(r, commit);
    r->running = NULL;
    if (goes_again)
        put_back(r, commit->entries);
    else
        run_entries_free(commit->entries);
    free(commit);
    if (r->waiters || r->ends)
        start_commit(r);
    if (r->ends && !r->running && r->over)
        completion_complete(r->over);
    else if (r->first && !r->running)
        alarm_set(r->gathered, goes_again ? RUN_AGAIN_MS : RUN_GATHER_MS);
}

static void put_last(struct run_log_repository *r, struct run_entry *entry)
{
    if (!r->last)
        r->first = r->last = entry;
    else if (!run_entry_join(r->last, entry))
        r->last = r->last->next = entry;
}

static void enqueue(struct run_log_repository *r, struct run_entry *entry)
{
    if (entry->bytes > RUN_QUEUE_MAX_BYTES - r->queued_bytes) {
        struct err err;
        (void)err_set(&err, ERR_UNAVAILABLE, 0, "run log: the disk is too slow, events are lost");
        keep_failure(r, ERR_UNAVAILABLE, &err);
        run_entries_free(entry);
        return;
    }
    r->queued_bytes += entry->bytes;
    r->dirty = true;
    if (!r->first && !r->running)
        alarm_set(r->gathered, RUN_GATHER_MS);
    put_last(r, entry);
    if (r->queued_bytes > RUN_GATHER_BYTES)
        start_commit(r);
}

static void log_begin(struct run_repository *r, const struct run *run)
{
    enqueue(repository_of(r), run_entry_of_begin(run));
}

static void log_append(struct run_repository *r, const struct event *event)
{
    enqueue(repository_of(r), run_entry_of_event(event));
}

static void log_finish(struct run_repository *r, const struct run *run)
{
    enqueue(repository_of(r), run_entry_of_finish(run));
}

static bool drop_waiter(struct sync_waiter **list, const struct sync_waiter *waiter)
{
    for (struct sync_waiter **link = list; *link; link = &(*link)->next) {
        if (*link != waiter)
            continue;
        *link = waiter->next;
        return true;
    }
    return false;
}

/* Until what is queued is written, and forced to disk where is_forced. */
awaits static enum err_code wait_until_written(struct run_log_repository *r, struct scope *sc,
                                               bool is_forced, struct err *err)
{
    struct sync_waiter waiter = { .next = r->waiters, .done = completion_of(r->runtime) };
    r->waiters = &waiter;
    r->is_forced |= is_forced;
    start_commit(r);
    enum err_code code = completion_await(&waiter.done, sc, err);
    if (code) { /* the writing goes on; only this wait ends */
        if (!drop_waiter(&r->waiters, &waiter) && r->running)
            drop_waiter(&r->running->waiters, &waiter);
        return code;
    }
    if (waiter.code && err)
        *err = waiter.err;
    return waiter.code;
}

static enum err_code log_sync(struct run_repository *base, struct scope *sc, struct err *err)
{
    struct run_log_repository *r = repository_of(base);
    bool is_on_disk = !r->dirty && !r->running && !r->failed;
    return is_on_disk ? ERR_NONE : wait_until_written(r, sc, true, err);
}

/* One question to the log. */
struct query {
    struct run_log_repository *repository;
    const char *text; /* id or tool */
    const struct run_range *runs_wanted;
    const struct event_range *range;
    const struct run_retention *keep;
    int64_t number; /* in: now_ms; out: the median */
    struct arena arena;
    struct run_row *runs;
    struct event_rows events;
    size_t n;
};

static void query_finish(struct query *query)
{
    arena_finish(&query->arena);
}

/* Everything queued is written first, so that questions see it. One wait is for all of it: who
 * waited again while something is written would keep others who ask writing, and they him. */
static enum err_code ask(struct query *query, struct scope *sc, failing_job_fn *fn, struct err *err)
{
    struct run_log_repository *r = query->repository;
    enum err_code code = ERR_NONE;
    if (r->running || r->first)
        code = wait_until_written(r, sc, false, err);
    r->is_used = true;
    return code ? code : worker_try(r->worker, sc, fn, query, err);
}

static enum err_code keep_json_text(struct arena *arena, const char *text, const json_t **out,
                                    struct err *err)
{
    json_t *value;
    enum err_code r = json_parse(text, strlen(text), JSON_OURS, &value, err);
    if (r)
        return err_prefix(err, ERR_INVALID, "run log");
    *out = arena_keep_json(arena, value);
    return ERR_NONE;
}

static enum err_code copy_run(struct arena *arena, const struct run_row *row, struct run *out,
                              struct err *err)
{
    *out = row->run;
    out->id = arena_strdup(arena, row->run.id);
    out->kind = arena_strdup(arena, row->run.kind);
    out->session_id = arena_strdup(arena, row->run.session_id);
    out->title = arena_strdup(arena, row->run.title);
    enum err_code r = keep_json_text(arena, row->meta, &out->meta, err);
    if (!r && row->stats)
        r = keep_json_text(arena, row->stats, &out->stats, err);
    return r;
}

static enum err_code list_job(void *argument, struct err *err)
{
    struct query *q = argument;
    return q->repository->log->ops->list(q->repository->log, q->runs_wanted, &q->arena, &q->runs,
                                         &q->n, err);
}

static enum err_code log_list(struct run_repository *r, struct scope *sc,
                              const struct run_range *range, struct arena *arena, struct run **out,
                              size_t *out_n, struct err *err)
{
    AUTO(query) query = { .repository = repository_of(r), .runs_wanted = range };
    enum err_code code = ask(&query, sc, list_job, err);
    if (code)
        return code;
    struct run *list = arena_array(arena, struct run, query.n + 1);
    for (size_t i = 0; !code && i < query.n; i++)
        code = copy_run(arena, &query.runs[i], &list[i], err);
    if (code)
        return code;
    *out = list;
    *out_n = query.n;
    return ERR_NONE;
}

static enum err_code get_job(void *argument, struct err *err)
{
    struct query *q = argument;
    q->runs = arena_new(&q->arena, struct run_row);
    return q->repository->log->ops->get(q->repository->log, q->text, &q->arena, q->runs, err);
}

static enum err_code log_get(struct run_repository *r, struct scope *sc, const char *id,
                             struct arena *arena, struct run **out, struct err *err)
{
    AUTO(query) query = { .repository = repository_of(r), .text = id };
    enum err_code code = ask(&query, sc, get_job, err);
    struct run *run = arena_new(arena, struct run);
    if (!code)
        code = copy_run(arena, query.runs, run, err);
    if (!code)
        *out = run;
    return code;
}

static enum err_code events_job(void *argument, struct err *err)
{
    struct query *q = argument;
    return q->repository->log->ops->events(q->repository->log, q->range, &q->arena, &q->events,
                                           err);
}

static enum err_code log_events(struct run_repository *r, struct scope *sc,
                                const struct event_range *range, struct arena *arena,
                                struct event **out, size_t *out_n, struct err *err)
{
    AUTO(query) query = { .repository = repository_of(r), .range = range };
    enum err_code code = ask(&query, sc, events_job, err);
    if (code)
        return code;
    struct event *list = arena_array(arena, struct event, query.events.n + 1);
    const char *run_id = arena_strdup(arena, range->run_id);
    size_t n = 0;
    for (size_t i = 0; !code && i < query.events.n; i++) {
        const struct event_row *row = &query.events.list[i];
        struct event event = { .run_id = run_id, .number = row->number, .time_ms = row->time_ms };
        if (!event_kind_parse(row->kind, &event.kind))
            continue; /* of a version that had more kinds */
        code = keep_json_text(arena, row->data, &event.data, err);
        list[n++] = event;
    }
    if (code)
        return code;
    *out = list;
    *out_n = n;
    return ERR_NONE;
}

static enum err_code median_job(void *argument, struct err *err)
{
    struct query *q = argument;
    return q->repository->log->ops->median_ms(q->repository->log, q->text, &q->number, err);
}

static enum err_code log_median_ms(struct run_repository *r, struct scope *sc, const char *tool,
                                   int64_t *out_ms, struct err *err)
{
    AUTO(query) query = { .repository = repository_of(r), .text = tool };
    enum err_code code = ask(&query, sc, median_job, err);
    if (!code)
        *out_ms = query.number;
    return code;
}

static enum err_code prune_job(void *argument, struct err *err)
{
    struct query *q = argument;
    return q->repository->log->ops->prune(q->repository->log, q->keep, q->number, &q->n, err);
}

static enum err_code log_prune(struct run_repository *r, struct scope *sc,
                               const struct run_retention *keep, int64_t now_ms,
                               size_t *out_removed, struct err *err)
{
    AUTO(query) query = { .repository = repository_of(r), .keep = keep, .number = now_ms };
    query.repository->is_used = true;
    /* Not `ask`: the end of every run prunes, and would pay for a transaction of its own. */
    enum err_code code = worker_try(query.repository->worker, sc, prune_job, &query, err);
    if (!code)
        *out_removed = query.n;
    return code;
}

static void close_job(void *argument)
{
    struct run_log *log = argument;
    log->ops->close(log);
}

/* The worker may be of others as well, who go on using it: the last commit is waited for, not an
 * idle worker. */
static void log_destroy(struct run_repository *base)
{
    struct run_log_repository *r = repository_of(base);
    r->ends = true;
    start_commit(r);
    if (r->running && fiber_self()) {
        struct completion over = completion_of(r->runtime);
        r->over = &over;
        completion_await_end(&over);
    }
    while (r->running)
        uv_run(uv_runtime_loop(r->runtime), UV_RUN_ONCE);
    if (r->log->ops->close && r->is_used)
        worker_post(r->worker, close_job, NULL, r->log);
    if (r->owns_worker)
        worker_destroy(r->worker);
    alarm_destroy(r->gathered);
    r->log->ops->destroy(r->log);
    free(r);
}

static const struct run_repository_ops log_ops = {
    .begin = log_begin,
    .append = log_append,
    .finish = log_finish,
    .sync = log_sync,
    .list = log_list,
    .get = log_get,
    .events = log_events,
    .median_ms = log_median_ms,
    .prune = log_prune,
    .destroy = log_destroy,
};

struct run_repository *run_log_repository_create(struct uv_runtime *runtime, struct worker *worker,
                                                 struct run_log *log)
{
    struct run_log_repository *r = calloc(1, sizeof *r);
    if (!r)
        abort();
    r->base.ops = &log_ops;
    r->runtime = runtime;
    r->worker = worker ? worker : worker_create(runtime);
    r->owns_worker = !worker;
    r->gathered = alarm_create(runtime, on_gathered, r);
    r->log = log;
    return &r->base;
}
