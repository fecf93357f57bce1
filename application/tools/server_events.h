/* What the servers of a run say of themselves, as events of its journal: server_state, server_log,
 * tools_changed and resource_updated. It listens for the time of a run; a server has one listener
 * at a time. */
#ifndef APPLICATION_TOOLS_SERVER_EVENTS_H
#define APPLICATION_TOOLS_SERVER_EVENTS_H

#include "application/journal.h"
#include "application/ports/tool_server.h"
#include "application/services.h"

#define SERVER_EVENTS_MAX_LEVEL_BYTES 32 /* of the level that a server gives its log line */

/* The journal must outlive the listening. Servers are asked for their log only where it is wanted.
 */
void server_events_listen(struct journal *journal, struct tool_server *const *servers, size_t n,
                          bool wants_logs);
void server_events_stop(struct tool_server *const *servers, size_t n);

/* The events of servers for commands that only look and run nothing: told to the observer, kept
 * nowhere. It lies in the frame of the caller. */
struct server_watch {
    struct journal journal;
    struct tool_server *const *servers;
    size_t n;
};

void server_watch_begin(struct server_watch *watch, const struct services *services,
                        struct tool_server *const *servers, size_t n);
void server_watch_end(struct server_watch *watch);

#endif
