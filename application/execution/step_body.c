/* A step with a body is carried out in passes: one, one for each element, or one after the other
 * until something holds. A pass is one call, or a run of the list of a block or a used plan, and
 * has memory of its own, so that what a loop costs does not grow with what it has done. The
 * elements of a loop are taken by workers, max_parallel of them, each of which takes the next one
 * when it is done with one. */
#include "application/execution/plan_run.h"
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/plan_inputs.h"
#include "domain/plan/step_conditions.h"
#include <string.h>

/* So many workers has a run, beside the tasks of its loops: loops in loops have no more. */
enum { PROGRESS_MS = 100, MAX_WORKERS = 256 };

/* One carrying out of the body of a step. */
struct pass {
    struct step_run *step;
    struct arena *arena;
    const char *path;
    struct frame frame; /* with the element of the loop */
    struct step_outcome outcome;
};

bool step_has_body(const struct step *step)
{
    return step->kind != STEP_TOOL || step->loop;
}

static struct plan_run *run_of(const struct pass *pass)
{
    return pass->step->in->run;
}

/* The sum of what became of a step that is carried out more than once. The state of a loop that is
 * still running stays: what waits for it would take an element that failed for its end. */
static void count(struct step_outcome *sum, const struct step_outcome *one)
{
    bool did_run = one->state != STEP_WAITING && one->state != STEP_SKIPPED;
    sum->n_times += did_run;
    sum->n_failed += one->state == STEP_ERROR;
    sum->duration_ms += one->duration_ms;
    if (!sum->started_at_ms)
        sum->started_at_ms = one->started_at_ms;
    bool is_new = sum->state == STEP_WAITING || sum->state == STEP_SKIPPED;
    if (is_new || (one->state == STEP_ERROR && sum->state != STEP_RUNNING))
        sum->state = one->state; /* that of a loop is told when it ends */
}

void list_run_count(const struct list_run *list)
{
    for (size_t i = 0; i < list->list->n; i++)
        count(&list->run->execution->steps[list->list->steps[i]], list->steps[i].outcome);
}

static void pass_call(struct pass *pass)
{
    struct runtime *runtime = run_of(pass)->session->services->runtime;
    struct step_call call = { .run = run_of(pass),
                              .scope = pass->step->in->scope,
                              .arena = pass->arena,
                              .frame = &pass->frame,
                              .at = pass->step->at,
                              .outcome = &pass->outcome,
                              .is_quiet = true };
    step_call_init(&call, pass->path);
    if (step_call_take_kept(&call) || !step_call_begin(&call))
        return;
    int64_t began_ms = runtime_now_ms(runtime);
    pass->outcome.started_at_ms = runtime_wall_ms(runtime);
    (void)step_call_send(&call);
    pass->outcome.duration_ms = runtime_now_ms(runtime) - began_ms;
    pass->outcome.state = step_state_of(&pass->outcome);
}

/* The inputs of a used plan are bound where its step stands. */
static enum err_code bind_inputs(struct pass *pass)
{
    const struct step_use *use = pass->step->outcome->step->use;
    const struct reference_place place = reference_place_of(run_of(pass)->plan, pass->step->at);
    struct err *err = &pass->outcome.err;
    const json_t *given = NULL;
    enum err_code r =
        references_bind_value(pass->arena, &place, &pass->frame, use->with, &given, err);
    if (!r)
        r = plan_inputs_set(pass->arena, use->inputs, use->vars, given, &pass->frame.vars, err);
    return r ? err_prefix(err, ERR_FAILED, "plan %.200s", use->file) : ERR_NONE;
}

/* Also of a call that somebody said is done, without its result. */
static void take_nothing(struct pass *pass)
{
    step_result_from_text(pass->arena, "", json_null(), false, &pass->outcome.result);
    pass->outcome.has_result = true;
}

/* What a body gives: its outputs, or what its last step gave. */
static void take_result(struct pass *pass, const struct list_run *list)
{
    const struct step *step = pass->step->outcome->step;
    const struct step_result *last = list_run_last(list);
    struct step_outcome *outcome = &pass->outcome;
    const json_t *outputs = NULL;
    if (step->outputs && plan_outputs(pass->arena, &list->frame, step->outputs, pass->step->at + 1,
                                      &outputs, &outcome->err))
        return;
    if (step->outputs)
        step_outcome_give(pass->arena, outcome, json_print_in(pass->arena, outputs),
                          json_share(outputs));
    else if (!last)
        step_outcome_give(pass->arena, outcome, "", json_null());
    else
        outcome->result = *last;
    outcome->has_result = !outcome->err.code;
}

