#include "infrastructure/repositories/buffered_run_states.h"
#include "infrastructure/runtime/alarm.h"
#include "infrastructure/runtime/completion.h"
#include "infrastructure/runtime/worker.h"
#include <stdlib.h>
#include <string.h>

struct batch {
    struct arena arena;
    struct run_state_entry *first, *last;
    size_t n, bytes;
};

struct buffered_run_state {
    struct run_state base;
    struct buffered_run_states *states;
    void *kept;         /* used by jobs only */
    struct arena arena; /* of the contents */
    struct run_contents contents;
    struct batch queued;
    struct alarm *gathered; /* set while something is queued */
    enum err_code failed;   /* these two by jobs only as well */
    struct err failure;
    struct err known; /* what the loop has heard of it */
};

/* In the frame of the task that waits. */
struct commit_waiter {
    struct completion done;
    enum err_code code;
    struct err err;
};

struct commit {
    struct buffered_run_state *state;
    struct batch batch;
    struct commit_waiter *waiter; /* NULL: nobody waits, or not any more */
    bool to_disk;
    enum err_code code;
    struct err err;
};

static struct buffered_run_states *states_of(struct run_states *s)
{
    return (struct buffered_run_states *)s;
}

static struct buffered_run_state *state_of(struct run_state *s)
{
    return (struct buffered_run_state *)s;
}

static void commit_job(void *argument)
{
    struct commit *commit = argument;
    struct buffered_run_state *state = commit->state;
    if (!state->failed) /* set by the loop between two jobs, or by the one before */
        state->failed = state->states->database->write(state->kept, commit->batch.first,
                                                       commit->to_disk, &state->failure);
    commit->code = state->failed;
    commit->err = state->failure;
    arena_finish(&commit->batch.arena);
}

static void commit_done(void *argument)
{
    struct commit *commit = argument;
    if (commit->code)
        commit->state->known = commit->err;
    if (commit->waiter) {
        commit->waiter->code = commit->code;
        commit->waiter->err = commit->err;
        completion_complete(&commit->waiter->done);
    }
    free(commit);
}

static struct commit *start_commit(struct buffered_run_state *state, bool to_disk,
                                   struct commit_waiter *waiter)
{
    struct commit *commit = calloc(1, sizeof *commit);
    if (!commit)
        abort();
    *commit = (struct commit){
        .state = state, .batch = state->queued, .to_disk = to_disk, .waiter = waiter
    };
    state->queued = (struct batch){ 0 };
    alarm_unset(state->gathered);
    worker_post(state->states->database->worker(state->states), commit_job, commit_done, commit);
    return commit;
}

static void on_gathered(void *argument)
{
    (void)start_commit(argument, false, NULL);
}

static void enqueue(struct buffered_run_state *state, struct run_state_entry *entry, size_t bytes)
{
    struct batch *batch = &state->queued;
    if (batch->last)
        batch->last->next = entry;
    else
        batch->first = entry;
    batch->last = entry;
    batch->bytes += bytes;
    if (batch->n++ == 0)
        alarm_set(state->gathered, RUN_STATE_GATHER_MS);
    if (batch->n >= RUN_STATE_GATHER_ENTRIES || batch->bytes >= RUN_STATE_GATHER_BYTES)
        (void)start_commit(state, false, NULL);
}

static void put_fact(struct run_state *s, const char *name, const char *text)
{
    struct arena *arena = &state_of(s)->queued.arena;
    struct run_state_entry *entry = arena_new(arena, struct run_state_entry);
    entry->fact = (struct run_fact){ arena_strdup(arena, name), arena_strdup(arena, text) };
    enqueue(state_of(s), entry, strlen(text));
}

static void put_call(struct run_state *s, const struct call_record *call)
{
    struct arena *arena = &state_of(s)->queued.arena;
    struct run_state_entry *entry = arena_new(arena, struct run_state_entry);
    entry->call = call_record_copy(arena, call);
    enqueue(state_of(s), entry, strlen(call->args) + call->result_length);
}

static enum err_code commit_now(struct run_state *s, struct scope *scope, bool to_disk,
                                struct err *err)
{
    struct buffered_run_state *state = state_of(s);
    struct commit_waiter waiter = { .done = completion_of(state->states->runtime) };
    struct commit *commit = start_commit(state, to_disk, &waiter);
    enum err_code r = completion_await(&waiter.done, scope, err);
    if (r && !waiter.done.done)
        commit->waiter = NULL;
    if (r)
        return r;
    if (waiter.code && err)
        *err = waiter.err;
    return waiter.code;
}

static enum err_code check(struct run_state *s, struct err *err)
{
    const struct err *known = &state_of(s)->known;
    if (known->code && err)
        *err = *known;
    return known->code;
}

