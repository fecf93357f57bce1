/* Which server a configuration stands for: what its approvals, pins and era are kept under. Another
 * command, argument, folder, variable, address or header is another server. A rotated secret is
 * not: of headers and variables whose names say that they are secret (rules/redact.h) only the name
 * counts, since a new token does not change what runs. A value that could change it does, whatever
 * its name: that of a variable which names a file or holds a command.
 *
 * The text may still hold secrets, within an argument or an address: only its hash is kept. */
#ifndef INFRASTRUCTURE_MCP_CLIENT_SERVER_IDENTITY_H
#define INFRASTRUCTURE_MCP_CLIENT_SERVER_IDENTITY_H

#include "application/settings.h"
#include "domain/base/arena.h"

/* In the arena. */
const char *server_identity(struct arena *arena, const struct server_config *config);

#endif
