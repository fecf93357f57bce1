/* What a client with a private key says instead of a secret (RFC 7523): a JSON Web Token, signed
 * with ES256 or RS256. libcrypto is loaded when the first one is made. */
#ifndef INFRASTRUCTURE_MCP_OAUTH_ASSERTION_H
#define INFRASTRUCTURE_MCP_OAUTH_ASSERTION_H

#include "infrastructure/mcp/oauth/client_identity.h"

#define ASSERTION_SECONDS 300

/* In the arena. ERR_INVALID: the key is none, is locked with a password, or is of another kind than
 * the algorithm. ERR_UNAVAILABLE: there is no libcrypto. */
MUST_CHECK
enum err_code client_assertion(const struct client_identity *client, const char *audience,
                               int64_t now_seconds, struct arena *arena, const char **out,
                               struct err *err);

#endif
