#include "domain/base/text.h"
#include "tests/support/cmocka.h"
#include <string.h>

static void compares_and_finds_ends(void **state)
{
    (void)state;
    assert_true(text_equal("a", "a"));
    assert_true(text_equal(NULL, NULL));
    assert_false(text_equal("a", NULL));
    assert_true(text_starts_with("abc", "ab"));
    assert_false(text_starts_with("a", "ab"));
    assert_true(text_ends_with("abc", "bc"));
    assert_false(text_ends_with("c", "bc"));
}

static void reads_utf8_and_nothing_else(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        uint32_t code;
    } rows[] = {
        { "a", 1, 'a' },
        { "\xC3\xA4", 2, 0xE4 },
        { "\xE2\x82\xAC", 3, 0x20AC },
        { "\xF0\x9F\x98\x80", 4, 0x1F600 },
        { "\xF4\x8F\xBF\xBF", 4, 0x10FFFF },
        { "\xF4\x90\x80\x80", 0, 0 },
        { "\xC0\x80", 0, 0 },
        { "\xE0\x80\x80", 0, 0 },
        { "\xED\xA0\x80", 0, 0 },
        { "\xF0\x80\x80\x80", 0, 0 },
        { "\xC3", 0, 0 },
        { "\xC3(", 0, 0 },
        { "\x80", 0, 0 },
        { "\xFF", 0, 0 },
        { "", 0, 0 },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        uint32_t code = 0;
        size_t length = strlen(rows[i].bytes);
        assert_int_equal(text_utf8_next(rows[i].bytes, length, &code), rows[i].size);
        assert_int_equal(code, rows[i].code);
        assert_int_equal(text_is_utf8(rows[i].bytes, length), rows[i].size > 0 || !length);
    }
}

static void counts_code_points_and_columns(void **state)
{
    (void)state;
    assert_int_equal(text_code_points("a\xC3\xA4\xFF", 4), 3);
    assert_int_equal(text_columns("a\xCC\x81"), 1);
    assert_int_equal(text_columns("\xE6\x97\xA5"), 2);
    assert_int_equal(text_columns("\xFF"), 1);
    assert_int_equal(text_columns("\xD7\xA9\xD7\x81"), 1);              /* Hebrew with a point */
    assert_int_equal(text_columns("\xE0\xB8\x81\xE0\xB9\x89"), 1);      /* Thai with a tone */
    assert_int_equal(text_columns("\xE2\x9C\x85 \xF0\x9F\x8D\x8E"), 5); /* signs in colour */
    assert_int_equal(text_columns("\x1B\xC2\x9B"), 2); /* what is not shown as it is */
}

static void cuts_between_characters(void **state)
{
    (void)state;
    assert_int_equal(text_cut("a\xC3\xA4", 3, 2), 1);
    assert_int_equal(text_cut("a\xC3\xA4", 3, 3), 3);
    assert_int_equal(text_fold("one two", 7), 7);
    assert_int_equal(text_fold("one two", 6), 4);
    assert_int_equal(text_fold("a b.c.d.e.f", 8), 8);
    assert_int_equal(text_fold("", 8), 0);
    char broken[] = "a\xE2\x82", whole[] = "\xC3\xA4", plain[] = "ab", empty[] = "";
    text_trim_broken_end(broken);
    text_trim_broken_end(whole);
    text_trim_broken_end(plain);
    text_trim_broken_end(empty);
    assert_string_equal(broken, "a");
    assert_string_equal(whole, "\xC3\xA4");
    assert_string_equal(plain, "ab");
    assert_string_equal(empty, "");
}

