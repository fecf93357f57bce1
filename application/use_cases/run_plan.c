#include "application/use_cases/run_plan.h"
#include "application/execution/executor.h"
#include "application/orchestrators/responder.h"
#include "application/runs/kept_plan.h"
#include "application/runs/run_session.h"
#include "application/tools/consent.h"
#include "application/use_cases/plan_state.h"
#include "application/use_cases/plans/check_plan.h"
#include "application/use_cases/plans/dry_run.h"
#include "application/use_cases/recover_log.h"
#include "application/use_cases/settle_calls.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/plan_check.h"
#include "domain/plan/plan_inputs.h"
#include "domain/plan/step_conditions.h"
#include <string.h>

/* Version 2 says what it takes. */
static enum err_code values_of(struct arena *arena, const struct plan *plan, const json_t *given,
                               const json_t **out, struct err *err)
{
    if (plan->inputs)
        return plan_inputs_set(arena, plan->inputs, plan->vars, given, out, err);
    *out = plan_merge_vars(arena, plan->vars, given);
    return ERR_NONE;
}

/* One plan file on its way. */
struct plan_file {
    const struct run_plan_request *request;
    const struct run_contents *kept; /* of an earlier process; NULL: none */
    const json_t *vars;              /* of the request, with the secrets of the environment */
    struct problems problems;
    struct turn_result result;
};

/* Of a plan that may not run anyway the rest of what is wrong is told without its tools. */
static enum err_code find_tools(struct run_session *session, const struct plan *plan,
                                struct plan_check_input *input, bool is_needed, struct err *err)
{
    enum err_code r = plan_has_bare_name(plan) ? run_session_refresh_tools(session, err) : ERR_NONE;
    if (!r)
        r = plan_find_tools(session->toolbox, &session->scope, session->arena, plan, input, err);
    input->has_no_tools = r;
    bool is_over = r == ERR_CANCELLED || r == ERR_TIMEOUT;
    return is_needed || is_over ? r : ERR_NONE;
}

static void place_problems(struct run_session *session, struct plan_file *file)
{
    if (file->request->linked)
        plan_place_problems(session->services->documents, file->request->linked, &file->problems);
}

static enum err_code bad_plan(struct plan_file *file)
{
    struct problems *problems = &file->problems;
    const char *first = problems->n ? problem_print(problems, problems->list) : "it cannot be read";
    size_t n = problems->n + problems->dropped;
    struct err *err = &file->result.err;
    file->result.problems = problems;
    if (n > 1)
        err_set(err, ERR_BAD_PLAN, 0, RUN_PLAN_REFUSED ": %zu problems", n);
    else
        err_set(err, ERR_BAD_PLAN, 0, RUN_PLAN_REFUSED ": %.300s", first);
    return err_about(err, ERR_BAD_PLAN, "plan");
}

/* One output is the answer as it is, several are a line each. */
static const char *print_outputs(struct arena *arena, const json_t *outputs)
{
    const char *all = "", *name;
    const json_t *value;
    json_each_member (outputs, name, value) {
        const char *text =
            json_is_string(value) ? json_string_value(value) : json_print_in(arena, value);
        all = json_object_size(outputs) == 1
                  ? text
                  : arena_printf(arena, "%s%s%s: %s", all, *all ? "\n" : "", name, text);
    }
    return all;
}

/* What a run that went well tells: the plan's outputs, or the text of its last step. */
static enum err_code conclude(struct run_session *session, const struct plan *plan,
                              const json_t *vars, size_t max_bytes, struct turn_result *result)
{
    struct arena *arena = session->arena;
    const struct step_result **results =
        arena_array(arena, const struct step_result *, plan->n_steps + 1);
    const struct frame frame = { .plan = plan, .vars = vars, .results = results };
    enum err_code r = ERR_NONE;
    for (size_t i = 0; i < plan->n_steps; i++)
        results[i] = result->steps[i].has_result ? &result->steps[i].result : NULL;
    if (plan->outputs)
        r = plan_outputs(arena, &frame, plan->outputs, 0, &result->outputs, &result->err);
    if (!r)
        result->answer =
            result->outputs
                ? print_outputs(arena, result->outputs)
                : responder_last_text(arena, result->steps, plan_n_before_finally(plan), max_bytes);
    return r;
}

/* How often a step is carried out at most, in the loops around it. */
static int64_t times(const struct turn_result *result, size_t at)
{
    int64_t all = 1;
    for (size_t i = at + 1; i; i = result->steps[i - 1].step->body_of) {
        int64_t n = result->steps[i - 1].step->loop ? result->steps[i - 1].n_times : 1;
        all = n && all > INT64_MAX / n ? INT64_MAX : all * n;
    }
    return all;
}

