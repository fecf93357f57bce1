/* A list of steps is gone through in a loop: first it is decided about every waiting step that can
 * be decided (decide_on_one), then it waits until one running step ends. A step that is one call is
 * begun here, so that calls are looked at in their order, and sent by a task; a step with a body,
 * an approve and an ask are tasks of their own, in which lists are gone through the same way. */
#include "application/execution/executor.h"
#include "application/execution/plan_run.h"
#include "application/runs/kept_plan.h"
#include "domain/base/json.h"
#include "domain/plan/plan_check.h"
#include "domain/plan/step_conditions.h"
#include <string.h>

static bool has_ended(const struct step_outcome *outcome)
{
    return outcome->state != STEP_WAITING && outcome->state != STEP_RUNNING;
}

void step_emit_started(struct plan_run *run, const char *path, const struct step_outcome *outcome)
{
    const json_t *args = outcome->args ? outcome->args : outcome->step->args;
    journal_emit(&run->session->journal, EVENT_STEP_STARTED,
                 json_pack("{s:s, s:s, s:o*}", "step", path, "tool", step_label(outcome->step),
                           "args", json_share(args)));
}

static void emit_finished(const struct step_run *step)
{
    const struct step_outcome *outcome = step->outcome;
    const char *error = outcome->err.code ? outcome->err.message : NULL;
    if (!step->in->is_quiet)
        journal_emit(&step->in->run->session->journal, EVENT_STEP_FINISHED,
                     json_pack("{s:s, s:s, s:s, s:I, s:s*}", "step", step->path, "tool",
                               step_label(outcome->step), "status", step_state_name(outcome->state),
                               "duration_ms", (json_int_t)outcome->duration_ms, "error", error));
}

/* A denial, the end of the scope and a limit concern the run, not only the step. */
bool step_ends_the_run(enum err_code code)
{
    return code == ERR_DENIED || code == ERR_CANCELLED || code == ERR_LIMIT;
}

/* A dry run has no results: they only say what would be called. */
static void conclude(struct step_run *step, enum step_state state)
{
    struct list_run *list = step->in;
    struct step_outcome *outcome = step->outcome;
    if (outcome->has_result && !list->run->executor->dry_run) {
        list->results[step->at - list->frame.first] = &outcome->result;
        if ((state == STEP_OK || state == STEP_CACHED) &&
            step_checks_hold(list->arena, &list->frame, step->at, &outcome->err))
            state = STEP_ERROR;
    }
    outcome->state = state;
    if (state == STEP_ERROR && outcome->step->on_error == STEP_STOP && !list->failed)
        list->failed = outcome;
    if (step_ends_the_run(outcome->err.code) && !list->stop->code)
        *list->stop = outcome->err;
}

static void end_step(struct step_run *step, enum step_state state)
{
    conclude(step, state);
    emit_finished(step);
}

static void skip(struct step_run *step, const char *why)
{
    err_set(&step->outcome->err, ERR_FAILED, 0, "%s", why);
    end_step(step, STEP_SKIPPED);
}

static enum err_code send_call(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime, (void)scope;
    struct step_run *step = argument;
    return step_call_send(&step->call);
}

static void spawn(struct step_run *step, task_fn *carry_out)
{
    struct list_run *list = step->in;
    struct runtime *runtime = list->run->session->services->runtime;
    step->began_ms = runtime_now_ms(runtime);
    step->outcome->state = STEP_RUNNING;
    step->outcome->started_at_ms = runtime_wall_ms(runtime);
    list->tasks[step - list->steps] = runtime_spawn(runtime, list->scope, carry_out, step);
    list->n_running++;
}

static void start_step(struct step_run *step)
{
    bool is_call = !step_has_body(step->outcome->step);
    if (!is_call && !step->in->is_quiet)
        step_emit_started(step->in->run, step->path, step->outcome);
    if (!is_call)
        spawn(step, step_body_carry_out);
    else if (!step_call_take_kept(&step->call) && step_call_begin(&step->call))
        spawn(step, send_call);
    else
        end_step(step, step->outcome->state);
}

