/* One tool server that several clients are served from at the same time. A server tells one
 * listener what changes; each client gets a view of it, which is a tool server that listens for
 * itself and does everything else through the shared one. */
#ifndef PRESENTATION_MCP_SHARED_TOOLS_H
#define PRESENTATION_MCP_SHARED_TOOLS_H

#include "application/ports/tool_server.h"

struct shared_tools;

/* The server is borrowed, and listened to until the end. */
struct shared_tools *shared_tools_create(struct tool_server *server);
/* After all views. NULL is fine. */
void shared_tools_destroy(struct shared_tools *shared);
/* The caller's, to be destroyed; closing it leaves the shared server as it is. */
struct tool_server *shared_tools_view(struct shared_tools *shared);
/* Whether a call runs, be its client there or not. */
bool shared_tools_are_busy(const struct shared_tools *shared);

#endif
