/* executor_run goes round in a loop: first it decides about every waiting step that can be decided
 * (decide_on_one), then it waits until one running call ends. start_step is the decision about
 * a step that is ready and whose condition holds, and makes its request: the arguments cannot be
 * bound or there is no such tool (an error), the same call was made before (its result, or the end
 * of a plan that goes in circles), it may not be made (an error), or it is sent. */
#include "application/orchestrators/executor.h"
#include "application/orchestrators/arguments.h"
#include "application/orchestrators/flow_watch.h"
#include "application/orchestrators/result_cache.h"
#include "application/runs/kept_plan.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/plan_check.h"
#include "domain/plan/references.h"
#include "domain/plan/step_conditions.h"
#include <string.h>

/* One step with its request, which is complete once the step was started. */
struct step_call {
    struct plan_run *run;
    struct step_outcome *outcome;
    struct invoke_request request;
    bool is_unbound;  /* a dry run: its references have nothing to be bound to */
    int64_t began_ms; /* monotonic */
};

/* The steps that a step has to wait for. */
struct step_needs {
    size_t *steps;
    size_t n;
};

/* One run of one plan; an element of each array for a step. */
struct plan_run {
    struct executor *executor;
    struct run_session *session;
    const struct plan *plan;
    struct execution *execution;
    struct step_call *calls;
    struct task **tasks; /* NULL while a step is not running */
    const struct step_needs *needs;
    const struct step_result **results; /* of the steps so far, by position; NULL: none */
    size_t n_running;
    size_t n_decided; /* from the front: none of these steps is waiting */
    struct err stop;  /* what ends the run as a whole; code NONE while it goes on */
};

static bool has_ended(const struct step_outcome *outcome)
{
    return outcome->state != STEP_WAITING && outcome->state != STEP_RUNNING;
}

static void emit_started(const struct plan_run *run, const struct step_outcome *outcome)
{
    struct journal *journal = &run->session->journal;
    journal_emit(journal, EVENT_STEP_STARTED,
                 json_pack("{s:s, s:s, s:o*}", "step", outcome->step->id, "tool",
                           outcome->step->tool, "args", json_share(outcome->args)));
}

static void emit_finished(const struct plan_run *run, const struct step_outcome *outcome)
{
    const char *error = outcome->err.code ? outcome->err.message : NULL;
    journal_emit(&run->session->journal, EVENT_STEP_FINISHED,
                 json_pack("{s:s, s:s, s:s, s:I, s:s*}", "step", outcome->step->id, "tool",
                           outcome->step->tool, "status", step_state_name(outcome->state),
                           "duration_ms", (json_int_t)outcome->duration_ms, "error", error));
}

/* A denial, the end of the scope and a limit concern the run, not only the step. */
static bool ends_the_run(enum err_code code)
{
    return code == ERR_DENIED || code == ERR_CANCELLED || code == ERR_LIMIT;
}

static struct results_so_far results_of(const struct plan_run *run)
{
    return (struct results_so_far){ run->session->arena, run->plan, run->executor->vars,
                                    run->results };
}

/* A dry run has no results: they only say what would be called. */
static void conclude(struct plan_run *run, struct step_outcome *outcome, enum step_state state)
{
    struct execution *execution = run->execution;
    const struct results_so_far so_far = results_of(run);
    size_t at = (size_t)(outcome - execution->steps);
    if (outcome->has_result && !run->executor->dry_run) {
        run->results[at] = &outcome->result;
        if ((state == STEP_OK || state == STEP_CACHED) &&
            step_checks_hold(&so_far, at, &outcome->err))
            state = STEP_ERROR;
    }
    outcome->state = state;
    if (state == STEP_ERROR && outcome->step->on_error == STEP_STOP && !execution->failed)
        execution->failed = outcome;
    if (ends_the_run(outcome->err.code) && !run->stop.code)
        run->stop = outcome->err;
}

static void end_step(struct plan_run *run, struct step_outcome *outcome, enum step_state state)
{
    conclude(run, outcome, state);
    emit_finished(run, outcome);
}

