/* What a keeper (keeper.h) and the commands that use it say to each other, over a sequenced socket
 * in a folder of this user's: one JSON object a packet, with the descriptors of a server's pipes
 * beside the answer that lends them.
 *
 * A command sends one of
 *   {"open": {…}}    what is to run: command, arguments, environment, folder, umask, the settings
 * of its process, and what servers are offered; one that runs with the very same is lent, else one
 * is started, as it always is with "new": true
 *   {"note": {…}}    gives back what it was lent, with what the next one must know of the session
 *   {"idle_ms": N}   how long the keeper stays without being used
 *   {"stop": true}   ends the keeper and what it keeps
 * and the keeper answers all but the note with {"pid": N, "note": {…} or null}, {"servers": N},
 * {"stopped": N} or {"refused": "why"}. A command that is gone without a note has left its server
 * in a state that nobody knows, so that one is ended. */
#ifndef INFRASTRUCTURE_MCP_KEEPER_KEEPER_WIRE_H
#define INFRASTRUCTURE_MCP_KEEPER_KEEPER_WIRE_H

#include "domain/base/attributes.h"
#include "domain/base/err.h"
#include <jansson.h>
#include <stdbool.h>

#define KEEPER_VERSION 1
#define KEEPER_MAX_PACKET_BYTES (128 * 1024)
#define KEEPER_PIPES 3 /* stdin, stdout and stderr of a server */

/* The folder of the socket, opened as a place to name things in. It must belong to this user, and
 * to no one else: whoever can reach the socket can run programs. ERR_NOT_FOUND or ERR_DENIED. The
 * caller closes it. */
MUST_CHECK
enum err_code keeper_folder_open(const char *folder, int *out_fd, struct err *err);
/* A socket that listens in the folder, where an older one is removed. The caller closes it. */
MUST_CHECK
enum err_code keeper_listen(int folder_fd, int *out_fd, struct err *err);
/* Takes the socket's name away again. */
void keeper_unlisten(int folder_fd);
/* Connected, and the other side runs as this user; its answers are waited for at most wait_ms.
 * ERR_NOT_FOUND: there is no folder, no socket, or nobody listens. ERR_DENIED: it is somebody
 * else's. The caller closes it. */
MUST_CHECK
enum err_code keeper_connect(const char *folder, int wait_ms, int *out_fd, struct err *err);
/* Whether a process of this user is at the other end. */
bool keeper_peer_is_ours(int fd);

/* One packet; pipes: KEEPER_PIPES descriptors, borrowed, or NULL. ERR_LIMIT: it is too large;
 * ERR_UNAVAILABLE: nobody reads it. */
MUST_CHECK
enum err_code keeper_send(int fd, const json_t *message, const int *pipes, struct err *err);
/* The next packet, of which message and pipes (-1 each: none came) are the caller's. False: the
 * other side is gone, silent for too long, or said what cannot be read. *out_again (may be NULL):
 * nothing has come yet. */
MUST_CHECK
bool keeper_receive(int fd, json_t **out, int pipes[static KEEPER_PIPES], bool *out_again);

#endif
