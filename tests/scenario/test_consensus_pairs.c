/* Any two agents, whatever they say: the run halts, agrees on nothing it may not agree on, and its
 * transcript plays again to the same end. MISTRO_SEEDS in the environment, or the first argument,
 * says how many pairs. */

#include "infrastructure/runtime/system_ports.h"
#include "tests/support/cmocka.h"
#include "tests/support/consensus_pairs.h"
#include <stdlib.h>

#define SEEDS 1000
#define PAIRS_PER_SEED 10 /* a game is a fraction of a millisecond */

static uint64_t n_seeds = SEEDS;

static void every_game_of_two_agents_ends_as_it_may(void **state)
{
    (void)state;
    struct pair_result result;
    for (uint64_t seed = 1; seed <= n_seeds * PAIRS_PER_SEED; seed++) {
        pair_play(seed, system_digest(), &result);
        if (result.violation)
            print_error("seed %llu, %s and %s: %s\n", (unsigned long long)seed,
                        pair_character_name(result.agents[0]),
                        pair_character_name(result.agents[1]), result.violation);
        assert_null(result.violation);
    }
}

static void every_end_and_every_pair_of_characters_occurs(void **state)
{
    (void)state;
    struct pair_result result;
    bool ends[CONSENSUS_AGENTS_LOST + 1] = { false };
    bool pairs[PAIR_CHARACTER_COUNT][PAIR_CHARACTER_COUNT] = { { false } };

    for (uint64_t seed = 1; seed <= 3000; seed++) {
        pair_play(seed, system_digest(), &result);
        ends[result.end] = pairs[result.agents[0]][result.agents[1]] = true;
    }

    for (size_t end = CONSENSUS_CONSENSUS; end <= CONSENSUS_AGENTS_LOST; end++)
        assert_true(ends[end]);
    for (size_t a = 0; a < PAIR_CHARACTER_COUNT; a++)
        for (size_t b = 0; b < PAIR_CHARACTER_COUNT; b++)
            assert_true(pairs[a][b]);
}

int main(int argc, char **argv)
{
    const char *wanted = argc > 1 ? argv[1] : getenv("MISTRO_SEEDS");
    if (wanted && strtoull(wanted, NULL, 10) >= 20)
        n_seeds = strtoull(wanted, NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_game_of_two_agents_ends_as_it_may),
        cmocka_unit_test(every_end_and_every_pair_of_characters_occurs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
