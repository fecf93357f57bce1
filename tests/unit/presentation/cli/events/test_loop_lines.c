#include "presentation/cli/events/event_lines.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_console.h"
#include <string.h>

static void tell(struct event_lines *lines, enum event_kind kind, const char *data_text)
{
    json_auto_t *data = json_loads(data_text, 0, NULL);
    struct event event = { .run_id = "r1", .number = 1, .kind = kind, .data = data };
    observer_observe(&lines->base, &event);
}

/* As the core counts the elements of a loop. */
static void tell_items(struct event_lines *lines, int64_t time_ms, int done, int failed)
{
    json_auto_t *data = json_pack("{s:s, s:i, s:i, s:i, s:b}", "step", "sizes", "progress", done,
                                  "total", 1000, "failed", failed, "items", 1);
    struct event event = {
        .run_id = "r1", .time_ms = time_ms, .kind = EVENT_STEP_PROGRESS, .data = data
    };
    observer_observe(&lines->base, &event);
}

/* Standard output and standard error are pipes: no colours, nothing is redrawn. */
static void begin_in_a_pipe(struct fake_console *console, struct event_lines *lines)
{
    struct style plain = style_make(false, NULL, NULL, NULL);
    fake_console_init(console, "");
    event_lines_init(lines, &console->base, plain, plain);
}

/* Standard error is a terminal whose user wants no colours, standard output is a pipe. */
static void begin_on_a_terminal(struct fake_console *console, struct event_lines *lines)
{
    fake_console_init(console, "");
    console->terminals[CONSOLE_ERR] = true;
    event_lines_init(lines, &console->base, style_make(true, NULL, "1", NULL),
                     style_make(false, NULL, NULL, NULL));
}

static void a_loop_is_one_line_that_is_rewritten(void **state)
{
    struct fake_console console;
    struct event_lines lines;
    (void)state;
    begin_on_a_terminal(&console, &lines);
    tell(&lines, EVENT_STEP_STARTED, "{\"step\":\"sizes\",\"tool\":\"a/b\"}");
    buf_clear(&console.err);
    tell_items(&lines, 5000, 0, 0);
    tell_items(&lines, 5500, 2, 0);
    tell_items(&lines, 6000, 830, 3);
    assert_string_equal(buf_string(&console.err),
                        "\r\033[1A\033[J  … sizes  0/1000\n"
                        "\r\033[1A\033[J  … sizes  2/1000  4.0/s\n"
                        "\r\033[1A\033[J  … sizes  830/1000  830/s  3 failed\n");
    buf_clear(&console.err);
    tell(&lines, EVENT_STEP_FINISHED,
         "{\"step\":\"sizes\",\"tool\":\"a/b\",\"status\":\"ok\",\"duration_ms\":3}");
    assert_string_equal(buf_string(&console.err), "\r\033[1A\033[J  ✓ sizes a/b 3 ms, 3 failed\n");
    event_lines_finish(&lines);
    fake_console_finish(&console);
}

static void the_pace_of_a_loop_that_goes_on_is_of_what_was_done_since(void **state)
{
    struct fake_console console;
    struct event_lines lines;
    (void)state;
    begin_on_a_terminal(&console, &lines);
    tell_items(&lines, 5000, 400, 0);
    tell_items(&lines, 7000, 412, 0);
    assert_non_null(strstr(buf_string(&console.err), "… sizes  412/1000  6.0/s\n"));
    buf_clear(&console.err);
    console.columns = 36;
    tell_items(&lines, 7000, 412, 1);
    assert_string_equal(buf_string(&console.err),
                        "\r\033[1A\033[J  … siz…  412/1000  6.0/s  1 failed\n");
    event_lines_finish(&lines);
    fake_console_finish(&console);
}

static void in_a_pipe_a_loop_tells_only_how_many_failed(void **state)
{
    struct fake_console console;
    struct event_lines lines;
    (void)state;
    begin_in_a_pipe(&console, &lines);
    lines.verbosity = 1;
    tell_items(&lines, 5000, 1, 0);
    tell_items(&lines, 6000, 1000, 2);
    assert_string_equal(buf_string(&console.err), "");
    lines.verbosity = 0;
    tell(&lines, EVENT_STEP_FINISHED,
         "{\"step\":\"sizes\",\"tool\":\"a/b\",\"status\":\"error\",\"duration_ms\":3,"
         "\"error\":\"no\"}");
    assert_string_equal(buf_string(&console.err), "  ✗ sizes a/b 3 ms, 2 failed: no\n");
    event_lines_finish(&lines);
    fake_console_finish(&console);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_is_one_line_that_is_rewritten),
        cmocka_unit_test(the_pace_of_a_loop_that_goes_on_is_of_what_was_done_since),
        cmocka_unit_test(in_a_pipe_a_loop_tells_only_how_many_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
