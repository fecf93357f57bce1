/* An MCP server started as a child process, as a tool_server: both eras (`mcp.md` 1.2), pagination,
 * calls side by side, progress, cancellation, restart with back-off. Nothing is started before
 * the first list or call. */
#ifndef INFRASTRUCTURE_MCP_STDIO_CLIENT_H
#define INFRASTRUCTURE_MCP_STDIO_CLIENT_H

#include "application/ports/tool_server.h"
#include "application/ports/traffic.h"
#include "application/settings.h"
#include <stdbool.h>

struct era_memory;
struct uv_runtime;

/* What all servers of a process share. Everything is borrowed and must outlive them. */
struct mcp_shared {
    struct uv_runtime *runtime;
    const struct settings *settings;
    struct traffic *traffic; /* is told what goes over the wire; NULL as a rule */
    struct era_memory *eras; /* may be NULL */
    bool has_person;         /* servers are told that they may ask somebody */
};

/* config is borrowed and must outlive the server. */
struct tool_server *mcp_stdio_client_create(const struct mcp_shared *shared,
                                            const struct server_config *config);

#endif
