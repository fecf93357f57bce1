/* An MCP server started as a child process, as a tool_server: both eras (`mcp.md` 1.2), pagination,
 * calls side by side, progress, cancellation, restart with back-off. Nothing is started before
 * the first list or call. */
#ifndef INFRASTRUCTURE_MCP_CLIENT_STDIO_CLIENT_H
#define INFRASTRUCTURE_MCP_CLIENT_STDIO_CLIENT_H

#include "application/ports/tool_server.h"
#include "infrastructure/mcp/client/mcp_context.h"

/* config is borrowed and must outlive the server. */
struct tool_server *mcp_stdio_client_create(const struct mcp_context *shared,
                                            const struct server_config *config);

#endif