static void pass_list(struct pass *pass)
{
    struct list_run *around = pass->step->in;
    struct step_outcome *outcome = &pass->outcome;
    bool is_use = outcome->step->kind == STEP_USE;
    struct err stop = { .code = ERR_NONE };
    if (is_use && bind_inputs(pass))
        return;
    struct list_run list = { .run = around->run,
                             .frame = pass->frame,
                             .scope = around->scope,
                             .arena = pass->arena,
                             .prefix = arena_printf(pass->arena, "%s.", pass->path),
                             .is_quiet = around->is_quiet || outcome->step->loop,
                             .stop = &stop };
    list_run_init(&list, false);
    (void)list_run_take_kept(&list);
    list_run_go(&list);
    if (is_use)
        list_run_finally(&list);
    list_run_count(&list);
    if (stop.code)
        outcome->err = stop;
    else if (list.failed)
        outcome->err = list.failed->err;
    if (list.failed && !stop.code)
        (void)err_prefix(&outcome->err, outcome->err.code, "%.64s", list.failed->step->id);
    if (!outcome->err.code &&
        !scope_check(list.scope, run_session_now_ms(list.run->session), &outcome->err))
        take_result(pass, &list);
}

static void pass_go(struct pass *pass)
{
    if (pass->outcome.step->kind == STEP_TOOL)
        pass_call(pass);
    else
        pass_list(pass);
    if (!pass->outcome.err.code && !pass->outcome.has_result)
        take_nothing(pass);
    pass->outcome.state = step_state_of(&pass->outcome);
}

static struct pass pass_of(struct step_run *step, struct arena *arena, const char *path)
{
    struct pass pass = { .step = step,
                         .arena = arena,
                         .path = path,
                         .frame = { .outer = &step->in->frame,
                                    .plan = step->in->run->plan,
                                    .body_of = step->at + 1 },
                         .outcome = { .step = step->outcome->step } };
    return pass;
}

static const char *element_path(struct arena *arena, const struct step_run *step, size_t i)
{
    return arena_printf(arena, "%s[%zu]", step->path, i);
}

/* Into memory that outlives the pass. */
static void keep_result(struct step_run *step, const struct step_result *result)
{
    struct step_outcome *outcome = step->outcome;
    outcome->has_result = !step_result_init(step->in->arena, result->bytes, result->length,
                                            &outcome->result, &outcome->err);
}

/* Going round until something holds. The list has what the last pass gave meanwhile. */
static bool is_over(struct step_run *step, struct pass *pass, const char **out_values)
{
    struct list_run *list = step->in;
    const struct step_result **result = &list->results[step->at - list->frame.first];
    bool is_over = false;
    step->outcome->err = pass->outcome.err;
    if (pass->outcome.err.code)
        return true;
    *result = pass->outcome.has_result ? &pass->outcome.result : NULL;
    enum err_code r = step_repeat_is_over(pass->arena, &list->frame, step->at, &is_over, out_values,
                                          &step->outcome->err);
    *result = NULL;
    if (!r && is_over && pass->outcome.has_result)
        keep_result(step, &pass->outcome.result);
    return r || is_over;
}

/* What an earlier process did does not count: a run that is resumed looks again, behind it. */
static void repeat(struct step_run *step)
{
    const struct step_loop *loop = step->outcome->step->loop;
    struct runtime *runtime = step->in->run->session->services->runtime;
    struct err *err = &step->outcome->err;
    const char *values = "";
    for (size_t i = 0, made = 0; made < loop->max; i++) {
        AUTO(arena) arena = { 0 };
        struct pass pass = pass_of(step, &arena, element_path(&arena, step, i));
        const char *seen = NULL;
        pass_go(&pass);
        count(step->outcome, &pass.outcome);
        if (is_over(step, &pass, &seen))
            return;
        bool is_kept = pass.outcome.is_kept && i < PLAN_MAX_REPEATS * 10;
        made += !is_kept;
        if (made == loop->max && seen)
            values = arena_strdup(step->in->arena, seen);
        if (made < loop->max && !is_kept &&
            runtime_sleep(runtime, step->in->scope, loop->delay_ms, err))
            return;
    }
    err_set(err, ERR_CHECK_FAILED, 0, "it does not hold after %zu times: %.160s (%.200s)",
            loop->max, loop->until_text, values);
}

/* A loop over elements, as its workers share it. */
struct each {
    struct step_run *step;
    const json_t *items; /* a list */
    json_t **given;      /* what each gave; NULL: it failed, or was not come to */
    const char **texts;  /* of what each gave, or why it failed */
    struct err first;    /* why the loop failed */
    size_t n, next;      /* of the elements; the next one to be begun */
    size_t n_done, n_failed;
    bool is_stopped;
    int64_t told_ms; /* when people last heard of it */
};

