#include "application/use_cases/tools/call_tool.h"
#include "application/runs/run_session.h"
#include "domain/base/json.h"

static enum err_code choose_arguments(struct run_session *session,
                                      const struct call_request *request, const struct tool *tool,
                                      const json_t **out, struct err *err)
{
    json_t *made = NULL;
    if (!request->make_arguments) {
        *out = request->arguments ? request->arguments
                                  : arena_keep_json(session->arena, json_object());
        return ERR_NONE;
    }
    enum err_code r =
        request->make_arguments(request->context, &session->scope, tool->input_schema, &made, err);
    if (!r)
        *out = made;
    return r;
}

struct calling {
    const struct call_request *request;
    struct call_outcome outcome;
};

static enum err_code call(struct run_session *session, void *context, struct err *err)
{
    struct calling *calling = context;
    const struct call_request *request = calling->request;
    struct invoke_request invocation = { .named_by_user = true, .dry_run = request->dry_run };
    struct invoke_outcome outcome = { 0 };
    enum err_code r = run_session_open_tools(session, NULL, err);
    if (!r)
        r = toolbox_find(session->toolbox, &session->scope, request->tool, &invocation.tool,
                         /* out_server */ NULL, err);
    if (!r)
        r = definition_require(invocation.tool, request->expected_definition, request->schema_mode,
                               err);
    if (!r)
        r = choose_arguments(session, request, invocation.tool, &invocation.arguments, err);
    if (!r)
        r = invoke(&session->invoker, &session->scope, session->arena, &invocation, &outcome, err);
    if (r)
        return r;
    calling->outcome =
        (struct call_outcome){ .result = outcome.result,
                               .duration_ms = outcome.duration_ms,
                               .attempts = outcome.attempts,
                               .run_id = arena_strdup(session->arena, session->journal.run_id) };
    if (outcome.result.is_error) {
        session->status = RUN_FAILED;
        err_set(&session->why, ERR_FAILED, 0, "the tool says that it failed");
    }
    return ERR_NONE;
}

enum err_code call_tool(struct services *services, struct scope *scope, struct arena *arena,
                        const struct call_request *request, struct call_outcome *out,
                        struct err *err)
{
    const struct run_options options = { .kind = "call",
                                         .title = request->tool,
                                         .is_dry = request->dry_run };
    struct calling calling = { .request = request };
    enum err_code r = run_session_do(services, scope, arena, &options, call, &calling, err);
    if (!r)
        *out = calling.outcome;
    return r;
}
