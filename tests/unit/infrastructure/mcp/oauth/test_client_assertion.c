
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/oauth/client_assertion.h"
#include "tests/support/cmocka.h"
#include <dlfcn.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <string.h>

/* Made for this test and used nowhere. */
static const char p256_key[] = "-----BEGIN PRIVATE KEY-----\n"
                               "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgWaM39L9ZU64Ymkxo\n"
                               "CIg/SFvqLJSweGJHXOyhB3sxop+hRANCAASshO9Ho6J36nWXw4qUo8+gVGEWmJca\n"
                               "11kFOAJobgieMa4NNBfLpHi25vVhajXvash2agA+N/boMHwVCdU9WrId\n"
                               "-----END PRIVATE KEY-----\n";
static const char rsa_key[] = "-----BEGIN PRIVATE KEY-----\n"
                              "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDNxjFfp0Ekys5d\n"
                              "gsUBmfVfgGTfQf99zNO4FBgxV0NKxLCeZkHUCFiVByjITJbn9pU6rCpIOCOqS+bz\n"
                              "PrXoUDjvCP4c7MY7gDVflFytnisfeu/ax3oBrLOpWCwoE5Y025K8Pusca2owiUna\n"
                              "SqFUhMI09sjhzOowFDeiqu0xKV8ds0w16mFcE2/7bhmiyoMkJdpr0+pOml/DXn9/\n"
                              "dFW9sEKIUnQjhN2N63H43ck4yI7uHhp4zYGbbICfp0H3d9cWs7omxJ/l9M/rQCTF\n"
                              "pxPY1zC0sVDLg/ulkRpz/NI/rPOc5Kz/9IFLI4XsVIqjWv0QXIFv0KMHn4gu28EJ\n"
                              "iR/jzNvFAgMBAAECgf8HXjwRBhbPD8lT5TAos9qVZi42evvVr//kwijGRi73/mhU\n"
                              "mP9tGDS+dq3Ufj7pD2tIg+GqXwLn63qEOzqdluxy+AohVFkaHafLma8NMxytg+QS\n"
                              "xrxs/ZdxTjbxOGz9zN70M/c3N/bAG3+0JqKgOXYQGhtspRRoTvuvAhp8KCm/u8X+\n"
                              "AwOW0Nlb15e0YtyQb4AkRuPZpzRtK9vzAjLnYbWDfwe8RdIk5KYR4BprUSwkF0XQ\n"
                              "sJTdUtaaN26NllZcnwuLIIwSV22yIQaJiJ5Cas+Psu2x5shmAqeNaQ4t4RTj6ghU\n"
                              "t6EOa9VYLERiX/Tjxgm57vVa0vyfhjcowMaFI/ECgYEA+xffzooyez9RaYrTqGuW\n"
                              "g8fN+6CZ7hRVzvJMfEu1cE65WuU/17M+kShlMh40vrEzpXVT6rEPl3FpN8Kt6CSh\n"
                              "P8zJQ8N/9Wnsr4Z5jKNyICr9GDZ9AJfZp6WyJnUlpei9ILnCctkwBz8WoywKuAyy\n"
                              "GLcpluZsPNUSWEPiCua2Oz0CgYEA0cuasJV3oLttLHWl4MLhT9Qg+RfZq/hP1xMt\n"
                              "Bcgq3nUHlRnhtGT9IwL/ZPw40WjC+faPF7nQQ68J4hhT+a1o3CagZIv3LT6OcJqd\n"
                              "jPyM/oTHH55uAKPIlkonFFf9sTtA+cravFSeI3ndsqs0IbLDszJ3/20XIu5sK8sv\n"
                              "43h0yykCgYEA1kknrWJvdpMw7XuW6rL2vvwzpD0JYQ9ls7lA4QrTi0cEFLh05aaJ\n"
                              "DOSGiGES7nLX+qrItQ/qmHonK3kvZWBtZL9mPDiJ6W0+mwWOkiGi8iT93j4SLAFr\n"
                              "tRFJmlx7hr27OkSN1+nWfTiwHw0lELF1BHa8PZXkZX4Jq94y+M6wUpkCgYEAh+v9\n"
                              "wMJVyxEjXlaqrcAU8f9hjYDiSgSK1bFazhAtlgsEaplmHdYAGxrqFKdEuIfDKueP\n"
                              "NbPxNqjFInLYlT7AXUG5UOtNrUaGSnYh9SH6xzuHNvkSE+AJKTXJs+h+OMFHC49d\n"
                              "v/6ipiFifUtmbx6+o+7ix94Jy1vlQUpXMGzuXmECgYEA4lmFGXswuv+ejEC/qEi/\n"
                              "H/Y5/LZjWMLqA7op91JHJRIEPhwAluPL1L85k1hq61gu7ekgZU9JpnJmn8FPDwhG\n"
                              "4aVOQvfbyWZUafqrTvtKL9wy97v+42zpp+KQkadvXNSHiOpbJZDiZ1mxFp9sY6k6\n"
                              "9Cd8OsAoHa/d5QN7kxwHg2Y=\n"
                              "-----END PRIVATE KEY-----\n";
