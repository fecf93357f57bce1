/* Serves any tool_server to one MCP client, in both eras: discover, initialize, ping, tools/list
 * (paginated), tools/call (side by side, with progress and cancellation), list_changed. */
#ifndef PRESENTATION_MCP_SERVE_TOOLS_H
#define PRESENTATION_MCP_SERVE_TOOLS_H

#include "application/ports/rpc.h"
#include "application/ports/runtime.h"
#include "application/ports/tool_server.h"

struct serve_options {
    const char *name, *version; /* serverInfo */
    const char *instructions;   /* may be NULL */
    enum { SERVE_BOTH, SERVE_MODERN, SERVE_LEGACY } eras;
    size_t page_size;     /* of tools/list; 0 = everything on one page */
    size_t max_in_flight; /* calls at once; further ones wait */
};

/* Returns once the client has gone and everything started for it has ended. */
awaits MUST_CHECK enum err_code serve_tools(struct runtime *runtime, struct scope *scope,
                                            struct rpc *rpc, struct tool_server *tools,
                                            const struct serve_options *options, struct err *err);

#endif
