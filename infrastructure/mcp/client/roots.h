/* The folders that the configuration gives to a server (MCP roots), as the answer to roots/list.
 * They are advice to the server, not a sandbox. A server without the key `roots` is told nothing:
 * some servers would swap the folders of their own arguments for ours. */
#ifndef INFRASTRUCTURE_MCP_CLIENT_ROOTS_H
#define INFRASTRUCTURE_MCP_CLIENT_ROOTS_H

#include "application/settings.h"
#include "domain/base/arena.h"

/* `{"roots":[{"uri":"file:///…","name":"…"}]}` in the arena; NULL when the server is given none. */
const char *roots_result(struct arena *arena, const struct server_config *config);

#endif