static const char p384_key[] = "-----BEGIN EC PRIVATE KEY-----\n"
                               "MIGkAgEBBDDkZxPbZqOv8fPV5PbfR282BKO0IBxmBe1t3SPwNwd5JUREUBHg31ED\n"
                               "FmpjSKzXrK+gBwYFK4EEACKhZANiAAT/D2gMvropBx9yqpztCh2E5C+sD0I1qqvy\n"
                               "/nxuyAYJctmZmBVePZzbGsN2kPub4IhgQ0y8sRcG4YJIxGjkb2yyyCfp6/4/Mdo1\n"
                               "NZByepGl9+ETTpZM2AGWY1vRNmvFYdE=\n"
                               "-----END EC PRIVATE KEY-----\n";

/* secp256k1, which has as many bits as P-256. */
static const char k256_key[] = "-----BEGIN EC PRIVATE KEY-----\n"
                               "MHQCAQEEICq5p0dJfNxz65jMpppzjfrB3UCt23I9Lb9KNob7WWT8oAcGBSuBBAAK\n"
                               "oUQDQgAE7PbXYoNG61dH1SaLhNuhvTM8w7zOrdHWOgHklA2TOKJ2EP1+dBMFGjx6\n"
                               "QlUQRIBYrahjErPof3QpuRPkAEBkTw==\n"
                               "-----END EC PRIVATE KEY-----\n";

/* What is needed of libcrypto to look at a signature from outside. */
struct verifier {
    __typeof__(BIO_new_mem_buf) *BIO_new_mem_buf;
    __typeof__(BIO_free) *BIO_free;
    __typeof__(PEM_read_bio_PrivateKey) *PEM_read_bio_PrivateKey;
    __typeof__(EVP_PKEY_free) *EVP_PKEY_free;
    __typeof__(EVP_MD_CTX_new) *EVP_MD_CTX_new;
    __typeof__(EVP_MD_CTX_free) *EVP_MD_CTX_free;
    __typeof__(EVP_sha256) *EVP_sha256;
    __typeof__(EVP_DigestVerifyInit) *EVP_DigestVerifyInit;
    __typeof__(EVP_DigestVerify) *EVP_DigestVerify;
};

static void load(const char *name, void *into)
{
    void *symbol = dlsym(dlopen("libcrypto.so.3", RTLD_NOW), name);
    assert_non_null(symbol);
    memcpy(into, &symbol, sizeof symbol);
}

static struct verifier verifier_load(void)
{
    struct verifier v;
    load("BIO_new_mem_buf", &v.BIO_new_mem_buf);
    load("BIO_free", &v.BIO_free);
    load("PEM_read_bio_PrivateKey", &v.PEM_read_bio_PrivateKey);
    load("EVP_PKEY_free", &v.EVP_PKEY_free);
    load("EVP_MD_CTX_new", &v.EVP_MD_CTX_new);
    load("EVP_MD_CTX_free", &v.EVP_MD_CTX_free);
    load("EVP_sha256", &v.EVP_sha256);
    load("EVP_DigestVerifyInit", &v.EVP_DigestVerifyInit);
    load("EVP_DigestVerify", &v.EVP_DigestVerify);
    return v;
}

/* An integer of 32 bytes as DER has it: shortest, and never negative. */
static size_t put_integer(unsigned char *out, const unsigned char *bytes)
{
    size_t skipped = 0;
    while (skipped < 31 && bytes[skipped] == 0)
        skipped++;
    size_t sign = bytes[skipped] >> 7, length = 32 - skipped + sign;
    out[0] = 0x02;
    out[1] = (unsigned char)length;
    out[2] = 0;
    memcpy(out + 2 + sign, bytes + skipped, 32 - skipped);
    return 2 + length;
}

static size_t der_of(unsigned char *out, const unsigned char *raw)
{
    size_t length = put_integer(out + 2, raw);
    length += put_integer(out + 2 + length, raw + 32);
    out[0] = 0x30;
    out[1] = (unsigned char)length;
    return length + 2;
}

