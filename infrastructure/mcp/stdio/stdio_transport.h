/* The transport to a child process: one message per line on its stdin and stdout. It is over when
 * the child has exited, even if a grandchild holds the pipe, or soon after it closed its stdout or
 * stdin. */
#ifndef INFRASTRUCTURE_MCP_STDIO_STDIO_TRANSPORT_H
#define INFRASTRUCTURE_MCP_STDIO_STDIO_TRANSPORT_H

#include "application/settings.h"
#include "infrastructure/mcp/wire/transport.h"

struct uv_runtime;

/* config and settings are borrowed. Nothing is started before it is opened. */
struct transport *stdio_transport_create(struct uv_runtime *runtime,
                                         const struct server_config *config,
                                         const struct settings *settings);

#endif
