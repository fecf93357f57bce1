#include "application/orchestrators/planner.h"
#include "application/execution/arguments.h"
#include "application/orchestrators/asked_deeds.h"
#include "application/orchestrators/plan_contract.h"
#include "application/orchestrators/planned_steps.h"
#include "application/orchestrators/responder.h"
#include "application/orchestrators/turn_contract.h"
#include "application/structured/sanitize.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/plan_check.h"
#include "domain/plan/references.h"
#include "domain/plan/value_origin.h"
#include "domain/schema/schema_view.h"
#include <string.h>

/* A plan while it is being made: what the functions of the contract see. */
struct draft {
    struct turn *turn;
    const char *id_prefix; /* of steps the model gave no id: "s", or "r" in a second plan */
    const char *by;        /* who made the plan */
    struct plan *plan;     /* the last that passed the check */
    struct problems *problems;
    struct argument_notes notes; /* of the steps that were mended last */
    bool is_empty;               /* the last one had no step, though tools are needed */
    bool is_again;               /* a second plan, after the first failed */
    const json_t *unasked;       /* steps that change what no one asked to change */
};

/* What is known of earlier results, as far as the value refers to it. */
static const json_t *vars_in(const struct turn *turn, const json_t *value)
{
    json_t *vars = arena_keep_json(turn->arena, json_object()), *known;
    const char *text = json_print_in(turn->arena, value), *name;
    json_each_member (turn->known_results, name, known)
        if (strstr(text, arena_printf(turn->arena, "vars.%s", name)))
            json_object_set(vars, name, known);
    return vars;
}

static bool is_used(const struct plan *plan, const char *name, const json_t *value)
{
    for (size_t i = 0; i < plan->n_steps; i++)
        if (json_equal(json_object_get(plan->steps[i].args, name), value))
            return true;
    return false;
}

/* An argument whose value was not said. Where it stands in the place of what the intent says, it is
 * a problem of the plan. Else a person is to be asked, which is prepared without problems. */
static void look_at_unsaid(const struct turn *turn, const struct plan *plan,
                           const struct step *step, const char *name, struct problems *problems)
{
    const struct confidence_input input = turn_confidence_input(turn);
    const json_t *known = json_object_get(turn->intent->parameters, name);
    bool is_replaced = known && !is_used(plan, name, known);
    if (!is_replaced && !problems)
        confidence_ask_for(turn->arena, turn->intent, &input,
                           shortlist_find(&turn->shortlist, step->tool), name);
    if (is_replaced && problems)
        problems_add(problems, step->id, json_path_member(turn->arena, "/args", name),
                     "the request does not say this value")
            ->fix = arena_printf(turn->arena, "write %s", json_print_in(turn->arena, known));
}

/* The required arguments of the steps. */
static void look_at_values(const struct turn *turn, const struct plan *plan,
                           struct problems *problems)
{
    const struct said *said = turn_said_or_known(turn);
    for (size_t i = 0; i < plan->n_steps; i++) {
        const struct step *step = &plan->steps[i];
        const struct tool *tool = shortlist_find(&turn->shortlist, step->tool);
        const char *name;
        const json_t *value;
        json_each_member (step->args, name, value) {
            const json_t *known = json_object_get(turn->intent->parameters, name);
            if (tool && schema_view_requires(tool->input_schema, name) &&
                !(known && json_equal(known, value)) && !value_is_said(tool, name, value, said))
                look_at_unsaid(turn, plan, step, name, problems);
        }
    }
}

static void leave_out_inventions(struct draft *draft, struct step *step, const struct said *said)
{
    const struct turn *turn = draft->turn;
    const struct tool *tool = shortlist_find(&turn->shortlist, step->tool);
    draft->notes.step = step->id;
    if (tool)
        step->args = turn_leave_out_inventions(turn, &tool, 1, step->args, said, &draft->notes);
}

static size_t most_steps_read(const struct turn *turn)
{
    return (size_t)turn_settings(turn)->max_plan_steps + PLAN_CONTRACT_SPARE_ITEMS;
}

static bool check(struct draft *draft, struct plan *plan, struct problems *problems)
{
    struct turn *turn = draft->turn;
    const struct plan_check_input input = {
        .tools = turn->shortlist.best,
        .n_tools = turn->shortlist.n,
        .vars = plan->vars,
        .max_steps = (size_t)turn_settings(turn)->max_plan_steps,
        .is_cut = plan->n_steps == most_steps_read(turn),
        .request = turn->said->text,
    };
    const struct said *said = turn_said_or_known(turn);
    for (size_t i = 0; i < plan->n_steps; i++)
        leave_out_inventions(draft, &plan->steps[i], said);
    if (plan_check(turn->arena, plan, &input, problems) && !draft->is_again)
        look_at_values(turn, plan, problems);
    return problems->n == 0;
}

