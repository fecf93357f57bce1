#include "application/orchestrators/planner.h"
#include "application/orchestrators/arguments.h"
#include "application/orchestrators/plan_contract.h"
#include "application/orchestrators/responder.h"
#include "domain/base/json.h"
#include "domain/rules/plan_check.h"
#include "domain/rules/references.h"
#include <string.h>

/* A plan while it is being made: what the contract's cross-check sees. */
struct draft {
    struct turn *turn;
    const char *id_prefix; /* of steps the model gave no id: "s", or "r" in a second plan */
    struct plan *plan;     /* the last that passed the check */
    struct problems *problems;
};

static const json_t *vars_of(const struct turn *turn)
{
    return turn->known_results ? turn->known_results : arena_keep_json(turn->arena, json_object());
}

static bool check(struct draft *draft, struct plan *plan, struct problems *problems)
{
    struct turn *turn = draft->turn;
    const struct plan_check_input input = {
        .tools = turn->shortlist.best,
        .n_tools = turn->shortlist.n,
        .vars = plan->vars,
        .max_steps = (size_t)turn_settings(turn)->max_plan_steps,
    };
    return plan_check(turn->arena, plan, &input, problems);
}

/* The document's plan when it may run; else false, with every problem in the list. */
static bool read_plan(struct draft *draft, json_t *document, struct problems *problems)
{
    struct turn *turn = draft->turn;
    struct plan *plan = NULL;
    arena_keep_json(turn->arena, document);
    if (plan_from_json(turn->arena, document, &plan, problems) && check(draft, plan, problems)) {
        draft->plan = plan;
        return true;
    }
    journal_emit(turn->orchestrator->journal, EVENT_PLAN_REJECTED,
                 json_pack("{s:o}", "problems", problems_to_json(problems)));
    struct problems *kept = arena_new(turn->arena, struct problems);
    *kept = *problems;
    draft->problems = kept;
    return false;
}

static bool cross_check(void *context, const json_t *value, struct problems *problems)
{
    struct draft *draft = context;
    struct turn *turn = draft->turn;
    json_t *document = plan_contract_read(value, &turn->shortlist, draft->id_prefix,
                                          turn->intent->primary_goal, vars_of(turn));
    return read_plan(draft, document, problems);
}

static enum err_code bad_plan(struct draft *draft, struct err *err)
{
    struct problems *problems = draft->problems;
    draft->turn->result->problems = problems;
    const char *first = problems && problems->n ? problem_print(problems, problems->list)
                                                : "it does not fit its contract";
    enum err_code r = err_set(err, ERR_BAD_PLAN, 0, "no valid plan: %.300s", first);
    return err_about(err, r, "plan");
}

static enum err_code load_schema(const struct turn *turn, const json_t **out, struct err *err)
{
    const char *text = NULL, *origin = NULL;
    json_t *schema = NULL;
    struct assets *assets = turn->orchestrator->services->assets;
    enum err_code r = assets_get(assets, PLAN_CONTRACT_PATH, turn->arena, &text, &origin, err);
    if (!r)
        r = json_parse(text, strlen(text), JSON_OURS, &schema, err);
    if (r)
        return err_prefix(err, r, "contract plan");
    plan_contract_complete(schema, &turn->shortlist, (size_t)turn_settings(turn)->max_plan_steps);
    *out = arena_keep_json(turn->arena, schema);
    return ERR_NONE;
}

static enum err_code make_prompt(const struct turn *turn, const char *path,
                                 const struct prompt_value *values, size_t n,
                                 struct ask_prompt *out, struct err *err)
{
    const struct settings *settings = turn_settings(turn);
    int64_t tokens = PLANNER_BASE_TOKENS + PLANNER_STEP_TOKENS * settings->max_plan_steps;
    *out = (struct ask_prompt){ 0 };
    out->max_tokens = (int)(tokens < settings->max_tokens ? tokens : settings->max_tokens);
    return turn_make_prompt(turn, "config/prompts/plan_system.txt", path, values, n, &out->prompt,
                            err);
}

static enum err_code ask_model(struct draft *draft, struct scope *scope,
                               const struct ask_prompt *prompt, struct err *err)
{
    struct contract contract = { .name = "plan", .version = 1, .cross_check = cross_check };
    const json_t *value = NULL;
    enum err_code r = load_schema(draft->turn, &contract.schema, err);
    contract.context = draft;
    if (!r)
        r = turn_ask(draft->turn, scope, &contract, prompt, &value, err);
    return r == ERR_FAILED ? bad_plan(draft, err) : r;
}

/* The one tool that is needed, when nothing is left to think about. */
static const struct tool *only_tool(const struct turn *turn)
{
    const struct intent *intent = turn->intent;
    bool is_complete = intent->confidence.completeness >= 1 && intent->confidence.validity >= 1;
    if (intent->n_tools_needed != 1 || (turn->orchestrator->model && !is_complete))
        return NULL;
    return shortlist_find(&turn->shortlist, intent->tools_needed[0]);
}

