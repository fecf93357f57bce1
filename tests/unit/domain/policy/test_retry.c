
#include "domain/policy/retry.h"
#include "tests/support/cmocka.h"

static const struct retry_policy policy = { .attempts = 5,
                                            .first_delay_ms = 250,
                                            .max_delay_ms = 1500 };

static void the_delay_doubles_up_to_its_maximum(void **state)
{
    (void)state;
    static const int64_t expected[] = { 250, 500, 1000, 1500 };
    for (unsigned attempt = 1; attempt <= 4; attempt++) {
        int64_t delay_ms = 0;
        assert_true(retry_again(&policy, attempt, ERR_TIMEOUT, &delay_ms));
        assert_int_equal(delay_ms, expected[attempt - 1]);
    }
}

static void the_last_attempt_is_the_last(void **state)
{
    (void)state;
    int64_t delay_ms = 0;
    assert_true(retry_again(&policy, 4, ERR_UNAVAILABLE, &delay_ms));
    assert_false(retry_again(&policy, 5, ERR_UNAVAILABLE, &delay_ms));
}

static void what_does_not_get_better_is_not_tried_again(void **state)
{
    (void)state;
    int64_t delay_ms = 7;
    assert_false(retry_again(&policy, 1, ERR_INVALID, &delay_ms));
    assert_false(retry_again(&policy, 1, ERR_CANCELLED, &delay_ms));
    assert_int_equal(delay_ms, 7);
}

static void the_delay_does_not_overflow(void **state)
{
    (void)state;
    const struct retry_policy endless = { UINT32_MAX, 3, INT64_MAX };
    int64_t delay_ms = 0;
    assert_true(retry_again(&endless, 400, ERR_TIMEOUT, &delay_ms));
    assert_true(delay_ms == INT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_delay_doubles_up_to_its_maximum),
        cmocka_unit_test(the_last_attempt_is_the_last),
        cmocka_unit_test(what_does_not_get_better_is_not_tried_again),
        cmocka_unit_test(the_delay_does_not_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
