
#include "infrastructure/mcp/client/client_internal.h"
#include "tests/support/cmocka.h"

static void waits_twice_as_long_every_time_up_to_a_bound(void **state)
{
    static const int64_t expected[] = { 0, 100, 200, 400, 800, 1600, 3200, 5000, 5000 };
    struct restart_window window;
    (void)state;
    restart_window_init(&window, 1000);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        int64_t delay_ms = -1;
        assert_true(restart_window_count(&window, (int64_t)i, &delay_ms));
        assert_int_equal(delay_ms, expected[i]);
    }
    restart_window_finish(&window);
}

static void allows_so_many_within_five_minutes_and_no_more(void **state)
{
    struct restart_window window;
    int64_t delay_ms = -1;
    (void)state;
    restart_window_init(&window, 2);
    assert_true(restart_window_count(&window, 1000, &delay_ms));
    assert_true(restart_window_count(&window, 2000, &delay_ms));
    assert_int_equal(delay_ms, 100);
    assert_false(restart_window_count(&window, 2001, &delay_ms));
    assert_int_equal(delay_ms, 100);
    restart_window_finish(&window);
}

static void the_window_slides(void **state)
{
    struct restart_window window;
    int64_t delay_ms = -1;
    (void)state;
    restart_window_init(&window, 2);
    assert_true(restart_window_count(&window, 0, &delay_ms));
    assert_true(restart_window_count(&window, RESTART_WINDOW_MS - 1, &delay_ms));
    assert_true(restart_window_count(&window, RESTART_WINDOW_MS, &delay_ms));
    assert_int_equal(delay_ms, 100);
    assert_false(restart_window_count(&window, RESTART_WINDOW_MS + 1, &delay_ms));
    assert_false(restart_window_count(&window, 2 * RESTART_WINDOW_MS - 2, &delay_ms));
    assert_true(restart_window_count(&window, 2 * RESTART_WINDOW_MS - 1, &delay_ms));
    restart_window_finish(&window);
}

static void begins_anew_after_a_quiet_window(void **state)
{
    struct restart_window window;
    int64_t delay_ms = -1;
    (void)state;
    restart_window_init(&window, 3);
    for (int64_t i = 0; i < 3; i++)
        assert_true(restart_window_count(&window, i, &delay_ms));
    assert_true(restart_window_count(&window, 2 * RESTART_WINDOW_MS, &delay_ms));
    assert_int_equal(delay_ms, 0);
    restart_window_finish(&window);
}

static void none_at_all_may_be_allowed(void **state)
{
    struct restart_window window;
    int64_t delay_ms = -1;
    (void)state;
    restart_window_init(&window, 0);
    assert_false(restart_window_count(&window, 0, &delay_ms));
    restart_window_finish(&window);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_twice_as_long_every_time_up_to_a_bound),
        cmocka_unit_test(allows_so_many_within_five_minutes_and_no_more),
        cmocka_unit_test(the_window_slides),
        cmocka_unit_test(begins_anew_after_a_quiet_window),
        cmocka_unit_test(none_at_all_may_be_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
