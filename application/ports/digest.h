/* SHA-256. A port because the inner layers may not link a library for it. */
#ifndef APPLICATION_PORTS_DIGEST_H
#define APPLICATION_PORTS_DIGEST_H

#include <stddef.h>

#define DIGEST_HEX_SIZE 65

struct digest;

struct digest_ops {
    void (*sha256)(struct digest *d, const void *bytes, size_t length,
                   char out_hex[static DIGEST_HEX_SIZE]);
};

struct digest {
    const struct digest_ops *ops;
};

/* Lower-case hex, NUL-terminated. Returns out_hex. */
static inline char *digest_sha256(struct digest *d, const void *bytes, size_t length,
                                  char out_hex[static DIGEST_HEX_SIZE])
{
    d->ops->sha256(d, bytes, length, out_hex);
    return out_hex;
}

#endif
