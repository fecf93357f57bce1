#include "tests/support/fakes/fake_run_queue.h"
#include "domain/base/text.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define LONG_MS (24 * 60 * 60 * INT64_C(1000))

static struct fake_run_queue *fake_of(struct run_queue *q)
{
    return (struct fake_run_queue *)q;
}

static int64_t now_of(const struct fake_queue_store *store)
{
    return runtime_wall_ms(store->runtime);
}

static enum err_code use(struct fake_run_queue *fake, struct scope *scope, struct err *err)
{
    fake->n_uses++;
    enum err_code r = fake->on_use ? fake->on_use(fake->context, scope, err) : ERR_NONE;
    if (r == ERR_UNAVAILABLE) { /* what is told meanwhile does not get here */
        fake->notices[0] = (struct queue_notice){ .kind = NOTICE_LOST };
        fake->n_notices = 1;
    }
    return r;
}

static struct fake_queue_row *row_of(struct fake_queue_store *store, const char *run_id)
{
    for (size_t i = 0; i < store->n_rows; i++)
        if (store->rows[i].run.run_id && strcmp(store->rows[i].run.run_id, run_id) == 0)
            return &store->rows[i];
    return NULL;
}

static struct fake_lease *lease_of(struct fake_queue_store *store, const char *run_id)
{
    for (size_t i = 0; i < store->n_leases; i++)
        if (strcmp(store->leases[i].run_id, run_id) == 0)
            return &store->leases[i];
    struct fake_lease *lease =
        arena_push(&store->arena, store->leases, store->n_leases, store->leases_capacity);
    *lease = (struct fake_lease){ .run_id = arena_strdup(&store->arena, run_id) };
    return lease;
}

static bool is_held_by_another(const struct fake_lease *lease, const struct fake_run_queue *fake,
                               int64_t now_ms)
{
    return lease->holder && lease->holder != fake && lease->expires_ms > now_ms;
}

static void hold(struct fake_lease *lease, struct fake_run_queue *fake)
{
    if (lease->holder != fake)
        *lease = (struct fake_lease){ .run_id = lease->run_id,
                                      .holder = fake,
                                      .fence = ++fake->store->fence };
    lease->expires_ms = now_of(fake->store) + fake->store->lease_ms;
}

static void drop_if_unused(struct fake_lease *lease)
{
    if (!lease->is_taken && !lease->n_claims)
        lease->holder = NULL;
}

void fake_run_queue_disturb(struct fake_run_queue *fake)
{
    if (fake->waiting)
        runtime_cancel(fake->store->runtime, fake->waiting);
}

static void tell(struct fake_queue_store *store, enum queue_notice_kind kind,
                 const struct queued_run *run)
{
    struct queue_notice notice = { .kind = kind };
    strncat(notice.queue, run->queue, sizeof notice.queue - 1);
    if (kind != NOTICE_RUNS)
        strncat(notice.run_id, run->run_id, sizeof notice.run_id - 1);
    for (size_t i = 0; i < store->n_views; i++) {
        struct fake_run_queue *view = store->views[i];
        if (view->n_notices == FAKE_QUEUE_NOTICES) {
            view->notices[0] = (struct queue_notice){ .kind = NOTICE_LOST };
            view->n_notices = 1;
        } else {
            view->notices[view->n_notices++] = notice;
        }
        fake_run_queue_disturb(view);
    }
}

static const char *const *keep_names(struct arena *arena, const char *const *names, size_t n)
{
    const char **kept = arena_array(arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++)
        kept[i] = arena_strdup(arena, names[i]);
    return kept;
}

static struct queued_run keep_run(struct arena *arena, const struct queued_run *run)
{
    struct queued_run copy = *run;
    copy.run_id = arena_strdup(arena, run->run_id);
    copy.queue = arena_strdup(arena, run->queue);
    copy.key = arena_strdup(arena, run->key);
    copy.servers = keep_names(arena, run->servers, run->n_servers);
    copy.worker = arena_strdup(arena, run->worker);
    copy.reason = arena_strdup(arena, run->reason);
    copy.result = arena_strdup(arena, run->result);
    return copy;
}

