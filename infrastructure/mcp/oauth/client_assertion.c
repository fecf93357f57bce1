#include "infrastructure/mcp/oauth/client_assertion.h"
#include "domain/base/base64.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/oauth/random_token.h"
#include "infrastructure/runtime/shared_library.h"
#include <dlfcn.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <string.h>

#define P256_BYTES 32
#define MIN_RSA_BITS 2048

/* The functions of libcrypto that are used, with the types of its headers. */
#define CRYPTO_SYMBOLS(X)                                                                          \
    X(BIO_new_mem_buf)                                                                             \
    X(BIO_free)                                                                                    \
    X(PEM_read_bio_PrivateKey)                                                                     \
    X(EVP_PKEY_get_base_id)                                                                        \
    X(EVP_PKEY_get_bits)                                                                           \
    X(EVP_PKEY_get_group_name)                                                                     \
    X(EVP_PKEY_free)                                                                               \
    X(EVP_MD_CTX_new)                                                                              \
    X(EVP_MD_CTX_free)                                                                             \
    X(EVP_sha256)                                                                                  \
    X(EVP_DigestSignInit)                                                                          \
    X(EVP_DigestSign)

struct crypto_library {
#define X(name) __typeof__(name) *name;
    CRYPTO_SYMBOLS(X)
#undef X
};

/* The library stays loaded: it registers an exit handler of its own. */
static enum err_code load(struct crypto_library *out, struct err *err)
{
    void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
    bool is_there = library != NULL;
#define X(name) is_there = is_there && shared_library_find(library, #name, &out->name);
    CRYPTO_SYMBOLS(X)
#undef X
    if (is_there)
        return ERR_NONE;
    return err_hint(err,
                    err_set(err, ERR_UNAVAILABLE, 0, "libcrypto.so.3 is needed for a private key"),
                    "install it with: apt install libssl3");
}

/* A person is not asked for a password in the middle of a request. */
static int no_password(char *buffer, int size, int is_writing, void *context)
{
    (void)buffer;
    (void)size;
    (void)is_writing;
    (void)context;
    return -1;
}

static EVP_PKEY *read_key(const struct crypto_library *crypto, const char *pem)
{
    BIO *bio = crypto->BIO_new_mem_buf(pem, -1);
    EVP_PKEY *key = bio ? crypto->PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL) : NULL;
    crypto->BIO_free(bio);
    return key;
}

/* Other curves have as many bits. */
static bool is_p256(const struct crypto_library *crypto, const EVP_PKEY *key)
{
    char curve[64];
    size_t length = 0;
    return crypto->EVP_PKEY_get_base_id(key) == EVP_PKEY_EC &&
           crypto->EVP_PKEY_get_group_name(key, curve, sizeof curve, &length) == 1 &&
           strcmp(curve, "prime256v1") == 0;
}

static bool sign(const struct crypto_library *crypto, EVP_PKEY *key, const char *text,
                 struct arena *arena, unsigned char **out, size_t *out_length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    EVP_MD_CTX *context = crypto->EVP_MD_CTX_new();
    bool ok = context &&
              crypto->EVP_DigestSignInit(context, NULL, crypto->EVP_sha256(), NULL, key) == 1 &&
              crypto->EVP_DigestSign(context, NULL, out_length, bytes, strlen(text)) == 1;
    if (ok) {
        *out = arena_alloc(arena, *out_length);
        ok = crypto->EVP_DigestSign(context, *out, out_length, bytes, strlen(text)) == 1;
    }
    crypto->EVP_MD_CTX_free(context);
    return ok;
}

/* One integer of the DER sequence, into 32 bytes. */
static bool take_integer(const unsigned char **at, const unsigned char *end, unsigned char *out)
{
    const unsigned char *p = *at;
    if (end - p < 2 || p[0] != 0x02 || p[1] > end - p - 2)
        return false;
    size_t length = p[1];
    p += 2;
    *at = p + length;
    while (length && *p == 0) {
        p++;
        length--;
    }
    if (length > P256_BYTES)
        return false;
    memset(out, 0, P256_BYTES);
    memcpy(out + P256_BYTES - length, p, length);
    return true;
}

/* A token has r and s side by side, libcrypto writes them as a DER sequence. */
static bool take_out_of_der(struct arena *arena, unsigned char **signature, size_t *length)
{
    unsigned char *raw = arena_alloc(arena, 2 * P256_BYTES);
    const unsigned char *at = *signature, *end = at + *length;
    if (*length < 2 || at[0] != 0x30 || at[1] != *length - 2)
        return false;
    at += 2;
    if (!take_integer(&at, end, raw) || !take_integer(&at, end, raw + P256_BYTES))
        return false;
    *signature = raw;
    *length = 2 * P256_BYTES;
    return true;
}

enum err_code signature_make(const char *pem, bool is_es256, const char *text, struct arena *arena,
                             unsigned char **out, size_t *out_length, struct err *err)
{
    struct crypto_library crypto;
    enum err_code r = load(&crypto, err);
    if (r)
        return r;
    EVP_PKEY *key = read_key(&crypto, pem);
    if (!key)
        return err_set(err, ERR_INVALID, 0,
                       "the private key is not PEM, or is locked with a password");
    bool fits = is_es256 ? is_p256(&crypto, key)
                         : crypto.EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA &&
                               crypto.EVP_PKEY_get_bits(key) >= MIN_RSA_BITS;
    bool ok = fits && sign(&crypto, key, text, arena, out, out_length) &&
              (!is_es256 || take_out_of_der(arena, out, out_length));
    crypto.EVP_PKEY_free(key);
    if (!fits)
        return err_set(err, ERR_INVALID, 0, "the private key is not one for %s",
                       is_es256 ? "ES256 (P-256)" : "RS256 (RSA, 2048 bits)");
    return ok ? ERR_NONE : err_set(err, ERR_INTERNAL, 0, "the private key cannot sign");
}

enum err_code client_assertion(const struct client_identity *client, const char *audience,
                               int64_t now_seconds, struct arena *arena, const char **out,
                               struct err *err)
{
    const char *algorithm = client->algorithm ? client->algorithm : "ES256";
    json_auto_t *header = json_pack("{s:s, s:s}", "alg", algorithm, "typ", "JWT");
    int64_t until_seconds = now_seconds + ASSERTION_SECONDS;
    json_auto_t *claims = json_pack("{s:s, s:s, s:s, s:I, s:I, s:s}", "iss", client->id, "sub",
                                    client->id, "aud", audience, "iat", (json_int_t)now_seconds,
                                    "exp", (json_int_t)until_seconds, "jti", random_token(arena));
    const char *head = json_print_in(arena, header), *body = json_print_in(arena, claims);
    const char *message = arena_printf(arena, "%s.%s", base64url_text(arena, head, strlen(head)),
                                       base64url_text(arena, body, strlen(body)));
    unsigned char *bytes = NULL;
    size_t length = 0;
    enum err_code r = signature_make(client->private_key, text_equal(algorithm, "ES256"), message,
                                     arena, &bytes, &length, err);
    if (r)
        return err_prefix(err, r, "oauth");
    *out = arena_printf(arena, "%s.%s", message, base64url_text(arena, bytes, length));
    return ERR_NONE;
}
