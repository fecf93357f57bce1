/* How a turn ended, as the result of a tool: the result object as structuredContent and the text a
 * model or a person reads first. Completed and asking back are results, the rest is the tool's own
 * failure. */
#ifndef APPLICATION_AGENT_TOOLS_AGENT_RESULT_H
#define APPLICATION_AGENT_TOOLS_AGENT_RESULT_H

#include "application/orchestrators/turn_result.h"

#define AGENT_RESULT_MAX_CALL_BYTES 400 /* of the arguments of a call that the text shows */

void agent_result(struct arena *arena, const struct turn_result *turn, struct step_result *out);
/* When there was no turn: status and error. */
void agent_result_failed(struct arena *arena, const struct err *err, struct step_result *out);

#endif
