
#include "domain/consensus/canonical_text.h"
#include "tests/support/cmocka.h"
#include <string.h>

static void assert_canonical(enum canonical_kind kind, const char *text, const char *expected)
{
    AUTO(arena) arena = { 0 };
    const char *once = NULL, *twice = NULL;
    assert_int_equal(canonical_text(&arena, kind, text, &once, NULL), ERR_NONE);
    assert_string_equal(once, expected);
    assert_int_equal(canonical_text(&arena, kind, once, &twice, NULL), ERR_NONE);
    assert_string_equal(twice, expected);
}

static void assert_none(enum canonical_kind kind, const char *text)
{
    AUTO(arena) arena = { 0 };
    const char *out = "untouched";
    struct err err = { 0 };
    assert_int_equal(canonical_text(&arena, kind, text, &out, &err), ERR_INVALID);
    assert_string_equal(out, "untouched");
    assert_true(*err.message && *err.hint);
}

static void text_is_the_same_whatever_its_blanks_and_line_ends(void **state)
{
    (void)state;
    assert_canonical(CANONICAL_TEXT, "a\r\nb\rc\n\td", "a b c d");
    assert_canonical(CANONICAL_TEXT, "\xEF\xBB\xBF a\xE2\x80\x8B\xC2\xA0 b\xE3\x80\x80", "a b");
    assert_canonical(CANONICAL_TEXT, "-- Case and <marks> stay.", "-- Case and <marks> stay.");
    assert_canonical(CANONICAL_TEXT, "```\nx\n```", "``` x ```");
}

static void code_is_the_same_whatever_its_line_ends_and_fence(void **state)
{
    (void)state;
    assert_canonical(CANONICAL_CODE, "if a:\r\n    b()\r\n", "if a:\n    b()");
    assert_canonical(CANONICAL_CODE, "a\n\r\n\n", "a");
    assert_canonical(CANONICAL_CODE, "a\r\r\nb", "a\nb");
    assert_canonical(CANONICAL_CODE, "\n```python\n  a\n    b\n```\n", "  a\n    b");
    assert_none(CANONICAL_CODE, "```\n  \n```");
}

static void every_other_character_of_code_counts(void **state)
{
    (void)state;
    static const char *const as_they_are[] = {
        "if a:\n    b()\n    c()",
        "if a:\n    b()\nc()",
        "x = 'a  b'",
        "x = 'a b'",
        "print(1)\nprint(2)",
        "print(1) print(2)",
        "    indented",
        "\n\nempty lines before",
        "a \t\nb ",
        "a\rb",
        "a\xE2\x80\x8B\xC2\xA0",
        "```\na\n```\n```\nb\n```",
    };
    for (size_t i = 0; i < sizeof as_they_are / sizeof *as_they_are; i++)
        assert_canonical(CANONICAL_CODE, as_they_are[i], as_they_are[i]);
}

static void nothing_is_no_text_of_any_kind(void **state)
{
    (void)state;
    for (int kind = CANONICAL_TEXT; kind <= CANONICAL_SQL; kind++) {
        assert_none((enum canonical_kind)kind, "");
        assert_none((enum canonical_kind)kind, " \r\n\t\xE2\x80\x8B\xEF\xBB\xBF");
    }
    assert_none(CANONICAL_REGEX, "```\n```");
    assert_none(CANONICAL_SQL, "-- nothing\n;");
    assert_none(CANONICAL_TEXT, "\xFF");
}

static void a_text_has_a_bound(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const char *out;
    struct err err = { 0 };
    char *text = arena_alloc(&arena, ENVELOPE_MAX_CANONICAL_BYTES + 2);
    memset(text, 'a', ENVELOPE_MAX_CANONICAL_BYTES);
    assert_int_equal(canonical_text(&arena, CANONICAL_TEXT, text, &out, &err), ERR_NONE);
    assert_int_equal(strlen(out), ENVELOPE_MAX_CANONICAL_BYTES);
    text[ENVELOPE_MAX_CANONICAL_BYTES] = 'a';
    assert_int_equal(canonical_text(&arena, CANONICAL_TEXT, text, &out, &err), ERR_LIMIT);
    assert_non_null(strstr(err.message, "65536"));
}

