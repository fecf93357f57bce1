/* A transport around another one that tells what goes through. Only there when somebody wants to
 * know; messages are passed on untouched. */
#ifndef INFRASTRUCTURE_MCP_WIRE_WATCHED_TRANSPORT_H
#define INFRASTRUCTURE_MCP_WIRE_WATCHED_TRANSPORT_H

#include "application/ports/traffic.h"
#include "infrastructure/mcp/wire/transport.h"

/* Owns the inner transport; the name of the server and the traffic are borrowed. */
struct transport *watched_transport_create(struct transport *inner, const char *server,
                                           struct traffic *traffic);

#endif
