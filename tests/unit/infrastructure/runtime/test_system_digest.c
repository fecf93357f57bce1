#include "infrastructure/runtime/system_ports.h"
#include "tests/support/cmocka.h"
#include <stdlib.h>
#include <string.h>

static char *hex_of(const char *text)
{
    static char hex[DIGEST_HEX_SIZE];
    return digest_sha256(system_digest(), text, strlen(text), hex);
}

/* FIPS 180-4 examples. */
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

static void digests_a_million_bytes(void **state)
{
    (void)state;
    char hex[DIGEST_HEX_SIZE], *bytes = malloc(1000000);
    memset(bytes, 'a', 1000000);

    digest_sha256(system_digest(), bytes, 1000000, hex);

    free(bytes);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_as_the_standard_says),
        cmocka_unit_test(digests_a_million_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
