/* How much of its stack a turn uses: at most half, so that the guard page stays a thing of theory
 * even with a compiler whose frames are larger. */
#include "domain/base/json.h"
#include "infrastructure/runtime/fiber.h"
#include "tests/scenario/turn_scenario.h"
#include "tests/support/cmocka.h"
#include <stdio.h>

#define MOST_BYTES (FIBER_STACK_BYTES / 2)

static size_t high_water_of_a_turn(struct scenario *scenario)
{
    fiber_pool_drain(); /* only stacks that were painted from the start are measured */
    fiber_paint_stacks(true);
    scenario_run(scenario);
    size_t bytes = fiber_high_water_bytes();
    fiber_paint_stacks(false);
    printf("%zu KiB of %d KiB\n", bytes / 1024, FIBER_STACK_BYTES / 1024);
    return bytes;
}

static void a_turn_uses_at_most_half_of_its_stack(void **state)
{
    (void)state;
    static struct scenario scenario; /* too large for a frame */
    scenario_init(&scenario, 1, SCENARIO_APART);

    size_t bytes = high_water_of_a_turn(&scenario);

    assert_true(scenario_completed(&scenario));
    assert_in_range(bytes, 1, MOST_BYTES);
    scenario_finish(&scenario);
}

static void results_as_deep_as_json_may_be_use_at_most_half_of_the_stack(void **state)
{
    (void)state;
    static struct scenario scenario;
    char structured[JSON_MAX_DEPTH * 8] = "{\"a\":";
    for (size_t depth = 2; depth < JSON_MAX_DEPTH; depth++)
        strcat(structured, "[");
    for (size_t depth = 2; depth < JSON_MAX_DEPTH; depth++)
        strcat(structured, "]");
    strcat(structured, "}");
    scenario_init(&scenario, 1, SCENARIO_APART);
    fake_tool_server_reply(&scenario.services.servers[0],
                           (struct fake_tool_reply){ .tool = "read", .structured = structured });

    size_t bytes = high_water_of_a_turn(&scenario);

    assert_int_equal(scenario.code, ERR_NONE);
    assert_in_range(bytes, 1, MOST_BYTES);
    scenario_finish(&scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turn_uses_at_most_half_of_its_stack),
        cmocka_unit_test(results_as_deep_as_json_may_be_use_at_most_half_of_the_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