static void summarize(struct run_session *session, struct turn_result *result)
{
    struct dry_call *calls = arena_array(session->arena, struct dry_call, result->n_steps + 1);
    size_t n = 0;
    for (size_t i = 0; i < result->n_steps; i++) {
        const struct step_outcome *outcome = &result->steps[i];
        struct dry_call *call = &calls[n];
        *call = (struct dry_call){ .step = outcome->step,
                                   .args = outcome->args,
                                   .n = times(result, i) };
        n += outcome->state == STEP_OK && outcome->step->kind == STEP_TOOL &&
             !toolbox_find(session->toolbox, &session->scope, outcome->step->tool, &call->tool,
                           /* out_server */ NULL, NULL);
    }
    result->dry_run = dry_run_summary(&session->invoker, &session->scope, session->arena, calls, n);
}

static enum err_code execute(struct run_session *session, struct plan_file *file,
                             const struct plan *plan, const json_t *vars)
{
    const struct run_plan_request *request = file->request;
    struct turn_result *result = &file->result;
    struct execution execution = { 0 };
    struct executor executor = { .session = session,
                                 .vars = vars,
                                 .named_by_user = !request->is_foreign,
                                 .dry_run = request->dry_run,
                                 .ends_unkept = true,
                                 .kept = file->kept,
                                 .approvals = request->resumed ? request->resumed->request->answers
                                                               : request->approvals };
    struct forked_calls forked;
    if (request->forked || file->kept) {
        forked_calls_init(&forked, session->arena,
                          request->forked ? request->forked->kept : file->kept,
                          request->forked ? request->forked->run_id : NULL);
        executor.forked = &forked;
    }
    enum err_code r = executor_run(&executor, plan, &execution, &result->err);
    if (request->forked)
        journal_emit(&session->journal, EVENT_STEPS_KEPT,
                     json_pack("{s:I, s:s}", "steps", (json_int_t)forked.n_taken, "run",
                               request->forked->run_id));
    if (!r)
        r = execution_verdict(&execution, &result->err);
    result->approval = execution.approval;
    result->steps = execution.steps;
    result->n_steps = execution.n_steps;
    for (size_t i = 0; i < execution.n_steps; i++)
        result->usage.tool_ms += execution.steps[i].duration_ms;
    if (request->dry_run)
        summarize(session, result);
    if (!r && request->dry_run)
        result->answer = responder_all_texts(session->arena, execution.steps, execution.n_steps);
    else if (!r)
        r = conclude(session, plan, vars, request->is_foreign ? RESPONDER_VERBATIM_BYTES : SIZE_MAX,
                     result);
    return r;
}

/* A rule that names an argument which its tool does not have is found before anything is called,
 * as far as the rules can be matched before references are bound. */
static enum err_code check_policy(struct run_session *session, const struct plan *plan,
                                  struct err *err)
{
    enum err_code r = ERR_NONE;
    const char *name;
    for (size_t i = 0; !r && i < plan->n_steps; i++) {
        const struct step *step = &plan->steps[i];
        struct invoke_request request = { .path = step->id, .arguments = step->args };
        if (step->kind != STEP_TOOL)
            continue;
        r = toolbox_find(session->toolbox, &session->scope, step->tool, &request.tool, NULL, err);
        if (!r)
            r = consent_idempotency_argument(&session->invoker, session->arena, &request, &name,
                                             err);
    }
    return r;
}

/* An answer to a step that asks nothing would be lost. */
static enum err_code check_approvals(const struct plan *plan, const json_t *approvals,
                                     struct err *err)
{
    const char *key;
    const json_t *value;
    json_each_member (approvals, key, value) {
        int at =
            text_starts_with(key, APPROVE_KEY) ? plan_step_at(plan, key + strlen(APPROVE_KEY)) : -1;
        if (at < 0 || plan->steps[at].kind != STEP_APPROVE)
            return err_set(err, ERR_INVALID, 0, "--answer %.80s: no approve step has that name",
                           key);
    }
    return ERR_NONE;
}

/* What a plan may be refused for. *out_fine: it may run; what was found before says that it may
 * not. */