static struct queue_worker keep_worker(struct arena *arena, const struct queue_worker *worker)
{
    struct queue_worker copy = *worker;
    copy.name = arena_strdup(arena, worker->name);
    copy.queue = arena_strdup(arena, worker->queue);
    copy.servers = keep_names(arena, worker->servers, worker->n_servers);
    return copy;
}

static const char *id_of_key(struct fake_queue_store *store, const char *key)
{
    for (size_t i = 0; key && i < store->n_rows; i++)
        if (text_equal(store->rows[i].run.key, key))
            return store->rows[i].run.run_id;
    return NULL;
}

static enum err_code add(struct run_queue *q, struct scope *scope, const struct queued_run *run,
                         struct arena *arena, const char **out_run_id, struct err *err)
{
    struct fake_run_queue *fake = fake_of(q);
    struct fake_queue_store *store = fake->store;
    enum err_code r = use(fake, scope, err);
    if (r)
        return r;
    const char *earlier = id_of_key(store, run->key);
    if (!earlier && row_of(store, run->run_id))
        return err_set(err, ERR_INVALID, 0, "the queue has run %.40s already", run->run_id);
    if (!earlier) {
        struct queued_run kept = keep_run(&store->arena, run);
        kept.state = QUEUE_QUEUED;
        kept.added_ms = now_of(store);
        kept.n_deaths = 0;
        kept.worker = kept.reason = kept.result = NULL;
        kept.is_cancelled = false;
        *arena_push(&store->arena, store->rows, store->n_rows, store->rows_capacity) =
            (struct fake_queue_row){ .run = kept };
        tell(store, NOTICE_RUNS, &kept);
    }
    *out_run_id = arena_strdup(arena, earlier ? earlier : run->run_id);
    return use(fake, scope, err);
}

static enum err_code find_key(struct run_queue *q, struct scope *scope, const char *key,
                              struct arena *arena, const char **out_run_id, struct err *err)
{
    struct fake_run_queue *fake = fake_of(q);
    enum err_code r = use(fake, scope, err);
    if (!r)
        *out_run_id = arena_strdup(arena, id_of_key(fake->store, key));
    return r;
}

static bool has_servers(const struct queue_worker *worker, const struct queued_run *run)
{
    for (size_t i = 0; i < run->n_servers; i++)
        if (!text_is_one_of(run->servers[i], worker->servers, worker->n_servers))
            return false;
    return true;
}

/* Whether the worker could take the run, now or when it is due. */
static bool is_for(const struct fake_run_queue *fake, const struct queue_worker *worker,
                   const struct queued_run *run)
{
    return run->state == QUEUE_QUEUED && strcmp(run->queue, worker->queue) == 0 &&
           has_servers(worker, run) &&
           !is_held_by_another(lease_of(fake->store, run->run_id), fake, now_of(fake->store));
}

static bool is_full(const struct fake_queue_store *store, const struct queue_worker *worker)
{
    unsigned n = 0;
    for (size_t i = 0; i < store->n_rows; i++)
        n += store->rows[i].run.run_id && store->rows[i].run.state == QUEUE_TAKEN &&
             strcmp(store->rows[i].run.queue, worker->queue) == 0;
    return worker->queue_jobs && n >= worker->queue_jobs;
}