static void emit_progress(struct each *each, bool is_last)
{
    struct run_session *session = each->step->in->run->session;
    int64_t now_ms = run_session_now_ms(session);
    if (each->step->in->is_quiet || (!is_last && now_ms - each->told_ms < PROGRESS_MS))
        return;
    each->told_ms = now_ms;
    journal_emit(&session->journal, EVENT_STEP_PROGRESS,
                 json_pack("{s:s, s:s, s:I, s:I, s:I, s:b}", "step", each->step->path, "tool",
                           step_label(each->step->outcome->step), "progress",
                           (json_int_t)each->n_done, "total", (json_int_t)each->n, "failed",
                           (json_int_t)each->n_failed, "items", 1));
}

static enum err_code check_bytes(struct each *each, const struct step_result *result,
                                 struct err *err)
{
    struct plan_run *run = each->step->in->run;
    int64_t most = run->session->services->settings->limits_run_result_bytes;
    run->result_bytes += (int64_t)result->length;
    if (run->result_bytes <= most)
        return ERR_NONE;
    err_set(err, ERR_LIMIT, 0,
            "the loops of the run have more than %lld bytes of results "
            "(limits.run_result_bytes)",
            (long long)most);
    return err_hint(err, ERR_LIMIT, "let each element give less, by outputs of a block");
}

static void note_failure(struct each *each, size_t i, const struct err *err)
{
    const struct step *step = each->step->outcome->step;
    bool ends = step_ends_the_run(err->code) || !step->loop->goes_on;
    each->n_failed++;
    if (err->is_outcome_unknown && step->loop->goes_on)
        journal_warn(&each->step->in->run->session->journal, "step %s, element %zu: %.300s",
                     each->step->path, i, err->message);
    each->texts[i] = arena_strdup(each->step->in->arena, err->message);
    if (!ends || each->is_stopped)
        return;
    each->is_stopped = true;
    each->first = *err;
    (void)err_prefix(&each->first, err->code, "element %zu", i);
}

static void take_element(struct each *each, size_t i, struct pass *pass)
{
    struct step_outcome *outcome = &pass->outcome;
    struct arena *arena = each->step->in->arena;
    const json_t *value = NULL;
    if (!outcome->has_result && !outcome->err.code)
        value = json_null(); /* a person said that it is done, and not what it gave */
    else if (!outcome->err.code && !check_bytes(each, &outcome->result, &outcome->err) &&
             !(value = step_result_data(pass->arena, &outcome->result)))
        err_set(&outcome->err, ERR_LIMIT, 0,
                "its result has too many JSON values (mcp.max_values)");
    each->n_done++;
    if (outcome->err.code) {
        note_failure(each, i, &outcome->err);
        return;
    }
    each->given[i] = json_share(value);
    each->texts[i] = json_is_string(value) ? json_string_value(each->given[i])
                     : outcome->has_result
                         ? arena_strdup(arena, step_result_text(pass->arena, &outcome->result))
                         : "";
}

static void do_element(struct each *each, size_t i)
{
    AUTO(arena) arena = { 0 };
    struct step_run *step = each->step;
    struct pass pass = pass_of(step, &arena, element_path(&arena, step, i));
    pass.frame.item = json_array_get(each->items, i);
    pass.frame.index = arena_keep_json(&arena, json_integer((json_int_t)i));
    pass_go(&pass);
    count(step->outcome, &pass.outcome);
    take_element(each, i, &pass);
    emit_progress(each, false);
}

static enum err_code work(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct each *each = argument;
    while (each->next < each->n && !each->is_stopped) {
        struct err err;
        if (scope_check(scope, runtime_now_ms(runtime), &err)) {
            each->first = err;
            each->is_stopped = true;
            break;
        }
        do_element(each, each->next++);
    }
    return ERR_NONE;
}

static void go_through(struct each *each)
{
    struct list_run *list = each->step->in;
    struct runtime *runtime = list->run->session->services->runtime;
    struct task *workers[PLAN_MAX_PARALLEL] = { NULL };
    size_t n = 0, max = each->step->outcome->step->loop->max_parallel;
    max = max < each->n ? max : each->n;
    each->told_ms = runtime_now_ms(runtime);
    for (; n + 1 < max && list->run->n_workers < MAX_WORKERS; n++, list->run->n_workers++)
        workers[n] = runtime_spawn(runtime, list->scope, work, each);
    (void)work(runtime, list->scope, each); /* the task of the loop is one of them */
    for (size_t i = 0; i < n; i++)
        (void)runtime_wait(runtime, workers[i]);
    list->run->n_workers -= n;
    emit_progress(each, true);
}

/* {items, errors, count}, with the texts of the elements as its text; in the order of the list,
 * whichever ended first. */
