/* An MCP server behind a URL, as a tool_server: Streamable HTTP in both eras, or HTTP+SSE of
 * 2024-11-05 (`mcp.md` 1.3, 3), with everything that a started server has. Nothing is loaded or
 * contacted before the first list or call. */
#ifndef INFRASTRUCTURE_MCP_CLIENT_REMOTE_CLIENT_H
#define INFRASTRUCTURE_MCP_CLIENT_REMOTE_CLIENT_H

#include "application/ports/tool_server.h"
#include "infrastructure/mcp/client/mcp_context.h"

/* config is borrowed and must outlive the server. */
struct tool_server *mcp_remote_client_create(const struct mcp_context *shared,
                                             const struct server_config *config);

#endif
