#include "application/use_cases/run_plan.h"
#include "domain/base/text.h"
#include "domain/repositories/run_states.h"

/* The id in full; without a log the id is what was given. */
static enum err_code find_run(struct services *services, struct scope *scope, struct arena *arena,
                              const char **id, struct err *err)
{
    struct run_repository *runs = NULL;
    struct run *run = NULL;
    enum err_code r = services_runs(services, &runs, err);
    if (!r && runs)
        r = run_repository_get(runs, scope, *id, arena, &run, err);
    if (r || !run)
        return r;
    *id = run->id;
    if (!text_equal(run->kind, RUN_KIND_OF_PLANS))
        return err_set(err, ERR_INVALID, 0, "run %.40s is of %.20s: only plans can be forked",
                       run->id, run->kind);
    return ERR_NONE;
}

enum err_code fork_plan(struct services *services, struct scope *scope, struct arena *arena,
                        const char *run_id, const struct run_plan_request *request,
                        struct turn_result *out, struct err *err)
{
    struct run_states *states = services->run_states;
    struct plan_fork fork = { .run_id = run_id };
    struct run_claim *claim = NULL;
    struct run_state *state = NULL;
    struct run_plan_request forked = *request;
    *out = (struct turn_result){ 0 };
    if (!states)
        return err_set(err, ERR_UNAVAILABLE, 0, "there is nowhere that runs could be kept");
    enum err_code r = find_run(services, scope, arena, &fork.run_id, err);
    if (!r)
        r = run_states_claim(states, fork.run_id, &claim, err);
    if (!r)
        r = run_states_open(states, scope, fork.run_id, &state, &fork.kept, err);
    if (r == ERR_NOT_FOUND && claim) {
        err_prefix(err, r, "run %.40s", fork.run_id);
        err_hint(err, r, "a run that completes is kept with runs.keep_state: always");
    }
    forked.forked = &fork;
    if (!r)
        r = run_plan(services, scope, arena, &forked, out, err);
    if (state)
        run_state_close(state, false);
    if (claim)
        run_states_release(states, claim);
    return r;
}
