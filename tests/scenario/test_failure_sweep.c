/* Each call to a port goes wrong once, in each way; every turn must end cleanly. */
#include "tests/scenario/turn_scenario.h"
#include <stdio.h>

#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#define MOST_CALLS 200 /* more than any turn here makes */

/* Number of turns until one went through untouched; 0 when one broke a rule. */
static unsigned sweep_kind(enum fault fault, enum scenario_kind kind)
{
    for (unsigned n = 1; n <= MOST_CALLS; n++) {
        static struct scenario scenario; /* too large for a frame */
        scenario_init(&scenario, n, kind);
        scenario.ports.fault = fault;
        scenario.ports.hit_at = n;
        scenario_run(&scenario);
        const char *broken = scenario_broken_rule(&scenario);
        bool was_hit = scenario.ports.calls >= n;
        if (broken)
            fprintf(stderr, "fault %d at call %u: %s\n", (int)fault, n, broken);
        scenario_finish(&scenario);
        if (broken)
            return 0;
        if (!was_hit)
            return n;
    }
    return 0;
}

/* The fewest turns of a kind; 0 when one of any kind broke a rule. */
static unsigned sweep(enum fault fault)
{
    unsigned fewest = MOST_CALLS;
    for (int kind = 0; kind < SCENARIO_KINDS; kind++) {
        unsigned n = sweep_kind(fault, (enum scenario_kind)kind);
        fewest = n < fewest ? n : fewest;
    }
    return fewest;
}

static void a_failure_anywhere_ends_cleanly(void **state)
{
    (void)state;
    assert_true(sweep(FAULT_FAIL) > 10);
}

static void a_cancellation_anywhere_ends_cleanly(void **state)
{
    (void)state;
    assert_true(sweep(FAULT_CANCEL) > 10);
}

static void a_timeout_anywhere_ends_cleanly(void **state)
{
    (void)state;
    assert_true(sweep(FAULT_TIME_OUT) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_anywhere_ends_cleanly),
        cmocka_unit_test(a_cancellation_anywhere_ends_cleanly),
        cmocka_unit_test(a_timeout_anywhere_ends_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
