
#include "presentation/cli/events/traffic_lines.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_console.h"
#include <string.h>

struct bench {
    struct fake_console console;
    struct event_lines lines;
    struct traffic_lines traffic;
};

static int set_up(void **state)
{
    static struct bench bench;
    struct style plain = style_make(false, NULL, NULL, NULL);
    fake_console_init(&bench.console, "");
    event_lines_init(&bench.lines, &bench.console.base, plain, plain);
    bench.lines.verbosity = 2;
    traffic_lines_init(&bench.traffic, &bench.lines);
    *state = &bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    fake_console_finish(&bench->console);
    return 0;
}

static void see(struct bench *bench, enum traffic_direction direction, const char *text)
{
    traffic_saw(&bench->traffic.base, "files", direction, text, strlen(text));
}

static void shows_each_message_on_a_line_with_its_direction(void **state)
{
    struct bench *bench = *state;
    see(bench, TRAFFIC_TO_SERVER, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
    see(bench, TRAFFIC_FROM_SERVER, "{\"result\":{},\"jsonrpc\":\"2.0\",\"id\":1}");
    assert_string_equal(buf_string(&bench->console.err),
                        "  > files {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"
                        "  < files {\"result\":{},\"jsonrpc\":\"2.0\",\"id\":1}\n");
    assert_string_equal(buf_string(&bench->console.out), "");
}

static void hides_secrets_also_in_what_is_no_message(void **state)
{
    struct bench *bench = *state;
    see(bench, TRAFFIC_TO_SERVER, "{\"params\":{\"arguments\":{\"password\":\"hunter2\"}}}");
    see(bench, TRAFFIC_FROM_SERVER, "started with api_key=hunter2hunter2");
    assert_null(strstr(buf_string(&bench->console.err), "hunter2"));
    assert_non_null(strstr(buf_string(&bench->console.err), "started with api_key=[redacted]"));
}

static void hides_the_ids_of_tasks_wherever_they_stand(void **state)
{
    struct bench *bench = *state;
    char *text = malloc(TRAFFIC_LINES_MAX_JSON_BYTES + 1);
    static const char begin[] = "{\"result\":{\"taskId\":\"t-hunter2\",\"x\":\"";
    see(bench, TRAFFIC_FROM_SERVER, "{\"result\":{\"task\":{\"taskId\":\"t-hunter2\"}}}");
    see(bench, TRAFFIC_TO_SERVER, "{\"params\":[{\"taskId\":7}]}");
    memset(text, 'x', TRAFFIC_LINES_MAX_JSON_BYTES + 1);
    memcpy(text, begin, sizeof begin - 1);
    traffic_saw(&bench->traffic.base, "files", TRAFFIC_FROM_SERVER, text,
                TRAFFIC_LINES_MAX_JSON_BYTES + 1);
    free(text);
    assert_null(strstr(buf_string(&bench->console.err), "hunter2"));
    assert_non_null(
        strstr(buf_string(&bench->console.err), "{\"params\":[{\"taskId\":\"[redacted]\"}]}"));
}

static void escapes_what_would_steer_a_terminal(void **state)
{
    struct bench *bench = *state;
    see(bench, TRAFFIC_FROM_SERVER, "\x1b[2Jbanner\xff");
    see(bench, TRAFFIC_FROM_SERVER,
        "[\"\xc2\x9b"
        "2J\"]");
    assert_null(strchr(buf_string(&bench->console.err), '\x1b'));
    assert_null(strstr(buf_string(&bench->console.err), "\xc2\x9b"));
    assert_non_null(strstr(buf_string(&bench->console.err), "  < files \\x1b[2Jbanner\\xff\n"));
}

static void cuts_long_messages_whether_they_are_read_or_not(void **state)
{
    struct bench *bench = *state;
    size_t length = TRAFFIC_LINES_MAX_JSON_BYTES + 1;
    char *text = malloc(length);
    memset(text, 'x', length);
    text[0] = '"';
    traffic_saw(&bench->traffic.base, "files", TRAFFIC_FROM_SERVER, text, length);
    assert_in_range(bench->console.err.length, 1000, TRAFFIC_LINES_COLUMNS + 100);
    buf_clear(&bench->console.err);
    memcpy(text, "[\"", 2);
    memcpy(text + TRAFFIC_LINES_MAX_JSON_BYTES - 2, "\"]", 2);
    traffic_saw(&bench->traffic.base, "files", TRAFFIC_FROM_SERVER, text,
                TRAFFIC_LINES_MAX_JSON_BYTES);
    assert_in_range(bench->console.err.length, 1000, TRAFFIC_LINES_COLUMNS + 100);
    free(text);
}

static void says_nothing_when_it_is_to_be_quiet(void **state)
{
    struct bench *bench = *state;
    bench->lines.quiet = true;
    see(bench, TRAFFIC_TO_SERVER, "{}");
    assert_string_equal(buf_string(&bench->console.err), "");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(shows_each_message_on_a_line_with_its_direction),
        T(hides_secrets_also_in_what_is_no_message),
        T(hides_the_ids_of_tasks_wherever_they_stand),
        T(escapes_what_would_steer_a_terminal),
        T(cuts_long_messages_whether_they_are_read_or_not),
        T(says_nothing_when_it_is_to_be_quiet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
