/* Text that nobody can guess: states, verifiers, the ids of assertions. */
#ifndef INFRASTRUCTURE_MCP_OAUTH_CHANCE_H
#define INFRASTRUCTURE_MCP_OAUTH_CHANCE_H

#include "domain/base/arena.h"

/* 256 bits as 43 characters of base64url; in the arena. */
char *chance_text(struct arena *arena);

#endif
