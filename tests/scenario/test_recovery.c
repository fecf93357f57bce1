/* Conversations with a weak model: three answers of ten are damaged, and nobody notices.
 * MISTRO_SEEDS in the environment, or the first argument, says how many conversations. */

#include "tests/support/cmocka.h"
#include "tests/support/recovery.h"
#include <stdio.h>
#include <stdlib.h>

#define SEEDS 1000
#define DAMAGE 0.3

static uint64_t n_seeds = SEEDS;

static void a_perfect_model_needs_no_recovery(void **state)
{
    (void)state;
    struct recovery recovery = { 0 };
    recovery_run(&recovery, SOURCE_DIR, 1, 20, 0);
    assert_int_equal(recovery.right, recovery.turns);
    assert_int_equal(recovery.strays + recovery.leaks + recovery.overrun, 0);
}

static void nearly_every_turn_with_a_noisy_model_ends_as_it_should(void **state)
{
    (void)state;
    struct recovery recovery = { 0 };
    recovery_run(&recovery, SOURCE_DIR, 1, n_seeds, DAMAGE);
    assert_int_equal(recovery.turns, n_seeds * RECOVERY_TURNS);
    if (recovery.right * 1000 < recovery.turns * 995)
        print_error("%llu of %llu turns are right, %llu other, %llu failed\n",
                    (unsigned long long)recovery.right, (unsigned long long)recovery.turns,
                    (unsigned long long)recovery.other, (unsigned long long)recovery.failed);
    assert_true(recovery.right * 1000 >= recovery.turns * 995);
    assert_int_equal(recovery.strays, 0);
    assert_int_equal(recovery.leaks, 0);
    assert_int_equal(recovery.overrun, 0);
}

int main(int argc, char **argv)
{
    const char *wanted = argc > 1 ? argv[1] : getenv("MISTRO_SEEDS");
    if (wanted && strtoull(wanted, NULL, 10) >= 20)
        n_seeds = strtoull(wanted, NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_perfect_model_needs_no_recovery),
        cmocka_unit_test(nearly_every_turn_with_a_noisy_model_ends_as_it_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
