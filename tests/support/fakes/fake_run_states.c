#include "tests/support/fakes/fake_run_states.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define FAKE_PROCESS 4711

static struct fake_run_states *fake_of(struct run_states *s)
{
    return (struct fake_run_states *)s;
}

static struct fake_run_state *state_of(struct run_state *s)
{
    return (struct fake_run_state *)s;
}

static struct fake_run_state *find(struct fake_run_states *fake, const char *run_id)
{
    struct fake_run_state *free_one = NULL;
    for (size_t i = 0; i < FAKE_RUN_STATES_MAX; i++) {
        struct fake_run_state *state = &fake->states[i];
        if (state->run_id && strcmp(state->run_id, run_id) == 0)
            return state;
        if (!free_one && !state->is_kept && !state->is_owned)
            free_one = state;
    }
    assert(free_one);
    *free_one =
        (struct fake_run_state){ .states = fake, .run_id = arena_strdup(&fake->arena, run_id) };
    return free_one;
}

static enum err_code use(struct fake_run_states *fake, struct scope *scope, struct err *err)
{
    return fake->on_use ? fake->on_use(fake->context, scope, err) : ERR_NONE;
}

static void put_fact(struct run_state *s, const char *name, const char *text)
{
    struct fake_run_state *state = state_of(s);
    struct arena *arena = &state->states->arena;
    *arena_push(arena, state->puts, state->n, state->capacity) =
        (struct fake_put){ .fact = { arena_strdup(arena, name), arena_strdup(arena, text) } };
}

static void put_call(struct run_state *s, const struct call_record *call)
{
    struct fake_run_state *state = state_of(s);
    struct arena *arena = &state->states->arena;
    *arena_push(arena, state->puts, state->n, state->capacity) =
        (struct fake_put){ .call = call_record_copy(arena, call) };
}

static enum err_code commit(struct run_state *s, struct scope *scope, bool to_disk, struct err *err)
{
    struct fake_run_state *state = state_of(s);
    struct fake_run_states *fake = state->states;
    size_t n = state->n;
    fake->n_commits++;
    fake->n_syncs += to_disk;
    enum err_code r = use(fake, scope, err);
    if (!r && fake->commit_fails)
        r = err_set(err, fake->commit_fails, 0, "state of the run: refused by the test");
    if (r)
        return r;
    state->n_written = n > state->n_written ? n : state->n_written;
    state->n_synced = to_disk && n > state->n_synced ? n : state->n_synced;
    return use(fake, scope, err);
}

static enum err_code check(struct run_state *s, struct err *err)
{
    enum err_code r = state_of(s)->states->commit_fails;
    return r ? err_set(err, r, 0, "state of the run: refused by the test") : ERR_NONE;
}

static void close_state(struct run_state *s, bool remove)
{
    struct fake_run_state *state = state_of(s);
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    if (use(state->states, &scope, NULL))
        return; /* who would close it is dead */
    state->n_written = state->n_synced = state->n;
    state->is_open = false;
    state->is_kept = state->is_kept && !remove;
}

static enum err_code claim(struct run_states *s, struct scope *scope, const char *run_id,
                           struct run_claim **out, struct err *err)
{
    (void)scope;
    struct fake_run_state *state = find(fake_of(s), run_id);
    if (state->is_owned)
        return err_set(err, ERR_INVALID, 0, "run %.40s is being run by process %d", run_id,
                       FAKE_PROCESS);
    state->is_owned = true;
    *out = (struct run_claim *)state;
    return ERR_NONE;
}

static void release(struct run_states *s, struct run_claim *claim)
{
    (void)s;
    ((struct fake_run_state *)claim)->is_owned = false;
}

static enum err_code is_owned(struct run_states *s, struct scope *scope, const char *run_id,
                              bool *out, struct err *err)
{
    (void)scope;
    struct fake_run_states *fake = fake_of(s);
    *out = find(fake, run_id)->is_owned;
    return fake->owner_fails
               ? err_set(err, fake->owner_fails, 0, "owner of the run: refused by the test")
               : ERR_NONE;
}

static enum err_code create(struct run_states *s, struct scope *scope, const char *run_id,
                            struct run_state **out, struct err *err)
{
    static const struct run_state_ops ops = {
        .put_fact = put_fact,
        .put_call = put_call,
        .commit = commit,
        .check = check,
        .close = close_state,
    };
    struct fake_run_states *fake = fake_of(s);
    struct fake_run_state *state = find(fake, run_id);
    enum err_code r = use(fake, scope, err);
    if (!r && fake->create_fails)
        r = err_set(err, fake->create_fails, 0, "state of the run: refused by the test");
    if (r)
        return r;
    state->base.ops = &ops;
    state->is_kept = state->is_open = true;
    *out = &state->base;
    return use(fake, scope, err);
}