static json_t *one_call(const struct turn *turn, const struct tool *tool, const json_t *args,
                        const json_t *vars)
{
    return json_pack("{s:i, s:s, s:O, s:[{s:s, s:s, s:O}]}", "version", PLAN_FORMAT_VERSION, "goal",
                     turn->intent->primary_goal, "vars", vars, "steps", "id", "s1", "tool",
                     tool->full_name, "args", args);
}

/* Every argument as a reference to a variable of its name. */
static const json_t *by_reference(struct arena *arena, const json_t *args)
{
    json_t *references = arena_keep_json(arena, json_object());
    const char *key;
    const json_t *value;
    json_each_member (args, key, value) {
        const char *reference = arena_printf(arena, "{vars.%s}", key);
        json_object_set_new(references, key, json_string(reference));
    }
    return references;
}

static bool note_reference(void *context, const char *path, const struct reference *reference)
{
    (void)path;
    (void)reference;
    *(bool *)context = true;
    return false;
}

static bool has_references(struct arena *arena, const json_t *args)
{
    bool found = false;
    struct step step = { .id = "s1", .args = args };
    const struct plan plan = { .goal = "", .steps = &step, .n_steps = 1 };
    references_visit(arena, &plan, 0, args, note_reference, &found);
    return found;
}

/* The words of a request are no references, whatever braces they contain: where they look like
 * some, the values travel as variables, which are never looked into. */
static bool plan_one_call(struct draft *draft, const struct tool *tool, struct problems *problems)
{
    struct turn *turn = draft->turn;
    const json_t *nothing = arena_keep_json(turn->arena, json_object());
    const json_t *args = arguments_for(turn->arena, tool, turn->intent->parameters);
    json_t *document = has_references(turn->arena, args)
                           ? one_call(turn, tool, by_reference(turn->arena, args), args)
                           : one_call(turn, tool, args, nothing);
    return read_plan(draft, document, problems);
}

static struct plan *empty_plan(const struct turn *turn)
{
    struct plan *plan = arena_new(turn->arena, struct plan);
    plan->goal = turn->intent->primary_goal;
    plan->vars = arena_keep_json(turn->arena, json_object());
    plan->estimated_ms = -1;
    return plan;
}

static enum err_code plan_with_model(struct draft *draft, struct scope *scope, struct err *err)
{
    struct ask_prompt prompt;
    enum err_code r = make_prompt(draft->turn, "config/prompts/plan.txt", NULL, 0, &prompt, err);
    return r ? r : ask_model(draft, scope, &prompt, err);
}

static enum err_code make_plan(struct draft *draft, struct scope *scope, struct err *err)
{
    struct turn *turn = draft->turn;
    struct problems problems = { .arena = turn->arena };
    const struct tool *tool = only_tool(turn);
    if (turn->intent->n_tools_needed == 0) {
        draft->plan = empty_plan(turn);
        return ERR_NONE;
    }
    if (!tool)
        return plan_with_model(draft, scope, err);
    return plan_one_call(draft, tool, &problems) ? ERR_NONE : bad_plan(draft, err);
}

static void accept(struct draft *draft, const char *maker, const struct plan **out)
{
    struct turn *turn = draft->turn;
    turn->result->plan = draft->plan;
    turn->result->problems = NULL;
    json_t *data = json_pack("{s:s, s:o}", "by", maker, "plan", plan_to_json(draft->plan));
    journal_emit(turn->orchestrator->journal, EVENT_PLAN, data);
    *out = draft->plan;
}

enum err_code planner_make(struct turn *turn, struct scope *scope, const struct plan **out,
                           struct err *err)
{
    struct draft draft = { .turn = turn, .id_prefix = "s" };
    enum err_code r = make_plan(&draft, scope, err);
    if (!r)
        accept(&draft, turn->intent->analyst, out);
    return r;
}

/* What other steps gave, for {vars.…}: by the ids of the steps. */
static const json_t *known_results(const struct turn *turn, const struct execution *execution)
{
    json_t *known = arena_keep_json(turn->arena, json_object());
    for (size_t i = 0; i < execution->n_steps; i++) {
        const struct step_outcome *outcome = &execution->steps[i];
        if (outcome->state == STEP_OK || outcome->state == STEP_CACHED)
            json_object_set_new(known, outcome->step->id,
                                json_share(step_result_data(turn->arena, &outcome->result)));
    }
    return known;
}

enum err_code planner_make_again(struct turn *turn, struct scope *scope,
                                 const struct execution *failed, const struct plan **out,
                                 struct err *err)
{
    struct draft draft = { .turn = turn, .id_prefix = "r" };
    struct ask_prompt prompt;
    const struct prompt_value values[] = {
        responder_results(turn, failed->steps, failed->n_steps),
        { .name = "error", .text = failed->failed->err.message },
    };
    turn->known_results = known_results(turn, failed);
    enum err_code r = make_prompt(turn, "config/prompts/replan.txt", values, 2, &prompt, err);
    if (!r)
        r = ask_model(&draft, scope, &prompt, err);
    if (!r)
        accept(&draft, TURN_ANALYST_MODEL, out);
    return r;
}
