/* elicitation/create as it goes over the wire, of both eras: the form mode only, which is all that
 * is declared. */
#ifndef INFRASTRUCTURE_MCP_ELICITATION_H
#define INFRASTRUCTURE_MCP_ELICITATION_H

#include "application/ports/tool_server.h"

/* ERR_INVALID: another mode than form, or no message or schema. Borrowed from params. */
MUST_CHECK
enum err_code elicitation_read(const json_t *params, struct elicitation *out, struct err *err);

/* Puts the request to whoever made the call, who offers to be asked (on_question). *out_result is
 * `{"action":…}`, owned by the caller. ERR_INVALID: it cannot be asked. */
awaits MUST_CHECK enum err_code elicitation_put(const struct tool_call *call, struct scope *scope,
                                                const json_t *params, json_t **out_result,
                                                struct err *err);

/* The result for a question that nobody answered; owned by the caller. */
json_t *elicitation_cancelled(void);

#endif
