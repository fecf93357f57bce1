/* The states of runs behind their port: a folder with a database for each. What is put waits in
 * memory until a task commits, until there is much of it, or for STATE_GATHER_MS; each commit is
 * one job of the worker, which does them in order. The first that fails ends the keeping: every
 * later one says the same. */
#include "infrastructure/repositories/repository_create.h"
#include "infrastructure/repositories/run_state_file.h"
#include "infrastructure/repositories/sqlite_database.h"
#include "infrastructure/runtime/alarm.h"
#include "infrastructure/runtime/completion.h"
#include "infrastructure/runtime/descriptor.h"
#include "infrastructure/runtime/worker.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How long what no task waits for may lie in memory, and how much of it. */
enum { STATE_GATHER_MS = 50, STATE_GATHER_ENTRIES = 64, STATE_GATHER_BYTES = 256 * 1024 };

struct sqlite_run_states {
    struct run_states base;
    struct uv_runtime *runtime;
    struct assets *assets;
    char *folder;
    struct worker *worker; /* of all states; both are made for the first */
    char *migrations;
};

struct run_claim {
    int lock;
    char run_id[];
};

struct batch {
    struct arena arena;
    struct run_state_entry *first, *last;
    size_t n, bytes;
};

struct sqlite_run_state {
    struct run_state base;
    struct sqlite_run_states *states;
    struct run_state_file file; /* touched by jobs only */
    struct arena arena;         /* of the contents */
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
    struct sqlite_run_state *state;
    struct batch batch;
    struct commit_waiter *waiter; /* NULL: nobody waits, or not any more */
    bool to_disk;
    enum err_code code;
    struct err err;
};

static struct sqlite_run_states *states_of(struct run_states *s)
{
    return (struct sqlite_run_states *)s;
}

static struct sqlite_run_state *state_of(struct run_state *s)
{
    return (struct sqlite_run_state *)s;
}