static void skip(struct plan_run *run, struct step_outcome *outcome, const char *why)
{
    err_set(&outcome->err, ERR_FAILED, 0, "%s", why);
    end_step(run, outcome, STEP_SKIPPED);
}

/* In a dry run, arguments whose references cannot be bound stay as written. */
static enum err_code bind(struct step_call *call)
{
    const struct plan_run *run = call->run;
    struct step_outcome *outcome = call->outcome;
    size_t i = (size_t)(call - run->calls);
    enum err_code r = references_bind(run->session->arena, run->plan, i, run->executor->vars,
                                      run->results, &outcome->args, &outcome->err);
    call->is_unbound = r && run->executor->dry_run;
    if (call->is_unbound) {
        outcome->args = outcome->step->args;
        outcome->err = (struct err){ .code = ERR_NONE };
    }
    call->request.arguments = outcome->args;
    return call->is_unbound ? ERR_NONE : r;
}

static enum err_code send_step(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct step_call *call = argument;
    struct run_session *session = call->run->session;
    struct invoke_outcome outcome = { 0 };
    enum err_code r = invoke_send(&session->invoker, scope, session->arena, &call->request,
                                  &outcome, &call->outcome->err);
    if (!r)
        step_outcome_take(session->arena, call->outcome, &outcome.result);
    return r;
}

static void spawn(struct step_call *call)
{
    struct plan_run *run = call->run;
    struct runtime *runtime = run->session->services->runtime;
    call->began_ms = runtime_now_ms(runtime);
    call->outcome->started_at_ms = runtime_wall_ms(runtime);
    run->tasks[call - run->calls] = runtime_spawn(runtime, &run->session->scope, send_step, call);
    run->n_running++;
}

static enum err_code make_request(struct step_call *call)
{
    struct run_session *session = call->run->session;
    struct step_outcome *outcome = call->outcome;
    outcome->state = STEP_RUNNING;
    enum err_code r = bind(call);
    if (!r)
        r = toolbox_find(session->toolbox, &session->scope, outcome->step->tool,
                         &call->request.tool, /* out_server */ NULL, &outcome->err);
    if (!r && !call->is_unbound)
        call->request.arguments = outcome->args =
            arguments_print(session->arena, call->request.tool, outcome->step->args, outcome->args);
    emit_started(call->run, outcome);
    return r;
}

/* The plan check has seen what can be seen of arguments that a dry run could not bind. */
static enum err_code permit(struct step_call *call)
{
    struct run_session *session = call->run->session;
    if (call->is_unbound)
        return ERR_NONE;
    return invoke_permit(&session->invoker, &session->scope, session->arena, &call->request,
                         &call->outcome->err);
}

static enum cache_verdict ask_cache(const struct step_call *call, const struct step_result **out)
{
    return result_cache_ask(call->run->executor->cache, call->request.tool, call->request.arguments,
                            out);
}

/* An equal call of the run that this one was forked from; NULL: the call is to be made. */
awaits static const struct call_record *forked_call(struct step_call *call)
{
    struct run_session *session = call->run->session;
    struct forked_calls *forked = call->run->executor->forked;
    if (!forked || invoke_takes_up(&call->request))
        return NULL;
    const struct call_record *made =
        forked_calls_take(forked, call->request.tool->full_name, call->outcome->args);
    bool is_made_again =
        made && made->state != CALL_DONE &&
        invoke_may_repeat(&session->invoker, &session->scope, session->arena, &call->request);
    return is_made_again ? NULL : made;
}

static void refuse_uncertain(struct step_call *call, const struct call_record *made)
{
    struct step_outcome *outcome = call->outcome;
    err_set(&outcome->err, ERR_FAILED, 0,
            "%.200s: the run that was forked sent the same call, and it may have taken effect",
            outcome->step->tool);
    err_hint(&outcome->err, ERR_FAILED,
             "settle it there as done, repeat or fail, and its own plan goes on: %s",
             forked_calls_remedy(call->run->executor->forked, made));
    end_step(call->run, outcome, STEP_ERROR);
}

