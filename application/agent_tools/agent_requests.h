/* From the arguments of a tool to a use case. They fit the tool's schema already; what a schema
 * cannot say is checked here, and an error names the path of the argument it is about. */
#ifndef APPLICATION_AGENT_TOOLS_AGENT_REQUESTS_H
#define APPLICATION_AGENT_TOOLS_AGENT_REQUESTS_H

#include "application/orchestrators/turn_result.h"
#include "application/services.h"

/* As mistral_chat_turn and run_plan; out lies in the arena. */
typedef enum err_code agent_request_fn(struct services *services, struct scope *scope,
                                       struct arena *arena, const json_t *arguments,
                                       struct turn_result *out, struct err *err);

awaits agent_request_fn agent_ask, agent_plan, agent_run_plan;

#endif
