#include "tests/support/full/fake_leased_states.h"
#include <string.h>

/* A run that a process has claimed, and its state once it is open. */
struct leased_run {
    struct run_state base;
    struct fake_leased_states *states;
    const char *run_id;
    uint64_t fence;
    struct run_state *kept; /* NULL: it is not open */
    struct run_contents contents;
    struct fake_put *puts; /* that are not in the store yet */
    size_t n, capacity;
    struct err failure;
};

static struct leased_run *run_of(struct run_state *s)
{
    return (struct leased_run *)s;
}

static struct fake_leased_states *fake_of(struct run_states *s)
{
    return (struct fake_leased_states *)s;
}

static enum err_code use(const struct fake_leased_states *fake, struct scope *scope,
                         struct err *err)
{
    const struct fake_run_queue *queue = fake->queue;
    return queue->on_use ? queue->on_use(queue->context, scope, err) : ERR_NONE;
}

static void put_fact(struct run_state *s, const char *name, const char *text)
{
    struct leased_run *run = run_of(s);
    struct arena *arena = &run->states->arena;
    *arena_push(arena, run->puts, run->n, run->capacity) =
        (struct fake_put){ .fact = { arena_strdup(arena, name), arena_strdup(arena, text) } };
}

static void put_call(struct run_state *s, const struct call_record *call)
{
    struct leased_run *run = run_of(s);
    struct arena *arena = &run->states->arena;
    *arena_push(arena, run->puts, run->n, run->capacity) =
        (struct fake_put){ .call = call_record_copy(arena, call) };
}

static enum err_code check_lease(const struct leased_run *run, struct err *err)
{
    return fake_run_queue_holds(run->states->queue, run->run_id, run->fence)
               ? ERR_NONE
               : err_set(err, ERR_MISMATCH, 0, "run %.40s was taken away", run->run_id);
}

static void flush(struct leased_run *run, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (run->puts[i].fact.name)
            run_state_put_fact(run->kept, run->puts[i].fact.name, run->puts[i].fact.text);
        else
            run_state_put_call(run->kept, &run->puts[i].call);
    }
    if (n)
        memmove(run->puts, run->puts + n, (run->n - n) * sizeof *run->puts);
    run->n -= n;
}

static enum err_code check(struct run_state *s, struct err *err)
{
    const struct err *failure = &run_of(s)->failure;
    if (failure->code && err)
        *err = *failure;
    return failure->code;
}

static enum err_code commit(struct run_state *s, struct scope *scope, bool to_disk, struct err *err)
{
    struct leased_run *run = run_of(s);
    struct err *failure = &run->failure;
    if (failure->code)
        return check(s, err);
    enum err_code r = use(run->states, scope, failure);
    if (!r)
        r = check_lease(run, failure);
    size_t n = run->n;
    if (!r && n)
        flush(run, n);
    if (!r)
        r = run_state_commit(run->kept, scope, to_disk, failure);
    if (!r)
        r = use(run->states, scope, failure);
    if (!r)
        r = check_lease(run, failure); /* it may have been waiting for longer than its lease */
    return r ? check(s, err) : ERR_NONE;
}

static void close_state(struct run_state *s, bool remove)
{
    struct leased_run *run = run_of(s);
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    struct run_state *kept = run->kept;
    run->kept = NULL;
    if (run->failure.code || use(run->states, &scope, NULL) || check_lease(run, NULL))
        return;
    run->kept = kept;
    flush(run, run->n);
    run->kept = NULL;
    run_state_close(kept, remove);
}

static enum err_code claim(struct run_states *s, struct scope *scope, const char *run_id,
                           struct run_claim **out, struct err *err)
{
    struct fake_leased_states *fake = fake_of(s);
    uint64_t fence = 0;
    enum err_code r = use(fake, scope, err);
    if (!r)
        r = fake_run_queue_claim(fake->queue, run_id, &fence, err);
    if (r)
        return r;
    r = use(fake, scope, err);
    if (r) {
        fake_run_queue_release(fake->queue, run_id);
        return r;
    }
    struct leased_run *run = arena_new(&fake->arena, struct leased_run);
    *run = (struct leased_run){ .states = fake,
                                .run_id = arena_strdup(&fake->arena, run_id),
                                .fence = fence };
    *arena_push(&fake->arena, fake->runs, fake->n, fake->capacity) = run;
    *out = (struct run_claim *)run;
    return ERR_NONE;
}

