/* The rpc port over this process's stdin and stdout: one JSON-RPC message per line. */
#ifndef INFRASTRUCTURE_MCP_STDIO_RPC_H
#define INFRASTRUCTURE_MCP_STDIO_RPC_H

#include "application/ports/rpc.h"
#include "application/settings.h"

struct uv_runtime;

struct rpc *mcp_stdio_rpc_create(struct uv_runtime *runtime, const struct settings *settings);

#endif
