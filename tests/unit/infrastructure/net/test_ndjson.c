
#include "infrastructure/net/ndjson.h"
#include "tests/support/cmocka.h"
#include <string.h>

static bool record(void *context, const char *line, size_t length)
{
    return buf_printf(context, "<%.*s>", (int)length, line) && line[0] != '!';
}

static enum err_code feed(const char *stream, size_t piece, size_t max, struct buf *seen)
{
    AUTO(ndjson) ndjson = { 0 };
    ndjson_init(&ndjson, max);
    size_t length = strlen(stream);
    for (size_t at = 0; at < length; at += piece) {
        size_t n = length - at < piece ? length - at : piece;
        enum err_code r = ndjson_feed(&ndjson, stream + at, n, record, seen, NULL);
        if (r)
            return r;
    }
    ndjson_end(&ndjson, record, seen);
    return ERR_NONE;
}

static void assert_lines(const char *stream, const char *lines)
{
    for (size_t piece = 1; piece <= strlen(stream); piece++) {
        AUTO(buf) seen = { 0 };
        buf_init(&seen, 4096);
        assert_int_equal(feed(stream, piece, 1024, &seen), ERR_NONE);
        assert_string_equal(buf_string(&seen), lines);
    }
}

static void cuts_the_stream_at_newlines(void **state)
{
    (void)state;
    assert_lines("{\"a\":1}\n{\"b\":2}\r\n", "<{\"a\":1}><{\"b\":2}>");
}

static void skips_blank_lines(void **state)
{
    (void)state;
    assert_lines("\n a\n\r\n  \n\nb\n", "< a><b>");
}

static void gives_a_last_line_without_newline(void **state)
{
    (void)state;
    assert_lines("a\nb", "<a><b>");
}

static void looks_at_nothing_after_the_callback_said_stop(void **state)
{
    (void)state;
    assert_lines("a\n!\nb\nc", "<a><!>");
}

static void bounds_a_line(void **state)
{
    (void)state;
    AUTO(buf) seen = { 0 };
    buf_init(&seen, 100);
    assert_int_equal(feed("12345678\n", 3, 8, &seen), ERR_NONE);
    assert_int_equal(feed("123456789\n", 3, 8, &seen), ERR_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_the_stream_at_newlines),
        cmocka_unit_test(skips_blank_lines),
        cmocka_unit_test(gives_a_last_line_without_newline),
        cmocka_unit_test(looks_at_nothing_after_the_callback_said_stop),
        cmocka_unit_test(bounds_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
