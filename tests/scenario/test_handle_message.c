/* A turn under random latencies, failures and cancellations, one interleaving per seed.
 * MISTRO_SEEDS in the environment, or the first argument, says how many. */
#include "tests/scenario/turn_scenario.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <stdlib.h>

#define SEEDS 1000

static uint64_t n_seeds = SEEDS;

static int64_t draw_latency(void *context)
{
    return (int64_t)virtual_runtime_random(context, 50);
}

static bool draw_failure(void *context)
{
    return virtual_runtime_random(context, 12) == 0;
}

static void shake(struct scenario *scenario, uint64_t seed)
{
    scenario->ports.context = scenario->runtime;
    scenario->ports.latency_ms = draw_latency;
    if (seed % 2)
        scenario->ports.goes_wrong = draw_failure;
    if (seed % 3 == 0)
        virtual_runtime_cancel_at(scenario->runtime, &scenario->scope,
                                  (int64_t)virtual_runtime_random(scenario->runtime, 400));
}

static void every_interleaving_ends_cleanly(void **state)
{
    (void)state;
    size_t n_completed = 0, n_broken = 0;
    for (uint64_t seed = 1; seed <= n_seeds; seed++) {
        static struct scenario scenario; /* too large for a frame */
        scenario_init(&scenario, seed, (enum scenario_kind)(seed / 2 % SCENARIO_KINDS));
        shake(&scenario, seed);
        scenario_run(&scenario);
        const char *broken = scenario_broken_rule(&scenario);
        if (broken)
            fprintf(stderr, "seed %llu: %s (%s)\n", (unsigned long long)seed, broken,
                    scenario.err.message);
        n_broken += broken != NULL;
        n_completed += scenario_completed(&scenario);
        scenario_finish(&scenario);
    }
    assert_int_equal(n_broken, 0);
    assert_true(n_completed > n_seeds / 10);
    assert_true(n_completed < n_seeds);
}

static const char *arguments_of(const struct scenario *scenario, const char *tool)
{
    const struct fake_tool_server *server = &scenario->services.servers[0];
    for (size_t i = 0; i < server->n_calls; i++)
        if (strcmp(server->calls[i].tool, tool) == 0)
            return server->calls[i].arguments;
    return "never called";
}

static void latencies_alone_change_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= n_seeds / 10; seed++) {
        static struct scenario scenario; /* too large for a frame */
        enum scenario_kind kind = (enum scenario_kind)(seed % SCENARIO_KINDS);
        scenario_init(&scenario, seed, kind);
        scenario.ports.context = scenario.runtime;
        scenario.ports.latency_ms = draw_latency;
        scenario_run(&scenario);
        assert_int_equal(scenario.code, ERR_NONE);
        assert_string_equal(scenario.result.answer, "They are joined.");
        assert_int_equal(scenario.services.servers[0].n_calls, 4);
        assert_int_equal(scenario.result.usage.model_calls, kind == SCENARIO_AT_ONCE ? 2 : 3);
        assert_string_equal(arguments_of(&scenario, "join"), "{\"a\":\"ok\",\"b\":\"ok\"}");
        scenario_finish(&scenario);
    }
}

int main(int argc, char **argv)
{
    const char *wanted = argc > 1 ? argv[1] : getenv("MISTRO_SEEDS");
    if (wanted && strtoull(wanted, NULL, 10) >= 20)
        n_seeds = strtoull(wanted, NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_interleaving_ends_cleanly),
        cmocka_unit_test(latencies_alone_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
