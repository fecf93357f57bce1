/* A person says yes to exactly the calls that an approve guards. They are bound as they will be
 * made (the plan check has seen that nothing they refer to is a guarded call itself), and the hash
 * of all that is shown stands for them: it is what --answer gives, and what the state of the run
 * keeps. */
#include "application/execution/arguments.h"
#include "application/execution/plan_run.h"
#include "application/runs/kept_plan.h"
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/plan_inputs.h"
#include "domain/plan/step_conditions.h"
#include <string.h>

enum { SHOWN_BYTES = 256 * 1024 }; /* on a terminal; more are approved by their hash */

/* Going over the guarded steps. */
struct gathering {
    struct plan_run *run;
    struct arena *arena;
    struct scope *scope;
    json_t *calls;
    struct err *err;
};

static enum err_code gather(struct gathering *g, const struct frame *frame, const char *prefix,
                            size_t from, size_t end, size_t body_of);

static enum err_code bind(struct gathering *g, const struct frame *frame, size_t at,
                          const json_t *value, const json_t **out)
{
    const struct reference_place place = reference_place_of(g->run->plan, at);
    return references_bind_value(g->arena, &place, frame, value, out, g->err);
}

/* How often the repeats around a step, and its own, carry it out at most. */
static int64_t repeats_of(const struct plan *plan, size_t at)
{
    int64_t times = 1;
    for (size_t i = at + 1; i; i = plan->steps[i - 1].body_of)
        if (plan->steps[i - 1].loop && plan->steps[i - 1].loop->until)
            times *= (int64_t)plan->steps[i - 1].loop->max;
    return times;
}

static enum err_code add_call(struct gathering *g, const struct frame *frame, const char *path,
                              size_t at)
{
    struct run_session *session = g->run->session;
    int64_t most = session->services->settings->limits_run_calls;
    const struct step *step = &g->run->plan->steps[at];
    const struct tool *tool = NULL;
    const json_t *args = NULL;
    enum err_code r = bind(g, frame, at, step->args, &args);
    if (!r)
        r = toolbox_find(session->toolbox, g->scope, step->tool, &tool, NULL, g->err);
    if (!r)
        args = arguments_print(g->arena, tool, step->args, args);
    if (!r && (int64_t)json_array_size(g->calls) >= most)
        r = err_set(g->err, ERR_LIMIT, 0,
                    "more calls are to be approved than limits.run_calls (%lld)", (long long)most);
    if (r)
        return r;
    json_t *call =
        json_pack("{s:s, s:s, s:o}", "step", path, "tool", step->tool, "args", json_share(args));
    int64_t times = repeats_of(g->run->plan, at);
    if (times > 1)
        json_object_set_new(call, "up_to_times", json_integer(times));
    if (step->retry)
        json_object_set_new(call, "retry", json_integer(step->retry));
    json_array_append_new(g->calls, call);
    return ERR_NONE;
}

/* One carrying out of the body of a guarded step. */
static enum err_code gather_pass(struct gathering *g, const struct frame *frame, const char *path,
                                 size_t at)
{
    const struct step *step = &g->run->plan->steps[at];
    struct frame inner = *frame;
    const json_t *given = NULL;
    enum err_code r = ERR_NONE;
    if (step->kind == STEP_TOOL)
        return add_call(g, frame, path, at);
    if (step->kind == STEP_USE) {
        r = bind(g, frame, at, step->use->with, &given);
        if (!r)
            r = plan_inputs_set(g->arena, step->use->inputs, step->use->vars, given, &inner.vars,
                                g->err);
    }
    if (!r && (step->kind == STEP_BLOCK || step->kind == STEP_USE))
        r = gather(g, &inner, arena_printf(g->arena, "%s.", path), at + 1, step->end, at + 1);
    return r;
}

static enum err_code gather_each(struct gathering *g, const struct frame *frame, const char *path,
                                 size_t at)
{
    const struct reference_place around = reference_place_around(g->run->plan, at);
    const struct step_loop *loop = g->run->plan->steps[at].loop;
    const json_t *value = NULL, *items = NULL;
    enum err_code r =
        references_bind_value(g->arena, &around, frame->outer, loop->each, &value, g->err);
    if (!r && !(items = step_elements(g->arena, value)))
        r = err_set(g->err, ERR_FAILED, 0, "%.80s: each is neither a list nor an object", path);
    for (size_t i = 0; !r && i < json_array_size(items); i++) {
        struct frame inner = *frame;
        inner.item = json_array_get(items, i);
        inner.index = arena_keep_json(g->arena, json_integer((json_int_t)i));
        r = gather_pass(g, &inner, arena_printf(g->arena, "%s[%zu]", path, i), at);
    }
    return r;
}