static bool is_signature(const char *pem, const char *text, const unsigned char *bytes,
                         size_t length)
{
    struct verifier v = verifier_load();
    BIO *bio = v.BIO_new_mem_buf(pem, -1);
    EVP_PKEY *key = v.PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
    EVP_MD_CTX *context = v.EVP_MD_CTX_new();
    bool is_right =
        v.EVP_DigestVerifyInit(context, NULL, v.EVP_sha256(), NULL, key) == 1 &&
        v.EVP_DigestVerify(context, bytes, length, (const unsigned char *)text, strlen(text)) == 1;
    v.EVP_MD_CTX_free(context);
    v.EVP_PKEY_free(key);
    v.BIO_free(bio);
    return is_right;
}

static void what_it_signs_is_signed_for_others_too(void **state)
{
    struct arena arena = { 0 };
    unsigned char *bytes = NULL, der[72];
    size_t length = 0;
    (void)state;
    for (int i = 0; i < 50; i++) {
        assert_int_equal(signature_make(p256_key, true, "text", &arena, &bytes, &length, NULL),
                         ERR_NONE);
        assert_true(is_signature(p256_key, "text", der, der_of(der, bytes)));
    }
    assert_false(is_signature(p256_key, "texts", der, der_of(der, bytes)));
    assert_int_equal(signature_make(rsa_key, false, "text", &arena, &bytes, &length, NULL),
                     ERR_NONE);
    assert_true(is_signature(rsa_key, "text", bytes, length));
    assert_false(is_signature(rsa_key, "texts", bytes, length));
    arena_finish(&arena);
}

static enum err_code sign(const char *pem, bool is_es256, size_t *out_length, struct err *err)
{
    struct arena arena = { 0 };
    unsigned char *bytes = NULL;
    enum err_code r = signature_make(pem, is_es256, "text", &arena, &bytes, out_length, err);
    arena_finish(&arena);
    return r;
}

static void signs_with_the_key_of_the_algorithm(void **state)
{
    size_t length = 0;
    (void)state;
    for (int i = 0; i < 50; i++) { /* r and s are shorter now and then */
        assert_int_equal(sign(p256_key, true, &length, NULL), ERR_NONE);
        assert_int_equal(length, 64);
    }
    assert_int_equal(sign(rsa_key, false, &length, NULL), ERR_NONE);
    assert_int_equal(length, 256);
}

static void refuses_a_key_of_another_kind(void **state)
{
    size_t length;
    struct err err = { 0 };
    (void)state;
    assert_int_equal(sign(rsa_key, true, &length, &err), ERR_INVALID);
    assert_non_null(strstr(err.message, "not one for ES256"));
    assert_int_equal(sign(p384_key, true, &length, &err), ERR_INVALID);
    assert_int_equal(sign(k256_key, true, &length, &err), ERR_INVALID);
    assert_int_equal(sign(p256_key, false, &length, &err), ERR_INVALID);
    assert_non_null(strstr(err.message, "not one for RS256"));
    assert_int_equal(sign("no key", true, &length, &err), ERR_INVALID);
    assert_non_null(strstr(err.message, "not PEM"));
}

static void says_who_it_is_to_whom_and_for_how_long(void **state)
{
    struct arena arena = { 0 };
    struct client_identity client = { .id = "me", .method = CLIENT_KEY, .private_key = p256_key };
    const char *first = NULL, *second = NULL;
    (void)state;
    assert_int_equal(client_assertion(&client, "https://as", 1000, &arena, &first, NULL), ERR_NONE);
    assert_int_equal(client_assertion(&client, "https://as", 1000, &arena, &second, NULL),
                     ERR_NONE);
    /* {"alg":"ES256","typ":"JWT"} */
    assert_true(text_starts_with(first, "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9."));
    /* {"iss":"me","sub":"me","aud":"https://as","iat":1000,"exp":1300,"jti":" */
    assert_non_null(strstr(first, ".eyJpc3MiOiJtZSIsInN1YiI6Im1lIiwiYXVkIjoiaHR0cHM6Ly9hcyIsImlhd"
                                  "CI6MTAwMCwiZXhwIjoxMzAwLCJqdGkiOi"));
    assert_string_not_equal(first, second);
    arena_finish(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signs_with_the_key_of_the_algorithm),
        cmocka_unit_test(what_it_signs_is_signed_for_others_too),
        cmocka_unit_test(refuses_a_key_of_another_kind),
        cmocka_unit_test(says_who_it_is_to_whom_and_for_how_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
