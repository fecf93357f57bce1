#include "infrastructure/config/clients/foreign_text.h"
#include "tests/support/cmocka.h"
#include <stdlib.h>
#include <string.h>

static void expect(const char *text, const char *json)
{
    struct text_flaw flaw;
    json_auto_t *value = toml_read(text, strlen(text), &flaw);
    if (!value)
        fail_msg("%s: %d:%d: %s", text, flaw.line, flaw.column, flaw.why);
    char *printed = json_dumps(value, JSON_COMPACT);
    assert_string_equal(printed, json);
    free(printed);
}

static void refuse(const char *text, int line, int column)
{
    struct text_flaw flaw;
    assert_null(toml_read(text, strlen(text), &flaw));
    if (flaw.line != line || flaw.column != column)
        fail_msg("%s: %d:%d: %s", text, flaw.line, flaw.column, flaw.why);
}

static void reads_the_values_of_toml(void **state)
{
    (void)state;
    expect("a = 1\nb = -1_000\nc = 0xff\nd = true\n", "{\"a\":1,\"b\":-1000,\"c\":255,\"d\":true}");
    expect("a = 'C:\\x'\nb = \"t\\tq\\\"\\u20ac\\U0001F600\"",
           "{\"a\":\"C:\\\\x\",\"b\":\"t\\tq\\\"€😀\"}");
    expect("a = \"\"\"\none \\\n   two\n\"\"\"", "{\"a\":\"one two\\n\"}");
    expect("a = [1, # one\n 2,\n]\nb = {c.d = 1, e = []}",
           "{\"a\":[1,2],\"b\":{\"c\":{\"d\":1},\"e\":[]}}");
    expect("a = 1979-05-27 07:32:00Z\nb = 07:32:00\nc = inf",
           "{\"a\":\"1979-05-27 07:32:00Z\",\"b\":\"07:32:00\",\"c\":\"inf\"}");
    expect("\xEF\xBB\xBF# only a comment", "{}");
}

static void reads_tables_and_lists_of_tables(void **state)
{
    (void)state;
    expect("[a.b]\nx = 1\n[a]\ny = 2\n", "{\"a\":{\"b\":{\"x\":1},\"y\":2}}");
    expect("[[l]]\nx = 1\n[l.m]\ny = 2\n[[l]]\n", "{\"l\":[{\"x\":1,\"m\":{\"y\":2}},{}]}");
}

static void says_where_a_text_is_wrong_and_not_what_it_holds(void **state)
{
    (void)state;
    refuse("a = 1\nb = \"secret\n", 2, 5);
    refuse("[a]\nx = 1\n[a]\n", 3, 2);
    refuse("a = 1\na = 2", 2, 1);
    refuse("a = {b = 1}\na.c = 2", 2, 1);
    refuse("é = 1", 1, 1);
    refuse("a = \"é\" x", 1, 9);
    refuse("a = \xFF", 1, 5);
    refuse("a = [1,\n 2", 1, 5);
    refuse("a = \"\\q\"", 1, 6);
}

static void bounds_how_deep_values_are_in_each_other(void **state)
{
    (void)state;
    char text[2 * TOML_MAX_DEPTH + 8] = "a = ";
    memset(text + 4, '[', TOML_MAX_DEPTH + 1);
    refuse(text, 1, 4 + TOML_MAX_DEPTH + 1);
    memset(text + 4, '[', TOML_MAX_DEPTH);
    memset(text + 4 + TOML_MAX_DEPTH, ']', TOML_MAX_DEPTH);
    struct text_flaw flaw;
    json_auto_t *value = toml_read(text, strlen(text), &flaw);
    assert_non_null(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_values_of_toml),
        cmocka_unit_test(reads_tables_and_lists_of_tables),
        cmocka_unit_test(says_where_a_text_is_wrong_and_not_what_it_holds),
        cmocka_unit_test(bounds_how_deep_values_are_in_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
