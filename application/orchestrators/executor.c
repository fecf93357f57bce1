/* executor_run goes round in a loop: first it decides about every waiting step that can be decided
 * (decide_on_one), then it waits until one running call ends. start_step is the decision about
 * a step that is ready, and makes its request: the arguments cannot be bound or there is no such
 * tool (an error), the same call was made before (its result, or the end of a plan that goes in
 * circles), it may not be made (an error), or it is sent. */
#include "application/orchestrators/executor.h"
#include "application/orchestrators/arguments.h"
#include "application/orchestrators/flow_watch.h"
#include "application/orchestrators/result_cache.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/plan_check.h"
#include "domain/plan/references.h"
#include <string.h>

#define TOOL_SAYS_COLUMNS 200

/* One step with its request, which is complete once the step was started. */
struct step_call {
    struct plan_run *run;
    struct step_outcome *outcome;
    struct invoke_request request;
    bool is_unbound;  /* a dry run: its references have nothing to be bound to */
    int64_t began_ms; /* monotonic */
};

/* One run of one plan; an element of each array for a step. */
struct plan_run {
    struct executor *executor;
    struct run_session *session;
    const struct plan *plan;
    struct execution *execution;
    struct step_call *calls;
    struct task **tasks; /* NULL while a step is not running */
    const bool *needs;   /* n * n: whether step [later * n + earlier] has to wait */
    struct err stop;     /* what ends the run as a whole; code NONE while it goes on */
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

static void end_step(struct plan_run *run, struct step_outcome *outcome, enum step_state state)
{
    outcome->state = state;
    if (state == STEP_ERROR && outcome->step->on_error == STEP_STOP && !run->execution->failed)
        run->execution->failed = outcome;
    if (ends_the_run(outcome->err.code) && !run->stop.code)
        run->stop = outcome->err;
    emit_finished(run, outcome);
}

static void skip(struct plan_run *run, struct step_outcome *outcome, const char *why)
{
    err_set(&outcome->err, ERR_FAILED, 0, "%s", why);
    end_step(run, outcome, STEP_SKIPPED);
}

/* The failure of a tool is told in its own words where it has any. */
static void take_result(struct plan_run *run, struct step_outcome *outcome,
                        const struct step_result *result)
{
    struct arena *arena = run->session->arena;
    outcome->result = *result;
    outcome->has_result = true;
    if (!result->is_error)
        return;
    const char *text = step_result_text(arena, result);
    const char *line = text_one_line(arena, text, strlen(text), TOOL_SAYS_COLUMNS);
    err_set(&outcome->err, ERR_FAILED, 0, "%.200s: %s", outcome->step->tool,
            *line ? line : "the tool says that it failed");
}

/* Results of the steps so far, by position; NULL where there is none. A dry run has none: its
 * results only say what would be called. */
static const struct step_result **results_of(const struct plan_run *run)
{
    const struct execution *execution = run->execution;
    const struct step_result **results =
        arena_array(run->session->arena, const struct step_result *, execution->n_steps + 1);
    for (size_t i = 0; i < execution->n_steps && !run->executor->dry_run; i++)
        if (has_ended(&execution->steps[i]) && execution->steps[i].has_result)
            results[i] = &execution->steps[i].result;
    return results;
}

/* In a dry run, arguments whose references cannot be bound stay as written. */
static enum err_code bind(struct step_call *call)
{
    const struct plan_run *run = call->run;
    struct step_outcome *outcome = call->outcome;
    size_t i = (size_t)(call - run->calls);
    enum err_code r = references_bind(run->session->arena, run->plan, i, run->executor->vars,
                                      results_of(run), &outcome->args, &outcome->err);
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
        take_result(call->run, call->outcome, &outcome.result);
    return r;
}

static void spawn(struct step_call *call)
{
    struct plan_run *run = call->run;
    struct runtime *runtime = run->session->services->runtime;
    call->began_ms = runtime_now_ms(runtime);
    call->outcome->started_at_ms = runtime_wall_ms(runtime);
    run->tasks[call - run->calls] = runtime_spawn(runtime, &run->session->scope, send_step, call);
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

static void start_step(struct plan_run *run, struct step_call *call)
{
    const struct step_result *earlier = NULL;
    enum err_code r = make_request(call);
    enum cache_verdict verdict = r ? CACHE_CALL : ask_cache(call, &earlier);
    if (verdict == CACHE_CIRCLE) {
        run->execution->in_circles = true;
        skip(run, call->outcome, "the same call was made twice already");
    } else if (verdict == CACHE_RESULT) {
        take_result(run, call->outcome, earlier);
        end_step(run, call->outcome, STEP_CACHED);
    } else if (r || permit(call)) {
        end_step(run, call->outcome, STEP_ERROR);
    } else {
        spawn(call);
    }
}

enum readiness { NOT_YET, READY, HOPELESS };

static enum readiness readiness_of(const struct plan_run *run, size_t i)
{
    const size_t n = run->plan->n_steps;
    enum readiness readiness = READY;
    for (size_t earlier = 0; earlier < n; earlier++) {
        const struct step_outcome *outcome = &run->execution->steps[earlier];
        bool went_wrong = outcome->state == STEP_SKIPPED ||
                          (outcome->state == STEP_ERROR && outcome->step->on_error == STEP_STOP);
        if (run->needs[i * n + earlier] && went_wrong)
            return HOPELESS;
        if (run->needs[i * n + earlier] && !has_ended(outcome))
            readiness = NOT_YET;
    }
    return readiness;
}

static size_t count_running(const struct plan_run *run)
{
    size_t n = 0;
    for (size_t i = 0; i < run->plan->n_steps; i++)
        n += run->tasks[i] != NULL;
    return n;
}

static bool may_go_on(const struct plan_run *run)
{
    return !run->stop.code && !run->execution->in_circles && !run_session_check(run->session, NULL);
}

/* Settles or starts the first waiting step that allows it; false when there is none. */
static bool decide_on_one(struct plan_run *run)
{
    size_t max = (size_t)run->session->services->settings->tools_max_parallel;
    for (size_t i = 0; i < run->plan->n_steps && may_go_on(run); i++) {
        struct step_outcome *outcome = &run->execution->steps[i];
        enum readiness readiness = outcome->state == STEP_WAITING ? readiness_of(run, i) : NOT_YET;
        if (readiness == NOT_YET || (readiness == READY && count_running(run) >= max))
            continue;
        if (readiness == HOPELESS)
            skip(run, outcome, "a step that it needs did not succeed");
        else
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

static void wait_for_one(struct plan_run *run)
{
    struct runtime *runtime = run->session->services->runtime;
    enum err_code r = ERR_NONE;
    size_t i = runtime_wait_any(runtime, run->tasks, run->plan->n_steps, &r);
    struct step_call *call = &run->calls[i];
    struct step_outcome *outcome = call->outcome;
    run->tasks[i] = NULL;
    outcome->duration_ms = runtime_now_ms(runtime) - call->began_ms;
    if (!r && !run->executor->dry_run)
        result_cache_put(run->executor->cache, call->request.tool, outcome->args, &outcome->result);
    end_step(run, outcome, outcome->err.code ? STEP_ERROR : STEP_OK);
    check_memory(run);
}

static void skip_the_rest(struct plan_run *run)
{
    for (size_t i = 0; i < run->plan->n_steps; i++)
        if (run->execution->steps[i].state == STEP_WAITING)
            skip(run, &run->execution->steps[i], "the run ended before its turn");
}

static const bool *dependencies_of(struct arena *arena, const struct plan *plan)
{
    size_t n = plan->n_steps;
    bool *needs = arena_array(arena, bool, n *n + 1);
    for (size_t later = 0; later < n; later++)
        for (size_t earlier = 0; earlier < n; earlier++)
            needs[later * n + earlier] =
                later != earlier && plan_step_depends(arena, plan, later, earlier);
    return needs;
}

/* Tool and arguments are added when the step is started. */
static struct invoke_request request_of(const struct executor *executor, const struct step *step,
                                        const struct flow_note *flow)
{
    return (struct invoke_request){
        .step_id = step->id,
        .silence_ms = step->timeout_ms,
        .attempts = step->retry ? step->retry + 1 : 0,
        .named_by_user = executor->named_by_user,
        .flow = flow->reason,
        .is_risky = flow->is_risky,
        .dry_run = executor->dry_run,
    };
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
                              .needs = dependencies_of(arena, plan) };
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
        if (count_running(&run) == 0)
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
