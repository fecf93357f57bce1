/* The MCP endpoint of one person: tells the eras apart, keeps the sessions of legacy clients, and
 * hands each request to the rpc of whoever serves it. A legacy client begins a session with
 * initialize and names it in the header Mcp-Session-Id; modern requests describe themselves and
 * share one rpc. Host, Origin and the person's token were looked at before.
 *
 * A session that was not used for http.session_seconds ends when a request comes, and so does the
 * one that was unused longest where a new one would be one more than http.max_sessions. */
#ifndef INFRASTRUCTURE_MCP_SERVER_HTTP_ENDPOINT_H
#define INFRASTRUCTURE_MCP_SERVER_HTTP_ENDPOINT_H

#include "application/ports/rpc.h"
#include "application/ports/tool_server.h"
#include "application/ports/web.h"
#include "application/settings.h"

struct uv_runtime;

struct http_endpoint_options {
    struct uv_runtime *runtime;
    const struct settings *settings;
    struct tool_server *tools; /* which of their parameters stand in headers as well */
    bool is_modern, is_legacy; /* the eras it speaks */
    /* Serves one client until rpc_next says that it has gone; on a task of its own, may wait. */
    void (*serve)(void *context, struct scope *scope, struct rpc *rpc);
    void *context;
};

struct http_endpoint;

struct http_endpoint *http_endpoint_create(const struct http_endpoint_options *options);
/* Answers one request. */
awaits void http_endpoint_answer(struct http_endpoint *endpoint, struct web_exchange *x);
/* Ends all sessions and waits for them. No request may be in work. NULL is fine. */
awaits void http_endpoint_close(struct http_endpoint *endpoint);

#endif
