
#include "domain/base/json.h"
#include "infrastructure/mcp/client/mcp_task.h"
#include "tests/support/cmocka.h"
#include <string.h>

static json_t *value_of(const char *text)
{
    struct json_slice outcome;
    json_t *value;
    assert_int_equal(
        mcp_task_value((struct json_slice){ text, strlen(text) }, SIZE_MAX, &value, &outcome, NULL),
        ERR_NONE);
    return value;
}

static struct mcp_task_state state_of(const char *text)
{
    json_auto_t *value = value_of(text);
    struct mcp_task_state state = { 0 };
    assert_int_equal(mcp_task_state_read(value, &state, NULL), ERR_NONE);
    return state;
}

static void assert_poll(const char *members, int64_t expected_ms)
{
    AUTO(arena) arena = { 0 };
    struct mcp_task_state state =
        state_of(arena_printf(&arena, "{\"status\":\"working\"%s}", members));
    assert_int_equal(mcp_task_poll_ms(&state, 1000), expected_ms);
}

static void waits_as_long_as_the_server_says_within_bounds(void **state)
{
    (void)state;
    assert_poll("", 1000);
    assert_poll(",\"pollIntervalMs\":0", 1000);
    assert_poll(",\"pollIntervalMs\":-5", 1000);
    assert_poll(",\"pollIntervalMs\":\"7\"", 1000);
    assert_poll(",\"pollIntervalMs\":null", 1000);
    assert_poll(",\"pollIntervalMs\":9", 10);
    assert_poll(",\"pollIntervalMs\":10", 10);
    assert_poll(",\"pollIntervalMs\":0.5", 10);
    assert_poll(",\"pollIntervalMs\":2500.9", 2500);
    assert_poll(",\"pollInterval\":300", 300);
    assert_poll(",\"pollIntervalMs\":600000", 600000);
    assert_poll(",\"pollIntervalMs\":600001", 600000);
    assert_poll(",\"pollIntervalMs\":1e300", 600000);
}

static void the_setting_is_held_to_the_same_bounds(void **state)
{
    const struct mcp_task_state silent = { 0 };
    (void)state;
    assert_int_equal(mcp_task_poll_ms(&silent, 1), 10);
    assert_int_equal(mcp_task_poll_ms(&silent, 600001), 600000);
}

static void knows_every_status_by_name(void **state)
{
    (void)state;
    assert_int_equal(state_of("{\"status\":\"working\"}").status, MCP_TASK_WORKING);
    assert_int_equal(state_of("{\"status\":\"input_required\"}").status, MCP_TASK_INPUT_REQUIRED);
    assert_int_equal(state_of("{\"status\":\"completed\"}").status, MCP_TASK_COMPLETED);
    assert_int_equal(state_of("{\"status\":\"failed\"}").status, MCP_TASK_FAILED);
    assert_int_equal(state_of("{\"status\":\"cancelled\"}").status, MCP_TASK_CANCELLED);
    assert_string_equal(mcp_task_status_name(MCP_TASK_INPUT_REQUIRED), "input_required");
}

static void refuses_a_task_without_a_status_that_exists(void **state)
{
    static const char *const texts[] = { "{}", "[]", "{\"status\":7}", "{\"status\":\"Working\"}" };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        json_auto_t *value = value_of(texts[i]);
        struct mcp_task_state read;
        assert_int_equal(mcp_task_state_read(value, &read, NULL), ERR_PROTOCOL);
    }
}

static void a_message_is_one_safe_line_of_bounded_length(void **state)
{
    AUTO(arena) arena = { 0 };
    char long_text[1200];
    (void)state;
    assert_string_equal(
        state_of("{\"status\":\"working\",\"statusMessage\":\"a\\nb\\u001b[2J\"}").message,
        "a\\nb\\x1b[2J");
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    const char *text =
        arena_printf(&arena, "{\"status\":\"working\",\"statusMessage\":\"%s\"}", long_text);
    assert_true(strlen(state_of(text).message) <= 4 * MCP_TASK_MESSAGE_COLUMNS);
    assert_non_null(strstr(state_of(text).message, "…"));
}

static void points_at_the_outcome_without_reading_it(void **state)
{
    static const char text[] = "{\"result\":1,\"status\":\"completed\",\"result\":{\"a\":[1, 2]},"
                               "\"other\":{}}";
    struct json_slice outcome;
    (void)state;
    json_auto_t *value = NULL;
    assert_int_equal(
        mcp_task_value((struct json_slice){ text, strlen(text) }, 1000, &value, &outcome, NULL),
        ERR_NONE);
    assert_int_equal(outcome.length, strlen("{\"a\":[1, 2]}"));
    assert_memory_equal(outcome.text, "{\"a\":[1, 2]}", outcome.length);
    assert_int_equal(json_object_size(value), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_as_long_as_the_server_says_within_bounds),
        cmocka_unit_test(the_setting_is_held_to_the_same_bounds),
        cmocka_unit_test(knows_every_status_by_name),
        cmocka_unit_test(refuses_a_task_without_a_status_that_exists),
        cmocka_unit_test(a_message_is_one_safe_line_of_bounded_length),
        cmocka_unit_test(points_at_the_outcome_without_reading_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