static void take_forked(struct step_call *call, const struct call_record *made)
{
    struct run_session *session = call->run->session;
    struct call_record own = *made;
    own.path = call->request.path;
    if (session->state)
        run_state_put_call(session->state, &own);
    step_outcome_keep(session->arena, call->outcome, made,
                      (size_t)session->services->settings->mcp_max_values);
    end_step(call->run, call->outcome, call->outcome->err.code ? STEP_ERROR : STEP_CACHED);
}

static void make_call(struct step_call *call)
{
    const struct call_record *made = forked_call(call);
    if (made && made->state == CALL_DONE)
        take_forked(call, made);
    else if (made)
        refuse_uncertain(call, made);
    else if (!invoke_takes_up(&call->request) && permit(call))
        end_step(call->run, call->outcome, STEP_ERROR);
    else
        spawn(call);
}

/* Whether the step is to run; else it is settled. A dry run has nothing to decide by. */
static bool is_wanted(struct plan_run *run, struct step_call *call)
{
    const struct results_so_far so_far = results_of(run);
    bool holds = true;
    if (run->executor->dry_run)
        return true;
    if (step_condition_holds(&so_far, (size_t)(call - run->calls), &holds, &call->outcome->err))
        end_step(run, call->outcome, STEP_ERROR);
    else if (!holds)
        end_step(run, call->outcome, STEP_SKIPPED);
    return holds;
}

static void start_step(struct plan_run *run, struct step_call *call)
{
    const struct step_result *earlier = NULL;
    enum err_code r = make_request(call);
    enum cache_verdict verdict = r ? CACHE_CALL : ask_cache(call, &earlier);
    if (r) {
        end_step(run, call->outcome, STEP_ERROR);
    } else if (verdict == CACHE_CIRCLE) {
        run->execution->in_circles = true;
        skip(run, call->outcome, "the same call was made twice already");
    } else if (verdict == CACHE_RESULT) {
        step_outcome_take(run->session->arena, call->outcome, earlier);
        end_step(run, call->outcome, STEP_CACHED);
    } else {
        make_call(call);
    }
}

enum readiness { NOT_YET, READY, HOPELESS };

static enum readiness readiness_of(const struct plan_run *run, size_t i)
{
    const struct step_needs *needs = &run->needs[i];
    enum readiness readiness = READY;
    for (size_t j = 0; j < needs->n; j++) {
        const struct step_outcome *outcome = &run->execution->steps[needs->steps[j]];
        bool went_wrong = (outcome->state == STEP_SKIPPED && outcome->err.code) ||
                          (outcome->state == STEP_ERROR && outcome->step->on_error == STEP_STOP);
        if (went_wrong)
            return HOPELESS;
        if (!has_ended(outcome))
            readiness = NOT_YET;
    }
    return readiness;
}

static bool may_go_on(const struct plan_run *run)
{
    return !run->stop.code && !run->execution->in_circles && !run_session_check(run->session, NULL);
}

static size_t first_waiting(struct plan_run *run)
{
    while (run->n_decided < run->plan->n_steps &&
           run->execution->steps[run->n_decided].state != STEP_WAITING)
        run->n_decided++;
    return run->n_decided;
}

/* Settles or starts the first waiting step that allows it; false when there is none. */
static bool decide_on_one(struct plan_run *run)
{
    size_t max = (size_t)run->session->services->settings->tools_max_parallel;
    if (!may_go_on(run))
        return false;
    for (size_t i = first_waiting(run); i < run->plan->n_steps; i++) {
        struct step_outcome *outcome = &run->execution->steps[i];
        enum readiness readiness = outcome->state == STEP_WAITING ? readiness_of(run, i) : NOT_YET;
        if (readiness == NOT_YET || (readiness == READY && run->n_running >= max))
            continue;
        if (readiness == HOPELESS)
            skip(run, outcome, "a step that it needs did not succeed");
        else if (is_wanted(run, &run->calls[i]))
            start_step(run, &run->calls[i]);
        return true;
    }
    return false;
}