/* A dry run has nothing to decide by. */
static bool is_wanted(struct step_run *step)
{
    struct list_run *list = step->in;
    bool holds = true;
    if (list->run->executor->dry_run)
        return true;
    if (plan_step_is_last(list->run->plan, step->at) &&
        step_lacks_result(list->arena, &list->frame, step->at))
        skip(step, "a step that it refers to gave nothing");
    else if (step_condition_holds(list->arena, &list->frame, step->at, &holds, &step->outcome->err))
        end_step(step, STEP_ERROR);
    else if (!holds)
        end_step(step, STEP_SKIPPED);
    return !has_ended(step->outcome);
}

enum readiness { NOT_YET, READY, HOPELESS };

static enum readiness readiness_of(const struct list_run *list, size_t i)
{
    const struct list_needs *needs = &list->list->needs[i];
    enum readiness readiness = READY;
    for (size_t j = 0; j < needs->n; j++) {
        const struct step_outcome *outcome = list->steps[needs->steps[j]].outcome;
        bool is_guard = outcome->step->kind == STEP_APPROVE; /* nothing goes on without its yes */
        bool went_wrong =
            (outcome->state == STEP_SKIPPED && (outcome->err.code || is_guard)) ||
            (outcome->state == STEP_ERROR && (outcome->step->on_error == STEP_STOP || is_guard));
        if (went_wrong)
            return HOPELESS;
        if (!has_ended(outcome))
            readiness = NOT_YET;
    }
    return readiness;
}

static bool may_go_on(const struct list_run *list)
{
    return !list->stop->code && !list->run->execution->in_circles &&
           !scope_check(list->scope, run_session_now_ms(list->run->session), NULL);
}

static size_t first_waiting(struct list_run *list)
{
    while (list->n_decided < list->list->n &&
           list->steps[list->n_decided].outcome->state != STEP_WAITING)
        list->n_decided++;
    return list->n_decided;
}

static void decide(struct step_run *step, enum readiness readiness)
{
    if (readiness == HOPELESS)
        skip(step, "a step that it needs did not succeed");
    else if (is_wanted(step))
        start_step(step);
}

/* Settles or starts the first waiting step that allows it; false when there is none. */
static bool decide_on_one(struct list_run *list)
{
    size_t max = (size_t)list->run->session->services->settings->tools_max_parallel;
    if (!may_go_on(list))
        return false;
    for (size_t i = first_waiting(list); i < list->list->n; i++) {
        bool is_waiting = list->steps[i].outcome->state == STEP_WAITING;
        enum readiness readiness = is_waiting ? readiness_of(list, i) : NOT_YET;
        if (readiness == NOT_YET || (readiness == READY && list->n_running >= max))
            continue;
        decide(&list->steps[i], readiness);
        return true;
    }
    return false;
}

static void check_memory(struct list_run *list)
{
    int64_t max = list->run->session->services->settings->limits_turn_bytes;
    if ((int64_t)list->arena->bytes > max && !list->stop->code)
        err_set(list->stop, ERR_LIMIT, 0, "the turn needs more than limits.turn_bytes (%lld)",
                (long long)max);
}

/* Calls that may be repeated do not wait for the state, and would go on without one. */
static void check_state(struct list_run *list)
{
    const struct executor *executor = list->run->executor;
    struct run_state *state = executor->ends_unkept ? list->run->session->state : NULL;
    enum err_code r = state && !list->stop->code ? run_state_check(state, list->stop) : ERR_NONE;
    if (r)
        (void)err_prefix(list->stop, r, "the rest was not called");
}

static void wait_for_one(struct list_run *list)
{
    struct runtime *runtime = list->run->session->services->runtime;
    enum err_code r = ERR_NONE;
    size_t i = runtime_wait_any(runtime, list->tasks, list->list->n, &r);
    struct step_run *step = &list->steps[i];
    list->tasks[i] = NULL;
    list->n_running--;
    step->outcome->duration_ms = runtime_now_ms(runtime) - step->began_ms;
    end_step(step, step_state_of(step->outcome));
    check_memory(list);
    check_state(list);
}

static void skip_the_rest(struct list_run *list)
{
    for (size_t i = 0; i < list->list->n; i++)
        if (list->steps[i].outcome->state == STEP_WAITING)
            skip(&list->steps[i], "the run ended before its turn");
}

