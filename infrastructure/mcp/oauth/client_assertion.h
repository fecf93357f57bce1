/* How a client with a private key proves itself, instead of with a secret (RFC 7523): by a JSON Web
 * Token that it signs with ES256 or RS256. OpenSSL's libcrypto is loaded when the first one is
 * made. */
#ifndef INFRASTRUCTURE_MCP_OAUTH_CLIENT_ASSERTION_H
#define INFRASTRUCTURE_MCP_OAUTH_CLIENT_ASSERTION_H

#include "infrastructure/mcp/oauth/client_identity.h"

#define ASSERTION_SECONDS 300

/* The token, in the arena. ERR_INVALID: the key cannot be read, is locked with a password, or is of
 * another kind than the algorithm. ERR_UNAVAILABLE: there is no libcrypto. */
MUST_CHECK
enum err_code client_assertion(const struct client_identity *client, const char *audience,
                               int64_t now_seconds, struct arena *arena, const char **out,
                               struct err *err);

/* Signs the text with a key in PEM: ES256 (ECDSA on P-256, r and s as they are) or RS256. The
 * signature is in the arena. */
MUST_CHECK
enum err_code signature_make(const char *pem, bool is_es256, const char *text, struct arena *arena,
                             unsigned char **out, size_t *out_length, struct err *err);

#endif
