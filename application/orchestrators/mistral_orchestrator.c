#include "application/orchestrators/mistral_orchestrator.h"
#include "application/execution/flow_watch.h"
#include "application/execution/result_cache.h"
#include "application/orchestrators/clarifier.h"
#include "application/orchestrators/earlier_results.h"
#include "application/orchestrators/intent_parser.h"
#include "application/orchestrators/planner.h"
#include "application/orchestrators/responder.h"
#include "application/runs/kept_plan.h"
#include "domain/base/json.h"
#include "domain/policy/policy.h"
#include <string.h>

static bool may_fall_back(const struct mistral_orchestrator *orchestrator)
{
    return strcmp(orchestrator->session->services->settings->model_fallback, "lexical") == 0;
}

static void fall_back(struct mistral_orchestrator *orchestrator, const struct err *why)
{
    orchestrator->engine.model = NULL;
    orchestrator->took_over = true;
    journal_warn(&orchestrator->session->journal, "%s; the lexical analyst takes over",
                 why->message);
}

/* `-m none` asks for the lexical analyst; a person who gets it unasked is told so. */
static void warn_of_missing_model(struct mistral_orchestrator *orchestrator)
{
    struct run_session *session = orchestrator->session;
    if (strcmp(session->services->settings->model_name, "none") != 0)
        journal_warn(&session->journal, "no model was found on this machine; the lexical "
                                        "analyst chooses the tool (mistro doctor says more)");
}

static void take_model(struct mistral_orchestrator *orchestrator, const struct run_model *model)
{
    orchestrator->engine = model->engine;
    orchestrator->context_tokens = model->status.context_tokens;
}

enum err_code mistral_orchestrator_initialize(struct mistral_orchestrator *orchestrator,
                                              struct err *err)
{
    struct err why = { 0 };
    struct run_model model;
    enum err_code r = run_session_model(orchestrator->session, &model, &why);
    take_model(orchestrator, &model);
    if (!r && model.choice == MODEL_CHOICE_LEXICAL)
        warn_of_missing_model(orchestrator);
    if (!r)
        return ERR_NONE;
    if (r != ERR_CANCELLED && (model.choice == MODEL_CHOICE_FOUND || may_fall_back(orchestrator))) {
        fall_back(orchestrator, &why);
        return ERR_NONE;
    }
    if (err)
        *err = why;
    return r;
}

/* Tools the last answer was made with: "now the same for …" means them. */
static const char **recent_tools(const struct turn *turn, size_t *out_n)
{
    const struct conversation *conversation = turn->conversation;
    const json_t *tools = NULL;
    for (size_t i = turn->n_history; i-- > 0 && !tools;)
        tools = json_object_get(conversation->messages[i].metadata, "tools");
    const char **names = arena_array(turn->arena, const char *, json_array_size(tools) + 1);
    *out_n = 0;
    for (size_t i = 0; i < json_array_size(tools); i++)
        if (json_is_string(json_array_get(tools, i)))
            names[(*out_n)++] = json_string_value(json_array_get(tools, i));
    return names;
}

static enum err_code parse_with_model(struct turn *turn, struct err *err)
{
    size_t n_recent;
    const char **recent = recent_tools(turn, &n_recent);
    enum err_code r = turn_make_shortlist(turn, recent, n_recent, err);
    return r ? r : intent_parser_parse(turn, err);
}

static enum err_code parse_intent(struct turn *turn, struct err *err)
{
    struct mistral_orchestrator *orchestrator = turn->orchestrator;
    if (!orchestrator->engine.model)
        return intent_parser_parse_lexically(turn, err);
    struct err why = { 0 };
    enum err_code r = parse_with_model(turn, &why);
    bool is_away = r == ERR_UNAVAILABLE || r == ERR_TIMEOUT;
    if (is_away && may_fall_back(orchestrator)) {
        fall_back(orchestrator, &why);
        return intent_parser_parse_lexically(turn, err);
    }
    if (r && err)
        *err = why;
    return r;
}

/* How sure mistro may be, and what everybody is told of it. */
static void score(struct turn *turn)
{
    struct argument_notes notes = argument_notes_make(turn->arena);
    intent_parser_score(turn, &notes);
    turn->result->intent = turn->intent;
    turn->result->analyst =
        turn->orchestrator->engine.model ? turn->intent->analyst : TURN_ANALYST_LEXICAL;
    json_t *data = intent_to_json(turn->intent);
    if (json_array_size(notes.list))
        json_object_set(data, "adjusted", notes.list);
    journal_emit(&turn->session->journal, EVENT_INTENT, data);
}

static void bind_earlier_results(struct turn *turn)
{
    struct intent *intent = turn->intent;
    const json_t *bound =
        earlier_results_bind(turn->arena, turn->known_results, intent->parameters);
    turn->said_parameters = bound == intent->parameters ? NULL : intent->parameters;
    intent->parameters = bound;
}

