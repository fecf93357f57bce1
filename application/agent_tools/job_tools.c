#include "application/agent_tools/job_tools.h"
#include "application/agent_tools/job_requests.h"

struct tool_server *job_tools_create(struct services *services)
{
    static const struct own_tool tools[] = { { "consensus", job_consensus },
                                             { "figure", job_figure } };
    static const struct own_server_kind kind = { .name = JOB_TOOLS_NAME,
                                                 .server_name = JOB_TOOLS_SERVER_NAME,
                                                 .is_builtin = true,
                                                 .tools = tools,
                                                 .n_tools = ARRAY_LENGTH(tools),
                                                 .assets = { JOB_TOOLS_ASSET } };
    return own_server_create(services, &kind);
}