/* Tells what is wrong with a plan, and keeps it. */
static void reject(struct draft *draft, struct problems *problems)
{
    struct problems *kept = arena_new(draft->turn->arena, struct problems);
    journal_emit(&draft->turn->session->journal, EVENT_PLAN_REJECTED,
                 json_pack("{s:o}", "problems", problems_to_json(problems)));
    *kept = *problems;
    draft->problems = kept;
}

/* The document's plan when it may run; else false, with every problem in the list. */
static bool read_plan(struct draft *draft, json_t *document, struct problems *problems)
{
    struct turn *turn = draft->turn;
    struct plan *plan = NULL;
    arena_keep_json(turn->arena, document);
    bool is_plan = plan_from_json(turn->arena, document, &plan, problems);
    bool is_asked = !is_plan || asked_deeds_check(turn, plan, problems);
    draft->unasked = is_asked ? NULL : json_object_get(document, "steps");
    if (is_plan && check(draft, plan, problems) && is_asked) {
        draft->plan = plan;
        return true;
    }
    reject(draft, problems);
    return false;
}

/* Tools that are needed and a plan without a step contradict each other. */
static bool refuse_empty(struct draft *draft, struct problems *problems)
{
    const char *needed = turn_print_needed(draft->turn);
    problems_add(problems, NULL, "/steps", "there is no step, but %s is needed", needed)->fix =
        arena_printf(draft->turn->arena, "write a step for each thing to do with %s", needed);
    reject(draft, problems);
    return false;
}

static bool read_steps(void *context, const json_t *value, struct problems *problems)
{
    struct draft *draft = context;
    struct turn *turn = draft->turn;
    const json_t *steps = json_is_array(value) ? value : json_object_get(value, "steps");
    draft->is_empty = json_array_size(steps) == 0 && !draft->is_again;
    if (draft->is_empty)
        return refuse_empty(draft, problems);
    json_t *document = plan_contract_read(value, &turn->shortlist, draft->id_prefix,
                                          turn->intent->primary_goal, vars_in(turn, value));
    return read_plan(draft, document, problems);
}

/* A list of steps without the object around it is meant as one. */
static const json_t *mend(void *context, struct arena *arena, const json_t *value)
{
    struct draft *draft = context;
    const json_t *steps = json_is_object(value) ? json_object_get(value, "steps") : value;
    draft->notes = argument_notes_make(arena);
    if (!steps)
        return value;
    const json_t *mended =
        planned_steps_mend(arena, &draft->turn->shortlist, steps, most_steps_read(draft->turn),
                           draft->id_prefix, &draft->notes);
    json_auto_t *whole = json_share(value);
    json_t *plan = json_is_object(value) ? json_copy(whole) : json_object();
    json_object_set_new(plan, "steps", json_share(mended));
    return arena_keep_json(arena, plan);
}

static const json_t *adopt_calls(void *context, struct arena *arena, const json_t *calls)
{
    (void)context;
    return arena_keep_json(arena, json_pack("{s:s, s:O}", "reason",
                                            "the model called the tools itself", "steps", calls));
}

static enum err_code bad_plan(struct draft *draft, struct err *err)
{
    struct problems *problems = draft->problems;
    draft->turn->result->problems = problems;
    const char *first = problems && problems->n ? problem_print(problems, problems->list)
                                                : "it does not fit its contract";
    enum err_code code = draft->is_empty ? ERR_FAILED : ERR_BAD_PLAN;
    enum err_code r = err_set(err, code, 0, "no valid plan: %.300s", first);
    if (draft->unasked)
        r = err_hint(err, r, "say in the request what is to be changed");
    return err_about(err, r, "plan");
}

int64_t planner_max_tokens(const struct turn *turn)
{
    const struct settings *settings = turn_settings(turn);
    int64_t tokens = PLANNER_BASE_TOKENS + PLANNER_STEP_TOKENS * settings->max_plan_steps;
    return tokens < settings->max_tokens ? tokens : settings->max_tokens;
}

static enum err_code load_contract(struct draft *draft, struct turn_contract *out, struct err *err)
{
    const struct turn *turn = draft->turn;
    enum err_code r = turn_contract_load(turn, "plan", out, err);
    if (r)
        return r;
    size_t max_steps = (size_t)turn_settings(turn)->max_plan_steps;
    plan_contract_complete(out->schema, &turn->shortlist, max_steps, PLAN_ARGUMENTS_REQUIRED);
    out->contract.normalise = mend;
    out->contract.cross_check = read_steps;
    out->contract.adopt_calls = adopt_calls;
    out->contract.context = draft;
    return ERR_NONE;
}

