
#include "application/structured/recovery.h"
#include "tests/support/cmocka.h"
#include <string.h>

static void more_budget_comes_first_and_once(void **state)
{
    (void)state;
    struct ladder ladder = { .can_compact = true };
    assert_int_equal(ladder_climb(&ladder, ATTEMPT_TRUNCATED), RUNG_BUDGET);
    assert_int_equal(ladder_climb(&ladder, ATTEMPT_TRUNCATED), RUNG_COMPACTION);
    assert_int_equal(ladder_climb(&ladder, ATTEMPT_TRUNCATED), RUNG_LAST);
    assert_int_equal(ladder.reminders, 0);
}

static void more_budget_costs_no_reminder(void **state)
{
    (void)state;
    struct ladder ladder = { .can_compact = true };
    assert_int_equal(ladder_climb(&ladder, ATTEMPT_INVALID_JSON), RUNG_REMINDER);
    assert_int_equal(ladder_climb(&ladder, ATTEMPT_TRUNCATED), RUNG_BUDGET);
    assert_int_equal(ladder_climb(&ladder, ATTEMPT_WRONG_TYPE), RUNG_REMINDER);
    assert_int_equal(ladder_climb(&ladder, ATTEMPT_EMPTY), RUNG_COMPACTION);
    assert_int_equal(ladder_climb(&ladder, ATTEMPT_EMPTY), RUNG_LAST);
}

static void a_compaction_that_is_cut_gets_the_budget_too(void **state)
{
    (void)state;
    struct ladder ladder = { .can_compact = true };
    assert_int_equal(ladder_climb(&ladder, ATTEMPT_EMPTY), RUNG_REMINDER);
    assert_int_equal(ladder_climb(&ladder, ATTEMPT_EMPTY), RUNG_REMINDER);
    assert_int_equal(ladder_climb(&ladder, ATTEMPT_EMPTY), RUNG_COMPACTION);
    assert_int_equal(ladder_climb(&ladder, ATTEMPT_TRUNCATED), RUNG_BUDGET);
    assert_int_equal(ladder_climb(&ladder, ATTEMPT_TRUNCATED), RUNG_LAST);
}

static void after_a_compaction_nobody_is_reminded(void **state)
{
    (void)state;
    struct ladder ladder = { .can_compact = true, .budget_used = true };
    assert_int_equal(ladder_climb(&ladder, ATTEMPT_TRUNCATED), RUNG_COMPACTION);
    assert_int_equal(ladder_climb(&ladder, ATTEMPT_INVALID_JSON), RUNG_LAST);
}

static void without_a_wish_there_is_no_compaction(void **state)
{
    (void)state;
    struct ladder ladder = { 0 };
    assert_int_equal(ladder_climb(&ladder, ATTEMPT_TRUNCATED), RUNG_BUDGET);
    assert_int_equal(ladder_climb(&ladder, ATTEMPT_TRUNCATED), RUNG_REMINDER);
    assert_int_equal(ladder_climb(&ladder, ATTEMPT_EMPTY), RUNG_REMINDER);
    assert_int_equal(ladder_climb(&ladder, ATTEMPT_EMPTY), RUNG_LAST);
}

/* Every sequence of classes: each digit of the number is one of them. */
static unsigned requests_of(unsigned sequence, bool can_compact)
{
    static const enum attempt_class classes[] = { ATTEMPT_TRUNCATED, ATTEMPT_EMPTY,
                                                  ATTEMPT_MISSING_DELIMITER, ATTEMPT_RAN_AWAY };
    struct ladder ladder = { .can_compact = can_compact };
    unsigned requests = 1;
    while (ladder_climb(&ladder, classes[sequence % 4]) != RUNG_LAST) {
        requests++;
        sequence /= 4;
    }
    return requests;
}

static void no_sequence_of_failures_makes_more_requests_than_there_are_rungs(void **state)
{
    (void)state;
    unsigned most = 0;
    for (unsigned sequence = 0; sequence < 4096; sequence++)
        for (int can_compact = 0; can_compact < 2; can_compact++) {
            unsigned requests = requests_of(sequence, can_compact);
            assert_true(requests <= LADDER_MAX_REQUESTS);
            most = requests > most ? requests : most;
        }
    assert_int_equal(most, LADDER_MAX_REQUESTS);
    assert_int_equal(LADDER_MAX_REQUESTS, 5);
}

static void rungs_have_their_names(void **state)
{
    (void)state;
    assert_string_equal(engine_rung_name(RUNG_GENERATE), "generate");
    assert_string_equal(engine_rung_name(RUNG_EXTRACT), "extract");
    assert_string_equal(engine_rung_name(RUNG_LAST), "last");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_budget_comes_first_and_once),
        cmocka_unit_test(more_budget_costs_no_reminder),
        cmocka_unit_test(a_compaction_that_is_cut_gets_the_budget_too),
        cmocka_unit_test(after_a_compaction_nobody_is_reminded),
        cmocka_unit_test(without_a_wish_there_is_no_compaction),
        cmocka_unit_test(no_sequence_of_failures_makes_more_requests_than_there_are_rungs),
        cmocka_unit_test(rungs_have_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
