/* mistro's own work as tools, behind two tool servers within the process. Their definitions are
 * assets; each tool is a function that makes a request of its arguments, hands it to a use case,
 * and makes a tool's result of what came of it.
 *
 * The agent, for other hosts (`mistro serve agent`), has `ask` (a request in words), `plan` (the
 * same without running anything), `run_plan`, `consensus` and `figure`. Its results are the result
 * objects of the command line, with the answer, the questions or the problem as text beside it; a
 * question is not a failure. What the policy asks about, and what is missing in a request, is asked
 * of the person behind the host where the host takes questions (agent_user.c). Otherwise a call
 * that the policy asks about is refused unless the process was started with --yes, and questions
 * are given back as the result. A plan that was sent does not consent to its calls.
 *
 * The jobs, beside the configured servers, are `consensus` and `figure`, so that a step of a plan
 * can use them (`tool: mistro/consensus`) and the orchestrator can choose them. Both only read,
 * except for a figure that is told where to write.
 *
 * Calls run side by side, each with a run of its own in the log, whose id is in its result. What
 * happens in a run is the progress of its call, cancelling the call ends the run, and the limits of
 * the call are those of the run. A run that fails is the tool's own failure, which a model may
 * read. It sees no server that is mistro once more (agent_turn.h). */
#ifndef APPLICATION_AGENT_TOOLS_AGENT_TOOLS_H
#define APPLICATION_AGENT_TOOLS_AGENT_TOOLS_H

#include "application/services.h"

#define AGENT_TOOLS_NAME "agent"
#define AGENT_TOOLS_MAX_CALLS 16                          /* at once; further ones are refused */
#define AGENT_TOOLS_MAX_PLAN_BYTES (4 * 1024 * 1024)      /* of a plan that is text */
#define AGENT_TOOLS_ASSET "data/schemas/agent_tools.json" /* the definitions of the tools */

#define JOB_TOOLS_NAME "mistro"
#define JOB_TOOLS_SERVER_NAME "mistro jobs"
#define JOB_TOOLS_ASSET "data/schemas/job_tools.json"

/* services is borrowed; its observer is not told of these runs. Reads the definitions at once, so
 * that a broken one is reported before a host is served. */
MUST_CHECK
enum err_code agent_tools_create(struct services *services, struct tool_server **out,
                                 struct err *err);

/* services is borrowed, and may have this server among its own: a job does not see it. The
 * definitions are read when they are first wanted. */
struct tool_server *job_tools_create(struct services *services);

#endif
