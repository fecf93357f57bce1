#include "infrastructure/runtime/system_ports.h"
#include "tests/support/cmocka.h"
#include <string.h>
#include <time.h>

static void consists_of_lower_case_letters_and_digits(void **state)
{
    (void)state;
    char id[ID_SIZE];

    ids_fresh(system_ids(), id);

    assert_int_equal(strlen(id), 19);
    assert_int_equal(strspn(id, "0123456789abcdefghjkmnpqrstvwxyz"), 19);
}

static void differs_each_time(void **state)
{
    (void)state;
    char ids[200][ID_SIZE];
    size_t equal = 0;

    for (size_t i = 0; i < 200; i++)
        ids_fresh(system_ids(), ids[i]);

    for (size_t i = 0; i < 200; i++)
        for (size_t k = 0; k < i; k++)
            equal += strcmp(ids[i], ids[k]) == 0;
    assert_int_equal(equal, 0);
}

static void sorts_by_the_time_of_creation(void **state)
{
    (void)state;
    char older[ID_SIZE], newer[ID_SIZE];
    struct timespec began, now;
    ids_fresh(system_ids(), older);
    clock_gettime(CLOCK_REALTIME, &began);

    do
        clock_gettime(CLOCK_REALTIME, &now);
    while (now.tv_sec == began.tv_sec && now.tv_nsec / 1000000 <= began.tv_nsec / 1000000 + 1);
    ids_fresh(system_ids(), newer);

    assert_true(strcmp(older, newer) < 0);
}

static void a_secret_is_256_bits_of_chance_as_base64url(void **state)
{
    (void)state;
    char one[SECRET_SIZE], other[SECRET_SIZE];

    ids_secret(system_ids(), one);
    ids_secret(system_ids(), other);

    assert_int_equal(strlen(one), 43);
    assert_int_equal(
        strspn(one, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"), 43);
    assert_string_not_equal(one, other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(consists_of_lower_case_letters_and_digits),
        cmocka_unit_test(differs_each_time),
        cmocka_unit_test(sorts_by_the_time_of_creation),
        cmocka_unit_test(a_secret_is_256_bits_of_chance_as_base64url),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
