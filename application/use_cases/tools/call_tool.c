#include "application/use_cases/tools/call_tool.h"
#include "application/orchestrators/turn_result.h"
#include "application/use_cases/runs/job.h"
#include "domain/base/json.h"

static enum err_code choose_arguments(struct job *job, const struct call_request *request,
                                      const struct tool *tool, const json_t **out, struct err *err)
{
    json_t *made = NULL;
    if (!request->make_arguments) {
        *out = request->arguments ? request->arguments : arena_keep_json(job->arena, json_object());
        return ERR_NONE;
    }
    enum err_code r =
        request->make_arguments(request->context, &job->scope, tool->input_schema, &made, err);
    if (!r)
        *out = made;
    return r;
}

static enum err_code call(struct job *job, const struct call_request *request,
                          struct call_outcome *out, struct err *err)
{
    const struct tool *tool = NULL;
    const json_t *arguments = NULL;
    struct invoke_outcome outcome = { 0 };
    enum err_code r = job_open_tools(job, NULL, err);
    if (!r)
        r = toolbox_find(job->toolbox, &job->scope, request->tool, &tool, NULL, err);
    if (!r)
        r = definition_require(tool, request->expected_definition, request->schema_mode, err);
    if (!r)
        r = choose_arguments(job, request, tool, &arguments, err);
    if (r)
        return r;
    const struct invoke_request invocation = {
        .tool = tool,
        .arguments = arguments,
        .named_by_user = true,
        .dry_run = request->dry_run,
    };
    r = invoke(&job->invoker, &job->scope, job->arena, &invocation, &outcome, err);
    if (r)
        return r;
    *out = (struct call_outcome){ .result = outcome.result,
                                  .duration_ms = outcome.duration_ms,
                                  .attempts = outcome.attempts,
                                  .run_id = arena_strdup(job->arena, job->journal.run_id) };
    return ERR_NONE;
}

enum err_code call_tool(struct services *services, struct scope *scope, struct arena *arena,
                        const struct call_request *request, struct call_outcome *out,
                        struct err *err)
{
    struct job job;
    struct call_outcome outcome = { 0 };
    struct err why = { 0 };
    enum err_code r = job_begin(&job, services, scope, arena, "call", NULL, request->tool, err);
    if (r)
        return r;
    r = call(&job, request, &outcome, &why);
    r = job_code(&job, r, &why);
    bool failed = !r && outcome.result.is_error;
    if (failed)
        err_set(&why, ERR_FAILED, 0, "the tool says that it failed");
    job_end(&job, failed ? RUN_FAILED : run_status_of(r), &why);
    if (r) {
        if (err)
            *err = why;
        return r;
    }
    *out = outcome;
    return ERR_NONE;
}
