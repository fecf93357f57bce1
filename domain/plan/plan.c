#include "domain/plan/plan.h"
#include "domain/base/json.h"
#include <string.h>

int plan_find_step(const struct plan *plan, const char *id)
{
    for (size_t i = 0; i < plan->n_steps; i++)
        if (strcmp(plan->steps[i].id, id) == 0)
            return (int)i;
    return -1;
}

static void set_estimate(json_t *object, int64_t estimated_ms)
{
    if (estimated_ms >= 0)
        json_object_set_new(object, "estimated_ms", json_integer(estimated_ms));
}

static json_t *step_to_json(const struct step *step)
{
    json_t *object = json_object();
    json_object_set_new(object, "id", json_string(step->id));
    json_object_set_new(object, "tool", json_string(step->tool));
    json_object_set_new(object, "args", json_share(step->args));
    if (step->n_needs) {
        json_t *needs = json_array();
        for (size_t i = 0; i < step->n_needs; i++)
            json_array_append_new(needs, json_string(step->needs[i]));
        json_object_set_new(object, "needs", needs);
    }
    if (step->timeout_ms)
        json_object_set_new(object, "timeout_ms", json_integer(step->timeout_ms));
    if (step->retry)
        json_object_set_new(object, "retry", json_integer(step->retry));
    if (step->on_error == STEP_CONTINUE)
        json_object_set_new(object, "on_error", json_string("continue"));
    set_estimate(object, step->estimated_ms);
    return object;
}

json_t *plan_to_json(const struct plan *plan)
{
    json_t *object = json_object(), *steps = json_array();
    json_object_set_new(object, "version", json_integer(PLAN_FORMAT_VERSION));
    json_object_set_new(object, "goal", json_string(plan->goal));
    if (json_object_size(plan->vars))
        json_object_set_new(object, "vars", json_share(plan->vars));
    for (size_t i = 0; i < plan->n_steps; i++)
        json_array_append_new(steps, step_to_json(&plan->steps[i]));
    json_object_set_new(object, "steps", steps);
    set_estimate(object, plan->estimated_ms);
    return object;
}