void list_run_go(struct list_run *list)
{
    for (;;) {
        while (decide_on_one(list))
            ;
        if (list->n_running == 0)
            break;
        wait_for_one(list);
    }
    skip_the_rest(list);
}

/* What an earlier process did stands. Of a step that failed it is said why, once more. A step with
 * checks, which may look at what a loop before it gives, is taken over at its turn. */
size_t list_run_take_kept(struct list_run *list)
{
    size_t n_done = 0;
    for (size_t i = 0; i < list->list->n; i++) {
        struct step_run *step = &list->steps[i];
        bool waits = step->outcome->step->n_checks && readiness_of(list, i) == NOT_YET;
        if (waits || step_has_body(step->outcome->step) || !step_call_take_kept(&step->call))
            continue;
        conclude(step, step->outcome->state);
        if (step->outcome->state == STEP_ERROR)
            emit_finished(step);
        n_done += step->outcome->state == STEP_OK;
    }
    return n_done;
}

static void init_step(struct list_run *list, size_t i, struct step_outcome *outcome)
{
    struct step_run *step = &list->steps[i];
    size_t at = list->list->steps[i];
    const char *id = list->run->plan->steps[at].id;
    outcome->step = &list->run->plan->steps[at];
    *step = (struct step_run){ .in = list, .at = at, .outcome = outcome };
    step->path = *list->prefix ? arena_printf(list->arena, "%s%s", list->prefix, id) : id;
    step->call = (struct step_call){ .run = list->run,
                                     .scope = list->scope,
                                     .arena = list->arena,
                                     .frame = &list->frame,
                                     .at = at,
                                     .outcome = outcome,
                                     .is_quiet = list->is_quiet };
    step_call_init(&step->call, step->path);
}

static void init_results(struct list_run *list)
{
    const struct plan *plan = list->run->plan;
    size_t body_of = list->frame.body_of;
    size_t end = body_of ? plan->steps[body_of - 1].end : plan->n_steps;
    list->results = arena_array(list->arena, const struct step_result *, end - body_of + 1);
    list->frame.first = body_of;
    list->frame.results = list->results;
}

void list_run_init(struct list_run *list, bool is_finally)
{
    size_t body_of = list->frame.body_of;
    list->list = &list->run->lists[2 * body_of + is_finally];
    size_t n = list->list->n;
    struct step_outcome *outcomes = arena_array(list->arena, struct step_outcome, n + 1);
    if (!list->results)
        init_results(list);
    list->steps = arena_array(list->arena, struct step_run, n + 1);
    list->tasks = arena_array(list->arena, struct task *, n + 1);
    for (size_t i = 0; i < n; i++)
        init_step(list, i,
                  body_of ? &outcomes[i] : &list->run->execution->steps[list->list->steps[i]]);
}

const struct step_result *list_run_last(const struct list_run *list)
{
    size_t n = list->list->n;
    return n ? list->results[list->list->steps[n - 1] - list->frame.first] : NULL;
}

/* The number of each step in its list; and the lists, without what waits for what. */
static size_t *number_steps(struct arena *arena, const struct plan *plan, struct step_list *lists)
{
    size_t *numbers = arena_array(arena, size_t, plan->n_steps + 1);
    size_t *capacities = arena_array(arena, size_t, 2 * plan->n_steps + 2);
    for (size_t i = 0; i < plan->n_steps; i++) {
        size_t of = 2 * plan->steps[i].body_of + plan->steps[i].is_finally;
        numbers[i] = lists[of].n;
        *arena_push(arena, lists[of].steps, lists[of].n, capacities[of]) = i;
    }
    return numbers;
}

static void note_needs(struct arena *arena, const struct plan *plan, size_t later,
                       const size_t *numbers, const bool *marks, struct list_needs *needs)
{
    const struct step *steps = plan->steps;
    size_t capacity = 0, n = plan->n_steps;
    for (const bool *at = marks; (at = memchr(at, true, (size_t)(marks + n - at))); at++) {
        size_t i = (size_t)(at - marks);
        if (i != later && steps[i].body_of == steps[later].body_of &&
            steps[i].is_finally == steps[later].is_finally)
            *arena_push(arena, needs->steps, needs->n, capacity) = numbers[i];
    }
}