static void gather(struct each *each)
{
    struct step_outcome *outcome = each->step->outcome;
    json_t *items = json_array(), *errors = json_array();
    AUTO(buf) text;
    buf_init(&text, SIZE_MAX);
    for (size_t i = 0; i < each->n; i++) {
        if (!each->given[i])
            json_array_append_new(
                errors, json_pack("{s:I, s:s}", "index", (json_int_t)i, "message", each->texts[i]));
        else if (*each->texts[i])
            (void)(buf_puts(&text, text.length ? "\n" : "") && buf_puts(&text, each->texts[i]));
        json_array_append_new(items, each->given[i] ? each->given[i] : json_null());
        each->given[i] = NULL;
    }
    json_t *all = json_pack("{s:o, s:o, s:I}", "items", items, "errors", errors, "count",
                            (json_int_t)each->n);
    step_outcome_give(each->step->in->arena, outcome, buf_string(&text), all);
}

const json_t *step_elements(struct arena *arena, const json_t *value)
{
    const char *key;
    const json_t *member;
    if (!json_is_object(value))
        return json_is_array(value) ? value : NULL;
    json_t *list = json_array();
    json_each_member (value, key, member)
        json_array_append_new(list,
                              json_pack("{s:s, s:o}", "key", key, "value", json_share(member)));
    return arena_keep_json(arena, list);
}

static enum err_code find_elements(struct step_run *step, const json_t **out)
{
    const struct step_loop *loop = step->outcome->step->loop;
    const struct reference_place place = reference_place_around(step->in->run->plan, step->at);
    struct err *err = &step->outcome->err;
    const json_t *value = NULL;
    enum err_code r =
        references_bind_value(step->in->arena, &place, &step->in->frame, loop->each, &value, err);
    if (r)
        return err_prefix(err, r, "each");
    *out = step_elements(step->in->arena, value);
    if (!*out)
        return err_set(err, ERR_FAILED, 0, "each: there is neither a list nor an object, but %.80s",
                       json_print_in(step->in->arena, value));
    if (json_array_size(*out) <= loop->limit)
        return ERR_NONE;
    err_set(err, ERR_LIMIT, 0, "each: %zu elements, more than the limit of the step (%zu)",
            json_array_size(*out), loop->limit);
    return err_hint(err, ERR_LIMIT, "write limit: %zu if so many are right", json_array_size(*out));
}

static void carry_out_each(struct step_run *step)
{
    struct arena *arena = step->in->arena;
    struct each each = { .step = step };
    if (find_elements(step, &each.items))
        return;
    each.n = json_array_size(each.items);
    each.given = arena_array(arena, json_t *, each.n + 1);
    each.texts = arena_array(arena, const char *, each.n + 1);
    go_through(&each);
    if (!each.is_stopped)
        gather(&each);
    else
        step->outcome->err = each.first;
    for (size_t i = 0; i < each.n; i++)
        json_decref(each.given[i]);
}

/* How often the body of a loop is carried out at most. */
static int64_t most_times(struct step_run *step)
{
    const struct step_loop *loop = step->outcome->step->loop;
    const json_t *items = NULL;
    if (!loop || loop->until)
        return loop ? (int64_t)loop->max : 1;
    bool is_known = !find_elements(step, &items);
    step->outcome->err = (struct err){ .code = ERR_NONE };
    return is_known ? (int64_t)json_array_size(items) : (int64_t)loop->limit;
}

/* Nothing in a body has anything to be bound to: it is as it is written, and counted. */
static void look_only(struct step_run *step)
{
    const struct plan *plan = step->in->run->plan;
    struct step_outcome *all = step->in->run->execution->steps;
    struct step_outcome *outcome = step->outcome;
    outcome->n_times = outcome->step->loop ? most_times(step) : 0;
    outcome->args = outcome->step->args;
    for (size_t i = step->at + 1; i < plan->steps[step->at].end; i++) {
        const struct step_loop *loop = plan->steps[i].loop;
        all[i].args = plan->steps[i].args;
        all[i].state = STEP_OK;
        all[i].n_times = !loop ? 0 : loop->until ? (int64_t)loop->max : (int64_t)loop->limit;
    }
}

enum err_code step_body_carry_out(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime, (void)scope;
    struct step_run *step = argument;
    const struct step *what = step->outcome->step;
    if (step->in->run->executor->dry_run) {
        look_only(step);
    } else if (what->kind == STEP_APPROVE || what->kind == STEP_ASK) {
        if (!(what->kind == STEP_ASK ? step_ask : step_approve)(step))
            step->outcome->err = (struct err){ .code = ERR_NONE }; /* of what went well at last */
    } else if (!what->loop) {
        struct pass pass = pass_of(step, step->in->arena, step->path);
        pass_go(&pass);
        step->outcome->err = pass.outcome.err;
        step->outcome->has_result = pass.outcome.has_result;
        step->outcome->result = pass.outcome.result;
    } else if (what->loop->each) {
        carry_out_each(step);
    } else {
        repeat(step);
    }
    return step->outcome->err.code;
}
