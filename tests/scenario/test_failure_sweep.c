/* Each call to a port goes wrong once, in each way; every turn must end cleanly. */
#include "tests/scenario/turn_scenario.h"
#include "tests/support/cmocka.h"
#include "tests/support/fault_sweep.h"

static enum scenario_kind kind_under_test;

static const char *turn(enum fault fault, unsigned n, unsigned *out_calls)
{
    static struct scenario scenario; /* too large for a frame */
    scenario_init(&scenario, n, kind_under_test);
    scenario.ports.fault = fault;
    scenario.ports.hit_at = n;
    scenario_run(&scenario);
    const char *broken = scenario_broken_rule(&scenario);
    *out_calls = scenario.ports.calls;
    scenario_finish(&scenario);
    return broken;
}

/* The fewest turns of a kind; 0 when one of any kind broke a rule. */
static unsigned sweep(enum fault fault)
{
    unsigned fewest = FAULT_SWEEP_MOST_CALLS;
    for (int kind = 0; kind < SCENARIO_KINDS; kind++) {
        kind_under_test = (enum scenario_kind)kind;
        unsigned n = fault_sweep(turn, fault);
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