static void json_that_grows_beyond_the_bound_is_refused(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const char *out;
    char *text = arena_alloc(&arena, 50002);
    text[0] = '[';
    for (size_t at = 1; at < 50000; at += 5)
        memcpy(text + at, "1e20,", 5);
    memcpy(text + 49996, "1e20]", 6);
    assert_int_equal(canonical_text(&arena, CANONICAL_JSON, text, &out, NULL), ERR_LIMIT);
}

static void a_number_is_the_same_however_it_is_written(void **state)
{
    (void)state;
    static const char *const fours[] = { "4",     "+4",    "4.0",  "4.",          "04",       "4e0",
                                         "0.4e1", "40E-1", " 4\n", "```\n4\n```", "4.000e+00" };
    for (size_t i = 0; i < ARRAY_LENGTH(fours); i++)
        assert_canonical(CANONICAL_NUMBER, fours[i], "4");
    assert_canonical(CANONICAL_NUMBER, "1 000", "1000");
    assert_canonical(CANONICAL_NUMBER, "1,000,000.50", "1000000.5");
    assert_canonical(CANONICAL_NUMBER,
                     "1\xE2\x80\xAF"
                     "000",
                     "1000");
    assert_canonical(CANONICAL_NUMBER,
                     "\xE2\x88\x92"
                     "5",
                     "-5");
    assert_canonical(CANONICAL_NUMBER, "-0.0", "0");
    assert_canonical(CANONICAL_NUMBER, "0e99999999999", "0");
    assert_canonical(CANONICAL_NUMBER, ".5", "0.5");
    assert_canonical(CANONICAL_NUMBER, "0.0000001", "0.0000001");
    assert_canonical(CANONICAL_NUMBER, "0.00000001", "1e-8");
    assert_canonical(CANONICAL_NUMBER, "100000000000000000000", "100000000000000000000");
    assert_canonical(CANONICAL_NUMBER, "1250000000000000000000", "1.25e21");
}

static void numbers_are_held_against_each_other_exactly(void **state)
{
    (void)state;
    assert_canonical(CANONICAL_NUMBER, "0.1000000000000000055", "0.1000000000000000055");
    assert_canonical(CANONICAL_NUMBER, "9007199254740993", "9007199254740993");
    assert_canonical(CANONICAL_NUMBER, "1e999999", "1e999999");
    assert_none(CANONICAL_NUMBER, "1e1000000");
    assert_none(CANONICAL_NUMBER, "1e99999999999999999999");
    assert_canonical(CANONICAL_NUMBER, "1e-999999", "1e-999999");
    assert_none(CANONICAL_NUMBER, "1e-1000000");
}

static void what_is_more_or_less_than_one_number_is_none(void **state)
{
    (void)state;
    static const char *const others[] = { "four",      "4 apples", "= 4",   "4 5",  "1,00",
                                          "1.000.000", "1/0",      "50%",   "0x10", "1e",
                                          "-",         "1 0000",   "nan",   "inf",  ".",
                                          "1,000 000", "<NUMBER>", "0,125", "0 125" };
    for (size_t i = 0; i < ARRAY_LENGTH(others); i++)
        assert_none(CANONICAL_NUMBER, others[i]);
}

static void a_fraction_is_the_number_that_it_is(void **state)
{
    (void)state;
    assert_canonical(CANONICAL_NUMBER, "1/2", "0.5");
    assert_canonical(CANONICAL_NUMBER, "-3 / 8", "-0.375");
    assert_canonical(CANONICAL_NUMBER, "84/2", "42");
    assert_canonical(CANONICAL_NUMBER, "0/7", "0");
    assert_canonical(CANONICAL_NUMBER, "2/6", "1/3");
    assert_canonical(CANONICAL_NUMBER, "-1/3", "-1/3");
    assert_canonical(CANONICAL_NUMBER,
                     "1\xE2\x81\x84"
                     "4",
                     "0.25");
    assert_canonical(CANONICAL_NUMBER, "999999999999999999/100000000000000000",
                     "9.99999999999999999");
    assert_none(CANONICAL_NUMBER, "1/1000000000000000000");
    assert_none(CANONICAL_NUMBER, "1/2/3");
    assert_none(CANONICAL_NUMBER, "1/-2");
    assert_none(CANONICAL_NUMBER, "1.5/2");
    assert_none(CANONICAL_NUMBER, "1/2 cup");
}

