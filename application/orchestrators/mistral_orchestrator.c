#include "application/orchestrators/mistral_orchestrator.h"
#include "application/orchestrators/clarifier.h"
#include "application/orchestrators/intent_parser.h"
#include "application/orchestrators/planner.h"
#include "application/orchestrators/responder.h"
#include "application/structured/model_call.h"
#include "domain/base/json.h"
#include <string.h>

static bool may_fall_back(const struct mistral_orchestrator *orchestrator)
{
    return strcmp(orchestrator->services->settings->model_fallback, "lexical") == 0;
}

static void fall_back(struct mistral_orchestrator *orchestrator, const struct err *why)
{
    orchestrator->model = NULL;
    journal_warn(orchestrator->journal, "%s; the lexical analyst takes over", why->message);
}

/* `-m none` asks for the lexical analyst; whoever gets it unasked is told so. */
static void warn_of_missing_model(struct mistral_orchestrator *orchestrator)
{
    if (strcmp(orchestrator->services->settings->model_name, "none") != 0)
        journal_warn(orchestrator->journal, "no model was found on this machine; the lexical "
                                            "analyst chooses the tool (mistro doctor says more)");
}

static void use_model(struct mistral_orchestrator *orchestrator, struct model *model)
{
    orchestrator->model = model;
    orchestrator->engine = (struct engine){
        .model = model,
        .runtime = orchestrator->services->runtime,
        .settings = orchestrator->services->settings,
        .journal = orchestrator->journal,
    };
}

static enum err_code find_model(struct mistral_orchestrator *orchestrator, struct scope *scope,
                                struct arena *arena, enum model_choice *out_choice, struct err *err)
{
    struct model *model = NULL;
    struct model_status status = { 0 };
    enum err_code r = services_model(orchestrator->services, scope, &model, out_choice, err);
    if (r || *out_choice == MODEL_CHOICE_LEXICAL)
        return r;
    r = model_check(model, scope, arena, &status, err);
    if (!r)
        use_model(orchestrator, model);
    return model_failure(r, err);
}

