
#include "infrastructure/mcp/stdio/stdio_transport.h"
#include "tests/support/cmocka.h"
#include <stdlib.h>
#include <string.h>

struct seen {
    char text[200]; /* the lines, each followed by '|' */
    size_t n, stop_after;
};

static bool see(void *context, const char *line, size_t length)
{
    struct seen *seen = context;
    strncat(seen->text, line, length);
    strcat(seen->text, "|");
    return ++seen->n != seen->stop_after;
}

static enum line_framer_end feed(struct line_framer *framer, const char *text, struct seen *seen)
{
    return line_framer_feed(framer, text, strlen(text), see, seen);
}

static void joins_what_came_in_pieces(void **state)
{
    struct line_framer framer;
    struct seen seen = { 0 };
    (void)state;
    line_framer_init(&framer, 100);
    assert_int_equal(feed(&framer, "one\ntw", &seen), LINES_DONE);
    assert_int_equal(feed(&framer, "o", &seen), LINES_DONE);
    assert_int_equal(feed(&framer, "\nthree\nfo", &seen), LINES_DONE);
    line_framer_finish(&framer);
    assert_string_equal(seen.text, "one|two|three|");
}

static void accepts_crlf_and_skips_empty_lines(void **state)
{
    struct line_framer framer;
    struct seen seen = { 0 };
    (void)state;
    line_framer_init(&framer, 100);
    assert_int_equal(feed(&framer, "one\r", &seen), LINES_DONE);
    assert_int_equal(feed(&framer, "\n\n\r\ntwo\r\n", &seen), LINES_DONE);
    line_framer_finish(&framer);
    assert_string_equal(seen.text, "one|two|");
}

static void passes_a_line_at_the_bound_and_refuses_one_byte_more(void **state)
{
    struct line_framer framer;
    struct seen seen = { 0 };
    (void)state;
    line_framer_init(&framer, 5);
    assert_int_equal(feed(&framer, "12345\n", &seen), LINES_DONE);
    assert_int_equal(feed(&framer, "123", &seen), LINES_DONE);
    assert_int_equal(feed(&framer, "45\n", &seen), LINES_DONE);
    assert_int_equal(feed(&framer, "123456\n", &seen), LINES_TOO_LONG);
    assert_int_equal(feed(&framer, "123", &seen), LINES_DONE);
    assert_int_equal(feed(&framer, "456", &seen), LINES_TOO_LONG);
    line_framer_finish(&framer);
    assert_string_equal(seen.text, "12345|12345|");
}

static void stops_when_told(void **state)
{
    struct line_framer framer;
    struct seen seen = { .stop_after = 2 };
    (void)state;
    line_framer_init(&framer, 100);
    assert_int_equal(feed(&framer, "a\nb\nc\n", &seen), LINES_STOPPED);
    line_framer_finish(&framer);
    assert_string_equal(seen.text, "a|b|");
}

static bool ignore_line(void *context, const char *line, size_t length)
{
    (void)context;
    (void)line;
    (void)length;
    return true;
}

static void gives_the_memory_of_a_large_line_back(void **state)
{
    struct line_framer framer;
    size_t size = 1000000;
    auto_str text = malloc(size);
    (void)state;
    memset(text, 'x', size);
    line_framer_init(&framer, 2 * size);
    assert_int_equal(line_framer_feed(&framer, text, size, ignore_line, NULL), LINES_DONE);
    assert_true(framer.partial.capacity >= size);
    assert_int_equal(line_framer_feed(&framer, "\n", 1, ignore_line, NULL), LINES_DONE);
    assert_true(framer.partial.capacity <= LINE_FRAMER_KEEP_BYTES);
    line_framer_finish(&framer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joins_what_came_in_pieces),
        cmocka_unit_test(accepts_crlf_and_skips_empty_lines),
        cmocka_unit_test(passes_a_line_at_the_bound_and_refuses_one_byte_more),
        cmocka_unit_test(stops_when_told),
        cmocka_unit_test(gives_the_memory_of_a_large_line_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
