/* MCP over HTTP for one person: whoever answers a request here needs to know only how one client is
 * served. */
#ifndef APPLICATION_PORTS_RPC_ENDPOINT_H
#define APPLICATION_PORTS_RPC_ENDPOINT_H

#include "application/ports/rpc.h"
#include "application/ports/tool_server.h"
#include "application/ports/web.h"

struct rpc_endpoint;

struct rpc_endpoint_options {
    struct tool_server *tools; /* which of their parameters stand in headers as well */
    bool is_modern, is_legacy; /* the eras that are spoken */
    /* Serves one client until rpc_next says that it has gone; on a task of its own, may wait. */
    void (*serve)(void *context, struct scope *scope, struct rpc *rpc);
    void *context;
};

struct rpc_endpoint_ops {
    /* All mandatory. */
    void (*answer)(struct rpc_endpoint *e, struct web_exchange *x);
    void (*close)(struct rpc_endpoint *e);
};

struct rpc_endpoint {
    const struct rpc_endpoint_ops *ops;
};

/* Answers one request. Host, Origin and the person's token were looked at before. */
awaits static inline void rpc_endpoint_answer(struct rpc_endpoint *e, struct web_exchange *x)
{
    e->ops->answer(e, x);
}
/* Ends all sessions, waits for them and destroys it. No request may be in work. NULL is fine. */
awaits static inline void rpc_endpoint_close(struct rpc_endpoint *e)
{
    if (e)
        e->ops->close(e);
}

#endif