static void check_memory(struct plan_run *run)
{
    int64_t max = run->session->services->settings->limits_turn_bytes;
    if ((int64_t)run->session->arena->bytes > max && !run->stop.code)
        err_set(&run->stop, ERR_LIMIT, 0, "the turn needs more than limits.turn_bytes (%lld)",
                (long long)max);
}

/* Calls that may be repeated do not wait for the state, and would go on without one. */
static void check_state(struct plan_run *run)
{
    struct run_state *state = run->executor->ends_unkept ? run->session->state : NULL;
    enum err_code r = state && !run->stop.code ? run_state_check(state, &run->stop) : ERR_NONE;
    if (r)
        (void)err_prefix(&run->stop, r, "the rest was not called");
}

static void wait_for_one(struct plan_run *run)
{
    struct runtime *runtime = run->session->services->runtime;
    enum err_code r = ERR_NONE;
    size_t i = runtime_wait_any(runtime, run->tasks, run->plan->n_steps, &r);
    struct step_call *call = &run->calls[i];
    struct step_outcome *outcome = call->outcome;
    run->tasks[i] = NULL;
    run->n_running--;
    outcome->duration_ms = runtime_now_ms(runtime) - call->began_ms;
    if (!r && !run->executor->dry_run)
        result_cache_put(run->executor->cache, call->request.tool, outcome->args, &outcome->result);
    end_step(run, outcome, outcome->err.code ? STEP_ERROR : STEP_OK);
    check_memory(run);
    check_state(run);
}

static void skip_the_rest(struct plan_run *run)
{
    for (size_t i = 0; i < run->plan->n_steps; i++)
        if (run->execution->steps[i].state == STEP_WAITING)
            skip(run, &run->execution->steps[i], "the run ended before its turn");
}

static const struct step_needs *dependencies_of(struct arena *arena, const struct plan *plan)
{
    size_t n = plan->n_steps;
    struct step_needs *needs = arena_array(arena, struct step_needs, n + 1);
    bool *marks = arena_array(arena, bool, n + 1);
    for (size_t later = 0; later < n; later++) {
        size_t capacity = 0;
        memset(marks, false, n * sizeof *marks);
        plan_step_needs(arena, plan, later, marks);
        for (const bool *at = marks; (at = memchr(at, true, (size_t)(marks + n - at))); at++)
            if (at != marks + later)
                *arena_push(arena, needs[later].steps, needs[later].n, capacity) =
                    (size_t)(at - marks);
    }
    return needs;
}

/* Tool and arguments are added when the step is started. */
static struct invoke_request request_of(const struct executor *executor, const struct step *step,
                                        const struct flow_note *flow)
{
    const char *path = kept_plan_path(executor->session->arena, executor->number, step->id);
    return (struct invoke_request){
        .step_id = step->id,
        .path = path,
        .silence_ms = step->timeout_ms,
        .attempts = step->retry ? step->retry + 1 : 0,
        .before = executor->kept ? run_contents_call(executor->kept, path) : NULL,
        .named_by_user = executor->named_by_user,
        .flow = flow->reason,
        .is_risky = flow->is_risky,
        .dry_run = executor->dry_run,
    };
}

static const json_t *kept_args(struct arena *arena, const struct step_outcome *outcome)
{
    const char *text = outcome->kept_args;
    json_t *args = NULL;
    bool is_sound = text && !json_parse(text, strlen(text), JSON_OURS, &args, NULL);
    return is_sound ? arena_keep_json(arena, args) : NULL;
}

/* In a turn a later step that makes the same call finds its result, as it did in the earlier
 * process, and another plan is told the arguments. */
static void cache_kept(struct step_call *call)
{
    struct run_session *session = call->run->session;
    const struct step_result *unused = NULL;
    struct result_cache *cache = call->run->executor->cache;
    struct step_outcome *outcome = call->outcome;
    const struct tool *tool = NULL;
    outcome->args = kept_args(session->arena, outcome);
    if (!outcome->args || toolbox_find(session->toolbox, &session->scope, outcome->step->tool,
                                       &tool, /* out_server */ NULL, NULL))
        return;
    (void)result_cache_ask(cache, tool, outcome->args, &unused);
    if (outcome->has_result)
        result_cache_put(cache, tool, outcome->args, &outcome->result);
}

