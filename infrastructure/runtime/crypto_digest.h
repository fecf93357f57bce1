/* The digest port on OpenSSL's libcrypto, which is loaded when the first digest is made. */
#ifndef INFRASTRUCTURE_RUNTIME_CRYPTO_DIGEST_H
#define INFRASTRUCTURE_RUNTIME_CRYPTO_DIGEST_H

#include "application/ports/digest.h"

struct digest *crypto_digest(void);

#endif