static void matches_globs_over_the_whole_text(void **state)
{
    (void)state;
    static const struct {
        const char *glob, *text;
        bool matches;
    } rows[] = {
        { "*", "", true },      { "*", "a/b", true },     { "a?c", "abc", true },
        { "a?c", "ac", false }, { "[a-c]x", "bx", true }, { "[!a-c]x", "bx", false },
        { "[^a]", "b", true },  { "[]]", "]", true },     { "[a", "[a", true },
        { "\\*", "*", true },   { "\\*", "a", false },    { "a*b*c", "aXbYbZc", true },
        { "a*b", "ac", false }, { "", "", true },         { "", "a", false },
        { "a", "", false },     { "a\\", "a\\", true },   { "*a", "ba", true },
        { "*ab", "aab", true }, { "[a-]", "-", true },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
        if (text_matches_glob(rows[i].glob, rows[i].text) != rows[i].matches)
            fail_msg("\"%s\" on \"%s\"", rows[i].glob, rows[i].text);
}

static void reads_strict_numbers(void **state)
{
    (void)state;
    int64_t whole = 0;
    double real = 0;
    assert_true(text_to_int64("-9223372036854775808", &whole));
    assert_true(whole == INT64_MIN);
    assert_false(text_to_int64("9223372036854775808", &whole));
    assert_false(text_to_int64("", &whole));
    assert_false(text_to_int64(" 1", &whole));
    assert_false(text_to_int64("1x", &whole));
    assert_false(text_to_int64("1-", &whole));
    assert_true(text_to_double("-1.5e3", &real));
    assert_true(real < -1499 && real > -1501);
    assert_false(text_to_double("1e999", &real));
    assert_false(text_to_double("nan", &real));
    assert_false(text_to_double("0x1", &real));
    assert_false(text_to_double("", &real));
    assert_false(text_to_double("e", &real));
}

static void measures_the_distance_of_names(void **state)
{
    (void)state;
    assert_int_equal(text_distance("path", "PATH", 3), 0);
    assert_int_equal(text_distance("path", "paht", 3), 1);
    assert_int_equal(text_distance("path", "pat", 3), 1);
    assert_int_equal(text_distance("path", "maths", 3), 2);
    assert_int_equal(text_distance("", "abc", 3), 3);
    assert_int_equal(text_distance("abcd", "wxyz", 2), 3);
    char longest[129], longer[130];
    memset(longest, 'a', 128);
    memset(longer, 'a', 129);
    longest[128] = longer[129] = '\0';
    assert_int_equal(text_distance(longest, longest, 3), 0);
    assert_int_equal(text_distance(longer, longer, 3), 4);
}

static void proposes_the_nearest_names(void **state)
{
    (void)state;
    static const char *const names[] = { "files/read_file", "files/write_file", "search", "x" };
    size_t found[4];
    assert_int_equal(text_nearest("read_fiel", names, 4, found, 4), 1);
    assert_int_equal(found[0], 0);
    assert_int_equal(text_nearest("file", names, 4, found, 4), 2);
    assert_int_equal(text_nearest("file", names, 4, found, 1), 1);
    assert_int_equal(text_nearest("nothing", names, 4, found, 4), 0);
    assert_int_equal(text_nearest("search", names, 4, found, 0), 0);
}

static void words_tell_what_is_near_before_letters_do(void **state)
{
    (void)state;
    static const char *const names[] = { "files__list_directory", "files__search_files",
                                         "files__file_info",      "files__read_file",
                                         "web__fetchPage",        "files__delete_file" };
    static const struct {
        const char *name;
        size_t nearest;
    } rows[] = {
        { "files__search", 1 },         { "files__read", 3 },  { "search", 1 },
        { "files__read_file_text", 3 }, { "fetch_page", 4 },   { "files__serch_files", 1 },
        { "file_information", 2 },      { "delete_files", 5 },
    };
    size_t found;
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        assert_int_equal(text_nearest(rows[i].name, names, ARRAY_LENGTH(names), &found, 1), 1);
        assert_string_equal(names[found], names[rows[i].nearest]);
    }
    assert_int_equal(text_nearest("files__paint", names, ARRAY_LENGTH(names), &found, 1), 0);
}

static void shows_foreign_text_without_obeying_it(void **state)
{
    (void)state;
    static const char text[] = "a\x1b[31m\n\t\xE2\x80\xAE\xFF\xC2\x9B";
    AUTO(buf) shown;
    buf_init(&shown, 100);
    assert_true(text_append_escaped(&shown, text, sizeof text - 1));
    assert_string_equal(buf_string(&shown), "a\\x1b[31m\n\t\\u{202e}\\xff\\x9b");
    AUTO(buf) small;
    buf_init(&small, 3);
    assert_false(text_append_escaped(&small, text, sizeof text - 1));
}

static void assert_escaped(const char *text, const char *expected)
{
    AUTO(buf) shown;
    AUTO(arena) arena = { 0 };
    buf_init(&shown, 200);
    assert_true(text_append_escaped(&shown, text, strlen(text)));
    assert_string_equal(buf_string(&shown), expected);
    assert_string_equal(text_one_line(&arena, text, strlen(text), 200), expected);
}

static void shows_what_takes_no_place_on_a_screen(void **state)
{
    (void)state;
    assert_escaped("pay\u200bpal", "pay\\u{200b}pal");
    assert_escaped("a\u200db\u200cc", "a\\u{200d}b\\u{200c}c");
    assert_escaped("a\u00adb\ufeff\u2060", "a\\u{ad}b\\u{feff}\\u{2060}");
    assert_escaped("a\U000e0041\U000e007f", "a\\u{e0041}\\u{e007f}");
    assert_escaped("a\ufe0f\ufe01\U000e0100", "a\\u{fe0f}\\u{fe01}\\u{e0100}");
    assert_escaped("\u061c\u200e\u2028\u3164", "\\u{61c}\\u{200e}\\u{2028}\\u{3164}");
    assert_escaped("\u200d", "\\u{200d}");
}