/* What an earlier process did stands. Of a step that failed it is said why, once more. */
static void take_call(struct plan_run *run, struct step_call *call,
                      const struct call_record *record)
{
    struct step_outcome *outcome = call->outcome;
    size_t max_values = (size_t)run->session->services->settings->mcp_max_values;
    step_outcome_keep(run->session->arena, outcome, record, max_values);
    if (run->executor->cache)
        cache_kept(call);
    conclude(run, outcome, outcome->err.code ? STEP_ERROR : STEP_OK);
    if (outcome->state == STEP_ERROR)
        emit_finished(run, outcome);
}

static void take_kept(struct plan_run *run)
{
    json_int_t n_done = 0;
    for (size_t i = 0; i < run->plan->n_steps; i++) {
        const struct call_record *record =
            run_contents_call(run->executor->kept, run->calls[i].request.path);
        if (!record || (record->state != CALL_DONE && record->state != CALL_FAILED))
            continue;
        take_call(run, &run->calls[i], record);
        n_done += run->calls[i].outcome->state == STEP_OK;
    }
    journal_emit(&run->session->journal, EVENT_STEPS_KEPT, json_pack("{s:I}", "steps", n_done));
}

static void prepare_steps(struct plan_run *run)
{
    const struct executor *executor = run->executor;
    const struct flow_note *flows = flow_watch_plan(run->session, run->plan, executor->heard);
    flow_watch_warn(&run->session->journal, run->plan, flows);
    for (size_t i = 0; i < run->plan->n_steps; i++) {
        struct step_outcome *outcome = &run->execution->steps[i];
        outcome->step = &run->plan->steps[i];
        run->calls[i] =
            (struct step_call){ .run = run,
                                .outcome = outcome,
                                .request = request_of(executor, outcome->step, &flows[i]) };
    }
    if (executor->kept)
        take_kept(run);
}

static struct plan_run begin(struct executor *executor, const struct plan *plan,
                             struct execution *execution)
{
    struct arena *arena = executor->session->arena;
    size_t n = plan->n_steps;
    *execution = (struct execution){ .n_steps = n };
    execution->steps = arena_array(arena, struct step_outcome, n + 1);
    return (struct plan_run){ .executor = executor,
                              .session = executor->session,
                              .plan = plan,
                              .execution = execution,
                              .calls = arena_array(arena, struct step_call, n + 1),
                              .tasks = arena_array(arena, struct task *, n + 1),
                              .needs = dependencies_of(arena, plan),
                              .results = arena_array(arena, const struct step_result *, n + 1) };
}

static enum err_code how_it_ended(const struct plan_run *run, struct err *err)
{
    struct run_session *session = run->session;
    enum err_code r = run_session_check(session, err);
    if (!r && run->stop.code && err)
        *err = run->stop;
    return r ? r : run->stop.code;
}

enum err_code executor_run(struct executor *executor, const struct plan *plan,
                           struct execution *out, struct err *err)
{
    struct plan_run run = begin(executor, plan, out);
    prepare_steps(&run);
    for (;;) {
        while (decide_on_one(&run))
            ;
        if (run.n_running == 0)
            break;
        wait_for_one(&run);
    }
    skip_the_rest(&run);
    return how_it_ended(&run, err);
}

enum err_code execution_verdict(const struct execution *execution, struct err *err)
{
    const struct step_outcome *failed = execution->failed;
    if (!failed)
        return ERR_NONE;
    enum err_code code = failed->err.code;
    if (code == ERR_INVALID || code == ERR_NOT_FOUND || code == ERR_BAD_PLAN)
        code = ERR_FAILED;
    if (err) {
        *err = failed->err;
        err->code = code;
    }
    return err_prefix(err, code, "step %s", failed->step->id);
}
