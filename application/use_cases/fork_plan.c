#include "application/use_cases/kept_run.h"
#include "application/use_cases/plan_state.h"
#include "application/use_cases/run_plan.h"
#include "domain/base/text.h"
#include "domain/plan/plan_inputs.h"

/* Results that are taken over may have its secrets, which the new one need not be given. */
static void learn_secrets(struct services *services, struct arena *arena,
                          const struct run_contents *kept)
{
    struct given_plan before = { 0 };
    const json_t *ignored;
    if (!plan_state_read(arena, services->digest, kept, &before, NULL))
        (void)!plan_inputs_take_secrets(arena, json_object_get(before.plan, "inputs"), before.vars,
                                        services->ops->variable, services, &ignored, NULL);
}

enum err_code fork_plan(struct services *services, struct scope *scope, struct arena *arena,
                        const char *run_id, const struct run_plan_request *request,
                        struct turn_result *out, struct err *err)
{
    struct run_resumption other;
    struct run_plan_request forked = *request;
    *out = (struct turn_result){ 0 };
    enum err_code r = kept_run_find(services, scope, arena, run_id, &other, err);
    if (!r && !text_equal(other.run->kind, RUN_KIND_OF_PLANS))
        r = err_set(err, ERR_INVALID, 0, "run %.40s is of %.20s: only plans can be forked",
                    other.run->id, other.run->kind);
    if (r)
        return r;
    r = kept_run_open(services, scope, &other, err);
    if (r == ERR_NOT_FOUND)
        err_hint(err, r, "a run that completes is kept with runs.keep_state: always");
    if (r)
        return r;
    const struct plan_fork fork = { .run_id = other.run->id,
                                    .state = other.state,
                                    .kept = other.kept };
    forked.forked = &fork;
    learn_secrets(services, arena, other.kept);
    r = run_plan(services, scope, arena, &forked, out, err);
    kept_run_close(services, &other, /* remove */ false);
    return r;
}
