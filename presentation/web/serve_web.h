/* mistro on the web: who may ask is decided here, then MCP (/mcp) or a page answers.
 *
 * A request has to call the server by a name of its own, and a browser that sends it has to come
 * from a page of its own: so a page of somebody else's that got its name to lead here (DNS
 * rebinding) learns nothing. Then its token says who it is. Each person is served with tools of
 * their own, made when they first ask for something. */
#ifndef PRESENTATION_WEB_SERVE_WEB_H
#define PRESENTATION_WEB_SERVE_WEB_H

#include "application/ports/rpc_endpoint.h"
#include "application/ports/web.h"
#include "presentation/mcp/serve_tools.h"
#include "presentation/web/visitor.h"

#define SERVE_WEB_MCP_PATH "/mcp"
#define SERVE_WEB_MAX_GUESTS 64 /* persons who have tools at the same time */

struct serve_web_options {
    struct runtime *runtime;
    const struct settings *settings;
    struct web_server *web;
    bool is_loopback;           /* only this machine reaches it */
    struct serve_options serve; /* for each client */
    struct digest *digest;
    struct ids *ids;
    struct visitors visitors;
    /* The tools of a person, who owns them: they are closed and destroyed in the end. */
    enum err_code (*tools_of)(void *context, const struct visitor *visitor,
                              struct tool_server **out, struct err *err);
    struct rpc_endpoint *(*endpoint)(void *context, const struct rpc_endpoint_options *options);
    void *context;
};

/* Returns once the scope has ended and everything that was begun has, too. */
awaits MUST_CHECK enum err_code serve_web(const struct serve_web_options *options,
                                          struct scope *scope, struct err *err);

/* Whether a header Host names this server: its address, a name for this machine where only this
 * machine reaches it, a bare number where others do, or one of the names in `also` (with blanks
 * between them). */
bool serve_web_knows_host(const char *host, const char *authority, bool is_loopback,
                          const char *also);

#endif
