#include "application/use_cases/make_plan.h"
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
    bool *needs = arena_array(arena, bool, plan->n_steps + 1);
    for (size_t i = 0; i < plan->n_steps; i++) {
        if (plan->steps[i].estimated_ms < 0)
            return -1;
        plan_step_needs(arena, plan, i, needs);
        for (size_t earlier = 0; earlier < i; earlier++)
            if (ends_ms[earlier] > ends_ms[i] && needs[earlier])
                ends_ms[i] = ends_ms[earlier];
        ends_ms[i] += plan->steps[i].estimated_ms;
        if (ends_ms[i] > longest_ms)
            longest_ms = ends_ms[i];
    }
    return plan->n_steps ? longest_ms : -1;
}

static enum err_code estimate_plan(struct services *services, struct scope *scope,
                                   struct arena *arena, const struct plan *plan, struct plan **out,
                                   struct err *err)
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

enum err_code make_plan(struct mistral_chat *chat, struct scope *scope, struct arena *arena,
                        const struct turn_request *request, struct turn_result *out,
                        const json_t **out_plan, struct err *err)
{
    struct turn_request plan_only = *request;
    struct turn_result result = { 0 };
    struct plan *plan = NULL;
    plan_only.plan_only = true;
    enum err_code r = mistral_chat_turn(chat, scope, arena, &plan_only, &result, err);
    bool has_plan = !r && turn_has_answer(&result) && result.plan;
    if (has_plan)
        r = estimate_plan(mistral_chat_services(chat), scope, arena, result.plan, &plan, err);
    if (r)
        return r;
    if (plan)
        result.plan = plan;
    *out_plan = plan ? arena_keep_json(arena, plan_to_json(plan)) : NULL;
    *out = result;
    return ERR_NONE;
}
