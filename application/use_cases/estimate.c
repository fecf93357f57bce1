#include "application/use_cases/estimate.h"
#include "domain/plan/plan_check.h"
#include <string.h>

static struct plan *copy(struct arena *arena, const struct plan *plan)
{
    struct plan *copied = arena_new(arena, struct plan);
    *copied = *plan;
    copied->steps = arena_array(arena, struct step, plan->n_steps + 1);
    if (plan->n_steps)
        memcpy(copied->steps, plan->steps, plan->n_steps * sizeof *plan->steps);
    return copied;
}

/* Steps run side by side, so it is the longest chain that counts. */
static int64_t longest_chain_ms(struct arena *arena, const struct plan *plan)
{
    int64_t *ends_ms = arena_array(arena, int64_t, plan->n_steps + 1), longest_ms = 0;
    for (size_t i = 0; i < plan->n_steps; i++) {
        if (plan->steps[i].estimated_ms < 0)
            return -1;
        for (size_t earlier = 0; earlier < i; earlier++)
            if (ends_ms[earlier] > ends_ms[i] && plan_step_depends(arena, plan, i, earlier))
                ends_ms[i] = ends_ms[earlier];
        ends_ms[i] += plan->steps[i].estimated_ms;
        if (ends_ms[i] > longest_ms)
            longest_ms = ends_ms[i];
    }
    return plan->n_steps ? longest_ms : -1;
}

enum err_code estimate_plan(struct services *services, struct scope *scope, struct arena *arena,
                            const struct plan *plan, struct plan **out, struct err *err)
{
    struct run_repository *runs = NULL;
    struct plan *estimated = copy(arena, plan);
    enum err_code r = services_runs(services, &runs, err);
    for (size_t i = 0; !r && i < estimated->n_steps; i++) {
        struct step *step = &estimated->steps[i];
        step->estimated_ms = -1;
        if (runs)
            r = run_repository_median_ms(runs, scope, step->tool, &step->estimated_ms, err);
    }
    if (r)
        return err_prefix(err, r, "estimate");
    estimated->estimated_ms = longest_chain_ms(arena, estimated);
    *out = estimated;
    return ERR_NONE;
}