static void release(struct run_states *s, struct run_claim *claim)
{
    struct leased_run *run = (struct leased_run *)claim;
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    (void)!use(fake_of(s), &scope, NULL); /* what is not told runs out */
    if (!check_lease(run, NULL))
        fake_run_queue_release(run->states->queue, run->run_id);
    run->run_id = "";
}

static enum err_code is_owned(struct run_states *s, struct scope *scope, const char *run_id,
                              bool *out, struct err *err)
{
    enum err_code r = use(fake_of(s), scope, err);
    *out = !r && fake_run_queue_is_owned(fake_of(s)->queue->store, run_id);
    return r;
}

/* The run that this process has claimed. */
static struct leased_run *claimed(const struct fake_leased_states *fake, const char *run_id)
{
    for (size_t i = fake->n; i-- > 0;)
        if (strcmp(fake->runs[i]->run_id, run_id) == 0)
            return fake->runs[i];
    return NULL;
}

static void begin(struct leased_run *run, struct run_state *kept, struct run_state **out)
{
    static const struct run_state_ops ops = { .put_fact = put_fact,
                                              .put_call = put_call,
                                              .commit = commit,
                                              .check = check,
                                              .close = close_state };
    run->base.ops = &ops;
    run->kept = kept;
    *out = &run->base;
}

static enum err_code create(struct run_states *s, struct scope *scope, const char *run_id,
                            struct run_state **out, struct err *err)
{
    struct fake_leased_states *fake = fake_of(s);
    struct leased_run *run = claimed(fake, run_id);
    struct run_state *kept = NULL;
    enum err_code r = use(fake, scope, err);
    if (!r)
        r = check_lease(run, err);
    if (!r)
        r = run_states_create(&fake->store->base, scope, run_id, &kept, err);
    if (!r)
        begin(run, kept, out);
    return r;
}

static enum err_code open_state(struct run_states *s, struct scope *scope, const char *run_id,
                                struct run_state **out, const struct run_contents **out_contents,
                                struct err *err)
{
    struct fake_leased_states *fake = fake_of(s);
    struct leased_run *run = claimed(fake, run_id);
    struct run_state *kept = NULL;
    const struct run_contents *contents;
    enum err_code r = use(fake, scope, err);
    if (!r)
        r = check_lease(run, err);
    if (!r)
        r = run_states_open(&fake->store->base, scope, run_id, &kept, &contents, err);
    if (r)
        return r;
    run->contents = *contents; /* which the next process to open it changes */
    begin(run, kept, out);
    *out_contents = &run->contents;
    return ERR_NONE;
}

static enum err_code list(struct run_states *s, struct scope *scope, struct arena *arena,
                          const char ***out_ids, size_t *out_n, struct err *err)
{
    return run_states_list(&fake_of(s)->store->base, scope, arena, out_ids, out_n, err);
}

static enum err_code prune(struct run_states *s, struct scope *scope, int64_t before_ms,
                           int64_t max_bytes, size_t max_states, size_t *out_removed,
                           struct err *err)
{
    (void)s, (void)scope, (void)before_ms, (void)max_bytes, (void)max_states, (void)err;
    *out_removed = 0;
    return ERR_NONE;
}

void fake_leased_states_init(struct fake_leased_states *fake, struct fake_run_states *store,
                             struct fake_run_queue *queue)
{
    static const struct run_states_ops ops = { .claim = claim,
                                               .release = release,
                                               .is_owned = is_owned,
                                               .create = create,
                                               .open = open_state,
                                               .list = list,
                                               .prune = prune };
    *fake = (struct fake_leased_states){ .base = { &ops }, .store = store, .queue = queue };
}

void fake_leased_states_finish(struct fake_leased_states *fake)
{
    arena_finish(&fake->arena);
}