static enum err_code check(struct run_session *session, struct plan_file *file, struct plan *plan,
                           const json_t *vars, bool *out_fine, struct err *err)
{
    size_t most = (size_t)session->services->settings->max_plan_steps;
    struct plan_check_input input = { .max_steps = plan->version > 1 ? PLAN_MAX_STEPS : most,
                                      .vars = vars };
    enum err_code r = find_tools(session, plan, &input, *out_fine, err);
    if (r)
        return r;
    bool may_run = plan_check(session->arena, plan, &input, &file->problems) && *out_fine;
    place_problems(session, file);
    journal_emit(&session->journal, may_run ? EVENT_PLAN : EVENT_PLAN_REJECTED,
                 may_run ? json_pack("{s:s, s:o}", "by", "file", "plan", plan_to_json(plan))
                         : json_pack("{s:o}", "problems", problems_to_json(&file->problems)));
    if (may_run) {
        const char *warning = plan_literal_warning(session->arena, plan);
        if (warning)
            journal_warn(&session->journal, "%s", warning);
        kept_plan_put_tools(session, &(struct kept_plan){ .plan = plan });
        r = check_policy(session, plan, err);
    }
    *out_fine = may_run;
    return r;
}

/* A plan that was checked is only asked about what may have changed since. Before its check no call
 * was made, and it is checked like a new one. */
static enum err_code prepare(struct run_session *session, struct plan_file *file, struct plan *plan,
                             const json_t *vars, bool *out_fine, struct err *err)
{
    const struct resumption *resumed = file->request->resumed;
    if (!resumed || !file->request->was_checked)
        return check(session, file, plan, vars, out_fine, err);
    recover_log(session);
    enum err_code r = plan_has_bare_name(plan) ? run_session_refresh_tools(session, err) : ERR_NONE;
    const struct kept_plan kept = { .plan = plan };
    if (!r)
        r = settle_calls(session, &kept, 1, resumed->request, &file->result.intent, err);
    file->kept = session->kept;
    *out_fine = true;
    return r;
}

/* ERR_NONE with *out: the plan was checked, and run, refused, or waits for an answer. */
static enum err_code check_and_execute(struct run_session *session, struct plan_file *file,
                                       enum err_code *out, struct err *err)
{
    struct plan *plan;
    bool is_fine = false;
    const json_t *vars = NULL;
    plan = plan_read(session->arena, file->request->plan, &file->problems, &is_fine);
    if (is_fine)
        file->result.plan = plan;
    is_fine = is_fine && !file->request->faults;
    if (plan) {
        enum err_code r = values_of(session->arena, plan, file->vars, &vars, err);
        if (r && !is_fine) { /* what is wrong with the plan is told, at its places */
            r = ERR_NONE;
            vars = plan->vars;
        }
        if (!r)
            r = check_approvals(plan, file->request->approvals, err);
        if (!r)
            r = prepare(session, file, plan, vars, &is_fine, err);
        if (r || file->result.intent)
            return r;
    } else {
        place_problems(session, file);
    }
    session->drops_state = !is_fine;
    *out = is_fine ? execute(session, file, plan, vars) : bad_plan(file);
    return ERR_NONE;
}

static enum err_code keep_and_execute(struct run_session *session, struct plan_file *file,
                                      enum err_code *out, struct err *err)
{
    const struct run_plan_request *request = file->request;
    struct services *services = session->services;
    const struct plan_fork *fork = request->dry_run ? NULL : request->forked;
    const struct given_plan kept = { .plan = request->plan,
                                     .vars = request->vars,
                                     .is_foreign = request->is_foreign,
                                     .forked = request->forked };
    /* What the environment has is not kept: it is read again when the run is resumed. */
    enum err_code r = plan_inputs_take_secrets(
        session->arena, json_object_get(request->plan, "inputs"), request->vars,
        request->is_foreign ? NULL : services->ops->variable, services, &file->vars, err);
    if (!r && !request->dry_run && !request->resumed)
        r = plan_state_begin(session, &kept, err);
    if (!r && fork)
        r = plan_state_note_fork(session, fork, err);
    if (!r)
        r = run_session_open_tools(session, NULL, err);
    if (!r)
        r = check_and_execute(session, file, out, err);
    if (!request->resumed && (r == ERR_INVALID || r == ERR_NOT_FOUND))
        session->drops_state = true; /* what was asked for cannot be done: nothing was called */
    if (session->drops_state && fork)
        plan_state_drop_fork(fork);
    return r;
}

