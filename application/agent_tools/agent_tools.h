/* mistro's own jobs as a tool server, for other hosts: `ask` (a request in words), `plan` (the same
 * without running anything), `run_plan`, `consensus` and `figure` (job_tools/job_requests.h). Every
 * result is the result object of the command line, with the answer, the questions or the problem as
 * text beside it; a question is no failure.
 *
 * What the policy asks about, and what is missing in a request, is asked of the person behind the
 * host where that takes questions (agent_user.h). Otherwise nobody is there: it is refused unless
 * the process was started with --yes, or given back as questions. A plan that was sent is no
 * consent to its calls. Calls run side by side, each with a run of its own in the log; what happens
 * in it is the call's progress, and cancelling the call ends the turn. A configured server that is
 * this agent once more is left out. */
#ifndef APPLICATION_AGENT_TOOLS_AGENT_TOOLS_H
#define APPLICATION_AGENT_TOOLS_AGENT_TOOLS_H

#include "application/agent_tools/own_server.h"

#define AGENT_TOOLS_NAME "agent"
#define AGENT_TOOLS_MAX_CALLS OWN_SERVER_MAX_CALLS
#define AGENT_TOOLS_MAX_PLAN_BYTES (4 * 1024 * 1024)      /* of a plan that is text */
#define AGENT_TOOLS_ASSET "data/schemas/agent_tools.json" /* the definitions of the tools */

/* services is borrowed; whoever watches it is not told of these turns. */
MUST_CHECK
enum err_code agent_tools_create(struct services *services, struct tool_server **out,
                                 struct err *err);

#endif
