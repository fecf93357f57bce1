#include "application/orchestrators/intent_parser.h"
#include "application/orchestrators/lexical/lexical_analyst.h"
#include "application/orchestrators/plan_contract.h"
#include "application/orchestrators/planned_steps.h"
#include "application/orchestrators/planner.h"
#include "application/orchestrators/turn_contract.h"
#include "domain/base/json.h"
#include "domain/base/text.h"

/* What the functions of the contract see. */
struct intent_draft {
    struct turn *turn;
    const json_t *schema;
    struct argument_notes notes; /* of the steps that were mended last */
};

static const json_t *mend(void *context, struct arena *arena, const json_t *value)
{
    struct intent_draft *draft = context;
    draft->notes = argument_notes_make(arena);
    return intent_contract_mend(arena, draft->schema, &draft->turn->shortlist, value,
                                &draft->notes);
}

static const json_t *adopt_calls(void *context, struct arena *arena, const json_t *calls)
{
    const struct intent_draft *draft = context;
    return intent_contract_adopt(arena, calls, draft->turn->message);
}

/* An intent without a tool cannot be acted on: the person is asked what is meant. */
static const json_t *last_rung(void *context, struct arena *arena)
{
    struct turn *turn = ((struct intent_draft *)context)->turn;
    const struct shortlist offered = turn->shortlist;
    if (intent_parser_parse_lexically(turn, NULL))
        return NULL;
    turn->intent->needs_clarification = turn->intent->n_tools_needed == 0;
    return intent_contract_write(arena, &offered, turn->intent);
}

/* Where a tool is there by name only, its step cannot be planned yet. */
static bool plans_at_once(const struct turn *turn)
{
    return turn->shortlist.n > 0 && turn->shortlist.is_complete &&
           turn->shortlist.tokens <= turn_settings(turn)->tools_plan_at_once;
}

static enum err_code load_contract(struct intent_draft *draft, bool at_once,
                                   struct turn_contract *out, struct err *err)
{
    struct turn *turn = draft->turn;
    enum err_code r = turn_contract_load(turn, at_once ? "intent_and_plan" : "intent", out, err);
    if (r)
        return r;
    size_t max_steps = (size_t)turn_settings(turn)->max_plan_steps;
    intent_contract_complete(out->schema, &turn->shortlist, max_steps);
    out->contract.normalise = mend;
    out->contract.adopt_calls = adopt_calls;
    out->contract.last_rung = last_rung;
    out->contract.context = draft;
    draft->schema = out->schema;
    return ERR_NONE;
}

/* An intent has the budget of its contract, one with steps that and a plan's. */
static enum err_code make_prompt(const struct turn *turn, bool at_once,
                                 const struct turn_contract *contract, struct ask_prompt *out,
                                 struct err *err)
{
    const char *path = at_once ? "config/prompts/intent_and_plan.txt" : "config/prompts/intent.txt";
    int64_t tokens = INTENT_MAX_TOKENS + planner_max_tokens(turn);
    int64_t most = turn_settings(turn)->max_tokens;
    if (at_once)
        out->max_tokens = (int)(tokens < most ? tokens : most);
    return turn_contract_prompt(turn, contract, path, NULL, 0, out, err);
}

static void read_intent(struct intent_draft *draft, const json_t *value)
{
    struct turn *turn = draft->turn;
    turn->intent = intent_contract_read(turn->arena, &turn->shortlist, value, turn->message);
    turn->intent->analyst = TURN_ANALYST_MODEL;
    for (size_t i = 0; i < turn->intent->n_tools_needed; i++)
        shortlist_unfold(&turn->shortlist, turn->intent->tools_needed[i]);
    turn->proposal = json_object_get(value, "steps");
    turn->proposal_notes = draft->notes;
}

/* The intent of the last rung is there already. */
static void take_last_rung(struct turn *turn, unsigned attempts)
{
    turn->orchestrator->took_over = true;
    turn->intent->reason =
        arena_printf(turn->arena, "the model gave no usable intent in %u attempts", attempts);
    journal_warn(&turn->session->journal, "%s; the lexical analyst takes over for it",
                 turn->intent->reason);
}

static enum err_code ask(struct intent_draft *draft, bool at_once, struct ask_outcome *out,
                         struct err *err)
{
    struct turn_contract contract;
    struct ask_prompt prompt = { 0 };
    enum err_code r = load_contract(draft, at_once, &contract, err);
    if (!r)
        r = make_prompt(draft->turn, at_once, &contract, &prompt, err);
    return r ? r : turn_ask(draft->turn, &contract.contract, &prompt, out, err);
}

enum err_code intent_parser_parse(struct turn *turn, struct err *err)
{
    struct intent_draft draft = { .turn = turn };
    struct ask_outcome outcome = { 0 };
    enum err_code r = ask(&draft, plans_at_once(turn), &outcome, err);
    if (r)
        return r;
    if (outcome.rung == RUNG_LAST)
        take_last_rung(turn, outcome.attempts);
    else
        read_intent(&draft, outcome.value);
    return ERR_NONE;
}

