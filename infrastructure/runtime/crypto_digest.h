/* The digest port by OpenSSL's libcrypto. The library is loaded when the first digest is made,
 * which costs some 2 ms; whoever lists tools or calls one makes none. mistro cannot keep its word
 * without it (approvals are bound to digests), so where libcrypto.so.3 is missing the first digest
 * ends the process and says what to install. */
#ifndef INFRASTRUCTURE_RUNTIME_CRYPTO_DIGEST_H
#define INFRASTRUCTURE_RUNTIME_CRYPTO_DIGEST_H

#include "application/ports/digest.h"

struct digest *crypto_digest(void);

#endif