static enum err_code ask_model(struct draft *draft, const char *path,
                               const struct prompt_value *values, size_t n, struct err *err)
{
    struct turn_contract contract;
    struct ask_prompt prompt = { .max_tokens = (int)planner_max_tokens(draft->turn) };
    struct ask_outcome outcome = { 0 };
    draft->by = TURN_ANALYST_MODEL;
    enum err_code r = load_contract(draft, &contract, err);
    if (!r)
        r = turn_contract_prompt(draft->turn, &contract, path, values, n, &prompt, err);
    if (!r)
        r = turn_ask(draft->turn, &contract.contract, &prompt, &outcome, err);
    return r == ERR_FAILED ? bad_plan(draft, err) : r;
}

/* The one tool that is needed, when nothing is left to think about. One call is no remedy for more
 * steps than a plan may have: it would be a part of them. */
static const struct tool *only_tool(const struct turn *turn)
{
    const struct intent *intent = turn->intent;
    if (json_array_size(turn->proposal) > (size_t)turn_settings(turn)->max_plan_steps)
        return NULL;
    bool is_complete = intent->confidence.completeness >= 1 && intent->confidence.validity >= 1 &&
                       !intent->has_lists_of_steps;
    if (intent->n_tools_needed != 1 || (turn->orchestrator->engine.model && !is_complete))
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

/* What the only proposed step says of the tool beside the parameters; NULL when there is none. What
 * is required is in the parameters, which passed the gate: this can only be optional. */
static const json_t *proposed_args(const struct turn *turn, const struct tool *tool)
{
    const json_t *step = json_array_get(turn->proposal, 0);
    const char *name = json_get_string(step, "tool");
    bool is_alone = json_array_size(turn->proposal) == 1;
    if (!is_alone || !name || shortlist_find(&turn->shortlist, name) != tool)
        return NULL;
    return json_object_get(step, "args");
}

/* The words of a request are never references, whatever braces they contain: where they look like
 * some, the values travel as variables, which are never looked into. */
static bool plan_call_with(struct draft *draft, const struct tool *tool, const json_t *args,
                           struct problems *problems)
{
    const struct turn *turn = draft->turn;
    const json_t *nothing = arena_keep_json(turn->arena, json_object());
    json_t *document = references_are_in(turn->arena, args, NULL)
                           ? one_call(turn, tool, by_reference(turn->arena, args), args)
                           : one_call(turn, tool, args, nothing);
    return read_plan(draft, document, problems);
}

static bool plan_one_call(struct draft *draft, const struct tool *tool, struct problems *problems)
{
    const struct turn *turn = draft->turn;
    const json_t *more = proposed_args(turn, tool);
    const json_t *args = arguments_for(turn->arena, tool, turn->intent->parameters);
    if (more) {
        struct problems of_both = { .arena = turn->arena };
        json_auto_t *own = json_share(args), *proposed = json_share(more);
        json_t *both = arena_keep_json(turn->arena, json_copy(own));
        json_object_update_missing(both, proposed);
        if (plan_call_with(draft, tool, both, &of_both))
            return true;
    }
    return !turn->intent->has_gaps_to_write && plan_call_with(draft, tool, args, problems);
}

static struct plan *empty_plan(const struct turn *turn)
{
    struct plan *plan = arena_new(turn->arena, struct plan);
    plan->goal = turn->intent->primary_goal;
    plan->vars = arena_keep_json(turn->arena, json_object());
    plan->estimated_ms = -1;
    return plan;
}

/* "- Use files/read, at s1 /tool.", one line for each problem. */
static const char *print_instructions(const struct turn *turn, struct problems *problems)
{
    const char *text = "";
    for (size_t i = 0; i < problems->n && i < PLANNER_MAX_INSTRUCTIONS; i++) {
        const struct problem *problem = &problems->list[i];
        const char *what = problem_print(problems, problem);
        text = arena_printf(turn->arena, "%s- %s%s%s\n", text, what, problem->fix ? ": " : "",
                            problem->fix ? problem->fix : "");
    }
    return text;
}

/* With what was wrong with the plan that came with the intent, if there was one. */
static enum err_code plan_with_model(struct draft *draft, struct err *err)
{
    struct turn *turn = draft->turn;
    const json_t *first = draft->unasked ? draft->unasked : turn->proposal;
    if (!draft->problems || !first)
        return ask_model(draft, "config/prompts/plan.txt", NULL, 0, err);
    const struct prompt_value values[] = {
        { .name = "plan", .text = json_print_in(turn->arena, first) },
        { .name = "problems", .text = print_instructions(turn, draft->problems) },
    };
    return ask_model(draft, "config/prompts/plan_mend.txt", values, 2, err);
}

/* The steps of the lexical analyst: calls in order, and nothing to mend in them. */
static enum err_code plan_calls(struct draft *draft, struct err *err)
{
    const struct turn *turn = draft->turn;
    struct problems problems = { .arena = turn->arena };
    json_t *document = json_pack("{s:i, s:s, s:{}, s:O}", "version", PLAN_FORMAT_VERSION, "goal",
                                 turn->intent->primary_goal, "vars", "steps", turn->proposal);
    return read_plan(draft, document, &problems) ? ERR_NONE : bad_plan(draft, err);
}

static bool refuse_proposal(struct draft *draft)
{
    struct problems *problems = arena_new(draft->turn->arena, struct problems);
    problems->arena = draft->turn->arena;
    problems_add(problems, NULL, "/steps", "a step uses a tool that the request does not need")
        ->fix = "use only the tools that seem to be needed";
    reject(draft, problems);
    return false;
}

/* The steps that came with the intent. One step alone says no more than the intent does; and none
 * may use a tool that the gate did not see. */
static bool take_proposal(struct draft *draft)
{
    const struct turn *turn = draft->turn;
    const struct intent *intent = turn->intent;
    struct problems problems = { .arena = turn->arena };
    size_t n = json_array_size(turn->proposal);
    if (n == 0 || (n == 1 && only_tool(turn)))
        return false;
    draft->by = intent->analyst;
    draft->notes = turn->proposal_notes;
    if (!planned_steps_keep_to(&turn->shortlist, turn->proposal, intent->tools_needed,
                               intent->n_tools_needed))
        return refuse_proposal(draft);
    return read_steps(draft, turn->proposal, &problems);
}

static enum err_code make_plan(struct draft *draft, struct err *err)
{
    struct turn *turn = draft->turn;
    struct problems problems = { .arena = turn->arena };
    if (turn->intent->n_tools_needed == 0)
        draft->plan = empty_plan(turn);
    else if (turn->proposal && text_equal(draft->by, TURN_ANALYST_LEXICAL))
        return plan_calls(draft, err);
    if (draft->plan || take_proposal(draft))
        return ERR_NONE;
    const struct tool *tool = only_tool(turn);
    draft->notes = (struct argument_notes){ 0 };
    if (tool && plan_one_call(draft, tool, &problems))
        return ERR_NONE;
    bool may_ask = turn->orchestrator->engine.model &&
                   (!tool || turn->intent->has_gaps_to_write || draft->unasked);
    return may_ask ? plan_with_model(draft, err) : bad_plan(draft, err);
}

static void accept(struct draft *draft, const struct plan **out)
{
    struct turn *turn = draft->turn;
    turn->result->plan = draft->plan;
    turn->result->problems = NULL;
    json_t *data = json_pack("{s:s, s:o}", "by", draft->by, "plan", plan_to_json(draft->plan));
    if (json_array_size(draft->notes.list))
        json_object_set(data, "adjusted", draft->notes.list);
    if (strcmp(draft->by, TURN_ANALYST_MODEL) == 0) /* the other has explained its intent */
        json_object_set_new(data, "explanation",
                            json_string(planned_steps_explain(turn->arena, draft->plan,
                                                              turn->message, turn->said)));
    journal_emit(&turn->session->journal, EVENT_PLAN, data);
    *out = draft->plan;
}

enum err_code planner_make(struct turn *turn, const struct plan **out, struct err *err)
{
    struct draft draft = { .turn = turn, .id_prefix = "s", .by = turn->intent->analyst };
    enum err_code r = asked_deeds_read(turn, err);
    if (!r)
        r = make_plan(&draft, err);
    if (!r && draft.plan && !turn_confidence_input(turn).is_planned)
        look_at_values(turn, draft.plan, /* problems */ NULL);
    if (!r && !turn->intent->n_questions)
        accept(&draft, out);
    return r;
}

/* Beside what is known already what other steps gave, by the ids of the steps. */
static const json_t *known_results(const struct turn *turn, const struct execution *execution)
{
    json_auto_t *before = json_share(turn->known_results);
    json_t *known = arena_keep_json(turn->arena, json_copy(before));
    for (size_t i = 0; i < execution->n_steps; i++) {
        const struct step_outcome *outcome = &execution->steps[i];
        if (outcome->state == STEP_OK || outcome->state == STEP_CACHED)
            json_object_set_new(known, outcome->step->id,
                                json_share(step_result_data(turn->arena, &outcome->result)));
    }
    return known;
}

enum err_code planner_make_again(struct turn *turn, const struct execution *failed,
                                 const struct plan **out, struct err *err)
{
    struct draft draft = { .turn = turn, .id_prefix = "r", .is_again = true };
    const struct prompt_value values[] = {
        responder_results(turn, failed->steps, failed->n_steps),
        { .name = "error", .text = fence_lines(turn->arena, failed->failed->err.message) },
    };
    turn->known_results = known_results(turn, failed);
    turn_hear(turn);
    enum err_code r = ask_model(&draft, "config/prompts/replan.txt", values, 2, err);
    if (!r)
        accept(&draft, out);
    return r;
}
