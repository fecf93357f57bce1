#include "application/use_cases/make_plan.h"
#include "application/use_cases/estimate.h"

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
