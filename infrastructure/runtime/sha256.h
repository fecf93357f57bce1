/* SHA-256 as FIPS 180-4 describes it, for what is too short to load a library for, and for
 * systems without that library. Pure. */
#ifndef INFRASTRUCTURE_RUNTIME_SHA256_H
#define INFRASTRUCTURE_RUNTIME_SHA256_H

#include <stddef.h>

#define SHA256_BYTES 32

void sha256(const void *bytes, size_t length, unsigned char out_digest[static SHA256_BYTES]);

#endif