static enum err_code understand(struct turn *turn, enum clarifier_outcome *out, struct err *err)
{
    enum err_code r = clarifier_resume(turn, out, err);
    if (!r && *out == CLARIFIER_NOTHING && !turn->message)
        r = err_set(err, ERR_INVALID, 0, "there is no request");
    if (!r && *out == CLARIFIER_NOTHING)
        r = parse_intent(turn, err);
    if (r || *out == CLARIFIER_SETTLED)
        return r;
    turn_hear(turn);
    bind_earlier_results(turn);
    score(turn);
    return ERR_NONE;
}

static void add_steps(struct turn *turn, const struct execution *execution)
{
    struct turn_result *result = turn->result;
    size_t n = result->n_steps + execution->n_steps;
    struct step_outcome *steps = arena_array(turn->arena, struct step_outcome, n + 1);
    if (result->n_steps)
        memcpy(steps, result->steps, result->n_steps * sizeof *steps);
    for (size_t i = 0; i < execution->n_steps; i++) {
        steps[result->n_steps + i] = execution->steps[i];
        result->usage.tool_ms += execution->steps[i].duration_ms;
    }
    result->steps = steps;
    result->n_steps = n;
}

static void hear_earlier_results(const struct turn *turn, struct data_meeting *heard)
{
    const json_t *kept = json_object_get(turn->conversation->context, CONVERSATION_RESULTS_KEY);
    for (size_t i = 0; i < json_array_size(kept); i++)
        if (json_get_string(json_array_get(kept, i), "tool"))
            flow_watch_hear(turn->session, json_get_string(json_array_get(kept, i), "tool"), heard);
}

/* What the model has before it that plans: the results of this turn, and of those whose answers or
 * results it is shown. */
static struct data_meeting what_was_heard(const struct turn *turn)
{
    struct data_meeting heard = { 0 };
    const json_t *name;
    size_t n;
    for (size_t i = 0; i < turn->result->n_steps; i++)
        if (turn->result->steps[i].has_result)
            flow_watch_hear(turn->session, turn->result->steps[i].step->tool, &heard);
    hear_earlier_results(turn, &heard);
    for (size_t i = turn_window_start(turn); i < turn->n_history; i++)
        json_array_foreach (json_object_get(turn->conversation->messages[i].metadata, "tools"), n,
                            name)
            if (json_is_string(name))
                flow_watch_hear(turn->session, json_string_value(name), &heard);
    return heard;
}

static enum err_code execute(struct turn *turn, const struct plan *plan, struct result_cache *cache,
                             struct execution *out, struct err *err)
{
    const struct kept_plan entered = { plan, ++turn->session->n_plans };
    struct data_meeting heard = what_was_heard(turn);
    struct executor executor = { .session = turn->session,
                                 .cache = cache,
                                 .vars = plan->vars,
                                 .heard = &heard,
                                 .dry_run = turn->request->dry_run,
                                 .number = entered.number,
                                 .kept = turn->session->kept };
    enum err_code r = kept_plan_enter(turn->session, &entered, err);
    if (r)
        return r;
    r = executor_run(&executor, plan, out, err);
    add_steps(turn, out);
    return r;
}

/* One more plan, with the error and the results so far; the failure stays where there is none. */
static enum err_code try_again(struct turn *turn, struct result_cache *cache,
                               struct execution *execution, struct err *err)
{
    const struct plan *plan = NULL;
    struct err why = { 0 };
    enum err_code r = planner_make_again(turn, execution, &plan, &why);
    if (r == ERR_CANCELLED || r == ERR_TIMEOUT || r == ERR_UNAVAILABLE) {
        if (err)
            *err = why;
        return r;
    }
    if (!r && plan->n_steps)
        return execute(turn, plan, cache, execution, err);
    journal_warn(&turn->session->journal, "no other way was found: %s",
                 r ? why.message : "the new plan has no steps");
    return ERR_NONE;
}

/* A second plan might make a call again whose outcome is unknown. */
static bool may_try_again(const struct turn *turn, const struct execution *execution)
{
    for (size_t i = 0; i < execution->n_steps; i++)
        if (execution->steps[i].err.is_outcome_unknown)
            return false;
    const struct mistral_orchestrator *orchestrator = turn->orchestrator;
    return orchestrator->engine.model && !orchestrator->took_over && !execution->in_circles;
}

static enum err_code carry_out(struct turn *turn, const struct plan *plan, struct err *err)
{
    struct execution execution = { 0 };
    struct result_cache cache = { .arena = turn->arena };
    enum err_code r = execute(turn, plan, &cache, &execution, err);
    if (!r && execution.failed && may_try_again(turn, &execution))
        r = try_again(turn, &cache, &execution, err);
    return r ? r : execution_verdict(&execution, err);
}

/* A plan that is only shown is not executed, where it would be said. */
static void warn_of_flows(struct turn *turn, const struct plan *plan)
{
    struct data_meeting heard = what_was_heard(turn);
    flow_watch_warn(&turn->session->journal, plan, flow_watch_plan(turn->session, plan, &heard));
}

