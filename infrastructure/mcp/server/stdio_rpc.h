/* The rpc port over this process's stdin and stdout: one JSON-RPC message per line. Reading stops
 * while the client does not take its answers, and while the next request is not asked for. */
#ifndef INFRASTRUCTURE_MCP_SERVER_STDIO_RPC_H
#define INFRASTRUCTURE_MCP_SERVER_STDIO_RPC_H

#include "application/ports/rpc.h"
#include "application/settings.h"

/* Beyond so many bytes of unread answers no further request is taken. */
#define STDIO_RPC_UNREAD_BYTES (1024 * 1024)

struct uv_runtime;

struct rpc *mcp_stdio_rpc_create(struct uv_runtime *runtime, const struct settings *settings);
/* An rpc over other descriptors, which it closes in the end when they are above 2. */
struct rpc *mcp_fd_rpc_create(struct uv_runtime *runtime, const struct settings *settings,
                              int in_fd, int out_fd);

#endif
