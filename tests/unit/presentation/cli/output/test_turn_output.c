#include "presentation/cli/output/turn_output.h"
#include "tests/support/cmocka.h"

static int status_of(enum run_status status, enum err_code why)
{
    const struct turn_result result = { .status = status, .err = { .code = why } };
    return turn_exit_status(&result);
}

static void exit_statuses_are_those_of_the_table(void **state)
{
    (void)state;
    assert_int_equal(status_of(RUN_COMPLETED, ERR_UNAVAILABLE), 0);
    assert_int_equal(status_of(RUN_FAILED, ERR_UNAVAILABLE), 3);
    assert_int_equal(status_of(RUN_FAILED, ERR_NONE), 1);
    assert_int_equal(status_of(RUN_NEEDS_ANSWER, ERR_NONE), 5);
    assert_int_equal(status_of(RUN_REFUSED, ERR_NONE), 6);
    assert_int_equal(status_of(RUN_LIMIT, ERR_NONE), 8);
    assert_int_equal(status_of(RUN_CANCELLED, ERR_NONE), 130);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exit_statuses_are_those_of_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
