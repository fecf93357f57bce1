/* peer_mcp behind a loopback URL, as a process of its own: the same rules as over stdio
 * (tests/support/peers/mcp), with its lines as the events of HTTP answers. */
#ifndef TESTS_SUPPORT_FULL_PEER_PROCESS_H
#define TESTS_SUPPORT_FULL_PEER_PROCESS_H

#include "tests/support/full/peer.h"
#include <sys/types.h>

struct peer_process {
    pid_t pid;
    char url[64];
};

/* Starts what the peer is configured to start, and configures its URL instead. */
void peer_process_start(struct peer_process *process, struct peer *peer);
/* Whatever it is doing; reaped. */
void peer_process_end(struct peer_process *process);

#endif
