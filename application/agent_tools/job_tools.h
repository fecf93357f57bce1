/* Consensus and figures as a tool server beside the configured ones, so that a step of a plan can
 * use them (`tool: mistro/consensus`) and the orchestrator can choose them. `serve agent` offers
 * the same two to other hosts. Both only read, but for a figure that is told where to write. */
#ifndef APPLICATION_AGENT_TOOLS_JOB_TOOLS_H
#define APPLICATION_AGENT_TOOLS_JOB_TOOLS_H

#include "application/agent_tools/own_server.h"

#define JOB_TOOLS_NAME "mistro"
#define JOB_TOOLS_SERVER_NAME "mistro jobs"
#define JOB_TOOLS_ASSET "data/schemas/job_tools.json" /* the definitions of the tools */

/* services is borrowed, and may have this server among its own: a job does not see it. */
struct tool_server *job_tools_create(struct services *services);

#endif
