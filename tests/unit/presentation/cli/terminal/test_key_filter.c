
#include "presentation/cli/terminal/key_filter.h"
#include "tests/support/cmocka.h"
#include <string.h>

/* The bytes that are keys by themselves. */
static void expect_keys(const char *input, const char *keys)
{
    struct key_filter filter = { 0 };
    char found[64] = "";
    for (size_t n = 0; *input; input++)
        if (key_filter_takes(&filter, *input))
            found[n++] = *input;
    assert_string_equal(found, keys);
}

static void keys_of_one_byte_are_keys(void **state)
{
    (void)state;
    expect_keys("yA1\r\4", "yA1\r\4");
}

static void no_byte_of_a_longer_key_is_one(void **state)
{
    static const char *const longer[] = { "\033[A",      "\033OA",       "\033[1;2A",
                                          "\033[15~",    "\033a",        "\033\033[A",
                                          "\033[200A",   "\033[<0;3;4M", "\033[?1;2c",
                                          "\033]11;y\a", "\033Pa\033\\" };
    (void)state;
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++) {
        char input[32] = "";
        strcat(strcat(input, longer[i]), "n");
        expect_keys(input, "n");
    }
}

static void a_string_that_was_none_ends_with_its_line(void **state)
{
    (void)state;
    expect_keys("\033Pynn\rn", "n"); /* Alt-P */
}

static void no_byte_of_a_paste_is_a_key(void **state)
{
    (void)state;
    expect_keys("\033[200~always\ny\033[31my\4\033[201~n", "n");
    expect_keys("\033[200~y", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_of_one_byte_are_keys),
        cmocka_unit_test(no_byte_of_a_longer_key_is_one),
        cmocka_unit_test(a_string_that_was_none_ends_with_its_line),
        cmocka_unit_test(no_byte_of_a_paste_is_a_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