static enum err_code run(struct run_session *session, void *context, struct err *err)
{
    struct plan_file *file = context;
    struct turn_result *result = &file->result;
    enum err_code outcome = ERR_NONE;
    enum err_code r = keep_and_execute(session, file, &outcome, err);
    result->run_id = arena_strdup(session->arena, session->journal.run_id);
    result->is_resumable = run_session_leaves_state(session, RUN_FAILED);
    if (r)
        return r;
    result->status = run_status_of(run_session_code(session, outcome, &result->err));
    if (result->intent)
        result->status = RUN_NEEDS_ANSWER;
    result->is_resumable = run_session_leaves_state(session, result->status);
    session->result = result;
    result->usage.overhead_ms = run_session_overhead_ms(session, result->usage.tool_ms);
    session->status = result->status;
    session->why = result->err;
    return ERR_NONE;
}

/* A secret that is not given, and that the environment of a worker may have. */
static bool misses_secret(const struct plan *plan, const json_t *vars)
{
    const char *name;
    const json_t *input;
    json_each_member (plan->inputs, name, input)
        if (json_get_string(input, "env") && !json_object_get(vars, name))
            return true;
    return false;
}

static enum err_code check_values(struct run_session *session, struct plan_file *file,
                                  const struct plan *plan, struct err *err)
{
    struct services *services = session->services;
    const json_t *given = NULL, *all = NULL;
    enum err_code r = plan_inputs_take_secrets(session->arena, plan->inputs, file->request->vars,
                                               services->ops->variable, services, &given, err);
    return r || misses_secret(plan, given) ? r : values_of(session->arena, plan, given, &all, err);
}

/* As far as that can be told without its tools. */
static bool may_be_queued(struct run_session *session, struct plan_file *file)
{
    const struct run_plan_request *request = file->request;
    bool is_fine = false;
    struct plan *plan = plan_read(session->arena, request->plan, &file->problems, &is_fine);
    is_fine = is_fine && !request->faults;
    if (plan) {
        const struct plan_check_input input = {
            .max_steps = plan->version > 1 ? PLAN_MAX_STEPS
                                           : (size_t)session->services->settings->max_plan_steps,
            .vars = plan_merge_vars(session->arena, plan->vars, request->vars),
            .has_no_tools = true,
        };
        is_fine = plan_check(session->arena, plan, &input, &file->problems) && is_fine;
    }
    place_problems(session, file);
    file->result.plan = is_fine ? plan : NULL;
    return is_fine;
}

static enum err_code keep_for_worker(struct run_session *session, void *context, struct err *err)
{
    struct plan_file *file = context;
    struct turn_result *result = &file->result;
    const struct given_plan kept = { .plan = file->request->plan,
                                     .vars = file->request->vars,
                                     .is_foreign = file->request->is_foreign };
    bool may_be = may_be_queued(session, file);
    enum err_code r = may_be ? check_values(session, file, result->plan, err) : ERR_NONE;
    if (may_be && !r)
        r = plan_state_begin(session, &kept, err);
    if (may_be && !r)
        r = run_session_check_kept(session, err);
    result->status = may_be ? RUN_QUEUED : run_status_of(bad_plan(file));
    result->run_id = arena_strdup(session->arena, session->journal.run_id);
    session->status = result->status;
    session->why = result->err;
    return r;
}

static enum err_code do_run(struct services *services, struct scope *scope, struct arena *arena,
                            const struct run_plan_request *request, bool is_queued,
                            struct turn_result *out, struct err *err)
{
    const struct run_options options = { .kind = RUN_KIND_OF_PLANS,
                                         .title = json_get_string(request->plan, "goal"),
                                         .is_dry = request->dry_run,
                                         .is_queued = is_queued,
                                         .asks_model = json_get_string(request->plan, "model"),
                                         .resumed =
                                             request->resumed ? &request->resumed->run : NULL };
    struct plan_file *file = arena_new(arena, struct plan_file);
    *file = (struct plan_file){ .request = request, .problems = { .arena = arena } };
    if (request->faults)
        file->problems = *request->faults;
    file->result.usage = usage_none();
    enum err_code r = run_session_do(services, scope, arena, &options,
                                     is_queued ? keep_for_worker : run, file, err);
    if (r)
        *out = (struct turn_result){ .run_id = file->result.run_id,
                                     .is_resumable = file->result.is_resumable };
    else
        *out = file->result;
    return r;
}

enum err_code run_plan(struct services *services, struct scope *scope, struct arena *arena,
                       const struct run_plan_request *request, struct turn_result *out,
                       struct err *err)
{
    return do_run(services, scope, arena, request, /* is_queued */ false, out, err);
}

enum err_code queue_plan(struct services *services, struct scope *scope, struct arena *arena,
                         const struct run_plan_request *request, struct turn_result *out,
                         struct err *err)
{
    return do_run(services, scope, arena, request, /* is_queued */ true, out, err);
}