static void apply(struct fake_run_state *state, const struct fake_put *put)
{
    struct arena *arena = &state->states->arena;
    struct run_contents *contents = &state->contents;
    if (put->fact.name) {
        size_t i = 0;
        while (i < contents->n_facts && strcmp(contents->facts[i].name, put->fact.name) != 0)
            i++;
        if (i == contents->n_facts)
            (void)arena_push(arena, contents->facts, contents->n_facts, contents->facts_capacity);
        contents->facts[i] = put->fact;
        return;
    }
    size_t i = 0;
    while (i < contents->n_calls && strcmp(contents->calls[i].path, put->call.path) != 0)
        i++;
    if (i == contents->n_calls)
        (void)arena_push(arena, contents->calls, contents->n_calls, contents->calls_capacity);
    contents->calls[i] = put->call;
}

static enum err_code open_state(struct run_states *s, struct scope *scope, const char *run_id,
                                struct run_state **out, const struct run_contents **out_contents,
                                struct err *err)
{
    struct fake_run_states *fake = fake_of(s);
    struct fake_run_state *state = find(fake, run_id);
    enum err_code r = use(fake, scope, err);
    if (r)
        return r;
    if (!state->is_kept)
        return err_set(err, ERR_NOT_FOUND, 0, "no state of this run is kept");
    state->contents = (struct run_contents){ 0 };
    for (size_t i = 0; i < state->n_written; i++)
        apply(state, &state->puts[i]);
    run_contents_index(&state->contents, &fake->arena);
    state->is_open = true;
    *out = &state->base;
    *out_contents = &state->contents;
    return ERR_NONE;
}

static int by_id_backwards(const void *a, const void *b)
{
    const char *const *left = a, *const *right = b;
    return strcmp(*right, *left);
}

static enum err_code list(struct run_states *s, struct scope *scope, struct arena *arena,
                          const char ***out_ids, size_t *out_n, struct err *err)
{
    struct fake_run_states *fake = fake_of(s);
    const char **ids = NULL;
    size_t n = 0, capacity = 0;
    enum err_code r = use(fake, scope, err);
    for (size_t i = 0; !r && i < FAKE_RUN_STATES_MAX; i++)
        if (fake->states[i].is_kept)
            *arena_push(arena, ids, n, capacity) = fake->states[i].run_id;
    if (n)
        qsort(ids, n, sizeof *ids, by_id_backwards);
    *out_ids = ids;
    *out_n = n;
    return r;
}

static enum err_code prune(struct run_states *s, struct scope *scope, int64_t before_ms,
                           int64_t max_bytes, size_t max_states, size_t *out_removed,
                           struct err *err)
{
    (void)before_ms;
    size_t n_removed = 0;
    struct fake_run_states *fake = fake_of(s);
    enum err_code r = use(fake, scope, err);
    for (size_t i = 0; !r && i < FAKE_RUN_STATES_MAX; i++)
        if (fake->states[i].is_kept && !fake->states[i].is_owned && max_bytes == 0 &&
            (!max_states || n_removed < max_states)) {
            fake->states[i].is_kept = false;
            n_removed++;
        }
    *out_removed = n_removed;
    return r;
}

static void destroy(struct run_states *s)
{
    fake_run_states_finish(fake_of(s));
    free(s);
}

void fake_run_states_init(struct fake_run_states *fake)
{
    static const struct run_states_ops ops = { .claim = claim,
                                               .release = release,
                                               .is_owned = is_owned,
                                               .create = create,
                                               .open = open_state,
                                               .list = list,
                                               .prune = prune,
                                               .destroy = destroy };
    *fake = (struct fake_run_states){ .base = { &ops } };
}

void fake_run_states_finish(struct fake_run_states *fake)
{
    arena_finish(&fake->arena);
}

struct run_states *fake_run_states_create(void)
{
    struct fake_run_states *fake = malloc(sizeof *fake);
    if (!fake)
        abort();
    fake_run_states_init(fake);
    return &fake->base;
}

void fake_run_states_die(struct fake_run_states *fake, bool by_power_cut)
{
    for (size_t i = 0; i < FAKE_RUN_STATES_MAX; i++) {
        struct fake_run_state *state = &fake->states[i];
        state->n = state->n_written = by_power_cut ? state->n_synced : state->n_written;
        state->is_open = false;
        state->is_owned = false;
    }
}

size_t fake_run_states_kept(const struct fake_run_states *fake)
{
    size_t n = 0;
    for (size_t i = 0; i < FAKE_RUN_STATES_MAX; i++)
        n += fake->states[i].is_kept;
    return n;
}
