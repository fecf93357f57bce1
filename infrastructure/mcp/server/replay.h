/* What was sent to the clients of legacy sessions, kept for those that lost a stream and come back
 * for the rest of it. A session keeps at most http.replay_events and REPLAY_SESSION_BYTES, and all
 * sessions of a process, whoever's they are, REPLAY_STORE_BYTES: beyond that the session that keeps
 * the most loses its oldest events, so that nobody can drive out those of others that keep less. */
#ifndef INFRASTRUCTURE_MCP_SERVER_REPLAY_H
#define INFRASTRUCTURE_MCP_SERVER_REPLAY_H

#include <stddef.h>
#include <stdint.h>

#define REPLAY_SESSION_BYTES ((size_t)4 * 1024 * 1024)
#define REPLAY_STORE_BYTES ((size_t)64 * 1024 * 1024)

struct replay_event {
    struct replay_event *next;
    int64_t stream, number;
    size_t size; /* as it is counted: of all of this */
    char text[];
};

/* Of one session. */
struct replay {
    struct replay *next;
    struct replay_store *store;
    struct replay_event *first, **last; /* oldest first */
    size_t n, bytes, max_events;
};

/* Of a process; zeros are an empty one. It outlives its sessions. */
struct replay_store {
    struct replay *sessions;
    size_t bytes;
};

/* The replay stays where it is until it is finished. */
void replay_init(struct replay *replay, struct replay_store *store, size_t max_events);
void replay_finish(struct replay *replay);
/* Copies the text. One that is larger than a session may keep is not kept. */
void replay_keep(struct replay *replay, int64_t stream, int64_t number, const char *text);

#endif
