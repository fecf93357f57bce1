#include "application/orchestrators/step_outcome.h"
#include "domain/base/err.h"
#include "domain/base/json.h"
#include "domain/base/rfc3339.h"
#include "domain/tool/step_result.h"

const char *step_state_name(enum step_state state)
{
    static const char *const names[] = {
#define X(state, name) name,
        STEP_STATES(X)
#undef X
    };
    return names[state];
}

static json_t *head_of(const char *id_key, const struct step_outcome *outcome)
{
    json_t *head = json_object();
    const json_t *args = outcome->args ? outcome->args : outcome->step->args;
    json_object_set_new(head, id_key, json_string(outcome->step->id));
    json_object_set_new(head, "tool", json_string(outcome->step->tool));
    json_object_set_new(head, "args", json_share(args));
    json_object_set_new(head, "status", json_string(step_state_name(outcome->state)));
    return head;
}

/* One of too many values is shown by its beginning. */
static json_t *result_of(const struct step_result *result)
{
    const json_t *value = step_result_value(result);
    return value ? json_share(value) : result_preview(result);
}

json_t *step_outcome_to_json(const struct step_outcome *outcome)
{
    json_t *value = head_of("id", outcome);
    json_object_set_new(value, "duration_ms", json_integer(outcome->duration_ms));
    if (outcome->has_result)
        json_object_set_new(value, "result", result_of(&outcome->result));
    if (outcome->err.code)
        json_object_set_new(value, "error", err_to_json(&outcome->err));
    return value;
}

json_t *step_outcome_receipt(const struct step_outcome *outcome)
{
    if (outcome->started_at_ms == 0)
        return NULL;
    char at[RFC3339_SIZE];
    json_t *receipt = head_of("step", outcome);
    json_object_set_new(receipt, "at", json_string(rfc3339_print(outcome->started_at_ms, at)));
    json_object_set_new(receipt, "duration_ms", json_integer(outcome->duration_ms));
    return receipt;
}