/* A condition that cannot be told yet may hold. */
static bool may_run(struct gathering *g, const struct frame *frame, size_t at)
{
    bool holds = true;
    return step_condition_holds(g->arena, frame, at, &holds, NULL) || holds;
}

/* Repeats are the same call each time, and shown once. */
static enum err_code gather(struct gathering *g, const struct frame *frame, const char *prefix,
                            size_t from, size_t end, size_t body_of)
{
    const struct step *steps = g->run->plan->steps;
    enum err_code r = ERR_NONE;
    for (size_t i = from; !r && i < end; i = steps[i].end) {
        struct frame inner = { .outer = frame, .plan = g->run->plan, .body_of = i + 1 };
        const char *path = arena_printf(g->arena, "%s%s", prefix, steps[i].id);
        if (steps[i].kind == STEP_APPROVE)
            break; /* of a block: it asks about the rest of it itself */
        if (steps[i].body_of != body_of || !may_run(g, frame, i))
            continue;
        r = steps[i].loop && steps[i].loop->each ? gather_each(g, &inner, path, i)
                                                 : gather_pass(g, &inner, path, i);
    }
    return r;
}

struct approving {
    struct step_run *step;
    const json_t *calls;
    const char *hash, *text;
    const json_t *show;
};

/* Of all that the person sees. */
static const char *hash_of(struct plan_run *run, struct arena *arena, const struct approving *a)
{
    char *hash = arena_alloc(arena, DIGEST_HEX_SIZE);
    json_auto_t *all = json_pack("{s:o, s:s, s:o*}", "calls", json_share(a->calls), "text", a->text,
                                 "show", json_share(a->show));
    auto_str text = json_print_sorted(all);
    return digest_sha256(run->session->services->digest, text, strlen(text), hash);
}

/* Each call on a line, as a whole: what is not seen is not approved. False: they are too many. */
static bool describe_calls(const json_t *calls, struct buf *out)
{
    const json_t *call;
    size_t i;
    bool fits = true;
    json_array_foreach (calls, i, call) {
        auto_str args = json_print(json_object_get(call, "args"));
        int64_t times = json_get_int(call, "up_to_times", 1);
        fits = fits &&
               buf_printf(out, "\n%s %s %s", json_get_string(call, "step"),
                          json_get_string(call, "tool"), args) &&
               (times == 1 || buf_printf(out, ", up to %lld times", (long long)times));
    }
    return fits;
}

/* Whoever looks at the run later sees there what there is to approve. */
static void emit_asked(const struct approving *a)
{
    struct journal *journal = &a->step->in->run->session->journal;
    json_auto_t *text = json_string(a->text);
    journal_emit(journal, EVENT_APPROVAL_ASKED,
                 json_pack("{s:s, s:s, s:s, s:o, s:o*, s:o}", "tool", a->step->path, "path",
                           a->step->path, "hash", a->hash, "text", journal_value(journal, text),
                           "show", journal_value(journal, a->show), "calls",
                           journal_value(journal, a->calls)));
}

/* Without a person the run ends here, and its result says what would be approved. */
static enum err_code leave_to_person(const struct approving *a, struct err *err)
{
    struct list_run *list = a->step->in;
    json_t *approval =
        json_pack("{s:s, s:s, s:s, s:o*, s:o}", "step", a->step->path, "text", a->text, "hash",
                  a->hash, "show", json_share(a->show), "calls", json_share(a->calls));
    arena_keep_json(list->run->session->arena, approval);
    emit_asked(a);
    if (!list->run->execution->approval)
        list->run->execution->approval = approval;
    err_set(err, ERR_DENIED, 0, "step %s needs approval: %s", a->step->path,
            text_one_line(list->arena, a->text, strlen(a->text), 300));
    return err_hint(err, ERR_DENIED, "--answer " APPROVE_KEY "%s=%s approves exactly these calls",
                    a->step->path, a->hash);
}

