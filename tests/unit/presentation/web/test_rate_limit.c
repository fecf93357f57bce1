#include "presentation/web/rate_limit.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <string.h>

#define PER_MINUTE 60

static int open_limit(void **state)
{
    *state = rate_limit_create(PER_MINUTE);
    return 0;
}

static int close_limit(void **state)
{
    rate_limit_destroy(*state);
    return 0;
}

/* How many of n requests at that moment are let through. */
static int taken(struct rate_limit *limit, const char *who, int n, int64_t now_ms)
{
    int count = 0;
    int64_t retry = 0;
    for (int i = 0; i < n; i++)
        count += rate_limit_take(limit, who, now_ms, &retry);
    return count;
}

static void a_minutes_requests_may_come_at_once_and_not_one_more(void **state)
{
    int64_t retry = 0;

    assert_int_equal(taken(*state, "ada", PER_MINUTE, 5), PER_MINUTE);
    assert_false(rate_limit_take(*state, "ada", 5, &retry));
    assert_int_equal(retry, 1);
}

static void who_waits_as_long_as_was_said_may_come_again(void **state)
{
    struct rate_limit *slow = rate_limit_create(1);
    int64_t retry = 0;

    assert_true(rate_limit_take(slow, "ada", 0, &retry));
    assert_false(rate_limit_take(slow, "ada", 1, &retry));
    assert_int_equal(retry, 60);
    assert_false(rate_limit_take(slow, "ada", 59999, &retry));
    assert_int_equal(retry, 1);
    assert_true(rate_limit_take(slow, "ada", 60000, &retry));
    rate_limit_destroy(slow);
    (void)state;
}

static void it_fills_up_evenly_and_to_a_minutes_requests(void **state)
{
    assert_int_equal(taken(*state, "ada", 100, 0), PER_MINUTE);
    assert_int_equal(taken(*state, "ada", 100, 999), 0);
    assert_int_equal(taken(*state, "ada", 100, 1000), 1);
    assert_int_equal(taken(*state, "ada", 100, 31000), 30);
    assert_int_equal(taken(*state, "ada", 100, 10000000), PER_MINUTE);
}

static void a_clock_that_goes_back_gives_nothing(void **state)
{
    assert_int_equal(taken(*state, "ada", 100, 50000), PER_MINUTE);
    assert_int_equal(taken(*state, "ada", 100, 0), 0);
}

static void each_person_has_a_bucket(void **state)
{
    assert_int_equal(taken(*state, "ada", 100, 0), PER_MINUTE);
    assert_int_equal(taken(*state, "ad", 100, 0), PER_MINUTE);
    assert_int_equal(taken(*state, "", 100, 0), PER_MINUTE);
    assert_int_equal(taken(*state, "ada", 100, 0), 0);
}

static void one_more_than_can_be_remembered_takes_the_place_of_the_fullest(void **state)
{
    char name[32];
    for (int i = 0; i < RATE_LIMIT_MAX_KNOWN; i++) {
        snprintf(name, sizeof name, "p%d", i);
        assert_int_equal(taken(*state, name, i == 7 ? 1 : PER_MINUTE, 0), i == 7 ? 1 : PER_MINUTE);
    }
    assert_int_equal(taken(*state, "p0", 1, 0), 0);

    assert_int_equal(taken(*state, "one more", PER_MINUTE, 0), PER_MINUTE);

    assert_int_equal(taken(*state, "p0", 1, 0), 0);
    assert_int_equal(taken(*state, "p1023", 1, 0), 0);
    assert_int_equal(taken(*state, "one more", 1, 0), 0);
}

static void the_largest_limit_of_the_settings_is_counted_exactly(void **state)
{
    struct rate_limit *most = rate_limit_create(1000000);
    int64_t retry = 0;
    assert_int_equal(taken(most, "ada", 1000000, 0), 1000000);
    assert_false(rate_limit_take(most, "ada", 0, &retry));
    assert_true(rate_limit_take(most, "ada", 1, &retry));
    rate_limit_destroy(most);
    (void)state;
}

static void only_the_first_64_bytes_of_a_name_count(void **state)
{
    char name[80];
    memset(name, 'a', sizeof name);
    name[64] = '\0';
    assert_int_equal(taken(*state, name, 100, 0), PER_MINUTE);
    name[64] = 'b';
    name[79] = '\0';
    assert_int_equal(taken(*state, name, 100, 0), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_limit, close_limit)
    const struct CMUnitTest tests[] = {
        TEST(a_minutes_requests_may_come_at_once_and_not_one_more),
        TEST(who_waits_as_long_as_was_said_may_come_again),
        TEST(it_fills_up_evenly_and_to_a_minutes_requests),
        TEST(a_clock_that_goes_back_gives_nothing),
        TEST(each_person_has_a_bucket),
        TEST(one_more_than_can_be_remembered_takes_the_place_of_the_fullest),
        TEST(the_largest_limit_of_the_settings_is_counted_exactly),
        TEST(only_the_first_64_bytes_of_a_name_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
