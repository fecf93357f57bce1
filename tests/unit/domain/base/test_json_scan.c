#include "domain/base/json_scan.h"
#include "tests/support/cmocka.h"
#include <string.h>

static enum json_verdict verdict_of(const char *text)
{
    struct json_scan scan;
    struct json_slice value;
    json_scan_begin(&scan, text, strlen(text));
    json_scan_value(&scan, &value);
    return json_scan_end(&scan);
}

static struct json_slice slice_of(const char *text)
{
    return (struct json_slice){ text, strlen(text) };
}

static void assert_slice(struct json_slice slice, const char *text)
{
    assert_int_equal(slice.length, strlen(text));
    assert_memory_equal(slice.text, text, slice.length);
}

static void finds_values_sound(void **state)
{
    static const char *const rows[] = {
        "1",
        " true ",
        "null",
        "[]",
        "{}",
        "[ ]",
        "{ }",
        "\xEF\xBB\xBF{}",
        "-0",
        "-0.5e+10",
        "1E5",
        "123456789012345678901234567890",
        "1e300",
        "1e-999",
        "[1,[2,{\"a\":[3]}],\"x\",false]",
        "{\"a\":1,\"a\":2,\"\":{}}",
        "\t\r\n [\n1\t,\r2 ]\n",
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
        if (verdict_of(rows[i]) != JSON_SOUND)
            fail_msg("%s: %d", rows[i], (int)verdict_of(rows[i]));
}

static void finds_flaws(void **state)
{
    static const char *const rows[] = {
        "",
        " ",
        "1 2",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{",
        "[",
        "}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{1:1}",
        "[1}",
        "{\"a\":1]",
        "nul",
        "nulls",
        "TRUE",
        "'a'",
        "01",
        "-",
        "1.",
        ".5",
        "+1",
        "1e",
        "1e+",
        "1.e5",
        "0x10",
        "1e400",
        "-1e400",
        "1e0309",
        "\"a",
        "[\"\t\"]",
        "{\"a\":1 \"b\":2}",
        "{\"a\" 1}",
        "\xC3\xA9",
        "[1]]",
        "\xEF\xBB\xBF",
        "\xEF\xBB\xBF\xEF\xBB\xBF{}",
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
        if (verdict_of(rows[i]) != JSON_MALFORMED)
            fail_msg("%s: %d", rows[i], (int)verdict_of(rows[i]));
}

static void a_nul_byte_is_no_blank(void **state)
{
    (void)state;
    static const char text[] = "[1\0]";
    struct json_scan scan;
    struct json_slice value;
    json_scan_begin(&scan, text, sizeof text - 1);
    json_scan_value(&scan, &value);
    assert_int_equal(json_scan_end(&scan), JSON_MALFORMED);
}

static void the_first_flaw_decides(void **state)
{
    (void)state;
    assert_int_equal(verdict_of("[\"\\ud800\",}"), JSON_NEEDS_REPAIR);
    assert_int_equal(verdict_of("{\"\\u0000\":}"), JSON_NEEDS_REPAIR);
    assert_int_equal(verdict_of("[},\"\\ud800\"]"), JSON_MALFORMED);
}

static void bounds_the_nesting(void **state)
{
    (void)state;
    char text[2 * JSON_MAX_DEPTH + 3] = { 0 };
    memset(text, '[', JSON_MAX_DEPTH);
    memset(text + JSON_MAX_DEPTH, ']', JSON_MAX_DEPTH);
    assert_int_equal(verdict_of(text), JSON_SOUND);

    memset(text, '[', JSON_MAX_DEPTH + 1);
    memset(text + JSON_MAX_DEPTH + 1, ']', JSON_MAX_DEPTH + 1);
    assert_int_equal(verdict_of(text), JSON_TOO_DEEP);
}

static void remembers_on_every_level_what_is_open(void **state)
{
    (void)state;
    char text[8 * JSON_MAX_DEPTH] = "";
    for (int i = 0; i < JSON_MAX_DEPTH / 2; i++)
        strcat(text, "[{\"\":");
    strcat(text, "0");
    for (int i = 0; i < JSON_MAX_DEPTH / 2; i++)
        strcat(text, "}]");
    assert_int_equal(verdict_of(text), JSON_SOUND);
    text[strlen(text) - 2] = ']';
    assert_int_equal(verdict_of(text), JSON_MALFORMED);
}

static void a_walk_enters_what_it_wants_and_passes_the_rest(void **state)
{
    (void)state;
    struct json_scan scan;
    struct json_slice key, value, inner = { 0 };
    const char *text = " { \"a\" : [ {} , [] ] , \"b\" : { \"c\" : \"d\" } , \"e\" : 1 } ";
    json_scan_begin(&scan, text, strlen(text));
    assert_false(json_scan_enter(&scan, '['));
    assert_true(json_scan_enter(&scan, '{'));
    assert_true(json_scan_member(&scan, &key));
    json_scan_value(&scan, &value);
    assert_slice(key, "\"a\"");
    assert_slice(value, "[ {} , [] ]");
    assert_true(json_scan_member(&scan, &key));
    assert_true(json_scan_enter(&scan, '{'));
    assert_true(json_scan_member(&scan, &key));
    json_scan_value(&scan, &inner);
    assert_slice(inner, "\"d\"");
    assert_false(json_scan_member(&scan, &key));
    assert_true(json_scan_member(&scan, &key));
    json_scan_value(&scan, &value);
    assert_slice(value, "1");
    assert_false(json_scan_member(&scan, &key));
    assert_int_equal(json_scan_end(&scan), JSON_SOUND);
}

static void elements_come_one_by_one(void **state)
{
    (void)state;
    struct json_scan scan;
    struct json_slice value;
    size_t n = 0;
    json_scan_begin(&scan, "[1, 2,3 ]", 9);
    assert_true(json_scan_enter(&scan, '['));
    while (json_scan_element(&scan)) {
        json_scan_value(&scan, &value);
        n++;
    }
    assert_int_equal(n, 3);
    assert_slice(value, "3");
    assert_int_equal(json_scan_end(&scan), JSON_SOUND);
}

static void a_flaw_ends_every_loop(void **state)
{
    (void)state;
    struct json_scan scan;
    struct json_slice key, value = { 0 };
    json_scan_begin(&scan, "{\"a\":[1,{\"b\":tru", 16);
    assert_true(json_scan_enter(&scan, '{'));
    assert_true(json_scan_member(&scan, &key));
    json_scan_value(&scan, &value);
    assert_null(value.text);
    assert_false(json_scan_member(&scan, &key));
    assert_false(json_scan_element(&scan));
    assert_false(json_scan_enter(&scan, '{'));
    json_scan_value(&scan, &value);
    assert_null(value.text);
    assert_int_equal(json_scan_end(&scan), JSON_MALFORMED);
}

static void finds_a_member_and_the_last_of_several(void **state)
{
    (void)state;
    struct json_slice object = slice_of("{\"a\":1,\"b\":[2],\"\\u0061\":{\"b\":3}}");
    assert_slice(json_slice_member(object, "a"), "{\"b\":3}");
    assert_slice(json_slice_member(object, "b"), "[2]");
    assert_int_equal(json_slice_member(object, "c").length, 0);
    assert_int_equal(json_slice_member(slice_of("[1]"), "a").length, 0);
    assert_int_equal(json_slice_member((struct json_slice){ 0 }, "a").length, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_values_sound),
        cmocka_unit_test(finds_flaws),
        cmocka_unit_test(a_nul_byte_is_no_blank),
        cmocka_unit_test(the_first_flaw_decides),
        cmocka_unit_test(bounds_the_nesting),
        cmocka_unit_test(remembers_on_every_level_what_is_open),
        cmocka_unit_test(a_walk_enters_what_it_wants_and_passes_the_rest),
        cmocka_unit_test(elements_come_one_by_one),
        cmocka_unit_test(a_flaw_ends_every_loop),
        cmocka_unit_test(finds_a_member_and_the_last_of_several),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
