
#include "infrastructure/mcp/wire/http_headers.h"
#include "tests/support/cmocka.h"
#include <string.h>

static void assert_value(const char *text, const char *value)
{
    AUTO(arena) arena = { 0 };
    assert_string_equal(http_header_value(&arena, text, strlen(text)), value);
}

static void writes_plain_text_as_it_is(void **state)
{
    (void)state;
    assert_value("read_file", "read_file");
    assert_value("two words", "two words");
    assert_value("=?base64?", "=?base64?");
    assert_value("~!", "~!");
}

static void encodes_what_a_header_would_not_keep(void **state)
{
    (void)state;
    assert_value("", "=?base64?"
                     "?=");
    assert_value(" a", "=?base64?IGE=?=");
    assert_value("a ", "=?base64?YSA=?=");
    assert_value("a\tb", "=?base64?YQli?=");
    assert_value("a\r\nX: 1", "=?base64?YQ0KWDogMQ==?=");
    assert_value("caf\xC3\xA9", "=?base64?Y2Fmw6k=?=");
    assert_value("=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?=");
}

static void reads_base64_only_as_it_is_written(void **state)
{
    AUTO(arena) arena = { 0 };
    (void)state;
    assert_string_equal(http_header_text(&arena, "=?base64?SGVsbG8=?="), "Hello");
    assert_string_equal(http_header_text(&arena, "=?base64?SGVsbG8="), "=?base64?SGVsbG8=");
    assert_null(http_header_text(&arena, "=?base64?SGVsbG8?="));
    assert_null(http_header_text(&arena, "=?base64?SGVs bG8=?="));
    assert_null(http_header_text(&arena, "=?base64?SGVs!!!bG8=?="));
    assert_null(http_header_text(&arena, "=?base64?AA==?="));
}

static void knows_which_headers_are_the_protocols(void **state)
{
    (void)state;
    assert_true(http_header_is_ours("mcp-session-id: x"));
    assert_true(http_header_is_ours("Accept: x"));
    assert_true(http_header_is_ours("mcp-param-Region: x"));
    assert_false(http_header_is_ours("Authorization: x"));
    assert_false(http_header_is_ours("Mcp: x"));
    assert_false(http_header_is_ours("Accept-Language: x"));
}

static void reads_a_media_type_without_its_parameters(void **state)
{
    (void)state;
    assert_int_equal(http_media_of("Application/JSON; charset=utf-8", 31), HTTP_MEDIA_JSON);
    assert_int_equal(http_media_of("text/event-stream", 17), HTTP_MEDIA_EVENTS);
    assert_int_equal(http_media_of("text/event-streams", 18), HTTP_MEDIA_OTHER);
    assert_int_equal(http_media_of("", 0), HTTP_MEDIA_NONE);
}

static void takes_a_session_id_of_visible_ascii(void **state)
{
    AUTO(arena) arena = { 0 };
    char longest[HTTP_MAX_SESSION_ID_BYTES + 1];
    (void)state;
    memset(longest, 'a', sizeof longest);
    assert_string_equal(http_session_id(&arena, "a-1", 3), "a-1");
    assert_string_equal(http_session_id(&arena, "a, a", 4), "a");
    assert_null(http_session_id(&arena, "", 0));
    assert_null(http_session_id(&arena, "a b", 3));
    assert_null(http_session_id(&arena, "\xC3\xA9", 2));
    assert_non_null(http_session_id(&arena, longest, HTTP_MAX_SESSION_ID_BYTES));
    assert_null(http_session_id(&arena, longest, HTTP_MAX_SESSION_ID_BYTES + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_plain_text_as_it_is),
        cmocka_unit_test(encodes_what_a_header_would_not_keep),
        cmocka_unit_test(reads_base64_only_as_it_is_written),
        cmocka_unit_test(knows_which_headers_are_the_protocols),
        cmocka_unit_test(reads_a_media_type_without_its_parameters),
        cmocka_unit_test(takes_a_session_id_of_visible_ascii),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