static const struct step_list *lists_of(struct arena *arena, const struct plan *plan)
{
    size_t n = plan->n_steps;
    struct step_list *lists = arena_array(arena, struct step_list, 2 * n + 2);
    const size_t *numbers = number_steps(arena, plan, lists);
    bool *marks = arena_array(arena, bool, n + 1);
    for (size_t of = 0; of < 2 * n + 2; of++)
        lists[of].needs = arena_array(arena, struct list_needs, lists[of].n + 1);
    for (size_t i = 0; i < n; i++) {
        struct step_list *list = &lists[2 * plan->steps[i].body_of + plan->steps[i].is_finally];
        plan_step_needs(arena, plan, i, marks);
        note_needs(arena, plan, i, numbers, marks, &list->needs[numbers[i]]);
    }
    return lists;
}

static void emit_kept(struct list_run *list)
{
    if (list->run->executor->kept)
        journal_emit(&list->run->session->journal, EVENT_STEPS_KEPT,
                     json_pack("{s:I}", "steps", (json_int_t)list_run_take_kept(list)));
}

static struct list_run last_of(const struct list_run *list, struct scope *scope, struct err *stop)
{
    struct list_run last = *list;
    last.scope = scope;
    last.n_running = last.n_decided = 0;
    last.stop = stop;
    last.failed = NULL;
    return last;
}

static void run_last(struct list_run *last)
{
    list_run_init(last, true);
    (void)list_run_take_kept(last);
    list_run_go(last);
    if (last->frame.body_of)
        list_run_count(last);
}

/* Not under the scope of the list: also after Ctrl-C, for so long. */
void list_run_finally(struct list_run *list)
{
    const struct services *services = list->run->session->services;
    int64_t most_ms = services->settings->limits_finally_seconds * 1000;
    struct err stop = { .code = ERR_NONE };
    struct scope scope = runtime_scope(services->runtime, NULL, most_ms);
    struct list_run last = last_of(list, &scope, &stop);
    if (list->run->execution->approval && list->run->session->state)
        return; /* the run goes on when a person has said yes */
    if (run_session_goes_on_elsewhere(list->run->session))
        return;
    scope.last_of = list->scope;
    run_last(&last);
    if (!list->failed)
        list->failed = last.failed;
    if (stop.code && !list->stop->code)
        *list->stop = stop;
}

static void run_plan(struct list_run *list)
{
    struct execution *execution = list->run->execution;
    list_run_init(list, false);
    emit_kept(list);
    list_run_go(list);
    list_run_finally(list);
    execution->failed = list->failed;
    for (size_t i = 0; i < execution->n_steps; i++) /* in a body that was not come to */
        if (execution->steps[i].state == STEP_WAITING)
            execution->steps[i].state = STEP_SKIPPED;
}

static enum err_code how_it_ended(const struct list_run *list, struct err *err)
{
    enum err_code r = run_session_check(list->run->session, err);
    if (!r && list->stop->code && err)
        *err = *list->stop;
    return r ? r : list->stop->code;
}

static struct plan_run begin(struct executor *executor, const struct plan *plan,
                             struct execution *execution)
{
    struct run_session *session = executor->session;
    *execution = (struct execution){ .n_steps = plan->n_steps };
    execution->steps = arena_array(session->arena, struct step_outcome, plan->n_steps + 1);
    for (size_t i = 0; i < plan->n_steps; i++)
        execution->steps[i].step = &plan->steps[i];
    return (struct plan_run){ .executor = executor,
                              .session = session,
                              .plan = plan,
                              .execution = execution,
                              .lists = lists_of(session->arena, plan),
                              .flows = flow_watch_plan(session, plan, executor->heard) };
}

enum err_code executor_run(struct executor *executor, const struct plan *plan,
                           struct execution *out, struct err *err)
{
    struct plan_run run = begin(executor, plan, out);
    struct run_session *session = executor->session;
    struct err stop = { .code = ERR_NONE };
    struct list_run list = { .run = &run,
                             .frame = { .plan = plan, .vars = executor->vars },
                             .scope = &session->scope,
                             .arena = session->arena,
                             .prefix = "",
                             .stop = &stop };
    run.approved = arena_keep_json(session->arena, json_object());
    flow_watch_warn(&session->journal, plan, run.flows);
    run_plan(&list);
    return how_it_ended(&list, err);
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