static void leaves_what_shapes_a_character_with_it(void **state)
{
    static const char *const texts[] = {
        "\U0001F468\u200D\U0001F469\u200D\U0001F467",       /* a family */
        "\U0001F3F3\uFE0F\u200D\U0001F308",                 /* a flag of a rainbow */
        "\u2764\uFE0F 1\uFE0F\u20E3",                       /* a heart, a keycap */
        "\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645", /* Persian */
        "\u0915\u094D\u200D\u0937",                         /* Devanagari */
        "\u845B\U000E0100",                                 /* a name in Japanese */
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
        assert_escaped(texts[i], texts[i]);
}

static void lets_nothing_hide_behind_what_shapes_a_character(void **state)
{
    (void)state;
    assert_escaped("\u0645\u200c\u200c\u200d", "\u0645\u200c\\u{200c}\\u{200d}");
    assert_escaped("\u2764\ufe0f\ufe0f", "\u2764\ufe0f\\u{fe0f}");
    assert_escaped("\U0001F600\u200d\u200d", "\U0001F600\u200d\\u{200d}");
}

static void escapes_a_text_that_comes_in_pieces_like_the_whole(void **state)
{
    (void)state;
    AUTO(buf) shown;
    buf_init(&shown, 100);
    assert_true(text_append_escaped(&shown, "\U0001F468", 4));
    assert_true(text_append_escaped(&shown, "\u200D", 3));
    assert_true(text_append_escaped(&shown, "\U0001F469", 4));
    assert_string_equal(buf_string(&shown), "\U0001F468\u200D\U0001F469");
}

static void shows_every_invisible_character_to_whoever_decides(void **state)
{
    (void)state;
    AUTO(buf) shown;
    buf_init(&shown, 100);
    assert_true(text_append_visible(&shown, "\u2764\uFE0F", 6));
    assert_string_equal(buf_string(&shown), "\u2764\\u{fe0f}");
}

static void quotes_what_a_shell_would_read_as_something_else(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    assert_string_equal(text_shell_word(&arena, "s1.key=…"), "s1.key=…");
    assert_string_equal(text_shell_word(&arena, "my servers.json"), "'my servers.json'");
    assert_string_equal(text_shell_word(&arena, "$(a)'b"), "'$(a)'\\''b'");
    assert_string_equal(text_shell_word(&arena, ""), "''");
}

static void puts_text_on_one_line_of_a_width(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    assert_string_equal(text_one_line(&arena, "a\nb", 3, 10), "a\\nb");
    assert_string_equal(text_one_line(&arena, "abcdef", 6, 6), "abcdef");
    assert_string_equal(text_one_line(&arena, "abcdefg", 7, 6), "abcde\xE2\x80\xA6");
    assert_string_equal(text_one_line(&arena, "", 0, 6), "");
    assert_string_equal(text_one_line(&arena, "ab", 2, 1), "\xE2\x80\xA6");
    assert_string_equal(text_one_line(&arena, "ab", 2, 0), "\xE2\x80\xA6");
}

static void cuts_at_a_column(void **state)
{
    (void)state;
    assert_int_equal(text_cut_columns("abc", 2), 2);
    assert_int_equal(text_cut_columns("abc", 3), 3);
    assert_int_equal(text_cut_columns("a\xE6\xBC\xA2z", 2), 1); /* a wide character */
    assert_int_equal(text_cut_columns("a\xE6\xBC\xA2z", 3), 4);
    assert_int_equal(text_cut_columns("a\xCC\x81z", 1), 3); /* a mark belongs to its letter */
    assert_int_equal(text_cut_columns("", 0), 0);
}

/* Whoever shows a long text pays for its length, not for the square of it. */
static void puts_a_long_text_on_one_line_in_no_time(void **state)
{
    (void)state;
    enum { LENGTH = 4 * 1024 * 1024 };
    AUTO(arena) arena = { 0 };
    char *text = arena_alloc(&arena, LENGTH);
    memset(text, 'x', LENGTH);
    assert_int_equal(text_columns(text_one_line(&arena, text, LENGTH, LENGTH / 2)), LENGTH / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compares_and_finds_ends),
        cmocka_unit_test(reads_utf8_and_nothing_else),
        cmocka_unit_test(counts_code_points_and_columns),
        cmocka_unit_test(cuts_between_characters),
        cmocka_unit_test(matches_globs_over_the_whole_text),
        cmocka_unit_test(reads_strict_numbers),
        cmocka_unit_test(measures_the_distance_of_names),
        cmocka_unit_test(proposes_the_nearest_names),
        cmocka_unit_test(words_tell_what_is_near_before_letters_do),
        cmocka_unit_test(shows_foreign_text_without_obeying_it),
        cmocka_unit_test(shows_what_takes_no_place_on_a_screen),
        cmocka_unit_test(leaves_what_shapes_a_character_with_it),
        cmocka_unit_test(lets_nothing_hide_behind_what_shapes_a_character),
        cmocka_unit_test(escapes_a_text_that_comes_in_pieces_like_the_whole),
        cmocka_unit_test(shows_every_invisible_character_to_whoever_decides),
        cmocka_unit_test(quotes_what_a_shell_would_read_as_something_else),
        cmocka_unit_test(puts_text_on_one_line_of_a_width),
        cmocka_unit_test(cuts_at_a_column),
        cmocka_unit_test(puts_a_long_text_on_one_line_in_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
