/* The functions behind the tools: from the arguments of a call to a use case, and from what came of
 * it to a result. */
#ifndef APPLICATION_AGENT_TOOLS_AGENT_TOOLS_INTERNAL_H
#define APPLICATION_AGENT_TOOLS_AGENT_TOOLS_INTERNAL_H

#include "application/orchestrators/turn_result.h"
#include "application/services.h"
#include "domain/tool/step_result.h"

/* The arguments fit the tool's schema already; what a schema cannot say is checked by the function,
 * and its error names the path of the argument. *out lies in the arena. */
typedef enum err_code agent_tool_fn(struct services *services, struct scope *scope,
                                    struct arena *arena, const json_t *arguments,
                                    struct step_result *out, struct err *err);

/* Turns and plans (agent_requests.c). */
awaits agent_tool_fn agent_ask, agent_plan, agent_run_plan;
/* The result of a call that came to no turn: status and error. */
void agent_result_failed(struct arena *arena, const struct err *err, struct step_result *out);
/* What a model or a person reads first of a turn, or of an error. */
const char *agent_turn_text(struct arena *arena, const struct turn_result *turn);
const char *agent_error_text(struct arena *arena, const struct err *err);

/* Two agents and figures (job_requests.c). */
awaits agent_tool_fn job_consensus, job_figure;
/* A text argument; *out is NULL when it is missing. ERR_INVALID where U+0000 would cut it. */
MUST_CHECK
enum err_code job_take_text(const json_t *arguments, const char *key, const char **out,
                            struct err *err);

#endif