static void commit_job(void *argument)
{
    struct commit *commit = argument;
    struct sqlite_run_state *state = commit->state;
    if (!state->failed) /* set by the loop between two jobs, or by the one before */
        state->failed = run_state_file_write(&state->file, commit->batch.first, commit->to_disk,
                                             &state->failure);
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

static struct commit *start_commit(struct sqlite_run_state *state, bool to_disk,
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
    worker_post(state->states->worker, commit_job, commit_done, commit);
    return commit;
}

static void on_gathered(void *argument)
{
    (void)start_commit(argument, false, NULL);
}

static void enqueue(struct sqlite_run_state *state, struct run_state_entry *entry, size_t bytes)
{
    struct batch *batch = &state->queued;
    if (batch->last)
        batch->last->next = entry;
    else
        batch->first = entry;
    batch->last = entry;
    batch->bytes += bytes;
    if (batch->n++ == 0)
        alarm_set(state->gathered, STATE_GATHER_MS);
    if (batch->n >= STATE_GATHER_ENTRIES || batch->bytes >= STATE_GATHER_BYTES)
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
    struct call_record *copy = &entry->call;
    *copy = *call;
    copy->path = arena_strdup(arena, call->path);
    copy->tool = arena_strdup(arena, call->tool);
    copy->args = arena_strdup(arena, call->args);
    copy->effect_id = arena_strdup(arena, call->effect_id);
    copy->error = arena_strdup(arena, call->error);
    copy->task = arena_strdup(arena, call->task);
    copy->argument = arena_strdup(arena, call->argument);
    if (call->result)
        copy->result = arena_strndup(arena, call->result, call->result_length);
    enqueue(state_of(s), entry, strlen(call->args) + call->result_length);
}

static enum err_code commit_now(struct run_state *s, struct scope *scope, bool to_disk,
                                struct err *err)
{
    struct sqlite_run_state *state = state_of(s);
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
    struct run_state_file *file;
    bool remove;
};

static void close_job(void *argument)
{
    struct closing *closing = argument;
    run_state_file_close(closing->file, closing->remove);
}

static void close_state(struct run_state *s, bool remove)
{
    struct sqlite_run_state *state = state_of(s);
    struct scope unbounded = { .deadline_ms = SCOPE_NO_DEADLINE };
    struct closing closing = { &state->file, remove };
    if (remove) {
        arena_finish(&state->queued.arena);
        state->queued = (struct batch){ 0 };
        alarm_unset(state->gathered);
    } else {
        (void)start_commit(state, true, NULL);
    }
    (void)!worker_run(state->states->worker, &unbounded, close_job, &closing, NULL);
    alarm_destroy(state->gathered);
    arena_finish(&state->arena);
    free(state->file.path);
    free(state);
}

static enum err_code claim(struct run_states *s, struct scope *scope, const char *run_id,
                           struct run_claim **out, struct err *err)
{
    (void)scope;
    size_t size = strlen(run_id) + 1;
    struct run_claim *made = malloc(sizeof *made + size);
    if (!made)
        abort();
    memcpy(made->run_id, run_id, size);
    enum err_code r = run_owner_claim(states_of(s)->folder, run_id, &made->lock, err);
    if (r)
        free(made);
    else
        *out = made;
    return r;
}

static void release(struct run_states *s, struct run_claim *claim)
{
    run_owner_release(states_of(s)->folder, claim->run_id, claim->lock);
    free(claim);
}

static enum err_code is_owned(struct run_states *s, struct scope *scope, const char *run_id,
                              bool *out, struct err *err)
{
    (void)scope;
    (void)err;
    *out = run_owner_of(states_of(s)->folder, run_id) != 0;
    return ERR_NONE;
}

struct opening {
    struct sqlite_run_state *state;
    bool is_new;
};

static enum err_code open_job(void *argument, struct err *err)
{
    struct opening *opening = argument;
    struct sqlite_run_state *state = opening->state;
    enum err_code r =
        run_state_file_open(&state->file, state->states->migrations, opening->is_new, err);
    if (r || opening->is_new)
        return r;
    r = run_state_file_read(&state->file, &state->arena, &state->contents, err);
    if (r)
        run_state_file_close(&state->file, false);
    return r;
}

static struct worker *worker_of(struct sqlite_run_states *states)
{
    if (states->worker)
        return states->worker;
    states->migrations = sqlite_migrations(states->assets, "data/migrations/run_state.sql");
    return states->worker = worker_create(states->runtime);
}

static enum err_code open_state(struct run_states *s, struct scope *scope, const char *run_id,
                                bool is_new, struct sqlite_run_state **out, struct err *err)
{
    static const struct run_state_ops ops = {
        .put_fact = put_fact,
        .put_call = put_call,
        .commit = commit_now,
        .check = check,
        .close = close_state,
    };
    struct sqlite_run_states *states = states_of(s);
    struct sqlite_run_state *state = calloc(1, sizeof *state);
    size_t size = strlen(states->folder) + strlen(run_id) + sizeof "/.db";
    if (!state || !(state->file.path = malloc(size)))
        abort();
    snprintf(state->file.path, size, "%s/%s.db", states->folder, run_id);
    state->base.ops = &ops;
    state->states = states;
    struct opening opening = { state, is_new };
    enum err_code r = worker_try(worker_of(states), scope, open_job, &opening, err);
    if (r) {
        arena_finish(&state->arena);
        free(state->file.path);
        free(state);
        return r;
    }
    state->gathered = alarm_create(states->runtime, on_gathered, state);
    *out = state;
    return ERR_NONE;
}

static enum err_code create(struct run_states *s, struct scope *scope, const char *run_id,
                            struct run_state **out, struct err *err)
{
    struct sqlite_run_state *state = NULL;
    enum err_code r = open_state(s, scope, run_id, true, &state, err);
    *out = r ? NULL : &state->base;
    return r;
}

static enum err_code open_kept(struct run_states *s, struct scope *scope, const char *run_id,
                               struct run_state **out, const struct run_contents **out_contents,
                               struct err *err)
{
    struct sqlite_run_state *state = NULL;
    enum err_code r = open_state(s, scope, run_id, false, &state, err);
    if (r)
        return r;
    *out = &state->base;
    *out_contents = &state->contents;
    return ERR_NONE;
}

struct listing {
    const char *folder;
    struct arena *arena;
    const char **ids;
    size_t n;
};

static void list_job(void *argument)
{
    struct listing *listing = argument;
    listing->n = run_state_files_list(listing->folder, listing->arena, &listing->ids);
}

static enum err_code list(struct run_states *s, struct scope *scope, struct arena *arena,
                          const char ***out_ids, size_t *out_n, struct err *err)
{
    struct listing listing = { .folder = states_of(s)->folder, .arena = arena };
    enum err_code r = worker_run(worker_of(states_of(s)), scope, list_job, &listing, err);
    *out_ids = listing.ids;
    *out_n = listing.n;
    return r;
}

struct pruning {
    const char *folder;
    int64_t before_ms, max_bytes;
    size_t max_states, n_removed;
};

static void prune_job(void *argument)
{
    struct pruning *pruning = argument;
    pruning->n_removed = run_state_files_prune(pruning->folder, pruning->before_ms,
                                               pruning->max_bytes, pruning->max_states);
}

static enum err_code prune(struct run_states *s, struct scope *scope, int64_t before_ms,
                           int64_t max_bytes, size_t max_states, size_t *out_removed,
                           struct err *err)
{
    struct pruning pruning = { states_of(s)->folder, before_ms, max_bytes, max_states, 0 };
    enum err_code r = worker_run(worker_of(states_of(s)), scope, prune_job, &pruning, err);
    *out_removed = r ? 0 : pruning.n_removed;
    return r;
}

static void destroy(struct run_states *s)
{
    struct sqlite_run_states *states = states_of(s);
    worker_destroy(states->worker);
    free(states->folder);
    free(states->migrations);
    free(states);
}

struct run_states *sqlite_run_states_create(struct uv_runtime *runtime, const char *folder,
                                            struct assets *assets)
{
    static const struct run_states_ops ops = { .claim = claim,
                                               .release = release,
                                               .is_owned = is_owned,
                                               .create = create,
                                               .open = open_kept,
                                               .list = list,
                                               .prune = prune,
                                               .destroy = destroy };
    struct sqlite_run_states *states = calloc(1, sizeof *states);
    if (!states || !(states->folder = strdup(folder)))
        abort();
    states->base.ops = &ops;
    states->runtime = runtime;
    states->assets = assets;
    return &states->base;
}
