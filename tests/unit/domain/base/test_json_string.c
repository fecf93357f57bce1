#include "domain/base/json_string.h"
#include "tests/support/cmocka.h"
#include <string.h>

static enum json_verdict verdict_of(const char *text, bool is_key)
{
    const char *behind = NULL;
    return json_string_find_end(text, text + strlen(text), is_key, &behind);
}

static struct json_slice slice_of(const char *text)
{
    return (struct json_slice){ text, strlen(text) };
}

static void finds_the_end_wherever_it_lies_in_a_word(void **state)
{
    (void)state;
    char text[64];
    for (size_t n = 0; n < 40; n++) {
        memset(text, 'x', sizeof text);
        text[0] = text[n + 1] = '"';
        const char *behind = NULL;
        assert_int_equal(json_string_find_end(text, text + sizeof text, false, &behind),
                         JSON_SOUND);
        assert_ptr_equal(behind, text + n + 2);
    }
}

static void sees_what_is_not_plain_at_every_place(void **state)
{
    static const char special[] = { '\n', '\0', '\x1f', '\xff', '\\' };
    (void)state;
    char text[32];
    for (size_t at = 1; at < 30; at++)
        for (size_t i = 0; i < sizeof special; i++) {
            memset(text, 'x', sizeof text);
            text[0] = text[31] = '"';
            text[at] = special[i];
            const char *behind = NULL;
            enum json_verdict verdict =
                json_string_find_end(text, text + sizeof text, false, &behind);
            assert_int_equal(verdict, special[i] == '\xff' ? JSON_NEEDS_REPAIR : JSON_MALFORMED);
            assert_null(behind);
        }
}

static void bytes_that_only_look_special_are_plain(void **state)
{
    (void)state;
    assert_int_equal(verdict_of("\" !#[]^_`~\x7f#!#!#!#!\"", false), JSON_SOUND);
}

static void tells_what_is_malformed_from_what_can_be_mended(void **state)
{
    static const struct {
        const char *text;
        enum json_verdict verdict;
    } rows[] = {
        { "\"\"", JSON_SOUND },
        { "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uABCD\"", JSON_SOUND },
        { "\"\\ud83d\\ude00\"", JSON_SOUND },
        { "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"", JSON_SOUND },
        { "\"\\u0000\"", JSON_SOUND },
        { "\"\\ud83d\"", JSON_NEEDS_REPAIR },
        { "\"\\ud83d\\u0041\"", JSON_NEEDS_REPAIR },
        { "\"\\ud83d\\ud83d\"", JSON_NEEDS_REPAIR },
        { "\"\\ude00\"", JSON_NEEDS_REPAIR },
        { "\"\xC0\x80\"", JSON_NEEDS_REPAIR },
        { "\"\xED\xA0\x80\"", JSON_NEEDS_REPAIR },
        { "\"\xE2\x82\"", JSON_NEEDS_REPAIR },
        { "\"", JSON_MALFORMED },
        { "\"a", JSON_MALFORMED },
        { "\"\\", JSON_MALFORMED },
        { "\"\\\"", JSON_MALFORMED },
        { "\"\\x\"", JSON_MALFORMED },
        { "\"\\u00g0\"", JSON_MALFORMED },
        { "\"\\u0\"", JSON_MALFORMED },
        { "\"\t\"", JSON_MALFORMED },
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
        if (verdict_of(rows[i].text, false) != rows[i].verdict)
            fail_msg("%s: %d", rows[i].text, (int)verdict_of(rows[i].text, false));
}

static void a_key_that_holds_nul_needs_repair(void **state)
{
    (void)state;
    assert_int_equal(verdict_of("\"a\\u0000\"", true), JSON_NEEDS_REPAIR);
    assert_int_equal(verdict_of("\"a\\\\u0000\"", true), JSON_SOUND);
}

static void decodes_what_a_string_says(void **state)
{
    (void)state;
    AUTO(buf) out;
    buf_init(&out, 1000);
    struct json_slice text = slice_of("\"a\\n\\\"\\\\\\/\\b\\f\\r\\t\\u0041\\u00e9\\u20ac"
                                      "\\ud83d\\ude00 \xC3\xA9\"");
    assert_true(json_string_append(&out, text));
    assert_string_equal(buf_string(&out), "a\n\"\\/\b\f\r\tA\xC3\xA9\xE2\x82\xAC"
                                          "\xF0\x9F\x98\x80 \xC3\xA9");
    buf_clear(&out);
    assert_true(json_string_append(&out, slice_of("\"\\u0000\"")));
    assert_int_equal(out.length, 1);
    assert_int_equal(out.bytes[0], 0);
}

static void what_does_not_fit_is_not_appended(void **state)
{
    (void)state;
    AUTO(buf) out;
    buf_init(&out, 7);
    assert_true(json_string_append(&out, slice_of("\"abc\"")));
    assert_false(json_string_append(&out, slice_of("\"abc\"")));
    assert_string_equal(buf_string(&out), "abc");
}

static void pieces_hold_whole_characters_however_small(void **state)
{
    (void)state;
    char piece[5], whole[64];
    size_t n, length = 0, n_pieces = 0;
    struct json_string_reader reader =
        json_string_read(slice_of("\"xx\xF0\x9F\x98\x80\\ud83d\\ude00\xE2\x82\xACyyyyyy\\n\""));
    while ((n = json_string_next(&reader, piece, sizeof piece))) {
        assert_int_not_equal((unsigned char)piece[0] & 0xC0, 0x80);
        memcpy(whole + length, piece, n);
        length += n;
        n_pieces++;
    }
    whole[length] = '\0';
    assert_string_equal(whole, "xx\xF0\x9F\x98\x80\xF0\x9F\x98\x80\xE2\x82\xACyyyyyy\n");
    assert_true(n_pieces >= 5);
}

static void what_is_no_string_says_nothing(void **state)
{
    (void)state;
    char piece[8];
    struct json_string_reader reader = json_string_read(slice_of("12"));
    assert_int_equal(json_string_next(&reader, piece, sizeof piece), 0);
    assert_false(json_string_is(slice_of("12"), "1"));
    assert_false(json_string_is((struct json_slice){ 0 }, ""));
}

static void strings_are_compared_by_what_they_say(void **state)
{
    (void)state;
    assert_true(json_string_is(slice_of("\"\""), ""));
    assert_true(json_string_is(slice_of("\"type\""), "type"));
    assert_true(json_string_is(slice_of("\"t\\u0079pe\""), "type"));
    assert_false(json_string_is(slice_of("\"types\""), "type"));
    assert_false(json_string_is(slice_of("\"typ\""), "type"));
    assert_false(json_string_is(slice_of("\"t\\u0079p\""), "type"));
    assert_false(json_string_is(slice_of("\"t\\u0079pes\""), "type"));
    assert_false(json_string_is(slice_of("\"type\\u0000\""), "type"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_end_wherever_it_lies_in_a_word),
        cmocka_unit_test(sees_what_is_not_plain_at_every_place),
        cmocka_unit_test(bytes_that_only_look_special_are_plain),
        cmocka_unit_test(tells_what_is_malformed_from_what_can_be_mended),
        cmocka_unit_test(a_key_that_holds_nul_needs_repair),
        cmocka_unit_test(decodes_what_a_string_says),
        cmocka_unit_test(what_does_not_fit_is_not_appended),
        cmocka_unit_test(pieces_hold_whole_characters_however_small),
        cmocka_unit_test(what_is_no_string_says_nothing),
        cmocka_unit_test(strings_are_compared_by_what_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