static enum err_code take(struct run_queue *q, struct scope *scope, const struct queue_worker *me,
                          struct arena *arena, struct queued_run **out, struct err *err)
{
    struct fake_run_queue *fake = fake_of(q);
    struct fake_queue_store *store = fake->store;
    struct fake_queue_row *oldest = NULL;
    *out = NULL;
    enum err_code r = use(fake, scope, err);
    if (r)
        return r;
    for (size_t i = 0; !is_full(store, me) && !oldest && i < store->n_rows; i++) {
        struct fake_queue_row *row = &store->rows[i];
        if (row->run.run_id && row->run.not_before_ms <= now_of(store) &&
            is_for(fake, me, &row->run))
            oldest = row;
    }
    if (oldest) {
        struct fake_lease *lease = lease_of(store, oldest->run.run_id);
        hold(lease, fake);
        lease->is_taken = true;
        oldest->taker = fake;
        oldest->run.state = QUEUE_TAKEN;
        oldest->run.taking = ++store->fence;
        oldest->run.worker = arena_strdup(&store->arena, me->name);
        *out = arena_new(arena, struct queued_run);
        **out = keep_run(arena, &oldest->run);
    }
    return use(fake, scope, err);
}

/* It waits again, unless its end was asked for, or is over. */
static void put_back(struct fake_queue_store *store, struct fake_queue_row *row,
                     enum queue_state state)
{
    if (state == QUEUE_QUEUED && row->run.is_cancelled)
        state = QUEUE_CANCELLED;
    row->taker = NULL;
    row->run.taking = 0;
    row->run.state = state;
    row->over_ms = now_of(store);
    tell(store, state == QUEUE_QUEUED ? NOTICE_RUNS : NOTICE_END, &row->run);
}

/* The row of a run that this process took and has not lost; its lease ends. */
static enum err_code leave_run(struct fake_run_queue *fake, const struct queued_run *run,
                               struct fake_queue_row **out, struct err *err)
{
    struct fake_lease *lease = lease_of(fake->store, run->run_id);
    *out = row_of(fake->store, run->run_id);
    if (!*out || !run->taking || (*out)->run.taking != run->taking || lease->holder != fake)
        return err_set(err, ERR_MISMATCH, 0, "run %.40s was lost to another worker", run->run_id);
    lease->is_taken = false;
    drop_if_unused(lease);
    return ERR_NONE;
}

static enum err_code end(struct run_queue *q, struct scope *scope, const struct queued_run *run,
                         enum queue_state state, const char *result, struct err *err)
{
    struct fake_run_queue *fake = fake_of(q);
    struct fake_queue_row *row;
    enum err_code r = use(fake, scope, err);
    if (!r)
        r = leave_run(fake, run, &row, err);
    if (r)
        return r;
    row->run.result = arena_strdup(&fake->store->arena, result);
    put_back(fake->store, row, state);
    return use(fake, scope, err);
}

static enum err_code give_back(struct run_queue *q, struct scope *scope,
                               const struct queued_run *run, struct err *err)
{
    return end(q, scope, run, QUEUE_QUEUED, NULL, err);
}

static enum err_code cancel(struct run_queue *q, struct scope *scope, const char *run_id,
                            bool *out_was_queued, struct err *err)
{
    struct fake_run_queue *fake = fake_of(q);
    enum err_code r = use(fake, scope, err);
    struct fake_queue_row *row = row_of(fake->store, run_id);
    if (r)
        return r;
    if (!row)
        return err_set(err, ERR_NOT_FOUND, 0, "run %.40s was not queued", run_id);
    if (row->run.state != QUEUE_QUEUED && row->run.state != QUEUE_TAKEN)
        return err_set(err, ERR_INVALID, 0, "run %.40s is %s already", run_id,
                       queue_state_name(row->run.state));
    *out_was_queued = row->run.state == QUEUE_QUEUED;
    row->run.is_cancelled = true;
    if (*out_was_queued)
        put_back(fake->store, row, QUEUE_QUEUED);
    else
        tell(fake->store, NOTICE_CANCEL, &row->run);
    return use(fake, scope, err);
}

static void bury(struct fake_queue_store *store, struct fake_queue_row *row)
{
    enum queue_state state = QUEUE_QUEUED;
    if (++row->run.n_deaths >= QUEUE_MAX_DEATHS && !row->run.is_cancelled) {
        state = QUEUE_POISONED;
        row->run.reason = arena_printf(&store->arena, "%d workers died while they had it, last %s",
                                       QUEUE_MAX_DEATHS, row->run.worker);
    }
    put_back(store, row, state);
}

