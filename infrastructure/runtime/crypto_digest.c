#include "infrastructure/runtime/crypto_digest.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHA256_BYTES 32

/* What is used of libcrypto: the type of SHA256 in <openssl/sha.h>. */
typedef unsigned char *sha256_fn(const unsigned char *bytes, size_t length, unsigned char *digest);

struct crypto {
    struct digest port;
    sha256_fn *sha256; /* NULL: not loaded */
};

static _Noreturn void give_up(void)
{
    fputs("mistro: libcrypto.so.3 cannot be loaded, and digests need it\n"
          "  install it with: apt install libssl3\n",
          stderr);
    abort();
}

/* The library stays loaded: it registers an exit handler of its own. dlsym returns an object
 * pointer; ISO C converts it to a function's only by its bytes. */
static void load(struct crypto *crypto)
{
    void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "SHA256") : NULL;
    if (!symbol)
        give_up();
    memcpy(&crypto->sha256, &symbol, sizeof symbol);
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
    if (!crypto->sha256)
        load(crypto);
    (void)crypto->sha256(bytes, length, result);
    print_hex(result, out_hex);
}

struct digest *crypto_digest(void)
{
    static const struct digest_ops ops = { .sha256 = digest };
    static struct crypto crypto = { .port.ops = &ops };
    return &crypto.port;
}