static void need_tools(struct arena *arena, const struct lexical_analysis *found,
                       struct intent *intent)
{
    json_t *parameters = arena_keep_json(arena, json_object());
    intent->parameters = parameters;
    intent->tools_needed = arena_array(arena, const char *, found->n_calls + 1);
    for (size_t i = 0; i < found->n_calls; i++) {
        const char *name = found->calls[i].tool->full_name;
        json_object_update_missing(parameters, found->calls[i].args);
        if (!text_is_one_of(name, intent->tools_needed, intent->n_tools_needed))
            intent->tools_needed[intent->n_tools_needed++] = name;
    }
}

/* Which of several tools is meant, the one value that is doubtful, or whether the call is meant. Of
 * several calls the values stand side by side, so that it is said whose value it is. */
static void want_answer(const struct turn *turn, const struct lexical_analysis *found,
                        struct intent *intent)
{
    const struct confidence_input input = turn_confidence_input(turn);
    intent->needs_clarification = found->n_choices > 0 || found->wanting || found->doubt;
    if (found->wanting) {
        intent->unclear_aspects = arena_new(turn->arena, const char *);
        intent->unclear_aspects[intent->n_unclear_aspects++] = found->wanting;
    }
    if (found->n_choices)
        confidence_ask_tool(turn->arena, intent, &input, found->choices, found->n_choices);
    else if (found->wanting && found->n_calls > 1)
        confidence_ask_for(turn->arena, intent, &input, found->calls[found->wanting_call].tool,
                           found->wanting);
    else if (found->doubt)
        confidence_ask_confirm(turn->arena, intent, &input, found->calls->tool, found->calls->args,
                               found->doubt);
}

/* Each call waits for the one before it: what is said in an order is done in it. */
static const json_t *lexical_steps(struct arena *arena, const struct lexical_analysis *found)
{
    json_t *steps = arena_keep_json(arena, json_array());
    for (size_t i = 0; i < found->n_calls; i++) {
        const struct lexical_call *call = &found->calls[i];
        json_t *needs = json_array();
        if (i)
            json_array_append_new(needs, json_string(arena_printf(arena, "s%zu", i)));
        json_array_append_new(
            steps, json_pack("{s:s, s:s, s:O, s:o}", "id", arena_printf(arena, "s%zu", i + 1),
                             "tool", call->tool->full_name, "args", call->args, "needs", needs));
    }
    return found->n_calls > 1 ? steps : NULL;
}

static struct intent *lexical_intent(const struct turn *turn, const struct lexical_analysis *found)
{
    struct intent *intent = arena_new(turn->arena, struct intent);
    intent->analyst = TURN_ANALYST_LEXICAL;
    intent->primary_goal = turn->message;
    intent->explanation = found->explanation;
    intent->refusal = found->refusal;
    intent->reported_confidence = -1;
    intent->tool_doubt = 1 - found->score;
    need_tools(turn->arena, found, intent);
    want_answer(turn, found, intent);
    intent->steps = lexical_steps(turn->arena, found);
    if (intent->steps && found->wanting)
        intent->open_step = arena_printf(turn->arena, "s%zu", found->wanting_call + 1);
    return intent;
}

enum err_code intent_parser_parse_lexically(struct turn *turn, struct err *err)
{
    struct lexical_analysis found = { 0 };
    struct lexical_request request = { .index = turn->orchestrator->index,
                                       .text = turn->message,
                                       .threshold = turn_settings(turn)->lexical_threshold,
                                       .today = turn_today(turn),
                                       .assets = turn->session->services->assets };
    request.tools = toolbox_tools(turn->session->toolbox, &request.n_tools);
    enum err_code r = lexical_analyse(turn->arena, &request, &found, err);
    if (r)
        return r;
    turn->intent = lexical_intent(turn, &found);
    turn->proposal = turn->intent->steps;
    return turn_make_shortlist(turn, turn->intent->tools_needed, turn->intent->n_tools_needed, err);
}

static const struct tool **needed_tools(const struct turn *turn, size_t *out_n)
{
    const struct intent *intent = turn->intent;
    const struct tool **needed =
        arena_array(turn->arena, const struct tool *, intent->n_tools_needed + 1);
    *out_n = 0;
    for (size_t i = 0; i < intent->n_tools_needed; i++) {
        const struct tool *tool = shortlist_find(&turn->shortlist, intent->tools_needed[i]);
        if (tool)
            needed[(*out_n)++] = tool;
    }
    return needed;
}

void intent_parser_score(struct turn *turn, struct argument_notes *notes)
{
    struct intent *intent = turn->intent;
    struct confidence_input input = turn_confidence_input(turn);
    size_t n;
    const struct tool **needed = needed_tools(turn, &n);
    intent->parameters = arguments_fit(turn->arena, needed, n, intent->parameters,
                                       said_is_empty_text(turn->said), notes);
    intent->parameters =
        planned_steps_correct(turn->arena, &turn->shortlist, turn->proposal, intent->parameters,
                              turn->said->text, turn_said_or_known(turn));
    if (!text_equal(intent->analyst, TURN_ANALYST_LEXICAL))
        intent->parameters =
            turn_leave_out_inventions(turn, needed, n, intent->parameters, turn->said, notes);
    confidence_score(turn->arena, intent, &input);
}