static bool is_among(const struct queue_worker *me, uint64_t taking)
{
    for (size_t i = 0; me->takings && i < me->n_busy; i++)
        if (me->takings[i] == taking)
            return true;
    return false;
}

static void renew(struct fake_run_queue *fake, const struct queue_worker *me)
{
    struct fake_queue_store *store = fake->store;
    for (size_t i = 0; i < store->n_rows; i++) {
        struct fake_queue_row *row = &store->rows[i];
        if (!row->run.run_id || row->taker != fake || is_among(me, row->run.taking))
            continue;
        struct fake_lease *lease = lease_of(store, row->run.run_id);
        lease->is_taken = false;
        drop_if_unused(lease);
        put_back(store, row, QUEUE_QUEUED);
    }
    for (size_t i = 0; i < store->n_leases; i++)
        if (store->leases[i].holder == fake)
            store->leases[i].expires_ms = now_of(store) + store->lease_ms;
}

static bool is_silent(const struct fake_run_queue *fake, int64_t now_ms)
{
    return fake->worker.name && fake->worker.seen_ms <= now_ms - fake->store->lease_ms;
}

static void sweep(struct fake_queue_store *store)
{
    int64_t now_ms = now_of(store);
    for (size_t i = 0; i < store->n_rows; i++) {
        struct fake_queue_row *row = &store->rows[i];
        if (!row->run.run_id || row->run.state != QUEUE_TAKEN)
            continue;
        struct fake_lease *lease = lease_of(store, row->run.run_id);
        if (lease->holder == row->taker && lease->expires_ms > now_ms)
            continue;
        if (lease->holder == row->taker)
            *lease = (struct fake_lease){ .run_id = lease->run_id };
        bury(store, row);
    }
    for (size_t i = 0; i < store->n_views; i++)
        if (is_silent(store->views[i], now_ms))
            store->views[i]->worker.name = NULL;
}

static enum err_code beat(struct run_queue *q, struct scope *scope, const struct queue_worker *me,
                          struct queue_pulse *out, struct err *err)
{
    struct fake_run_queue *fake = fake_of(q);
    struct fake_queue_store *store = fake->store;
    enum err_code r = use(fake, scope, err);
    if (r)
        return r;
    int64_t now_ms = now_of(store);
    bool was_silent = is_silent(fake, now_ms);
    fake->worker = keep_worker(&store->arena, me);
    fake->worker.takings = NULL;
    fake->worker.seen_ms = now_ms;
    renew(fake, me);
    if (!was_silent)
        sweep(store);
    *out = (struct queue_pulse){ .next_in_ms = -1 };
    for (size_t i = 0; i < store->n_rows; i++) {
        const struct queued_run *run = &store->rows[i].run;
        if (!run->run_id || !is_for(fake, me, run))
            continue;
        int64_t in_ms = run->not_before_ms - now_ms;
        if (in_ms <= 0)
            out->is_due = !is_full(store, me);
        else if (out->next_in_ms < 0 || in_ms < out->next_in_ms)
            out->next_in_ms = in_ms;
    }
    return use(fake, scope, err);
}

static enum err_code leave(struct run_queue *q, struct scope *scope, struct err *err)
{
    struct fake_run_queue *fake = fake_of(q);
    enum err_code r = use(fake, scope, err);
    if (!r)
        fake->worker.name = NULL;
    return r;
}

