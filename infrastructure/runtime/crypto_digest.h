/* The digest port. Long input goes through OpenSSL's libcrypto, several times as fast where the
 * processor helps, which is loaded when the first such digest is made (some 2 ms). Shorter input,
 * and all input where libcrypto.so.3 cannot be loaded, is digested by sha256.h: a digest never
 * fails. */
#ifndef INFRASTRUCTURE_RUNTIME_CRYPTO_DIGEST_H
#define INFRASTRUCTURE_RUNTIME_CRYPTO_DIGEST_H

#include "application/ports/digest.h"

/* From so many bytes on it pays to load the library. */
#define CRYPTO_DIGEST_LOAD_BYTES (256 * 1024)

struct digest *crypto_digest(void);

#endif
