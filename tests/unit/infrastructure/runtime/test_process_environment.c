/* What a child inherits of our environment. */
#include "infrastructure/runtime/process.h"
#include "tests/support/cmocka.h"
#include <stdlib.h>
#include <string.h>

static bool contains(char **environment, const char *variable)
{
    for (char **e = environment; *e; e++)
        if (strcmp(*e, variable) == 0)
            return true;
    return false;
}

static void hands_on_only_the_harmless_environment(void **state)
{
    (void)state;
    setenv("HOME", "/home/somebody", 1);
    setenv("LC_TIME", "C", 1);
    setenv("LC_PAPER", "() { :; }", 1);
    setenv("SOME_API_KEY", "secret", 1);
    setenv("LANG", "C", 1);
    const char *extra[] = { "LANG=de_AT.UTF-8", "TOKEN=1", "TOKEN=2" };

    char **environment = process_environment(extra, 3);

    assert_true(contains(environment, "HOME=/home/somebody"));
    assert_true(contains(environment, "LC_TIME=C"));
    assert_true(contains(environment, "LANG=de_AT.UTF-8"));
    assert_true(contains(environment, "TOKEN=2"));
    assert_false(contains(environment, "LANG=C"));
    assert_false(contains(environment, "TOKEN=1"));
    assert_false(contains(environment, "LC_PAPER=() { :; }"));
    assert_false(contains(environment, "SOME_API_KEY=secret"));
    process_environment_free(environment);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hands_on_only_the_harmless_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
