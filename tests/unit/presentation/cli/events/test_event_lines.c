
#include "domain/base/arena.h"
#include "domain/base/text.h"
#include "presentation/cli/events/event_lines.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_console.h"
#include "tests/support/immediate_runtime.h"
#include <string.h>

static void tell(struct event_lines *lines, enum event_kind kind, const char *data_text)
{
    json_auto_t *data = json_loads(data_text, 0, NULL);
    struct event event = { .run_id = "r1", .number = 1, .kind = kind, .data = data };
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

static void in_a_pipe_only_what_is_final_is_printed(void **state)
{
    struct fake_console console;
    struct event_lines lines;
    (void)state;
    begin_in_a_pipe(&console, &lines);
    tell(&lines, EVENT_STEP_STARTED, "{\"step\":\"s1\",\"tool\":\"a/b\"}");
    tell(&lines, EVENT_STEP_PROGRESS, "{\"step\":\"s1\",\"progress\":1,\"total\":2}");
    tell(&lines, EVENT_STEP_FINISHED,
         "{\"step\":\"s1\",\"tool\":\"a/b\",\"status\":\"ok\",\"duration_ms\":3}");
    tell(&lines, EVENT_STEP_FINISHED,
         "{\"step\":\"s2\",\"tool\":\"a/c\",\"status\":\"error\",\"duration_ms\":4,"
         "\"error\":\"no\\u001b[2J\"}");
    assert_string_equal(buf_string(&console.err), "  ✓ s1 a/b 3 ms\n  ✗ s2 a/c 4 ms: no\\x1b[2J\n");
    assert_string_equal(buf_string(&console.out), "");
    event_lines_finish(&lines);
    fake_console_finish(&console);
}

static void words_behind_the_last_attempt_end_their_line_before_the_settings(void **state)
{
    struct fake_console console;
    struct event_lines lines;
    (void)state;
    fake_console_init(&console, "");
    console.terminals[CONSOLE_OUT] = true;
    event_lines_init(&lines, &console.base, style_make(false, NULL, NULL, NULL),
                     style_make(true, "always", NULL, NULL));
    lines.stream_answer = true;
    tell(&lines, EVENT_ATTEMPT, "{\"attempt\":1,\"class\":\"ok\"}");
    tell(&lines, EVENT_TOKEN, "{\"attempt\":1,\"text\":\"The prompt is updated.\"}");
    tell(&lines, EVENT_SETTINGS_UPDATE, "{\"settings\":{}}");
    assert_string_equal(buf_string(&console.out), "The prompt is updated.\n");
    assert_true(event_lines_end_answer(&lines, true));
    event_lines_finish(&lines);
    fake_console_finish(&console);
}

static void show_typed(void *context, bool shown)
{
    const char *text = shown ? "mistro> re" : "\r\033[J";
    console_write(context, CONSOLE_ERR, text, strlen(text));
}

static void a_line_goes_above_what_is_being_typed(void **state)
{
    struct fake_console console;
    struct event_lines lines;
    (void)state;
    begin_on_a_terminal(&console, &lines);
    event_lines_typing(&lines, show_typed, &console.base);
    tell(&lines, EVENT_WARNING, "{\"text\":\"it loads\"}");
    tell(&lines, EVENT_SERVER_STATE, "{\"server\":\"notes\",\"state\":\"starting\"}");
    assert_string_equal(buf_string(&console.err), "\r\033[Jmistro: warning: it loads\nmistro> re");

    event_lines_typing(&lines, NULL, NULL);
    assert_non_null(strstr(buf_string(&console.err), "… starting notes"));
    event_lines_finish(&lines);
    fake_console_finish(&console);
}

static void on_a_terminal_running_steps_are_redrawn_and_erased(void **state)
{
    struct fake_console console;
    struct event_lines lines;
    (void)state;
    begin_on_a_terminal(&console, &lines);
    tell(&lines, EVENT_STEP_STARTED, "{\"step\":\"s1\",\"tool\":\"a/b\"}");
    assert_non_null(strstr(buf_string(&console.err), "… s1 a/b"));
    tell(&lines, EVENT_STEP_PROGRESS, "{\"step\":\"s1\",\"progress\":1,\"total\":2}");
    assert_non_null(strstr(buf_string(&console.err), "[========        ]"));
    buf_clear(&console.err);
    event_lines_pause(&lines, true);
    assert_string_equal(buf_string(&console.err), "\r\033[1A\033[J");
    event_lines_pause(&lines, false);
    event_lines_finish(&lines);
    fake_console_finish(&console);
}

static void lines_wait_while_a_question_stands(void **state)
{
    struct fake_console console;
    struct event_lines lines;
    (void)state;
    begin_in_a_pipe(&console, &lines);
    event_lines_pause(&lines, true);
    event_lines_pause(&lines, true);
    tell(&lines, EVENT_WARNING, "{\"text\":\"careful\"}");
    event_lines_pause(&lines, false);
    assert_string_equal(buf_string(&console.err), "");
    event_lines_pause(&lines, false);
    assert_non_null(strstr(buf_string(&console.err), "careful\n"));
    event_lines_finish(&lines);
    fake_console_finish(&console);
}

static void servers_are_told_about_with_verbosity_only(void **state)
{
    struct fake_console console;
    struct event_lines lines;
    (void)state;
    begin_in_a_pipe(&console, &lines);
    tell(&lines, EVENT_SERVER_LOG, "{\"server\":\"a\",\"level\":\"info\",\"text\":\"x\"}");
    assert_string_equal(buf_string(&console.err), "");
    lines.verbosity = 1;
    tell(&lines, EVENT_SERVER_STATE, "{\"server\":\"a\",\"state\":\"starting\"}");
    tell(&lines, EVENT_SERVER_STATE,
         "{\"server\":\"a\",\"state\":\"ready\",\"transport\":\"stdio\",\"era\":\"legacy\","
         "\"protocol_version\":\"2025-11-25\",\"start_ms\":12}");
    tell(&lines, EVENT_SERVER_STATE,
         "{\"server\":\"b\",\"state\":\"ready\",\"transport\":\"in process\"}");
    tell(&lines, EVENT_SERVER_LOG,
         "{\"server\":\"a\",\"level\":\"stderr\",\"text\":\"look \\u001b[2J\"}");
    tell(&lines, EVENT_TOOLS_CHANGED, "{\"server\":\"a\"}");
    tell(&lines, EVENT_SERVER_STATE,
         "{\"server\":\"a\",\"state\":\"failed\",\"message\":\"it exited with status 1\"}");
    assert_string_equal(buf_string(&console.err),
                        "  · a: starting\n"
                        "  · a: ready in 12 ms (stdio, legacy 2025-11-25)\n"
                        "  · b: ready (in process)\n"
                        "  · a [stderr] look \\x1b[2J\n"
                        "  · a: its list of tools changed\n"
                        "  · a: failed: it exited with status 1\n");
    event_lines_finish(&lines);
    fake_console_finish(&console);
}

static void on_a_terminal_it_says_what_the_model_works_on(void **state)
{
    struct fake_console console;
    struct event_lines lines;
    (void)state;
    begin_on_a_terminal(&console, &lines);
    tell(&lines, EVENT_PROMPT_SENT, "{\"purpose\":\"intent\"}");
    tell(&lines, EVENT_MODEL_REPLIED, "{\"purpose\":\"intent\"}");
    tell(&lines, EVENT_ATTEMPT, "{\"class\":\"ok\"}");
    assert_string_equal(buf_string(&console.err),
                        "  … understanding the request (0 s)\n\r\033[1A\033[J");
    event_lines_finish(&lines);
    fake_console_finish(&console);
}

/* Runs event_lines_tick for so long, on the clock of the test. */
static void pass(struct event_lines *lines, struct immediate_runtime *runtime, int64_t ms)
{
    struct scope scope = scope_child(NULL, runtime->now_ms + ms);
    assert_int_equal(event_lines_tick(&runtime->port, &scope, lines), ERR_NONE);
}

static size_t count(const struct fake_console *console, const char *text)
{
    size_t n = 0;
    for (const char *at = buf_string(&console->err); (at = strstr(at, text)); at++)
        n++;
    return n;
}

static void while_a_model_works_a_clock_and_its_tokens_move(void **state)
{
    struct immediate_runtime runtime = immediate_runtime();
    struct fake_console console;
    struct event_lines lines;
    (void)state;
    begin_on_a_terminal(&console, &lines);
    lines.runtime = &runtime.port;
    tell(&lines, EVENT_PROMPT_SENT, "{\"purpose\":\"plan\"}");
    pass(&lines, &runtime, 3000);
    assert_non_null(strstr(buf_string(&console.err), "  … planning (2 s)\n"));
    for (int i = 0; i < 12; i++)
        tell(&lines, EVENT_MODEL_TOKEN, "{\"purpose\":\"plan\",\"text\":\"a\"}");
    buf_clear(&console.err);
    pass(&lines, &runtime, 60000);
    assert_non_null(strstr(buf_string(&console.err), "  … planning (62 s, 12 tokens)\n"));
    assert_true(count(&console, "planning") <= 60 * 4); /* redraws */
    tell(&lines, EVENT_ATTEMPT, "{\"class\":\"timeout\"}");
    buf_clear(&console.err);
    pass(&lines, &runtime, 5000);
    assert_string_equal(buf_string(&console.err), "");
    event_lines_finish(&lines);
    fake_console_finish(&console);
}

static void the_clock_stands_until_the_last_of_several_agents_has_answered(void **state)
{
    struct fake_console console;
    struct event_lines lines;
    (void)state;
    begin_on_a_terminal(&console, &lines);
    tell(&lines, EVENT_PROMPT_SENT, "{\"purpose\":\"envelope\"}");
    tell(&lines, EVENT_PROMPT_SENT, "{\"purpose\":\"envelope\"}");
    tell(&lines, EVENT_MODEL_REPLIED, "{}");
    assert_int_equal(lines.drawn, 1);
    tell(&lines, EVENT_MODEL_REPLIED, "{}");
    assert_int_equal(lines.drawn, 0);
    event_lines_finish(&lines);
    fake_console_finish(&console);
}

static void where_nothing_can_be_redrawn_no_clock_is_written(void **state)
{
    struct immediate_runtime runtime = immediate_runtime();
    struct style dumb = style_make(true, NULL, NULL, "dumb");
    struct fake_console console;
    struct event_lines lines;
    (void)state;
    for (int pipe = 0; pipe < 2; pipe++) {
        if (pipe)
            begin_in_a_pipe(&console, &lines);
        else
            fake_console_init(&console, "");
        if (!pipe)
            event_lines_init(&lines, &console.base, dumb, dumb);
        tell(&lines, EVENT_PROMPT_SENT, "{\"purpose\":\"plan\"}");
        pass(&lines, &runtime, 5000);
        tell(&lines, EVENT_MODEL_REPLIED, "{}");
        assert_string_equal(buf_string(&console.err), "");
        event_lines_finish(&lines);
        fake_console_finish(&console);
    }
}

static void a_step_is_told_with_its_arguments(void **state)
{
    struct fake_console console;
    struct event_lines lines;
    (void)state;
    begin_in_a_pipe(&console, &lines);
    tell(&lines, EVENT_STEP_STARTED,
         "{\"step\":\"s1\",\"tool\":\"a/b\",\"args\":{\"path\":\"a\\u001b[2J\\nb\",\"n\":3}}");
    tell(&lines, EVENT_STEP_STARTED, "{\"step\":\"s2\",\"tool\":\"a/c\",\"args\":{}}");
    tell(&lines, EVENT_STEP_FINISHED,
         "{\"step\":\"s2\",\"tool\":\"a/c\",\"status\":\"ok\",\"duration_ms\":3}");
    tell(&lines, EVENT_STEP_FINISHED,
         "{\"step\":\"s1\",\"tool\":\"a/b\",\"status\":\"error\",\"duration_ms\":3,"
         "\"error\":\"no\"}");
    assert_string_equal(buf_string(&console.err),
                        "  ✓ s2 a/c 3 ms\n"
                        "  ✗ s1 a/b {path: \"a\\u001B[2J\\nb\", n: 3} 3 ms: no\n");
    event_lines_finish(&lines);
    fake_console_finish(&console);
}

static void the_line_of_a_step_fits_the_terminal(void **state)
{
    struct fake_console console;
    struct event_lines lines;
    struct style plain = style_make(true, NULL, "1", "dumb");
    (void)state;
    fake_console_init(&console, "");
    console.columns = 45;
    event_lines_init(&lines, &console.base, plain, plain);
    tell(&lines, EVENT_STEP_STARTED,
         "{\"step\":\"s1\",\"tool\":\"a/b\",\"args\":{\"first\":\"一二三四五六七八九十\","
         "\"second\":\"what does not fit\"}}");
    tell(&lines, EVENT_STEP_FINISHED,
         "{\"step\":\"s1\",\"tool\":\"a/b\",\"status\":\"ok\",\"duration_ms\":3}");
    const char *line = buf_string(&console.err);
    assert_non_null(strstr(line, "  ✓ s1 a/b {first: \"一二三四"));
    assert_non_null(strstr(line, "… 3 ms\n"));
    assert_true(text_columns(line) <= 44 + 1); /* and its end, which has no width of its own */
    event_lines_finish(&lines);
    fake_console_finish(&console);
}

static void a_watched_call_has_a_line_while_it_runs(void **state)
{
    struct fake_console console;
    struct event_lines lines;
    (void)state;
    begin_on_a_terminal(&console, &lines);
    lines.watch_calls = true;
    tell(&lines, EVENT_TOOL_CALL, "{\"tool\":\"a/b\",\"args\":{},\"attempt\":1}");
    assert_string_equal(buf_string(&console.err), "  … a/b \n");
    tell(&lines, EVENT_STEP_PROGRESS, "{\"tool\":\"a/b\",\"progress\":1,\"total\":2}");
    assert_non_null(strstr(buf_string(&console.err), "  … a/b [========        ]"));
    buf_clear(&console.err);
    tell(&lines, EVENT_TOOL_RESULT, "{\"tool\":\"a/b\"}");
    assert_string_equal(buf_string(&console.err), "\r\033[1A\033[J");
    event_lines_finish(&lines);
    fake_console_finish(&console);
}

static void a_call_says_how_far_it_is_also_without_a_total(void **state)
{
    struct fake_console console;
    struct event_lines lines;
    (void)state;
    begin_on_a_terminal(&console, &lines);
    lines.watch_calls = true;
    tell(&lines, EVENT_TOOL_CALL, "{\"tool\":\"a/b\",\"args\":{},\"attempt\":1}");
    tell(&lines, EVENT_STEP_PROGRESS, "{\"tool\":\"a/b\",\"progress\":3}");
    assert_non_null(strstr(buf_string(&console.err), "  … a/b 3\n"));
    tell(&lines, EVENT_STEP_PROGRESS,
         "{\"tool\":\"a/b\",\"progress\":4,\"message\":\"the fourth\"}");
    assert_non_null(strstr(buf_string(&console.err), "  … a/b the fourth\n"));
    event_lines_finish(&lines);
    fake_console_finish(&console);
}

static void a_task_says_in_the_line_of_its_call_what_it_does(void **state)
{
    struct fake_console console;
    struct event_lines lines;
    (void)state;
    begin_on_a_terminal(&console, &lines);
    lines.watch_calls = true;
    tell(&lines, EVENT_TOOL_CALL, "{\"tool\":\"a/b\",\"args\":{},\"attempt\":1}");
    tell(&lines, EVENT_TASK,
         "{\"server\":\"a\",\"tool\":\"a/b\",\"task\":\"7f\",\"status\":\"working\"}");
    assert_non_null(strstr(buf_string(&console.err), "  … a/b as a task: working\n"));
    tell(&lines, EVENT_TASK,
         "{\"server\":\"a\",\"tool\":\"a/b\",\"task\":\"7f\",\"status\":\"working\","
         "\"message\":\"gathering\"}");
    assert_non_null(strstr(buf_string(&console.err), "  … a/b gathering\n"));
    buf_clear(&console.err);
    tell(&lines, EVENT_TOOL_RESULT, "{\"tool\":\"a/b\"}");
    assert_string_equal(buf_string(&console.err), "\r\033[1A\033[J");
    event_lines_finish(&lines);
    fake_console_finish(&console);
}

static void a_server_that_starts_has_a_line_until_it_is_there(void **state)
{
    struct fake_console console;
    struct event_lines lines;
    (void)state;
    begin_on_a_terminal(&console, &lines);
    tell(&lines, EVENT_SERVER_STATE, "{\"server\":\"dev\",\"state\":\"starting\"}");
    tell(&lines, EVENT_SERVER_STATE, "{\"server\":\"dev\",\"state\":\"ready\"}");
    assert_string_equal(buf_string(&console.err), "  … starting dev \n\r\033[1A\033[J");
    event_lines_finish(&lines);
    fake_console_finish(&console);
}

static void a_model_server_that_is_started_is_told_about_in_plain_lines(void **state)
{
    struct fake_console console;
    struct event_lines lines;
    (void)state;
    begin_in_a_pipe(&console, &lines);
    tell(&lines, EVENT_MODEL_STATE, "{\"state\":\"starting\",\"ms\":0,\"message\":\"a\\u001b\"}");
    tell(&lines, EVENT_MODEL_STATE, "{\"state\":\"loading\",\"ms\":10020}");
    tell(&lines, EVENT_MODEL_STATE, "{\"state\":\"ready\",\"ms\":12300}");
    tell(&lines, EVENT_MODEL_STATE,
         "{\"state\":\"restarted\",\"ms\":13000,\"message\":\"it died\"}");
    tell(&lines, EVENT_MODEL_STATE, "{\"state\":\"closed\",\"ms\":14000}");
    lines.quiet = true;
    tell(&lines, EVENT_MODEL_STATE, "{\"state\":\"ready\",\"ms\":1}");
    assert_string_equal(buf_string(&console.err), "  starting the model server a\\x1b …\n"
                                                  "  the model server is loading … (10.0 s)\n"
                                                  "  the model server is ready after 12.3 s\n"
                                                  "  the model server is started again: it died\n");
    event_lines_finish(&lines);
    fake_console_finish(&console);
}

static void events_go_to_stdout_as_json_lines(void **state)
{
    struct fake_console console;
    struct event_lines lines;
    (void)state;
    begin_in_a_pipe(&console, &lines);
    lines.as_json = true;
    tell(&lines, EVENT_WARNING, "{\"text\":\"careful\"}");
    assert_non_null(strstr(buf_string(&console.out), "\"event\":\"warning\""));
    assert_non_null(strstr(buf_string(&console.out), "\"text\":\"careful\""));
    assert_string_equal(buf_string(&console.err), "");
    event_lines_finish(&lines);
    fake_console_finish(&console);
}

static void an_answer_streams_to_a_terminal_and_its_line_is_ended(void **state)
{
    struct fake_console console;
    struct event_lines lines;
    struct style plain = style_make(true, NULL, "1", "xterm");
    (void)state;
    fake_console_init(&console, "");
    event_lines_init(&lines, &console.base, plain, plain);
    lines.stream_answer = true;
    tell(&lines, EVENT_ANSWER_TOKEN, "{\"text\":\"two \"}");
    tell(&lines, EVENT_ANSWER_TOKEN, "{\"text\":\"words\"}");
    assert_string_equal(buf_string(&console.out), "two words");
    assert_true(event_lines_end_answer(&lines, true));
    assert_false(event_lines_end_answer(&lines, true));
    assert_string_equal(buf_string(&console.out), "two words\n");
    event_lines_finish(&lines);
    fake_console_finish(&console);
}

static void a_pipe_gets_the_text_of_the_attempt_that_was_accepted(void **state)
{
    struct fake_console console;
    struct event_lines lines;
    (void)state;
    begin_in_a_pipe(&console, &lines);
    lines.stream_answer = true;
    tell(&lines, EVENT_TOKEN, "{\"text\":\"bad\"}");
    tell(&lines, EVENT_ATTEMPT, "{\"class\":\"missing_delimiter\"}");
    tell(&lines, EVENT_ATTEMPT_DISCARDED, "{\"attempt\":1}");
    tell(&lines, EVENT_TOKEN, "{\"text\":\"good\"}");
    assert_string_equal(buf_string(&console.out), "");
    tell(&lines, EVENT_ATTEMPT, "{\"class\":\"ok\"}");
    assert_string_equal(buf_string(&console.out), "good\n");
    assert_true(event_lines_end_answer(&lines, true));
    tell(&lines, EVENT_TOKEN, "{\"text\":\"cancelled\"}");
    assert_false(event_lines_end_answer(&lines, false));
    assert_string_equal(buf_string(&console.out), "good\n");
    event_lines_finish(&lines);
    fake_console_finish(&console);
}

static void what_comes_while_an_answer_is_written_waits_for_its_end(void **state)
{
    struct fake_console console;
    struct event_lines lines;
    struct style plain = style_make(true, NULL, "1", "xterm");
    (void)state;
    fake_console_init(&console, "");
    event_lines_init(&lines, &console.base, plain, plain);
    lines.stream_answer = true;
    tell(&lines, EVENT_TOKEN, "{\"text\":\"words\"}");
    tell(&lines, EVENT_WARNING, "{\"text\":\"careful\"}");
    assert_string_equal(buf_string(&console.err), "");
    tell(&lines, EVENT_ATTEMPT_DISCARDED, "{\"attempt\":1}");
    assert_string_equal(buf_string(&console.err), "mistro: warning: careful\n");
    event_lines_finish(&lines);
    fake_console_finish(&console);
}

static void a_warning_is_said_once(void **state)
{
    struct fake_console console;
    struct event_lines lines;
    (void)state;
    begin_in_a_pipe(&console, &lines);
    tell(&lines, EVENT_WARNING, "{\"text\":\"careful\"}");
    tell(&lines, EVENT_WARNING, "{\"text\":\"careful\"}");
    tell(&lines, EVENT_WARNING, "{\"text\":\"slow\"}");
    assert_string_equal(buf_string(&console.err),
                        "mistro: warning: careful\nmistro: warning: slow\n");
    event_lines_finish(&lines);
    fake_console_finish(&console);
}

static void a_failed_step_names_its_tool_once(void **state)
{
    struct fake_console console;
    struct event_lines lines;
    (void)state;
    begin_in_a_pipe(&console, &lines);
    tell(&lines, EVENT_STEP_FINISHED,
         "{\"step\":\"s1\",\"tool\":\"a/b\",\"status\":\"error\",\"duration_ms\":4,"
         "\"error\":\"a/b: gone\"}");
    assert_string_equal(buf_string(&console.err), "  ✗ s1 a/b 4 ms: gone\n");
    event_lines_finish(&lines);
    fake_console_finish(&console);
}

static void details_are_sentences_and_the_analyst_explains_itself(void **state)
{
    struct fake_console console;
    struct event_lines lines;
    (void)state;
    begin_in_a_pipe(&console, &lines);
    lines.verbosity = 1;
    tell(&lines, EVENT_RUN_FINISHED, "{\"status\":\"completed\",\"duration_ms\":3}");
    tell(&lines, EVENT_INTENT, "{\"tools_needed\":[],\"explanation\":\"one\\ntwo\\n\"}");
    assert_non_null(strstr(buf_string(&console.err), "  · run_finished completed, 3 ms\n"));
    assert_non_null(strstr(buf_string(&console.err), "\n      one\n      two\n"));
    event_lines_finish(&lines);
    fake_console_finish(&console);
}

static void a_terminal_that_cannot_move_its_cursor_is_not_redrawn(void **state)
{
    struct fake_console console;
    struct event_lines lines;
    struct style dumb = style_make(true, NULL, NULL, "dumb");
    (void)state;
    fake_console_init(&console, "");
    event_lines_init(&lines, &console.base, dumb, dumb);
    tell(&lines, EVENT_STEP_STARTED, "{\"step\":\"s1\",\"tool\":\"a/b\"}");
    assert_string_equal(buf_string(&console.err), "");
    event_lines_finish(&lines);
    fake_console_finish(&console);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_a_pipe_only_what_is_final_is_printed),
        cmocka_unit_test(words_behind_the_last_attempt_end_their_line_before_the_settings),
        cmocka_unit_test(a_line_goes_above_what_is_being_typed),
        cmocka_unit_test(on_a_terminal_running_steps_are_redrawn_and_erased),
        cmocka_unit_test(lines_wait_while_a_question_stands),
        cmocka_unit_test(servers_are_told_about_with_verbosity_only),
        cmocka_unit_test(on_a_terminal_it_says_what_the_model_works_on),
        cmocka_unit_test(while_a_model_works_a_clock_and_its_tokens_move),
        cmocka_unit_test(the_clock_stands_until_the_last_of_several_agents_has_answered),
        cmocka_unit_test(where_nothing_can_be_redrawn_no_clock_is_written),
        cmocka_unit_test(a_step_is_told_with_its_arguments),
        cmocka_unit_test(the_line_of_a_step_fits_the_terminal),
        cmocka_unit_test(a_watched_call_has_a_line_while_it_runs),
        cmocka_unit_test(a_call_says_how_far_it_is_also_without_a_total),
        cmocka_unit_test(a_task_says_in_the_line_of_its_call_what_it_does),
        cmocka_unit_test(a_server_that_starts_has_a_line_until_it_is_there),
        cmocka_unit_test(a_model_server_that_is_started_is_told_about_in_plain_lines),
        cmocka_unit_test(events_go_to_stdout_as_json_lines),
        cmocka_unit_test(an_answer_streams_to_a_terminal_and_its_line_is_ended),
        cmocka_unit_test(a_pipe_gets_the_text_of_the_attempt_that_was_accepted),
        cmocka_unit_test(what_comes_while_an_answer_is_written_waits_for_its_end),
        cmocka_unit_test(a_warning_is_said_once),
        cmocka_unit_test(a_failed_step_names_its_tool_once),
        cmocka_unit_test(details_are_sentences_and_the_analyst_explains_itself),
        cmocka_unit_test(a_terminal_that_cannot_move_its_cursor_is_not_redrawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
