#include "application/orchestrators/executor.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/plan_check.h"
#include "domain/plan/references.h"
#include <string.h>

#define TOOL_SAYS_COLUMNS 200

struct course;

struct step_run {
    struct course *course;
    struct step_outcome *outcome;
    const struct tool *tool;
    struct task *task; /* NULL while it is not running */
    bool is_unbound;   /* a dry run: its references have nothing to be bound to */
    int64_t began_ms;  /* monotonic */
};

/* One run of one plan. */
struct course {
    struct executor *executor;
    struct scope *scope;
    const struct plan *plan;
    struct execution *execution;
    struct step_run *runs;
    const struct flow_note *flows; /* of each step */
    const bool *needs;             /* n * n: whether step [later * n + earlier] has to wait */
    struct err stop;               /* what ends the run as a whole; code NONE while it goes on */
};

static struct step_outcome *outcome_of(const struct course *course, size_t i)
{
    return &course->execution->steps[i];
}

static bool has_ended(const struct step_outcome *outcome)
{
    return outcome->state != STEP_WAITING && outcome->state != STEP_RUNNING;
}

static bool went_wrong(const struct step_outcome *outcome)
{
    if (outcome->state == STEP_SKIPPED)
        return true;
    return outcome->state == STEP_ERROR && outcome->step->on_error == STEP_STOP;
}

static json_t *step_data(const struct step_outcome *outcome)
{
    return json_pack("{s:s, s:s}", "step", outcome->step->id, "tool", outcome->step->tool);
}

static void emit_started(const struct course *course, const struct step_outcome *outcome)
{
    json_t *data = step_data(outcome);
    json_object_set_new(data, "args", journal_value(course->executor->journal, outcome->args));
    journal_emit(course->executor->journal, EVENT_STEP_STARTED, data);
}

static void emit_finished(const struct course *course, const struct step_outcome *outcome)
{
    json_t *data = step_data(outcome);
    json_object_set_new(data, "status", json_string(step_state_name(outcome->state)));
    json_object_set_new(data, "duration_ms", json_integer(outcome->duration_ms));
    if (outcome->err.code)
        json_object_set_new(data, "error", json_string(outcome->err.message));
    journal_emit(course->executor->journal, EVENT_STEP_FINISHED, data);
}

/* A denial, the end of the scope and a limit concern the run, not only the step. */
static bool ends_the_run(enum err_code code)
{
    return code == ERR_DENIED || code == ERR_CANCELLED || code == ERR_LIMIT;
}

static void end_step(struct course *course, struct step_outcome *outcome, enum step_state state)
{
    outcome->state = state;
    if (state == STEP_ERROR && outcome->step->on_error == STEP_STOP && !course->execution->failed)
        course->execution->failed = outcome;
    if (ends_the_run(outcome->err.code) && !course->stop.code)
        course->stop = outcome->err;
    emit_finished(course, outcome);
}

static void skip(struct course *course, struct step_outcome *outcome, const char *why)
{
    err_set(&outcome->err, ERR_FAILED, 0, "%s", why);
    end_step(course, outcome, STEP_SKIPPED);
}

/* Results of the steps so far, by position; NULL where there is none. */
static const struct step_result **results_of(const struct course *course)
{
    const struct execution *execution = course->execution;
    const struct step_result **results =
        arena_array(course->executor->arena, const struct step_result *, execution->n_steps + 1);
    bool is_dry = course->executor->dry_run; /* then they are only what would be called */
    for (size_t i = 0; i < execution->n_steps && !is_dry; i++)
        if (has_ended(&execution->steps[i]) && execution->steps[i].has_result)
            results[i] = &execution->steps[i].result;
    return results;
}

/* A dry run has no results that references could be bound to: the arguments stay as written. */
static enum err_code bind(struct step_run *run, size_t i)
{
    struct course *course = run->course;
    struct executor *executor = course->executor;
    struct step_outcome *outcome = run->outcome;
    enum err_code r = references_bind(executor->arena, course->plan, i, executor->vars,
                                      results_of(course), &outcome->args, &outcome->err);
    if (!r || !executor->dry_run)
        return r;
    run->is_unbound = true;
    outcome->args = outcome->step->args;
    outcome->err = (struct err){ .code = ERR_NONE };
    return ERR_NONE;
}

