/* Text that cannot be guessed: states, verifiers, the ids of assertions. */
#ifndef INFRASTRUCTURE_MCP_OAUTH_RANDOM_TOKEN_H
#define INFRASTRUCTURE_MCP_OAUTH_RANDOM_TOKEN_H

#include "domain/base/arena.h"

/* 256 bits as 43 characters of base64url; in the arena. */
char *random_token(struct arena *arena);

#endif
