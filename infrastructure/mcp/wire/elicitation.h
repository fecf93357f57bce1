/* elicitation/create as it goes over the wire, of both eras and in both modes. */
#ifndef INFRASTRUCTURE_MCP_WIRE_ELICITATION_H
#define INFRASTRUCTURE_MCP_WIRE_ELICITATION_H

#include "infrastructure/mcp/wire/question.h"

/* ERR_INVALID: a mode that does not exist, or no message, schema or URL. Borrowed from params. */
MUST_CHECK
enum err_code elicitation_read(const json_t *params, struct elicitation *out, struct err *err);

/* Puts it to the answerer, who takes such questions. *out_result is `{"action":…}`, owned by the
 * caller. ERR_INVALID: it cannot be asked. */
awaits MUST_CHECK enum err_code elicitation_put(const struct answerer *answerer,
                                                struct scope *scope,
                                                const struct server_question *question,
                                                json_t **out_result, struct err *err);

/* The result for a question that nobody answered; owned by the caller. */
json_t *elicitation_cancelled(void);

#endif