enum err_code mistral_orchestrator_initialize(struct mistral_orchestrator *orchestrator,
                                              struct scope *scope, struct arena *arena,
                                              struct err *err)
{
    struct err why = { 0 };
    enum model_choice choice = MODEL_CHOICE_NAMED;
    enum err_code r = find_model(orchestrator, scope, arena, &choice, &why);
    if (!r && choice == MODEL_CHOICE_LEXICAL)
        warn_of_missing_model(orchestrator);
    if (!r)
        return ERR_NONE;
    if (r != ERR_CANCELLED && (choice == MODEL_CHOICE_FOUND || may_fall_back(orchestrator))) {
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

static enum err_code parse_with_model(struct turn *turn, struct scope *scope, struct err *err)
{
    size_t n_recent;
    const char **recent = recent_tools(turn, &n_recent);
    enum err_code r = turn_make_shortlist(turn, recent, n_recent, err);
    return r ? r : intent_parser_parse(turn, scope, err);
}

static enum err_code parse_intent(struct turn *turn, struct scope *scope, struct err *err)
{
    struct mistral_orchestrator *orchestrator = turn->orchestrator;
    if (!orchestrator->model)
        return intent_parser_parse_lexically(turn, err);
    struct err why = { 0 };
    enum err_code r = parse_with_model(turn, scope, &why);
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
        turn->orchestrator->model ? turn->intent->analyst : TURN_ANALYST_LEXICAL;
    json_t *data = intent_to_json(turn->intent);
    if (json_array_size(notes.list))
        json_object_set(data, "adjusted", notes.list);
    journal_emit(turn->orchestrator->journal, EVENT_INTENT, data);
}

static enum err_code understand(struct turn *turn, struct scope *scope, struct err *err)
{
    bool resumed = false;
    enum err_code r = clarifier_resume(turn, &resumed, err);
    if (!r && !resumed && !turn->message)
        r = err_set(err, ERR_INVALID, 0, "there is no request");
    if (!r && !resumed)
        r = parse_intent(turn, scope, err);
    if (r)
        return r;
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

/* What the model has before it that plans: the results of this turn, and of those whose answers it
 * is shown. */
static struct data_meeting what_was_heard(const struct turn *turn)
{
    const struct mistral_orchestrator *orchestrator = turn->orchestrator;
    struct data_meeting heard = { 0 };
    const json_t *name;
    size_t n;
    for (size_t i = 0; i < turn->result->n_steps; i++)
        if (turn->result->steps[i].has_result)
            flow_watch_hear(turn->arena, orchestrator->services, orchestrator->toolbox,
                            turn->result->steps[i].step->tool, &heard);
    for (size_t i = turn_window_start(turn); i < turn->n_history; i++)
        json_array_foreach (json_object_get(turn->conversation->messages[i].metadata, "tools"), n,
                            name)
            if (json_is_string(name))
                flow_watch_hear(turn->arena, orchestrator->services, orchestrator->toolbox,
                                json_string_value(name), &heard);
    return heard;
}

static enum err_code execute(struct turn *turn, struct scope *scope, const struct plan *plan,
                             struct result_cache *cache, struct execution *out, struct err *err)
{
    struct mistral_orchestrator *orchestrator = turn->orchestrator;
    struct data_meeting heard = what_was_heard(turn);
    struct executor executor = { .services = orchestrator->services,
                                 .journal = orchestrator->journal,
                                 .toolbox = orchestrator->toolbox,
                                 .invoker = orchestrator->invoker,
                                 .arena = turn->arena,
                                 .cache = cache,
                                 .vars = plan->vars,
                                 .heard = &heard,
                                 .dry_run = turn->request->dry_run };
    enum err_code r = executor_run(&executor, scope, plan, out, err);
    add_steps(turn, out);
    return r;
}

/* One more plan, with the error and the results so far; the failure stays where there is none. */
static enum err_code try_again(struct turn *turn, struct scope *scope, struct result_cache *cache,
                               struct execution *execution, struct err *err)
{
    const struct plan *plan = NULL;
    struct err why = { 0 };
    enum err_code r = planner_make_again(turn, scope, execution, &plan, &why);
    if (r == ERR_CANCELLED || r == ERR_TIMEOUT || r == ERR_UNAVAILABLE) {
        if (err)
            *err = why;
        return r;
    }
    if (!r && plan->n_steps)
        return execute(turn, scope, plan, cache, execution, err);
    journal_warn(turn->orchestrator->journal, "no other way was found: %s",
                 r ? why.message : "the new plan has no steps");
    return ERR_NONE;
}

/* A second plan might make a call again whose outcome is unknown. */
static bool may_try_again(const struct turn *turn, const struct execution *execution)
{
    for (size_t i = 0; i < execution->n_steps; i++)
        if (execution->steps[i].err.is_outcome_unknown)
            return false;
    return turn->orchestrator->model && !execution->in_circles;
}

static enum err_code carry_out(struct turn *turn, struct scope *scope, const struct plan *plan,
                               struct err *err)
{
    struct execution execution = { 0 };
    struct result_cache cache = { .arena = turn->arena };
    enum err_code r = execute(turn, scope, plan, &cache, &execution, err);
    if (!r && execution.failed && may_try_again(turn, &execution))
        r = try_again(turn, scope, &cache, &execution, err);
    return r ? r : execution_verdict(&execution, err);
}

/* A plan that is only shown is not executed, where it would be said. */
static void warn_of_flows(struct turn *turn, const struct plan *plan)
{
    const struct mistral_orchestrator *orchestrator = turn->orchestrator;
    struct data_meeting heard = what_was_heard(turn);
    flow_watch_warn(
        orchestrator->journal, plan,
        flow_watch_plan(turn->arena, orchestrator->services, orchestrator->toolbox, plan, &heard));
}

static enum err_code act(struct turn *turn, struct scope *scope, struct err *err)
{
    const struct plan *plan = NULL;
    enum err_code r = clarifier_is_needed(turn) ? clarifier_ask(turn, scope, err) : ERR_NONE;
    if (r || turn->result->status == RUN_NEEDS_ANSWER)
        return r;
    r = planner_make(turn, scope, &plan, err);
    if (!r && turn->request->plan_only)
        warn_of_flows(turn, plan);
    if (r || turn->request->plan_only)
        return r;
    r = carry_out(turn, scope, plan, err);
    return r ? r : responder_answer(turn, scope, err);
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
    return json_pack("{s:s, s:o, s:o}", "run_id", turn->orchestrator->journal->run_id, "tools",
                     tools, "receipts", receipts);
}

static void finish(struct turn *turn, enum err_code r, const struct err *why)
{
    struct turn_result *result = turn->result;
    if (r)
        result->err = *why;
    if (result->status != RUN_NEEDS_ANSWER)
        result->status = run_status_of(r);
    if (result->status == RUN_COMPLETED && result->answer)
        conversation_add(turn->arena, turn->conversation, MESSAGE_ASSISTANT, result->answer,
                         answer_metadata(turn),
                         runtime_wall_ms(turn->orchestrator->services->runtime));
}

static struct turn begin(struct mistral_orchestrator *orchestrator, struct arena *arena,
                         struct conversation *conversation, const struct turn_request *request)
{
    struct turn turn = { .orchestrator = orchestrator,
                         .arena = arena,
                         .conversation = conversation,
                         .request = request,
                         .message = request->message,
                         .n_history = conversation->n_messages };
    if (request->message)
        conversation_add(arena, conversation, MESSAGE_USER, request->message, NULL,
                         runtime_wall_ms(orchestrator->services->runtime));
    return turn;
}

enum err_code mistral_orchestrator_handle_message(struct mistral_orchestrator *orchestrator,
                                                  struct scope *scope, struct arena *arena,
                                                  struct conversation *conversation,
                                                  const struct turn_request *request,
                                                  struct turn_result *out, struct err *err)
{
    struct err why = { 0 };
    struct turn_result result = { .run_id = orchestrator->journal->run_id };
    result.usage.prompt_tokens = result.usage.cached_tokens = result.usage.completion_tokens = -1;
    struct turn turn = begin(orchestrator, arena, conversation, request);
    turn.result = &result;
    enum err_code r = understand(&turn, scope, err);
    if (r)
        return r;
    r = act(&turn, scope, &why);
    finish(&turn, r, &why);
    *out = result;
    return ERR_NONE;
}
