/* One call. step_call_begin makes its request: the arguments cannot be bound or there is no such
 * tool (an error), an earlier process made it (its result), the same call was made before in the
 * turn (its result, or the end of a plan that goes in circles), it may not be made (an error), or
 * it is to be sent. */
#include "application/execution/arguments.h"
#include "application/execution/plan_run.h"
#include "application/execution/result_cache.h"
#include "application/runs/kept_plan.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/references.h"
#include "domain/plan/step_conditions.h"
#include <string.h>

static const struct step *step_of(const struct step_call *call)
{
    return &call->run->plan->steps[call->at];
}

void step_call_init(struct step_call *call, const char *path)
{
    const struct executor *executor = call->run->executor;
    const struct step *step = step_of(call);
    const struct flow_note *flow = &call->run->flows[call->at];
    const char *kept_path = kept_plan_path(call->arena, executor->number, path);
    call->request = (struct invoke_request){
        .step_id = path,
        .path = kept_path,
        .silence_ms = step->timeout_ms,
        .attempts = step->retry || step->retries ? step->retry + 1 : 0,
        .retries = step->retries,
        .is_repeatable = step->is_repeatable,
        .before = executor->kept ? run_contents_call(executor->kept, kept_path) : NULL,
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
    outcome->args = kept_args(call->arena, outcome);
    if (!outcome->args ||
        toolbox_find(session->toolbox, call->scope, outcome->step->tool, &tool, NULL, NULL))
        return;
    (void)result_cache_ask(cache, tool, outcome->args, &unused);
    if (outcome->has_result)
        result_cache_put(cache, tool, outcome->args, &outcome->result);
}

/* What an earlier process did stands. */
bool step_call_take_kept(struct step_call *call)
{
    const struct call_record *record = call->request.before;
    size_t max_values = (size_t)call->run->session->services->settings->mcp_max_values;
    if (!record || (record->state != CALL_DONE && record->state != CALL_FAILED))
        return false;
    step_outcome_keep(call->arena, call->outcome, record, max_values);
    if (call->run->executor->cache)
        cache_kept(call);
    call->outcome->state = step_state_of(call->outcome);
    return true;
}

/* In a dry run, arguments whose references cannot be bound stay as written. */
static enum err_code bind(struct step_call *call)
{
    const struct reference_place place = reference_place_of(call->run->plan, call->at);
    struct step_outcome *outcome = call->outcome;
    bool is_dry = call->run->executor->dry_run;
    enum err_code r = references_bind_value(call->arena, &place, call->frame, step_of(call)->args,
                                            &outcome->args, &outcome->err);
    call->is_unbound = r && is_dry;
    if (call->is_unbound) {
        outcome->args = step_of(call)->args;
        outcome->err = (struct err){ .code = ERR_NONE };
    }
    call->request.arguments = outcome->args;
    return call->is_unbound ? ERR_NONE : r;
}

static enum err_code make_request(struct step_call *call)
{
    struct run_session *session = call->run->session;
    struct step_outcome *outcome = call->outcome;
    enum err_code r = bind(call);
    if (!r)
        r = toolbox_find(session->toolbox, call->scope, outcome->step->tool, &call->request.tool,
                         /* out_server */ NULL, &outcome->err);
    if (!r && !call->is_unbound)
        call->request.arguments = outcome->args =
            arguments_print(call->arena, call->request.tool, outcome->step->args, outcome->args);
    return r;
}

/* Whether an approve stands before the step in its list, or before a block that it is in. */
static bool is_guarded(const struct plan *plan, size_t at)
{
    for (size_t i = at + 1; i; i = plan->steps[i - 1].body_of)
        for (size_t j = plan->steps[i - 1].body_of; j < i - 1; j = plan->steps[j].end)
            if (plan->steps[j].kind == STEP_APPROVE &&
                plan->steps[j].is_finally == plan->steps[i - 1].is_finally)
                return true;
    return false;
}

/* An approved call is one that was shown, to the letter; what was not shown is not made. */
static enum err_code check_approval(const struct step_call *call)
{
    const struct plan *plan = call->run->plan;
    const char *shown = plan_shown_path(call->arena, plan, call->request.step_id);
    const json_t *approved = json_object_get(call->run->approved, shown);
    if (!plan->has_approve || !is_guarded(plan, call->at) ||
        (approved && json_equal(json_object_get(approved, "args"), call->outcome->args)))
        return ERR_NONE;
    return err_set(&call->outcome->err, ERR_DENIED, 0, "%.200s: it is not a call that was approved",
                   step_of(call)->tool);
}

/* The plan check has seen what can be seen of arguments that a dry run could not bind. */
static enum err_code permit(struct step_call *call)
{
    struct run_session *session = call->run->session;
    int64_t most = session->services->settings->limits_run_calls;
    if (call->is_unbound)
        return ERR_NONE;
    bool is_last = plan_step_is_last(call->run->plan, call->at);
    int64_t *n = is_last ? &call->run->n_last_calls : &call->run->n_calls;
    if ((*n)++ >= most)
        return err_hint(&call->outcome->err,
                        err_set(&call->outcome->err, ERR_LIMIT, 0,
                                "the run has more than %lld calls (limits.run_calls)",
                                (long long)most),
                        "raise limits.run_calls if so many are right");
    enum err_code r = check_approval(call);
    return r ? r
             : invoke_permit(&session->invoker, call->scope, call->arena, &call->request,
                             &call->outcome->err);
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
        invoke_may_repeat(&session->invoker, call->scope, call->arena, &call->request);
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
    outcome->state = STEP_ERROR;
}

static void take_forked(struct step_call *call, const struct call_record *made)
{
    struct run_session *session = call->run->session;
    struct call_record own = *made;
    own.path = call->request.path;
    if (session->state)
        run_state_put_call(session->state, &own);
    step_outcome_keep(call->arena, call->outcome, made,
                      (size_t)session->services->settings->mcp_max_values);
    call->outcome->state = call->outcome->err.code ? STEP_ERROR : STEP_CACHED;
}

/* What the step's verify says of a call without an answer: *out_done with its result. */
static enum err_code ask_verify(struct step_call *call, bool *out_done, const json_t **out_result)
{
    struct run_session *session = call->run->session;
    const struct step_verify *verify = step_of(call)->verify;
    const struct reference_place place = reference_place_of(call->run->plan, call->at);
    struct frame frame = { .outer = call->frame, .plan = call->run->plan, .body_of = SIZE_MAX };
    struct err *err = &call->outcome->err;
    struct invoke_request request = { .step_id = call->request.step_id,
                                      .named_by_user = call->request.named_by_user };
    struct invoke_outcome made = { 0 };
    enum err_code r = references_bind_value(call->arena, &place, call->frame, verify->args,
                                            &request.arguments, err);
    if (!r)
        r = toolbox_find(session->toolbox, call->scope, verify->tool, &request.tool, NULL, err);
    if (!r)
        r = invoke(&session->invoker, call->scope, call->arena, &request, &made, err);
    if (!r && made.result.is_error)
        r = err_set(err, ERR_FAILED, 0, "%.200s failed", verify->tool);
    frame.verified = r ? NULL : step_result_data(call->arena, &made.result);
    if (!r)
        r = step_verify_is_done(call->arena, &frame, call->at, out_done, err);
    *out_result = frame.verified;
    if (!r && *out_done && verify->result)
        r = references_bind_value(call->arena, &place, &frame, verify->result, out_result, err);
    return r;
}

/* The call took effect, and this is what it is taken to have given. */
static void take_verified(struct step_call *call, const json_t *value)
{
    struct run_session *session = call->run->session;
    struct call_record own = *call->request.before;
    struct step_result result;
    const char *text =
        json_is_string(value) ? json_string_value(value) : json_print_in(call->arena, value);
    step_result_from_text(call->arena, text, json_is_object(value) ? json_share(value) : NULL,
                          false, &result);
    own.state = CALL_DONE;
    own.result = result.bytes;
    own.result_length = result.length;
    own.error = NULL;
    if (session->state)
        run_state_put_call(session->state, &own);
    journal_emit(&session->journal, EVENT_CALL_SETTLED,
                 json_pack("{s:s, s:s, s:s, s:s, s:s}", "step", call->request.step_id, "path",
                           call->request.path, "tool", own.tool, "as", "done", "by", "verify"));
    step_outcome_take(call->arena, call->outcome, &result);
    call->outcome->state = STEP_OK;
}

/* A call that was sent and has no answer. True: it is settled. */
static bool settle_by_verify(struct step_call *call)
{
    const struct call_record *before = call->request.before;
    const json_t *result = NULL;
    bool is_done = false;
    if (!before || !step_of(call)->verify || !call_is_uncertain(before) ||
        invoke_takes_up(&call->request))
        return false;
    if (ask_verify(call, &is_done, &result)) {
        (void)err_prefix(&call->outcome->err, call->outcome->err.code,
                         "%.100s may have taken effect, and its verify cannot tell",
                         step_of(call)->tool);
        call->outcome->state = STEP_ERROR;
        return true;
    }
    if (is_done)
        take_verified(call, result);
    return is_done;
}

static bool may_send(struct step_call *call)
{
    const struct call_record *made = forked_call(call);
    if (made && made->state == CALL_DONE) {
        take_forked(call, made);
        return false;
    }
    if (made) {
        refuse_uncertain(call, made);
        return false;
    }
    if (!invoke_takes_up(&call->request) && permit(call)) {
        call->outcome->state = STEP_ERROR;
        return false;
    }
    return !settle_by_verify(call);
}

static bool is_cached(struct step_call *call)
{
    const struct step_result *earlier = NULL;
    enum cache_verdict verdict = result_cache_ask(call->run->executor->cache, call->request.tool,
                                                  call->request.arguments, &earlier);
    if (verdict == CACHE_CIRCLE) {
        call->run->execution->in_circles = true;
        err_set(&call->outcome->err, ERR_FAILED, 0, "the same call was made twice already");
        call->outcome->state = STEP_SKIPPED;
    } else if (verdict == CACHE_RESULT) {
        step_outcome_take(call->arena, call->outcome, earlier);
        call->outcome->state = STEP_CACHED;
    }
    return verdict != CACHE_CALL;
}

bool step_call_begin(struct step_call *call)
{
    call->outcome->state = STEP_RUNNING;
    enum err_code r = make_request(call);
    if (!call->is_quiet)
        step_emit_started(call->run, call->request.step_id, call->outcome);
    if (r) {
        call->outcome->state = STEP_ERROR;
        return false;
    }
    return !is_cached(call) && may_send(call);
}

enum err_code step_call_send(struct step_call *call)
{
    struct run_session *session = call->run->session;
    struct step_outcome *outcome = call->outcome;
    struct invoke_outcome made = { 0 };
    enum err_code r = invoke_send(&session->invoker, call->scope, call->arena, &call->request,
                                  &made, &outcome->err);
    if (!r)
        step_outcome_take(call->arena, outcome, &made.result);
    if (!r && !call->run->executor->dry_run)
        result_cache_put(call->run->executor->cache, call->request.tool, outcome->args,
                         &outcome->result);
    return r;
}