static void emphasis_is_no_part_of_a_number(void **state)
{
    (void)state;
    assert_canonical(CANONICAL_NUMBER, "**4**", "4");
    assert_canonical(CANONICAL_NUMBER, "`1/2`", "0.5");
    assert_canonical(CANONICAL_NUMBER, "__-4.0__", "-4");
    assert_none(CANONICAL_NUMBER, "4**");
    assert_none(CANONICAL_NUMBER, "**");
}

static void typesetting_is_no_part_of_a_text(void **state)
{
    (void)state;
    assert_canonical(CANONICAL_TEXT, "\xE2\x80\x9CIt\xE2\x80\x99s\xE2\x80\x9D", "\"It's\"");
    assert_canonical(CANONICAL_TEXT, "\xC2\xABoui\xC2\xBB", "\"oui\"");
    assert_canonical(CANONICAL_TEXT, "cafe\xCC\x81", "caf\xC3\xA9");
    assert_canonical(CANONICAL_TEXT, "\xE1\x84\x80\xE1\x85\xA1", "\xEA\xB0\x80");
    assert_canonical(CANONICAL_TEXT, "x\xC2\xB2 \xEF\xAC\x81", "x\xC2\xB2 \xEF\xAC\x81");
}

static void a_fence_is_of_backticks_or_tildes_as_many_at_both_ends(void **state)
{
    (void)state;
    assert_canonical(CANONICAL_CODE, "~~~c\nint x;\n~~~", "int x;");
    assert_canonical(CANONICAL_CODE, "````\nprint('```')\n````", "print('```')");
    assert_canonical(CANONICAL_CODE, "```\na\n~~~", "```\na\n~~~");
}

static void json_is_sorted_without_blanks_and_exact(void **state)
{
    (void)state;
    assert_canonical(CANONICAL_JSON,
                     "```json\n{ \"b\" : [ ], \"a\" : {\"d\":null,\"c\":true} }\n```",
                     "{\"a\":{\"c\":true,\"d\":null},\"b\":[]}");
    assert_canonical(CANONICAL_JSON, "[1.0, 1e2, -0, 0.10]", "[1,100,0,0.1]");
    assert_canonical(CANONICAL_JSON, "123456789012345678901234567890",
                     "1.2345678901234567890123456789e29");
    assert_canonical(CANONICAL_JSON, "\"\\u00e9\\n\\/\"", "\"\xC3\xA9\\n/\"");
    assert_canonical(CANONICAL_JSON, "\" two  blanks \"", "\" two  blanks \"");
}

static void broken_or_ambiguous_json_is_none(void **state)
{
    (void)state;
    assert_none(CANONICAL_JSON, "{\"a\":1,\"a\":2}");
    assert_none(CANONICAL_JSON, "{\"a\":1,\"\\u0061\":2}");
    assert_none(CANONICAL_JSON, "[1,]");
    assert_none(CANONICAL_JSON, "{} {}");
    assert_none(CANONICAL_JSON, "{'a':1}");
    assert_none(CANONICAL_JSON, "\"\\u0000\"");
    assert_none(CANONICAL_JSON, "\"\\ud800\"");
}

static void a_regex_loses_its_delimiters_and_keeps_what_its_flags_mean(void **state)
{
    (void)state;
    assert_canonical(CANONICAL_REGEX, "^a+$", "^a+$");
    assert_canonical(CANONICAL_REGEX, "/^a+$/", "^a+$");
    assert_canonical(CANONICAL_REGEX, "/^a+$/g", "^a+$");
    assert_canonical(CANONICAL_REGEX, "/a/mi", "(?im)a");
    assert_canonical(CANONICAL_REGEX, "```regex\n/a\\/b/\n```", "a\\/b");
    assert_canonical(CANONICAL_REGEX, "/a/b/", "/a/b/");
    assert_canonical(CANONICAL_REGEX, "/a/q", "/a/q");
    assert_canonical(CANONICAL_REGEX, "A  b", "A  b");
    assert_canonical(CANONICAL_REGEX, "//", "//");
}

