/* A process that may be killed at every call of a port, for the scenarios of durable runs: the port
 * of the run log, and what the other ports begin and end with. What a dead process still does
 * reaches nobody. */
#ifndef TESTS_SCENARIO_MORTAL_H
#define TESTS_SCENARIO_MORTAL_H

#include "tests/support/fakes/fake_run_repository.h"
#include "tests/support/full/virtual_runtime.h"

struct mortal {
    struct virtual_runtime *runtime;
    struct fake_run_repository *disk; /* what is left of the log */
    struct run_repository log;
    unsigned calls, killed_at; /* of ports; 0: never */
    bool is_dead;
};

static struct mortal *mortal; /* the ports have nothing else to find it by */

static enum err_code die(struct err *err)
{
    return err_set(err, ERR_CANCELLED, 0, "the process is dead");
}

/* A call of a port: the process may end here. What it still does then reaches nobody. */
static enum err_code pass(struct scope *scope, struct err *err)
{
    struct runtime *port = virtual_runtime_port(mortal->runtime);
    if (++mortal->calls == mortal->killed_at)
        mortal->is_dead = true;
    if (mortal->is_dead)
        return die(err);
    (void)!runtime_sleep(port, scope, (int64_t)virtual_runtime_random(mortal->runtime, 4), NULL);
    return mortal->is_dead ? die(err) : ERR_NONE;
}

static enum err_code on_state(void *context, struct scope *scope, struct err *err)
{
    (void)context;
    return pass(scope, err);
}

static void begin_run(struct run_repository *log, const struct run *run)
{
    (void)log;
    if (!mortal->is_dead)
        run_repository_begin(&mortal->disk->base, run);
}

static void append_event(struct run_repository *log, const struct event *event)
{
    (void)log;
    if (!mortal->is_dead)
        run_repository_append(&mortal->disk->base, event);
}

static void finish_run(struct run_repository *log, const struct run *run)
{
    (void)log;
    if (!mortal->is_dead)
        run_repository_finish(&mortal->disk->base, run);
}

static enum err_code sync_log(struct run_repository *log, struct scope *scope, struct err *err)
{
    (void)log;
    return pass(scope, err);
}

static enum err_code get_run(struct run_repository *log, struct scope *scope, const char *id,
                             struct arena *arena, struct run **out, struct err *err)
{
    (void)log;
    return run_repository_get(&mortal->disk->base, scope, id, arena, out, err);
}

static enum err_code get_events(struct run_repository *log, struct scope *scope,
                                const struct event_range *range, struct arena *arena,
                                struct event **out, size_t *out_n, struct err *err)
{
    (void)log;
    enum err_code r = pass(scope, err);
    return r ? r : run_repository_events(&mortal->disk->base, scope, range, arena, out, out_n, err);
}

static enum err_code prune_runs_of_log(struct run_repository *log, struct scope *scope,
                                       const struct run_retention *keep, int64_t now_ms,
                                       size_t *out_removed, struct err *err)
{
    (void)log;
    (void)keep;
    (void)now_ms;
    *out_removed = 0;
    return pass(scope, err);
}

static void mortal_init(struct mortal *self, struct fake_run_repository *disk, uint64_t seed,
                        unsigned killed_at)
{
    static const struct run_repository_ops ops = { .begin = begin_run,
                                                   .append = append_event,
                                                   .finish = finish_run,
                                                   .sync = sync_log,
                                                   .get = get_run,
                                                   .events = get_events,
                                                   .prune = prune_runs_of_log };
    *self = (struct mortal){ .runtime = virtual_runtime_create(seed),
                             .disk = disk,
                             .log = { &ops },
                             .killed_at = killed_at };
    mortal = self;
}

#endif