static enum err_code ask_person(struct approving *a, struct err *err)
{
    struct list_run *list = a->step->in;
    const char *shown = a->show ? json_print_in(list->arena, a->show) : "";
    AUTO(buf) calls;
    buf_init(&calls, SHOWN_BYTES);
    if (!describe_calls(a->calls, &calls))
        return leave_to_person(a, err);
    const struct confirmation confirmation = {
        .title = arena_printf(list->arena, "step %s: %zu call%s", a->step->path,
                              json_array_size(a->calls), json_array_size(a->calls) == 1 ? "" : "s"),
        .message = arena_printf(list->arena, "%s%s%s%s", a->text, *shown ? "\n" : "", shown,
                                buf_string(&calls)),
        .question = "Make these calls?",
    };
    enum err_code r =
        user_confirm(list->run->session->services->user, list->scope, &confirmation, err);
    return r ? err_prefix(err, ERR_DENIED, "step %s was not approved", a->step->path) : ERR_NONE;
}

static enum err_code decide(struct approving *a, struct err *err)
{
    struct list_run *list = a->step->in;
    const struct executor *executor = list->run->executor;
    const char *path = kept_plan_path(list->arena, executor->number, a->step->path);
    const char *fact = arena_printf(list->arena, FACT_APPROVED "%s", path);
    const char *kept = executor->kept ? run_contents_fact(executor->kept, fact) : NULL;
    const char *key = arena_printf(list->arena, APPROVE_KEY "%s", a->step->path);
    const char *said = json_get_string(executor->approvals, key);
    if (said && strcmp(said, a->hash) != 0) {
        (void)leave_to_person(a, err);
        err_set(err, ERR_DENIED, 0, "step %s: other calls were approved than those it guards",
                a->step->path);
        return err_hint(err, ERR_DENIED, "look at them again");
    }
    enum err_code r = said || text_equal(kept, a->hash)                  ? ERR_NONE
                      : user_present(list->run->session->services->user) ? ask_person(a, err)
                                                                         : leave_to_person(a, err);
    if (!r && list->run->session->state)
        run_state_put_fact(list->run->session->state, fact, a->hash);
    if (!r)
        journal_emit(&list->run->session->journal, EVENT_APPROVAL_GIVEN,
                     json_pack("{s:s, s:s, s:s}", "tool", a->step->path, "hash", a->hash, "answer",
                               said   ? "--answer"
                               : kept ? "kept"
                                      : "person"));
    return r;
}

/* What is made must be what was shown. */
static void keep_calls(struct plan_run *run, const json_t *calls)
{
    const json_t *call;
    size_t i;
    json_array_foreach (calls, i, call)
        json_object_set_new(run->approved, json_get_string(call, "step"), json_share(call));
}

enum err_code step_approve(struct step_run *step)
{
    struct list_run *list = step->in;
    struct plan_run *run = list->run;
    struct err *err = &step->outcome->err;
    struct gathering g = { run, list->arena, list->scope, json_array(), err };
    struct approving a = { .step = step, .calls = arena_keep_json(list->arena, g.calls) };
    const json_t *text = arena_keep_json(list->arena, json_string(step->outcome->step->text));
    enum err_code r = bind(&g, &list->frame, step->at, text, &text);
    if (!r && step->outcome->step->show)
        r = bind(&g, &list->frame, step->at, step->outcome->step->show, &a.show);
    if (!r)
        r = gather(&g, &list->frame, list->prefix, step->at + 1,
                   plan_guarded_end(run->plan, step->at), step->outcome->step->body_of);
    if (r)
        return r;
    a.text = json_is_string(text) ? json_string_value(text) : json_print_in(list->arena, text);
    a.hash = hash_of(run, list->arena, &a);
    bool guards_none = plan_guarded_end(run->plan, step->at) == step->at + 1;
    if (json_array_size(a.calls) || guards_none)
        r = decide(&a, err);
    if (r)
        return r;
    keep_calls(run, a.calls);
    step_result_from_text(list->arena, a.hash, json_pack("{s:s}", "hash", a.hash), false,
                          &step->outcome->result);
    step->outcome->has_result = true;
    return ERR_NONE;
}
