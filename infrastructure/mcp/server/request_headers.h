/* Whether the headers of a modern request say what its body says: something between client and
 * server may have decided by them (MCP 2026-07-28, "Transports", "Standard Headers" and "Custom
 * Headers from Tool Parameters"). */
#ifndef INFRASTRUCTURE_MCP_SERVER_REQUEST_HEADERS_H
#define INFRASTRUCTURE_MCP_SERVER_REQUEST_HEADERS_H

#include "application/ports/rpc.h"
#include "application/ports/web.h"
#include "domain/base/arena.h"

/* schema: the input schema of the tool that is called; NULL: nothing is called, or it is not known.
 * NULL, or what is wrong with them, in the arena. */
const char *request_headers_fault(struct arena *arena, const struct web_exchange *x,
                                  const struct rpc_message *message, const json_t *schema);

#endif
