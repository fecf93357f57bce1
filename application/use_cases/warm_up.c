#include "application/use_cases/warm_up.h"
#include "application/orchestrators/turn_contract.h"

/* What the first request of a turn is for (intent_parser.c), where every tool is in the shortlist.
 */
static const char *first_contract(const struct settings *settings, size_t n_tools)
{
    size_t shortlist = (size_t)settings->tools_shortlist;
    size_t offered = n_tools < shortlist ? n_tools : shortlist;
    return offered > 0 && offered <= (size_t)settings->tools_plan_at_once ? "intent_and_plan"
                                                                          : "intent";
}

void warm_up_chat(struct services *services, struct scope *scope, size_t n_tools)
{
    AUTO(arena) arena = { 0 };
    enum model_choice choice = MODEL_CHOICE_NAMED;
    struct model *model = NULL;
    const char *system = NULL;
    struct err unheard = { 0 };
    if (!services->settings->model_warm_up)
        return;
    if (services_model(services, scope, &model, &choice, &unheard) || !model)
        return;
    enum err_code r = turn_contract_system(
        &arena, services->assets, first_contract(services->settings, n_tools), &system, &unheard);
    if (!r)
        r = model_warm(model, scope, system, &unheard);
    (void)r;
}