/* A guess from words alone is no reason to change anything. */
static enum err_code check_takeover(const struct turn *turn, struct err *err)
{
    const struct intent *intent = turn->intent;
    bool is_guess =
        turn->orchestrator->took_over && strcmp(intent->analyst, TURN_ANALYST_LEXICAL) == 0;
    const struct tool *tool = NULL;
    for (size_t i = 0; is_guess && !tool && i < intent->n_tools_needed; i++) {
        tool = shortlist_find(&turn->shortlist, intent->tools_needed[i]);
        tool = tool && policy_only_reads(tool, intent->parameters) ? NULL : tool;
    }
    if (!tool)
        return ERR_NONE;
    enum err_code r = err_set(err, ERR_FAILED, 0, "%.200s was not called: %s", tool->full_name,
                              "in the place of a model the lexical analyst only reads");
    return err_hint(err, r, "say it in other words, or make the call with mistro call");
}

static enum err_code check_intent(const struct turn *turn, struct err *err)
{
    bool is_refused = turn->intent->refusal && !turn->orchestrator->engine.model;
    return is_refused ? responder_no_tool_fits(turn, err) : check_takeover(turn, err);
}

static enum err_code follow(struct turn *turn, const struct plan *plan, struct err *err)
{
    if (turn->request->plan_only) {
        warn_of_flows(turn, plan);
        return ERR_NONE;
    }
    enum err_code r = carry_out(turn, plan, err);
    return r ? r : responder_answer(turn, err);
}

static enum err_code act(struct turn *turn, struct err *err)
{
    const struct plan *plan = NULL;
    enum err_code r = check_intent(turn, err);
    if (!r && clarifier_is_needed(turn))
        r = clarifier_ask(turn, err);
    if (r || turn->result->status == RUN_NEEDS_ANSWER)
        return r;
    r = planner_make(turn, &plan, err);
    if (!r && turn->intent->n_questions)
        return clarifier_ask(turn, err);
    return r ? r : follow(turn, plan, err);
}

static json_t *answer_metadata(const struct turn *turn)
{
    json_t *tools = json_array(), *receipts = json_array();
    for (size_t i = 0; i < turn->result->n_steps; i++) {
        json_t *receipt = step_outcome_receipt(&turn->result->steps[i]);
        if (!receipt)
            continue;
        json_array_append_new(tools, json_string(turn->result->steps[i].step->tool));
        json_array_append_new(receipts, receipt);
    }
    return json_pack("{s:s, s:o, s:o}", "run_id", turn->session->journal.run_id, "tools", tools,
                     "receipts", receipts);
}

static void finish(struct turn *turn, enum err_code r, const struct err *why)
{
    struct turn_result *result = turn->result;
    if (r)
        result->err = *why;
    if (r && turn->answered)
        clarifier_put_back(turn);
    if (result->status != RUN_NEEDS_ANSWER)
        result->status = run_status_of(r);
    if (!turn_has_answer(result) || !result->answer)
        return;
    earlier_results_keep(turn->arena, turn->conversation, result,
                         (size_t)turn_settings(turn)->storage_result_bytes);
    conversation_add(turn->arena, turn->conversation, MESSAGE_ASSISTANT, result->answer,
                     answer_metadata(turn), runtime_wall_ms(turn->session->services->runtime));
}

static struct turn begin(struct mistral_orchestrator *orchestrator,
                         struct conversation *conversation, const struct turn_request *request)
{
    struct run_session *session = orchestrator->session;
    struct arena *arena = session->arena;
    struct turn turn = { .orchestrator = orchestrator,
                         .session = session,
                         .arena = arena,
                         .conversation = conversation,
                         .request = request,
                         .message = request->message,
                         .n_history = conversation->n_messages,
                         .known_results = earlier_results(arena, conversation) };
    if (request->message)
        conversation_add(arena, conversation, MESSAGE_USER, request->message,
                         json_pack("{s:s}", "run_id", session->journal.run_id),
                         runtime_wall_ms(session->services->runtime) - session->set_back_ms);
    return turn;
}

enum err_code mistral_orchestrator_handle_message(struct mistral_orchestrator *orchestrator,
                                                  struct conversation *conversation,
                                                  const struct turn_request *request,
                                                  struct turn_result *out, struct err *err)
{
    struct err why = { 0 };
    struct turn_result result = { .run_id = orchestrator->session->journal.run_id,
                                  .usage = usage_none() };
    struct turn turn = begin(orchestrator, conversation, request);
    turn.result = &result;
    enum clarifier_outcome outcome;
    enum err_code r = understand(&turn, &outcome, err);
    if (r)
        return r;
    if (outcome != CLARIFIER_SETTLED)
        r = act(&turn, &why);
    finish(&turn, r, &why);
    *out = result;
    return ERR_NONE;
}