static enum err_code next_notice(struct run_queue *q, struct scope *scope, struct queue_notice *out,
                                 struct err *err)
{
    struct fake_run_queue *fake = fake_of(q);
    struct runtime *runtime = fake->store->runtime;
    for (;;) {
        enum err_code r = use(fake, scope, err);
        if (!r)
            r = scope_check(scope, runtime_now_ms(runtime), err);
        if (r)
            return r;
        if (fake->n_notices) {
            *out = fake->notices[0];
            memmove(fake->notices, fake->notices + 1, --fake->n_notices * sizeof *fake->notices);
            return ERR_NONE;
        }
        struct scope waiting = scope_child(scope, SCOPE_NO_DEADLINE);
        fake->waiting = &waiting;
        (void)!runtime_sleep(runtime, &waiting, LONG_MS, NULL);
        fake->waiting = NULL;
    }
}

static enum err_code find(struct run_queue *q, struct scope *scope, const char *run_id,
                          struct arena *arena, struct queued_run **out, struct err *err)
{
    struct fake_run_queue *fake = fake_of(q);
    enum err_code r = use(fake, scope, err);
    const struct fake_queue_row *row = row_of(fake->store, run_id);
    if (r)
        return r;
    if (!row)
        return err_set(err, ERR_NOT_FOUND, 0, "run %.40s was not queued", run_id);
    *out = arena_new(arena, struct queued_run);
    **out = keep_run(arena, &row->run);
    return ERR_NONE;
}

static enum err_code list(struct run_queue *q, struct scope *scope, const char *queue,
                          const enum queue_state *state, size_t max, struct arena *arena,
                          struct queued_run **out, size_t *out_n, struct err *err)
{
    const struct fake_queue_store *store = fake_of(q)->store;
    *out = arena_array(arena, struct queued_run, store->n_rows + 1);
    *out_n = 0;
    enum err_code r = use(fake_of(q), scope, err);
    for (size_t i = store->n_rows; !r && i > 0 && *out_n < max; i--) {
        const struct queued_run *run = &store->rows[i - 1].run;
        if (!run->run_id || (queue && strcmp(run->queue, queue) != 0) ||
            (state && run->state != *state))
            continue;
        (*out)[*out_n] = keep_run(arena, run);
        (*out)[(*out_n)++].result = NULL;
    }
    return r;
}

/* Both queue_totals and queue_worker begin with their name. */
static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void count(struct queue_totals *totals, const struct queued_run *run)
{
    int64_t since_ms = run->added_ms > run->not_before_ms ? run->added_ms : run->not_before_ms;
    totals->n_queued += run->state == QUEUE_QUEUED;
    totals->n_taken += run->state == QUEUE_TAKEN;
    totals->n_poisoned += run->state == QUEUE_POISONED;
    if (run->state == QUEUE_QUEUED && (!totals->since_ms || since_ms < totals->since_ms))
        totals->since_ms = since_ms;
}

static enum err_code totals(struct run_queue *q, struct scope *scope, struct arena *arena,
                            struct queue_totals **out, size_t *out_n, struct err *err)
{
    const struct fake_queue_store *store = fake_of(q)->store;
    size_t n = 0;
    *out = arena_array(arena, struct queue_totals, store->n_rows + 1);
    enum err_code r = use(fake_of(q), scope, err);
    for (size_t i = 0; !r && i < store->n_rows; i++) {
        const struct queued_run *run = &store->rows[i].run;
        size_t at = 0;
        if (!run->run_id || run->state == QUEUE_ENDED || run->state == QUEUE_CANCELLED)
            continue;
        while (at < n && strcmp((*out)[at].queue, run->queue) != 0)
            at++;
        if (at == n)
            (*out)[n++] = (struct queue_totals){ .queue = arena_strdup(arena, run->queue) };
        count(&(*out)[at], run);
    }
    qsort(*out, n, sizeof **out, by_name);
    *out_n = n;
    return r;
}

static enum err_code workers(struct run_queue *q, struct scope *scope, struct arena *arena,
                             struct queue_worker **out, size_t *out_n, struct err *err)
{
    const struct fake_queue_store *store = fake_of(q)->store;
    *out = arena_array(arena, struct queue_worker, FAKE_QUEUE_PROCESSES);
    *out_n = 0;
    enum err_code r = use(fake_of(q), scope, err);
    for (size_t i = 0; !r && i < store->n_views; i++)
        if (store->views[i]->worker.name)
            (*out)[(*out_n)++] = keep_worker(arena, &store->views[i]->worker);
    qsort(*out, *out_n, sizeof **out, by_name);
    return r;
}

