#include "application/use_cases/run_plan.h"
#include "application/orchestrators/executor.h"
#include "application/orchestrators/responder.h"
#include "application/use_cases/runs/job.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/plan_check.h"
#include <string.h>

/* A --var is text; it takes the type of the plan's default where its text allows it. */
static json_t *typed(const json_t *fallback, const json_t *given)
{
    const char *text = json_string_value(given);
    int64_t whole;
    double number;
    if (text && json_is_integer(fallback) && text_to_int64(text, &whole))
        return json_integer(whole);
    if (text && json_is_number(fallback) && text_to_double(text, &number))
        return json_real(number);
    if (text && json_is_boolean(fallback) && strcmp(text, "true") == 0)
        return json_true();
    if (text && json_is_boolean(fallback) && strcmp(text, "false") == 0)
        return json_false();
    return json_share(given);
}

static const json_t *merge_vars(struct arena *arena, const json_t *defaults, const json_t *given)
{
    json_t *vars = arena_keep_json(arena, json_object());
    const char *key;
    json_t *value;
    json_each_member (defaults, key, value) {
        json_object_set(vars, key, value);
    }
    json_each_member (given, key, value) {
        json_object_set_new(vars, key, typed(json_object_get(defaults, key), value));
    }
    return vars;
}

static bool has_bare_name(const struct plan *plan)
{
    for (size_t i = 0; i < plan->n_steps; i++)
        if (!strchr(plan->steps[i].tool, '/'))
            return true;
    return false;
}

/* Only the servers that the plan names are started, all when a tool is named without its server.
 * What cannot be found is reported by the plan check, with everything else that is wrong and the
 * nearest tools of the servers that were started. */
static enum err_code find_tools(struct job *job, const struct plan *plan,
                                struct plan_check_input *input, struct err *err)
{
    enum err_code r = has_bare_name(plan) ? job_refresh_tools(job, err) : ERR_NONE;
    for (size_t i = 0; !r && i < plan->n_steps; i++) {
        r = toolbox_find(job->toolbox, &job->scope, plan->steps[i].tool, NULL, NULL, err);
        if (r == ERR_NOT_FOUND || r == ERR_INVALID)
            r = ERR_NONE;
    }
    input->tools = toolbox_known(job->toolbox, job->arena, &input->n_tools);
    return r;
}

static enum err_code bad_plan(struct problems *problems, struct turn_result *result,
                              struct err *err)
{
    const char *first = problems->n ? problem_print(problems, problems->list) : "it cannot be read";
    size_t n = problems->n + problems->dropped;
    result->problems = problems;
    enum err_code r = n > 1 ? err_set(err, ERR_BAD_PLAN, 0, "the plan may not run: %zu problems", n)
                            : err_set(err, ERR_BAD_PLAN, 0, "the plan may not run: %.300s", first);
    return err_about(err, r, "plan");
}

static enum err_code execute(struct job *job, const struct run_plan_request *request,
                             const struct plan *plan, const json_t *vars,
                             struct turn_result *result, struct err *err)
{
    struct execution execution = { 0 };
    struct executor executor = { .services = job->services,
                                 .journal = &job->journal,
                                 .toolbox = job->toolbox,
                                 .invoker = &job->invoker,
                                 .arena = job->arena,
                                 .vars = vars,
                                 .named_by_user = !request->is_foreign,
                                 .dry_run = request->dry_run };
    enum err_code r = executor_run(&executor, &job->scope, plan, &execution, err);
    if (!r)
        r = execution_verdict(&execution, err);
    result->steps = execution.steps;
    result->n_steps = execution.n_steps;
    for (size_t i = 0; i < execution.n_steps; i++)
        result->usage.tool_ms += execution.steps[i].duration_ms;
    if (!r)
        result->answer = request->dry_run
                             ? responder_all_texts(job->arena, execution.steps, execution.n_steps)
                             : responder_last_text(job->arena, execution.steps, execution.n_steps);
    return r;
}

/* ERR_NONE with *out_r: the plan was checked, and run or refused. */
static enum err_code check_and_execute(struct job *job, const struct run_plan_request *request,
                                       struct turn_result *result, enum err_code *out_r,
                                       struct err *err)
{
    struct plan *plan = NULL;
    struct plan_check_input input = {
        .max_steps = (size_t)job->services->settings->max_plan_steps,
    };
    struct problems *problems = arena_new(job->arena, struct problems);
    problems->arena = job->arena;
    if (!plan_from_json(job->arena, request->plan, &plan, problems)) {
        *out_r = bad_plan(problems, result, &result->err);
        return ERR_NONE;
    }
    result->plan = plan;
    input.vars = merge_vars(job->arena, plan->vars, request->vars);
    enum err_code r = find_tools(job, plan, &input, err);
    if (r)
        return r;
    bool may_run = plan_check(job->arena, plan, &input, problems);
    journal_emit(&job->journal, may_run ? EVENT_PLAN : EVENT_PLAN_REJECTED,
                 may_run ? json_pack("{s:s, s:o}", "by", "file", "plan", plan_to_json(plan))
                         : json_pack("{s:o}", "problems", problems_to_json(problems)));
    *out_r = may_run ? execute(job, request, plan, input.vars, result, &result->err)
                     : bad_plan(problems, result, &result->err);
    return ERR_NONE;
}

static enum err_code run_job(struct job *job, const struct run_plan_request *request,
                             struct turn_result *result, struct err *err)
{
    enum err_code outcome = ERR_NONE;
    enum err_code r = job_open_tools(job, NULL, err);
    if (!r)
        r = check_and_execute(job, request, result, &outcome, err);
    if (r)
        return job_code(job, r, err);
    result->status = run_status_of(job_code(job, outcome, &result->err));
    int64_t total_ms = runtime_now_ms(job->services->runtime) - job->started_ms;
    int64_t rest_ms = total_ms - result->usage.tool_ms;
    result->usage.overhead_ms = rest_ms > 0 ? rest_ms : 0;
    result->run_id = arena_strdup(job->arena, job->journal.run_id);
    return ERR_NONE;
}

enum err_code run_plan(struct services *services, struct scope *scope, struct arena *arena,
                       const struct run_plan_request *request, struct turn_result *out,
                       struct err *err)
{
    struct job job;
    struct err why = { 0 };
    struct turn_result result = { 0 };
    result.usage.prompt_tokens = result.usage.cached_tokens = result.usage.completion_tokens = -1;
    enum err_code r = job_begin(&job, services, scope, arena, "run", NULL,
                                json_get_string(request->plan, "goal"), err);
    if (r)
        return r;
    r = run_job(&job, request, &result, &why);
    job_end(&job, r ? run_status_of(r) : result.status, r ? &why : &result.err);
    if (r) {
        if (err)
            *err = why;
        return r;
    }
    *out = result;
    return ERR_NONE;
}
