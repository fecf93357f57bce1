/* From the arguments of a tool to the use cases of two agents and of figures, and back. Without
 * agreement, or without a figure that may stand, the result is the tool's own failure; its text
 * says how far it came. */
#ifndef APPLICATION_AGENT_TOOLS_JOB_REQUESTS_H
#define APPLICATION_AGENT_TOOLS_JOB_REQUESTS_H

#include "application/agent_tools/own_server.h"

#define JOB_MAX_CANDIDATE_BYTES 2000 /* of what an agent stood for, in the text of a result */

awaits own_tool_fn job_consensus, job_figure;

#endif