/* The tool's own words, or what the host says about it. */
static void note_failure(struct course *course, struct step_outcome *outcome)
{
    const char *text = step_result_text(course->executor->arena, &outcome->result);
    char *line = text_one_line(course->executor->arena, text, strlen(text), TOOL_SAYS_COLUMNS);
    err_set(&outcome->err, ERR_FAILED, 0, "%.200s: %s", outcome->step->tool,
            *line ? line : "the tool says that it failed");
}

static void take_result(struct course *course, struct step_outcome *outcome,
                        const struct step_result *result)
{
    outcome->result = *result;
    outcome->has_result = true;
    if (outcome->result.is_error)
        note_failure(course, outcome);
}

static struct invoke_request request_of(const struct step_run *run)
{
    const struct executor *executor = run->course->executor;
    const struct step *step = run->outcome->step;
    const struct flow_note *flow = &run->course->flows[run - run->course->runs];
    return (struct invoke_request){
        .tool = run->tool,
        .arguments = run->outcome->args,
        .step_id = step->id,
        .silence_ms = step->timeout_ms,
        .attempts = step->retry ? step->retry + 1 : 0,
        .named_by_user = executor->named_by_user,
        .flow = flow->reason,
        .is_risky = flow->is_risky,
        .dry_run = executor->dry_run,
    };
}

static enum err_code send_step(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct step_run *run = argument;
    struct executor *executor = run->course->executor;
    struct invoke_request request = request_of(run);
    struct invoke_outcome outcome = { 0 };
    enum err_code r = invoke_send(executor->invoker, scope, executor->arena, &request, &outcome,
                                  &run->outcome->err);
    if (!r)
        take_result(run->course, run->outcome, &outcome.result);
    return r;
}

static void settle_in_circles(struct step_run *run)
{
    run->course->execution->in_circles = true;
    skip(run->course, run->outcome, "the same call was made twice already");
}

/* True when the step is settled without a call. */
static bool settle_from_cache(struct step_run *run)
{
    struct course *course = run->course;
    const struct step_result *earlier = NULL;
    struct result_cache *cache = course->executor->cache;
    enum cache_verdict verdict = result_cache_ask(cache, run->tool, run->outcome->args, &earlier);
    if (verdict == CACHE_CIRCLE)
        settle_in_circles(run);
    if (verdict != CACHE_RESULT)
        return verdict == CACHE_CIRCLE;
    take_result(course, run->outcome, earlier);
    end_step(course, run->outcome, STEP_CACHED);
    return true;
}

static enum err_code permit(struct step_run *run)
{
    struct executor *executor = run->course->executor;
    struct invoke_request request = request_of(run);
    if (run->is_unbound)
        return ERR_NONE; /* the plan check has seen what can be seen of these arguments */
    return invoke_permit(executor->invoker, run->course->scope, executor->arena, &request,
                         &run->outcome->err);
}

static void launch(struct step_run *run)
{
    struct runtime *runtime = run->course->executor->services->runtime;
    if (run->course->executor->cache && settle_from_cache(run))
        return;
    if (permit(run)) {
        end_step(run->course, run->outcome, STEP_ERROR);
        return;
    }
    run->began_ms = runtime_now_ms(runtime);
    run->outcome->started_at_ms = runtime_wall_ms(runtime);
    run->task = runtime_spawn(runtime, run->course->scope, send_step, run);
}

static void start_step(struct course *course, size_t i)
{
    struct step_run *run = &course->runs[i];
    struct step_outcome *outcome = run->outcome;
    outcome->state = STEP_RUNNING;
    enum err_code r = bind(run, i);
    if (!r)
        r = toolbox_find(course->executor->toolbox, course->scope, outcome->step->tool, &run->tool,
                         NULL, &outcome->err);
    emit_started(course, outcome);
    if (r)
        end_step(course, outcome, STEP_ERROR);
    else
        launch(run);
}

enum readiness { NOT_YET, READY, HOPELESS };

static enum readiness readiness_of(const struct course *course, size_t i)
{
    enum readiness readiness = READY;
    for (size_t earlier = 0; earlier < course->plan->n_steps; earlier++) {
        if (!course->needs[i * course->plan->n_steps + earlier])
            continue;
        if (went_wrong(outcome_of(course, earlier)))
            return HOPELESS;
        if (!has_ended(outcome_of(course, earlier)))
            readiness = NOT_YET;
    }
    return readiness;
}

