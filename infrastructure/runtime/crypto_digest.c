#include "infrastructure/runtime/crypto_digest.h"
#include "infrastructure/runtime/sha256.h"
#include <dlfcn.h>
#include <stdbool.h>

/* What is used of libcrypto: the type of SHA256 in <openssl/sha.h>. */
typedef unsigned char *sha256_fn(const unsigned char *bytes, size_t length, unsigned char *digest);

struct crypto {
    struct digest port;
    bool tried;
    sha256_fn *sha256; /* NULL: not loaded */
};

/* The library stays loaded: it registers an exit handler of its own. */
static void load_once(struct crypto *crypto)
{
    if (crypto->tried)
        return;
    crypto->tried = true;
    void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
    if (library)
        *(void **)&crypto->sha256 = dlsym(library, "SHA256");
}

static void print_hex(const unsigned char *bytes, char out_hex[static DIGEST_HEX_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < SHA256_BYTES; i++) {
        out_hex[2 * i] = digits[bytes[i] >> 4];
        out_hex[2 * i + 1] = digits[bytes[i] & 15];
    }
    out_hex[DIGEST_HEX_SIZE - 1] = '\0';
}

static void digest(struct digest *port, const void *bytes, size_t length,
                   char out_hex[static DIGEST_HEX_SIZE])
{
    struct crypto *crypto = (struct crypto *)port;
    unsigned char result[SHA256_BYTES];
    if (length >= CRYPTO_DIGEST_LOAD_BYTES)
        load_once(crypto);
    if (!crypto->sha256 || !crypto->sha256(bytes, length, result))
        sha256(bytes, length, result);
    print_hex(result, out_hex);
}

struct digest *crypto_digest(void)
{
    static const struct digest_ops ops = { .sha256 = digest };
    static struct crypto crypto = { .port.ops = &ops };
    return &crypto.port;
}
