#include "infrastructure/runtime/crypto_digest.h"
#include "infrastructure/runtime/sha256.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static char *hex_of(const char *text)
{
    static char hex[DIGEST_HEX_SIZE];
    return digest_sha256(crypto_digest(), text, strlen(text), hex);
}

/* FIPS 180-4 examples and two lengths at the edge of the padding. */
static void digests_as_the_standard_says(void **state)
{
    (void)state;

    assert_string_equal(hex_of(""),
                        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_string_equal(hex_of("abc"),
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_string_equal(hex_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
                        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void digests_a_million_bytes_through_the_library(void **state)
{
    (void)state;
    char hex[DIGEST_HEX_SIZE], *bytes = malloc(1000000);
    memset(bytes, 'a', 1000000);

    digest_sha256(crypto_digest(), bytes, 1000000, hex);

    free(bytes);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* The two implementations must agree on every length of the last block, on either side of the
 * length from which the library is used. */
static void digests_the_same_with_and_without_the_library(void **state)
{
    (void)state;
    size_t room = CRYPTO_DIGEST_LOAD_BYTES + 130;
    unsigned char *bytes = malloc(room), own[SHA256_BYTES];
    size_t different = 0;
    for (size_t i = 0; i < room; i++)
        bytes[i] = (unsigned char)(i * 31 + i / 251);

    for (size_t length = room - 130; length < room; length++) {
        char hex[DIGEST_HEX_SIZE], first[3] = { 0 };
        sha256(bytes, length, own);
        digest_sha256(crypto_digest(), bytes, length, hex);
        memcpy(first, hex, 2);
        different += strtoul(first, NULL, 16) != own[0];
        memcpy(first, hex + 62, 2);
        different += strtoul(first, NULL, 16) != own[31];
    }

    free(bytes);
    assert_int_equal(different, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_as_the_standard_says),
        cmocka_unit_test(digests_the_same_with_and_without_the_library),
        cmocka_unit_test(digests_a_million_bytes_through_the_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