static size_t count_running(const struct course *course)
{
    size_t n = 0;
    for (size_t i = 0; i < course->plan->n_steps; i++)
        n += course->runs[i].task != NULL;
    return n;
}

static bool may_go_on(const struct course *course)
{
    struct runtime *runtime = course->executor->services->runtime;
    return !course->stop.code && !course->execution->in_circles &&
           !scope_check(course->scope, runtime_now_ms(runtime), NULL);
}

/* One step further; false when no waiting step can be settled or started now. */
static bool advance(struct course *course)
{
    size_t max = (size_t)course->executor->services->settings->tools_max_parallel;
    for (size_t i = 0; i < course->plan->n_steps && may_go_on(course); i++) {
        if (outcome_of(course, i)->state != STEP_WAITING)
            continue;
        enum readiness readiness = readiness_of(course, i);
        if (readiness == NOT_YET || (readiness == READY && count_running(course) >= max))
            continue;
        if (readiness == HOPELESS)
            skip(course, outcome_of(course, i), "a step that it needs did not succeed");
        else
            start_step(course, i);
        return true;
    }
    return false;
}

static void check_memory(struct course *course)
{
    int64_t max = course->executor->services->settings->limits_turn_bytes;
    if ((int64_t)course->executor->arena->bytes <= max || course->stop.code)
        return;
    err_set(&course->stop, ERR_LIMIT, 0, "the turn needs more than limits.turn_bytes (%lld)",
            (long long)max);
}

static void collect(struct course *course, struct step_run *run, enum err_code r)
{
    struct executor *executor = course->executor;
    struct step_outcome *outcome = run->outcome;
    run->task = NULL;
    outcome->duration_ms = runtime_now_ms(executor->services->runtime) - run->began_ms;
    if (!r && !executor->dry_run && executor->cache)
        result_cache_put(executor->cache, run->tool, outcome->args, &outcome->result);
    end_step(course, outcome, outcome->err.code ? STEP_ERROR : STEP_OK);
    check_memory(course);
}

static void wait_for_one(struct course *course)
{
    size_t n = course->plan->n_steps;
    struct task **tasks = arena_array(course->executor->arena, struct task *, n);
    for (size_t i = 0; i < n; i++)
        tasks[i] = course->runs[i].task;
    enum err_code r = ERR_NONE;
    size_t i = runtime_wait_any(course->executor->services->runtime, tasks, n, &r);
    collect(course, &course->runs[i], r);
}

static void skip_the_rest(struct course *course)
{
    for (size_t i = 0; i < course->plan->n_steps; i++)
        if (outcome_of(course, i)->state == STEP_WAITING)
            skip(course, outcome_of(course, i), "the run ended before its turn");
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

static void prepare(struct course *course)
{
    struct arena *arena = course->executor->arena;
    size_t n = course->plan->n_steps;
    const struct executor *executor = course->executor;
    course->needs = dependencies_of(arena, course->plan);
    course->flows = flow_watch_plan(arena, executor->services, executor->toolbox, course->plan,
                                    executor->heard);
    flow_watch_warn(executor->journal, course->plan, course->flows);
    course->runs = arena_array(arena, struct step_run, n + 1);
    *course->execution = (struct execution){ .n_steps = n };
    course->execution->steps = arena_array(arena, struct step_outcome, n + 1);
    for (size_t i = 0; i < n; i++) {
        course->execution->steps[i].step = &course->plan->steps[i];
        course->runs[i] =
            (struct step_run){ .course = course, .outcome = &course->execution->steps[i] };
    }
}

static enum err_code how_it_ended(const struct course *course, struct err *err)
{
    struct runtime *runtime = course->executor->services->runtime;
    enum err_code r = scope_check(course->scope, runtime_now_ms(runtime), err);
    if (r || !course->stop.code)
        return r;
    if (err)
        *err = course->stop;
    return course->stop.code;
}

enum err_code executor_run(struct executor *executor, struct scope *scope, const struct plan *plan,
                           struct execution *out, struct err *err)
{
    struct course course = { .executor = executor, .scope = scope, .plan = plan, .execution = out };
    prepare(&course);
    for (;;) {
        while (advance(&course))
            ;
        if (count_running(&course) == 0)
            break;
        wait_for_one(&course);
    }
    skip_the_rest(&course);
    return how_it_ended(&course, err);
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