static void a_blank_at_the_end_of_a_regex_is_part_of_it(void **state)
{
    (void)state;
    assert_canonical(CANONICAL_REGEX, "^# ", "^# ");
    assert_canonical(CANONICAL_REGEX, " x", " x");
    assert_canonical(CANONICAL_REGEX, "/^# /", "^# ");
    assert_canonical(CANONICAL_REGEX, " /x/ ", "x");
    assert_canonical(CANONICAL_REGEX, "```\r\n^# \r\n```", "^# ");
    assert_canonical(CANONICAL_REGEX, "\n  \n x \r\n\n ", " x ");
    assert_none(CANONICAL_REGEX, "/ /");
}

static void a_name_in_square_brackets_of_sql_stays(void **state)
{
    (void)state;
    assert_canonical(CANONICAL_SQL, "SELECT [A  b] FROM t", "select [A  b] from t");
    assert_canonical(CANONICAL_SQL, "select [a--b], [it's] from t", "select [a--b],[it's] from t");
    assert_none(CANONICAL_SQL, "select [a from t");
}

static void sql_is_one_statement_whatever_its_case_and_comments(void **state)
{
    (void)state;
    static const char plain[] = "select a,b from t where c = 'It''s  X'";
    assert_canonical(CANONICAL_SQL, plain, plain);
    assert_canonical(CANONICAL_SQL,
                     "SELECT a , b -- columns\r\nFROM\tt /* the table */ WHERE c = 'It''s  X' ;\n;",
                     plain);
    assert_canonical(CANONICAL_SQL, "```sql\nSELECT \"A\" , `B`, ( 1 )\n```",
                     "select \"A\",`B`,(1)");
    assert_canonical(CANONICAL_SQL, "select '-- no comment; none'", "select '-- no comment; none'");
    assert_none(CANONICAL_SQL, "select 1; select 2");
    assert_none(CANONICAL_SQL, "select 1; 'x'");
    assert_none(CANONICAL_SQL, "select 'open");
    assert_none(CANONICAL_SQL, "select 1 /* open");
    assert_none(CANONICAL_SQL, "/**/```a```");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_the_same_whatever_its_blanks_and_line_ends),
        cmocka_unit_test(code_is_the_same_whatever_its_line_ends_and_fence),
        cmocka_unit_test(every_other_character_of_code_counts),
        cmocka_unit_test(nothing_is_no_text_of_any_kind),
        cmocka_unit_test(a_text_has_a_bound),
        cmocka_unit_test(json_that_grows_beyond_the_bound_is_refused),
        cmocka_unit_test(a_number_is_the_same_however_it_is_written),
        cmocka_unit_test(numbers_are_held_against_each_other_exactly),
        cmocka_unit_test(what_is_more_or_less_than_one_number_is_none),
        cmocka_unit_test(a_fraction_is_the_number_that_it_is),
        cmocka_unit_test(emphasis_is_no_part_of_a_number),
        cmocka_unit_test(typesetting_is_no_part_of_a_text),
        cmocka_unit_test(a_fence_is_of_backticks_or_tildes_as_many_at_both_ends),
        cmocka_unit_test(json_is_sorted_without_blanks_and_exact),
        cmocka_unit_test(broken_or_ambiguous_json_is_none),
        cmocka_unit_test(a_regex_loses_its_delimiters_and_keeps_what_its_flags_mean),
        cmocka_unit_test(a_blank_at_the_end_of_a_regex_is_part_of_it),
        cmocka_unit_test(a_name_in_square_brackets_of_sql_stays),
        cmocka_unit_test(sql_is_one_statement_whatever_its_case_and_comments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
