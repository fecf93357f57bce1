#include "application/agent_tools/agent_tools.h"
#include "application/agent_tools/agent_requests.h"
#include "application/agent_tools/agent_result.h"
#include "application/agent_tools/job_requests.h"
#include "application/agent_tools/job_tools.h"

/* A turn is a result whether it came to an answer or not. */
static enum err_code give(struct arena *arena, enum err_code r, const struct turn_result *turn,
                          struct step_result *out)
{
    if (!r)
        agent_result(arena, turn, out);
    return r;
}

static enum err_code ask(struct services *services, struct scope *scope, struct arena *arena,
                         const json_t *arguments, struct step_result *out, struct err *err)
{
    struct turn_result turn = { 0 };
    enum err_code r = agent_ask(services, scope, arena, arguments, &turn, err);
    return give(arena, r, &turn, out);
}

static enum err_code plan(struct services *services, struct scope *scope, struct arena *arena,
                          const json_t *arguments, struct step_result *out, struct err *err)
{
    struct turn_result turn = { 0 };
    enum err_code r = agent_plan(services, scope, arena, arguments, &turn, err);
    return give(arena, r, &turn, out);
}

static enum err_code run_plan(struct services *services, struct scope *scope, struct arena *arena,
                              const json_t *arguments, struct step_result *out, struct err *err)
{
    struct turn_result turn = { 0 };
    enum err_code r = agent_run_plan(services, scope, arena, arguments, &turn, err);
    return give(arena, r, &turn, out);
}

enum err_code agent_tools_create(struct services *services, struct tool_server **out,
                                 struct err *err)
{
    static const struct own_tool tools[] = { { "ask", ask },
                                             { "plan", plan },
                                             { "run_plan", run_plan },
                                             { "consensus", job_consensus },
                                             { "figure", job_figure } };
    static const struct own_server_kind kind = { .name = AGENT_TOOLS_NAME,
                                                 .server_name = "mistro agent",
                                                 .tools = tools,
                                                 .n_tools = ARRAY_LENGTH(tools),
                                                 .assets = { AGENT_TOOLS_ASSET, JOB_TOOLS_ASSET } };
    struct tool_server *agent = own_server_create(services, &kind);
    enum err_code r = own_server_read(agent, err);
    if (r)
        tool_server_destroy(agent);
    else
        *out = agent;
    return r;
}
