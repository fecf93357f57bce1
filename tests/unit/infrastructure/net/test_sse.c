
#include "infrastructure/net/sse.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <string.h>

static bool record(void *context, const char *name, const char *data, size_t length)
{
    (void)length;
    return buf_printf(context, "<%s|%s>", name, data) && strcmp(data, "stop") != 0;
}

static enum err_code feed(const char *stream, size_t piece, size_t max, struct buf *seen)
{
    AUTO(sse) sse = { 0 };
    sse_init(&sse, max);
    size_t length = strlen(stream);
    for (size_t at = 0; at < length; at += piece) {
        size_t n = length - at < piece ? length - at : piece;
        enum err_code r = sse_feed(&sse, stream + at, n, record, seen, NULL);
        if (r)
            return r;
    }
    return ERR_NONE;
}

/* Whatever the pieces are. */
static void assert_events(const char *stream, const char *events)
{
    for (size_t piece = 1; piece <= strlen(stream); piece++) {
        AUTO(buf) seen = { 0 };
        buf_init(&seen, 4096);
        assert_int_equal(feed(stream, piece, 1024, &seen), ERR_NONE);
        assert_string_equal(buf_string(&seen), events);
    }
}

static void ends_an_event_at_a_blank_line(void **state)
{
    (void)state;
    assert_events("data: a\n\ndata:b\n\n", "<|a><|b>");
}

static void takes_all_three_line_ends(void **state)
{
    (void)state;
    assert_events("data: a\r\n\r\ndata: b\r\rdata: c\n\n", "<|a><|b><|c>");
    assert_events("data: a\r\ndata: b\r\n\r\n", "<|a\nb>");
}

static void joins_data_lines_by_a_newline(void **state)
{
    (void)state;
    assert_events("data: a\ndata:\ndata:  b\n\n", "<|a\n\n b>");
}

static void skips_bom_comments_and_unknown_fields(void **state)
{
    (void)state;
    assert_events("\xef\xbb\xbf"
                  "data: a\n: ping\nid: 7\nretry: 10\nfoo\n\n:\n\n",
                  "<|a>");
}

static void names_an_event_until_it_ends(void **state)
{
    (void)state;
    assert_events("event: x\ndata: 1\n\ndata: 2\n\nevent: y\n\ndata: 3\n\n", "<x|1><|2><|3>");
}

static void gives_an_event_whose_data_is_empty(void **state)
{
    (void)state;
    assert_events("data\n\n", "<|>");
}

static void drops_what_the_stream_leaves_unfinished(void **state)
{
    (void)state;
    assert_events("data: a\n\ndata: b\n", "<|a>");
}

static void looks_at_nothing_after_the_callback_said_stop(void **state)
{
    (void)state;
    assert_events("data: stop\n\ndata: b\n\n", "<|stop>");
}

static void bounds_a_line(void **state)
{
    (void)state;
    AUTO(buf) seen = { 0 };
    buf_init(&seen, 100);
    for (size_t piece = 1; piece <= 20; piece++) {
        assert_int_equal(feed("data: 12345678\n\n", piece, 8, &seen), ERR_NONE);
        assert_int_equal(feed("data: 123456789\n\n", piece, 8, &seen), ERR_LIMIT);
        assert_int_equal(feed("data:123456789\n\n", piece, 8, &seen), ERR_LIMIT);
        assert_string_equal(buf_string(&seen), "<|12345678>");
        buf_clear(&seen);
    }
}

static void bounds_an_event(void **state)
{
    (void)state;
    AUTO(buf) seen = { 0 };
    buf_init(&seen, 100);
    assert_int_equal(feed("data:ab\ndata:cd\ndata:ef\n\n", 4, 8, &seen), ERR_NONE);
    assert_int_equal(feed("data:ab\ndata:cd\ndata:efg\n\n", 4, 8, &seen), ERR_LIMIT);
}

static void keeps_what_a_stream_is_resumed_with(void **state)
{
    static const char stream[] = "id: 1\nretry: 500\ndata: a\n\nid: 2\ndata: cut";
    struct buf seen;
    struct sse sse;
    (void)state;
    buf_init(&seen, 1024);
    sse_init(&sse, 1024);
    assert_int_equal(sse.retry_ms, -1);
    assert_int_equal(sse_feed(&sse, stream, strlen(stream), record, &seen, NULL), ERR_NONE);
    assert_string_equal(sse.id, "1");
    assert_int_equal(sse.retry_ms, 500);
    assert_int_equal(sse_feed(&sse, "\nretry: 1s\n\n", 12, record, &seen, NULL), ERR_NONE);
    assert_string_equal(sse.id, "2");
    assert_int_equal(sse.retry_ms, 500);
    assert_int_equal(sse_feed(&sse, "id: a\0b\n\nid\ndata: c\n\n", 21, record, &seen, NULL),
                     ERR_NONE);
    assert_string_equal(sse.id, "");
    sse_finish(&sse);
    buf_finish(&seen);
}

static void bounds_an_id(void **state)
{
    char line[SSE_ID_SIZE + 10];
    struct sse sse;
    (void)state;
    for (size_t length = SSE_ID_SIZE - 1; length <= SSE_ID_SIZE; length++) {
        sse_init(&sse, 4096);
        int n = snprintf(line, sizeof line, "id:%0*d\n\n", (int)length, 7);
        assert_int_equal(sse_feed(&sse, line, (size_t)n, record, NULL, NULL), ERR_NONE);
        assert_int_equal(strlen(sse.id), length < SSE_ID_SIZE ? length : 0);
        sse_finish(&sse);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_an_event_at_a_blank_line),
        cmocka_unit_test(takes_all_three_line_ends),
        cmocka_unit_test(joins_data_lines_by_a_newline),
        cmocka_unit_test(keeps_what_a_stream_is_resumed_with),
        cmocka_unit_test(bounds_an_id),
        cmocka_unit_test(skips_bom_comments_and_unknown_fields),
        cmocka_unit_test(names_an_event_until_it_ends),
        cmocka_unit_test(gives_an_event_whose_data_is_empty),
        cmocka_unit_test(drops_what_the_stream_leaves_unfinished),
        cmocka_unit_test(looks_at_nothing_after_the_callback_said_stop),
        cmocka_unit_test(bounds_a_line),
        cmocka_unit_test(bounds_an_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
