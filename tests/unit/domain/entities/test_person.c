#include "domain/entities/person.h"
#include "tests/support/cmocka.h"
#include <string.h>

static void a_name_is_one_to_64_plain_characters(void **state)
{
    (void)state;
    char longest[PERSON_NAME_SIZE + 1];
    memset(longest, 'a', sizeof longest);
    longest[PERSON_NAME_SIZE - 1] = '\0';

    assert_true(person_name_is_valid("a"));
    assert_true(person_name_is_valid("Ada_L-1815.x"));
    assert_true(person_name_is_valid("-"));
    assert_true(person_name_is_valid(longest));
    longest[PERSON_NAME_SIZE - 1] = 'a';
    longest[PERSON_NAME_SIZE] = '\0';
    assert_false(person_name_is_valid(longest));
}

static void what_could_lead_elsewhere_is_no_name(void **state)
{
    (void)state;
    static const char *const bad[] = { "",     ".",   "..",   ".ada",   "a/b",    "/a",
                                       "a\\b", "a b", "a\n",  "\x1b[m", "ad\xc3", "ad\xc3\xa4",
                                       "a%",   "~",   "a\t.", "a:b",    "a*" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(person_name_is_valid(bad[i]));
}

static void a_token_counts_until_the_moment_it_expires(void **state)
{
    (void)state;
    const struct person forever = { .name = "a" }, bounded = { .name = "b", .expires_ms = 1000 };

    assert_true(person_may_enter(&forever, INT64_MAX));
    assert_true(person_may_enter(&bounded, 999));
    assert_false(person_may_enter(&bounded, 1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_one_to_64_plain_characters),
        cmocka_unit_test(what_could_lead_elsewhere_is_no_name),
        cmocka_unit_test(a_token_counts_until_the_moment_it_expires),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
