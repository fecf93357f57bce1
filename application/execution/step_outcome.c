#include "application/execution/step_outcome.h"
#include "application/runs/kept_call.h"
#include "domain/base/err.h"
#include "domain/base/json.h"
#include "domain/base/rfc3339.h"
#include "domain/base/text.h"
#include "domain/entities/call_record.h"
#include "domain/text/redact.h"
#include "domain/tool/step_result.h"
#include <string.h>

#define TOOL_SAYS_COLUMNS 200

void step_outcome_take(struct arena *arena, struct step_outcome *outcome,
                       const struct step_result *result)
{
    outcome->result = *result;
    outcome->has_result = true;
    if (!result->is_error)
        return;
    const char *text = redact_text(arena, step_result_text(arena, result)); /* before it is cut */
    const char *line = text_one_line(arena, text, strlen(text), TOOL_SAYS_COLUMNS);
    err_set(&outcome->err, ERR_FAILED, 0, "%.200s: %s", outcome->step->tool,
            *line ? line : "the tool says that it failed");
}

static json_t *parsed(const char *text)
{
    json_t *value = NULL;
    return text && !json_parse(text, strlen(text), JSON_OURS, &value, NULL) ? value : NULL;
}

void step_outcome_keep(struct arena *arena, struct step_outcome *outcome,
                       const struct call_record *call, size_t max_values)
{
    struct step_result result = { 0 };
    json_auto_t *error = parsed(call->error);
    const char *message = json_get_string(error, "message");
    outcome->is_kept = true;
    outcome->kept_args = arena_strdup(arena, call->args);
    outcome->started_at_ms = call->sent_at_ms;
    outcome->duration_ms = call->duration_ms;
    if (call->state == CALL_FAILED)
        err_set(&outcome->err, ERR_FAILED, 0, "%.200s: %s", call->tool,
                message ? message : "it failed");
    if (!call->result || kept_result(arena, call, max_values, &result, &outcome->err))
        return;
    step_outcome_take(arena, outcome, &result);
}

void step_outcome_give(struct arena *arena, struct step_outcome *outcome, const char *text,
                       json_t *value)
{
    step_result_from_text(arena, text, value, false, &outcome->result);
    outcome->has_result = !outcome->result.is_error;
    if (!outcome->has_result)
        err_set(&outcome->err, ERR_LIMIT, 0,
                "it gives a value that is nested deeper than %d levels", JSON_MAX_DEPTH);
}

const char *step_state_name(enum step_state state)
{
    static const char *const names[] = {
#define X(state, name) name,
        STEP_STATES(X)
#undef X
    };
    return names[state];
}

const char *step_label(const struct step *step)
{
    static const char *const kinds[] = {
#define X(kind, member) member,
        STEP_KINDS(X)
#undef X
    };
    return step->kind == STEP_TOOL ? step->tool : kinds[step->kind];
}

static json_t *head_of(const char *id_key, const struct step_outcome *outcome)
{
    json_t *head = json_object();
    json_t *kept = parsed(outcome->kept_args);
    const json_t *args = outcome->args ? outcome->args : outcome->step->args;
    json_object_set_new(head, id_key, json_string(outcome->step->id));
    json_object_set_new(head, outcome->step->kind == STEP_TOOL ? "tool" : "kind",
                        json_string(step_label(outcome->step)));
    if (outcome->step->kind == STEP_USE)
        json_object_set_new(head, "use", json_string(outcome->step->use->file));
    if (args || kept)
        json_object_set_new(head, "args", kept ? kept : json_share(args));
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
    if (outcome->n_times)
        json_object_set_new(value, "times", json_integer(outcome->n_times));
    if (outcome->n_failed)
        json_object_set_new(value, "failed", json_integer(outcome->n_failed));
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
    if (outcome->n_times)
        json_object_set_new(receipt, "times", json_integer(outcome->n_times));
    return receipt;
}
