/* The rpc_endpoint port: tells the eras apart, keeps the sessions of legacy clients, and
 * hands each request to the rpc of whoever serves it. A legacy client begins a session with
 * initialize and names it in the header Mcp-Session-Id; modern requests describe themselves and
 * share one rpc.
 *
 * A session that was not used for http.session_seconds ends when a request comes, and so does the
 * one that was unused longest where a new one would be one more than http.max_sessions. */
#ifndef INFRASTRUCTURE_MCP_SERVER_HTTP_ENDPOINT_H
#define INFRASTRUCTURE_MCP_SERVER_HTTP_ENDPOINT_H

#include "application/ports/rpc_endpoint.h"
#include "application/settings.h"
#include "infrastructure/mcp/server/replay.h"

struct uv_runtime;

/* replays: of all endpoints of the process. */
struct rpc_endpoint *http_endpoint_create(struct uv_runtime *runtime,
                                          const struct settings *settings,
                                          struct replay_store *replays,
                                          const struct rpc_endpoint_options *options);

#endif
