#include "presentation/cli/style.h"
#include "tests/support/cmocka.h"

static void colour_is_only_for_terminals_that_welcome_it(void **state)
{
    (void)state;
    assert_string_equal(style_make(true, NULL, NULL, "xterm").red, "\033[31m");
    assert_string_equal(style_make(false, NULL, NULL, "xterm").red, "");
    assert_string_equal(style_make(true, NULL, "1", "xterm").red, "");
    assert_string_equal(style_make(true, "auto", "", "dumb").red, "");
    assert_string_equal(style_make(false, "always", "1", "dumb").red, "\033[31m");
    assert_string_equal(style_make(true, "never", NULL, "xterm").red, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colour_is_only_for_terminals_that_welcome_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
