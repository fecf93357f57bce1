/* What the servers of a run say of themselves, as events of its journal: server_state, server_log
 * and tools_changed. It listens for the time of a run; a server has one listener at a time. */
#ifndef APPLICATION_TOOLS_SERVER_EVENTS_H
#define APPLICATION_TOOLS_SERVER_EVENTS_H

#include "application/journal.h"
#include "application/ports/tool_server.h"

#define SERVER_EVENTS_MAX_LEVEL_BYTES 32 /* of the level that a server gives its log line */

/* The journal must outlive the listening. */
void server_events_listen(struct journal *journal, struct tool_server *const *servers, size_t n);
void server_events_stop(struct tool_server *const *servers, size_t n);

#endif