static enum err_code prune(struct run_queue *q, struct scope *scope, int64_t keep_ms, size_t max,
                           size_t *out_removed, struct err *err)
{
    struct fake_run_queue *fake = fake_of(q);
    struct fake_queue_store *store = fake->store;
    size_t n = 0;
    enum err_code r = use(fake, scope, err);
    for (size_t i = 0; !r && i < store->n_rows && n < max; i++) {
        struct fake_queue_row *row = &store->rows[i];
        bool is_over = row->run.state != QUEUE_QUEUED && row->run.state != QUEUE_TAKEN;
        if (row->run.run_id && is_over && row->over_ms < now_of(store) - keep_ms) {
            row->run = (struct queued_run){ 0 };
            n++;
        }
    }
    *out_removed = n;
    return r;
}

static void destroy(struct run_queue *q)
{
    struct fake_queue_store *store = fake_of(q)->store;
    for (size_t i = 0; i < store->n_views; i++)
        if (store->views[i] == fake_of(q))
            store->views[i] = store->views[--store->n_views];
}

void fake_queue_store_init(struct fake_queue_store *store, struct runtime *runtime,
                           int64_t lease_ms)
{
    *store = (struct fake_queue_store){ .runtime = runtime, .lease_ms = lease_ms };
}

void fake_queue_store_finish(struct fake_queue_store *store)
{
    arena_finish(&store->arena);
}

struct fake_run_queue *fake_run_queue_create(struct fake_queue_store *store)
{
    static const struct run_queue_ops ops = { .add = add,
                                              .find_key = find_key,
                                              .take = take,
                                              .give_back = give_back,
                                              .end = end,
                                              .cancel = cancel,
                                              .beat = beat,
                                              .leave = leave,
                                              .next_notice = next_notice,
                                              .find = find,
                                              .list = list,
                                              .totals = totals,
                                              .workers = workers,
                                              .prune = prune,
                                              .destroy = destroy };
    struct fake_run_queue *fake = arena_new(&store->arena, struct fake_run_queue);
    assert(store->n_views < FAKE_QUEUE_PROCESSES);
    *fake = (struct fake_run_queue){ .base = { &ops }, .store = store };
    store->views[store->n_views++] = fake;
    return fake;
}

enum err_code fake_run_queue_claim(struct fake_run_queue *fake, const char *run_id,
                                   uint64_t *out_fence, struct err *err)
{
    struct fake_lease *lease = lease_of(fake->store, run_id);
    if (is_held_by_another(lease, fake, now_of(fake->store)))
        return err_set(err, ERR_INVALID, 0, "run %.40s is being run by another process", run_id);
    if (lease->holder == fake && lease->n_claims)
        return err_set(err, ERR_INVALID, 0, "run %.40s is being run by this process", run_id);
    hold(lease, fake);
    lease->n_claims++;
    *out_fence = lease->fence;
    return ERR_NONE;
}

void fake_run_queue_release(struct fake_run_queue *fake, const char *run_id)
{
    struct fake_lease *lease = lease_of(fake->store, run_id);
    if (lease->holder != fake || !lease->n_claims)
        return;
    lease->n_claims--;
    drop_if_unused(lease);
}

bool fake_run_queue_is_owned(struct fake_queue_store *store, const char *run_id)
{
    const struct fake_lease *lease = lease_of(store, run_id);
    return lease->holder && lease->expires_ms > now_of(store);
}

bool fake_run_queue_holds(const struct fake_run_queue *fake, const char *run_id, uint64_t fence)
{
    const struct fake_lease *lease = lease_of(fake->store, run_id);
    return lease->holder == fake && lease->fence == fence;
}