struct closing {
    struct buffered_run_state *state;
    bool remove;
};

static void close_job(void *argument)
{
    struct closing *closing = argument;
    struct buffered_run_state *state = closing->state;
    state->states->database->close(state->kept, closing->remove);
}

static void free_state(struct buffered_run_state *state)
{
    state->states->database->discard(state->kept);
    arena_finish(&state->arena);
    free(state);
}

static void close_state(struct run_state *s, bool remove)
{
    struct buffered_run_state *state = state_of(s);
    struct scope unbounded = { .deadline_ms = SCOPE_NO_DEADLINE };
    struct closing closing = { state, remove };
    if (remove) {
        arena_finish(&state->queued.arena);
        state->queued = (struct batch){ 0 };
        alarm_unset(state->gathered);
    } else {
        (void)start_commit(state, true, NULL);
    }
    (void)!worker_run(state->states->database->worker(state->states), &unbounded, close_job,
                      &closing, NULL);
    alarm_destroy(state->gathered);
    free_state(state);
}

struct opening {
    struct buffered_run_state *state;
    bool is_new;
};

static enum err_code open_job(void *argument, struct err *err)
{
    struct opening *opening = argument;
    struct buffered_run_state *state = opening->state;
    return state->states->database->open(state->kept, opening->is_new, &state->arena,
                                         &state->contents, err);
}

static enum err_code open_state(struct run_states *s, struct scope *scope, const char *run_id,
                                bool is_new, struct buffered_run_state **out, struct err *err)
{
    static const struct run_state_ops ops = {
        .put_fact = put_fact,
        .put_call = put_call,
        .commit = commit_now,
        .check = check,
        .close = close_state,
    };
    struct buffered_run_states *states = states_of(s);
    struct buffered_run_state *state = calloc(1, sizeof *state);
    if (!state)
        abort();
    state->base.ops = &ops;
    state->states = states;
    state->kept = states->database->make(states, run_id);
    struct opening opening = { state, is_new };
    enum err_code r = worker_try(states->database->worker(states), scope, open_job, &opening, err);
    if (r) {
        free_state(state);
        return r;
    }
    state->gathered = alarm_create(states->runtime, on_gathered, state);
    *out = state;
    return ERR_NONE;
}

enum err_code buffered_run_states_create(struct run_states *s, struct scope *scope,
                                         const char *run_id, struct run_state **out,
                                         struct err *err)
{
    struct buffered_run_state *state = NULL;
    enum err_code r = open_state(s, scope, run_id, true, &state, err);
    *out = r ? NULL : &state->base;
    return r;
}

enum err_code buffered_run_states_open(struct run_states *s, struct scope *scope,
                                       const char *run_id, struct run_state **out,
                                       const struct run_contents **out_contents, struct err *err)
{
    struct buffered_run_state *state = NULL;
    enum err_code r = open_state(s, scope, run_id, false, &state, err);
    if (r)
        return r;
    *out = &state->base;
    *out_contents = &state->contents;
    return ERR_NONE;
}

struct listing {
    struct buffered_run_states *states;
    struct arena *arena;
    const char **ids;
    size_t n;
};

static enum err_code list_job(void *argument, struct err *err)
{
    struct listing *listing = argument;
    return listing->states->database->list(listing->states, listing->arena, &listing->ids,
                                           &listing->n, err);
}

enum err_code buffered_run_states_list(struct run_states *s, struct scope *scope,
                                       struct arena *arena, const char ***out_ids, size_t *out_n,
                                       struct err *err)
{
    struct buffered_run_states *states = states_of(s);
    struct listing listing = { .states = states, .arena = arena };
    enum err_code r = worker_try(states->database->worker(states), scope, list_job, &listing, err);
    *out_ids = listing.ids;
    *out_n = listing.n;
    return r;
}

struct pruning {
    struct buffered_run_states *states;
    int64_t before_ms, max_bytes;
    size_t max_states, n_removed;
};

static enum err_code prune_job(void *argument, struct err *err)
{
    struct pruning *pruning = argument;
    return pruning->states->database->prune(pruning->states, pruning->before_ms, pruning->max_bytes,
                                            pruning->max_states, &pruning->n_removed, err);
}

enum err_code buffered_run_states_prune(struct run_states *s, struct scope *scope,
                                        int64_t before_ms, int64_t max_bytes, size_t max_states,
                                        size_t *out_removed, struct err *err)
{
    struct buffered_run_states *states = states_of(s);
    struct pruning pruning = { states, before_ms, max_bytes, max_states, 0 };
    enum err_code r = worker_try(states->database->worker(states), scope, prune_job, &pruning, err);
    *out_removed = r ? 0 : pruning.n_removed;
    return r;
}
