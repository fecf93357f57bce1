/* A configured server that this build cannot reach, as a tool_server that says so: one such entry
 * costs a warning, not the others. */
#ifndef INFRASTRUCTURE_MCP_UNSUPPORTED_SERVER_H
#define INFRASTRUCTURE_MCP_UNSUPPORTED_SERVER_H

#include "application/ports/tool_server.h"
#include "application/settings.h"

/* config is borrowed and must outlive the server. */
struct tool_server *mcp_unsupported_server_create(const struct server_config *config);

#endif
