/* Signatures of JSON Web Tokens by OpenSSL's libcrypto, loaded when the first one is made. */
#ifndef INFRASTRUCTURE_MCP_OAUTH_SIGNATURE_H
#define INFRASTRUCTURE_MCP_OAUTH_SIGNATURE_H

#include "domain/base/arena.h"
#include "domain/base/err.h"
#include <stdbool.h>

/* Signs the text with a key in PEM: ES256 (ECDSA on P-256, r and s as they are) or RS256. The
 * signature is in the arena. */
MUST_CHECK
enum err_code signature_make(const char *pem, bool is_es256, const char *text, struct arena *arena,
                             unsigned char **out, size_t *out_length, struct err *err);

#endif
