/* One answer of a model, of the shape that the plan wants. What it said is in the state of the run,
 * so that a run that is resumed does not ask again (application/structured/reply_ledger.h). */
#include "application/execution/plan_run.h"
#include "application/structured/contracts.h"
#include "domain/base/json.h"
#include "domain/plan/references.h"

static const char system_text[] =
    "You give one answer as JSON, of the shape that you are told. You use what the request says "
    "and invent nothing.";

static enum err_code ask(struct step_run *step, struct engine *engine, const char *text,
                         const json_t **out)
{
    struct list_run *list = step->in;
    struct contract contract = { .name = "ask",
                                 .version = 1,
                                 .shape = CONTRACT_OBJECT,
                                 .profile = CONTRACT_PROFILE_DECIDE,
                                 .schema = step->outcome->step->schema };
    const struct prompt_part parts[] = {
        { .text = contract_prompt_text(list->arena, &contract), .speaker = PROMPT_TASK },
        { .text = text },
    };
    const struct ask_prompt prompt = {
        .prompt = { .system = system_text, .parts = parts, .n_parts = ARRAY_LENGTH(parts) }
    };
    struct ask_outcome outcome = { 0 };
    enum err_code r = engine_ask(engine, list->scope, list->arena, &contract, &prompt, &outcome,
                                 &step->outcome->err);
    *out = outcome.value;
    return r;
}

enum err_code step_ask(struct step_run *step)
{
    struct list_run *list = step->in;
    const struct reference_place place = reference_place_of(list->run->plan, step->at);
    const json_t *said = arena_keep_json(list->arena, json_string(step->outcome->step->text));
    const json_t *value = NULL;
    struct run_model model = { 0 };
    struct err *err = &step->outcome->err;
    enum err_code r = references_bind_value(list->arena, &place, &list->frame, said, &said, err);
    if (!r)
        r = run_session_model(list->run->session, &model, err);
    if (!r && !model.engine.model)
        r = err_set(err, ERR_UNAVAILABLE, 0, "there is no model to ask");
    if (!r)
        r = ask(step, &model.engine,
                json_is_string(said) ? json_string_value(said) : json_print_in(list->arena, said),
                &value);
    if (r)
        return r;
    step_outcome_give(list->arena, step->outcome, json_print_in(list->arena, value),
                      json_share(value));
    return step->outcome->err.code;
}
