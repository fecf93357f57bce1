/* The level the lexical analyst has reached on the requests of tests/data, below which no change
 * of its rules may fall. */
#include "tests/support/cmocka.h"
#include "tests/support/full/lexical/request_set.h"

enum { LEAST_REQUESTS = 80, LEAST_IRRELEVANT = 25 };

static struct request_tally measure(void)
{
    struct request_tally halves[REQUEST_HALVES];
    assert_true(request_set_measure(false, halves));
    const struct request_tally *even = &halves[REQUESTS_EVEN], *odd = &halves[REQUESTS_ODD];
    return (struct request_tally){ .answerable = even->answerable + odd->answerable,
                                   .right_tool = even->right_tool + odd->right_tool,
                                   .right_call = even->right_call + odd->right_call,
                                   .irrelevant = even->irrelevant + odd->irrelevant,
                                   .refused = even->refused + odd->refused };
}

static void is_measured_by_enough_requests(void **state)
{
    (void)state;
    struct request_tally tally = measure();
    assert_true(tally.answerable + tally.irrelevant >= LEAST_REQUESTS);
    assert_true(tally.irrelevant >= LEAST_IRRELEVANT);
}

static void calls_the_right_tool_with_the_right_arguments(void **state)
{
    (void)state;
    struct request_tally tally = measure();
    assert_true(100 * tally.right_tool >= 90 * tally.answerable);
    assert_true(100 * tally.right_call >= 85 * tally.answerable);
}

static void refuses_what_no_tool_is_for(void **state)
{
    (void)state;
    struct request_tally tally = measure();
    assert_true(100 * tally.refused >= 85 * tally.irrelevant);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_measured_by_enough_requests),
        cmocka_unit_test(calls_the_right_tool_with_the_right_arguments),
        cmocka_unit_test(refuses_what_no_tool_is_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
