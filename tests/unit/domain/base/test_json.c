#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <string.h>

static char *reprint(const char *text, enum json_source source)
{
    json_t *value = NULL;
    struct err err;
    if (json_parse(text, strlen(text), source, &value, &err))
        fail_msg("%s in %s", err.message, text);
    char *printed = json_print(value);
    json_decref(value);
    return printed;
}

static enum err_code code_of(const char *text, enum json_source source)
{
    json_t *value = NULL;
    enum err_code r = json_parse(text, strlen(text), source, &value, NULL);
    json_decref(value);
    return r;
}

static void prints_the_shortest_text_that_reads_back(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "0.1",
        "[0.1,0.30000000000000004,1.0,-2.5e-7]",
        "{\"b 1.10000000000000001\":1,\"a\":2}",
        "\"\\u0000\\\"1.5\"",
        "null",
        "9223372036854775807",
        "1e300",
        "[]",
        "-0.0",

    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        auto_str text = reprint(rows[i], JSON_OURS);
        json_auto_t *wanted = NULL, *got = NULL;
        assert_int_equal(json_parse(rows[i], strlen(rows[i]), JSON_OURS, &wanted, NULL), ERR_NONE);
        assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &got, NULL), ERR_NONE);
        assert_true(json_equal(wanted, got));
        assert_true(strlen(text) <= strlen(rows[i]) + 1);
    }
    auto_str mixed = reprint("[0.1,0.30000000000000004,1.0]", JSON_OURS);
    assert_string_equal(mixed, "[0.1,0.30000000000000004,1.0]");
}

static void repairs_foreign_text_and_not_ours(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        { "\xEF\xBB\xBF[1]", "[1]" },
        { "\"\xFF\"", "\"\xEF\xBF\xBD\"" },
        { "\"\\ud800\"", "\"\xEF\xBF\xBD\"" },
        { "\"\\ud800\\u0041\"", "\"\xEF\xBF\xBD"
                                "A\"" },
        { "[\"\\ud83d\\ude00\",\"\xC3\"]", "[\"\xF0\x9F\x98\x80\",\"\xEF\xBF\xBD\"]" },
        { "{\"a\":1,\"a\":2}", "{\"a\":2}" },
        { "{\"\\\"\\u0000\" : \"\\u0000\",\"\\\\u0000\":[\"\\u0000:\"]}",
          "{\"\\\"\xEF\xBF\xBD\":\"\\u0000\",\"\\\\u0000\":[\"\\u0000:\"]}" },
        { "123456789012345678901", "1.23456789012346e20" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        auto_str text = reprint(rows[i][0], JSON_FOREIGN);
        if (i < 7)
            assert_string_equal(text, rows[i][1]);
        assert_int_equal(code_of(rows[i][0], JSON_OURS), ERR_INVALID);
    }
}

static void refuses_what_is_not_one_value(void **state)
{
    (void)state;
    static const char *const rows[] = { "", "1 2", "{", "[1,]", "{\"a\"}", "nul", "'a'", "\"a" };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        assert_int_equal(code_of(rows[i], JSON_OURS), ERR_INVALID);
        assert_int_equal(code_of(rows[i], JSON_FOREIGN), ERR_INVALID);
    }
}

static void says_line_and_column_of_an_error(void **state)
{
    (void)state;
    json_t *value = NULL;
    struct err err;
    assert_int_equal(json_parse("{\n \"a\": x}", 10, JSON_OURS, &value, &err), ERR_INVALID);
    assert_non_null(strstr(err.message, "not JSON: line 2, column"));
    assert_null(value);
}

static void bounds_the_nesting(void **state)
{
    (void)state;
    char text[2 * JSON_MAX_DEPTH + 3] = { 0 };
    memset(text, '[', JSON_MAX_DEPTH);
    memset(text + JSON_MAX_DEPTH, ']', JSON_MAX_DEPTH);
    assert_int_equal(code_of(text, JSON_FOREIGN), ERR_NONE);

    memset(text, '[', JSON_MAX_DEPTH + 1);
    memset(text + JSON_MAX_DEPTH + 1, ']', JSON_MAX_DEPTH + 1);
    assert_int_equal(code_of(text, JSON_FOREIGN), ERR_LIMIT);
}

static void brackets_inside_strings_do_not_nest(void **state)
{
    (void)state;
    assert_true(json_depth_fits("\"[[[\\\"[\"", 9, 0));
    assert_false(json_depth_fits("[\"[\"]", 5, 0));
    assert_true(json_depth_fits("[][][]", 6, 1));
}

/* Sound text, and text that jansson reads because a lone surrogate must be repaired. */
static void makes_as_many_values_as_it_may_and_not_one_more(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t n_values;
    } rows[] = {
        { "7", 1 },
        { "\"a,b:[{\"", 1 },
        { " [ ] ", 2 },
        { "{}", 2 },
        { "[1,null,\"\"]", 5 },
        { "{\"a\":{\"b\":[true]}}", 9 },
        { "[\"\\ud800\",{\"a\":-1.5e3}, false ]", 8 },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        const char *text = rows[i].text;
        json_auto_t *value = NULL, *none = NULL;
        struct err err;
        assert_int_equal(json_parse_message(text, strlen(text), rows[i].n_values, &value, &err),
                         ERR_NONE);
        assert_int_equal(json_parse_message(text, strlen(text), rows[i].n_values - 1, &none, &err),
                         ERR_LIMIT);
        assert_null(none);
        assert_non_null(strstr(err.message, "JSON values (mcp.max_values)"));
        assert_non_null(strstr(err.hint, "mcp.max_values"));
    }
}

static void finds_the_bytes_of_a_member(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        { "{\"a\" : 1e2 }", "a", "1e2" },
        { "{\"b\":{\"a\":1},\"a\":[ \"]\" ]}", "a", "[ \"]\" ]" },
        { "{\"a\":1,\"a\":\"\\\"}\"}", "a", "\"\\\"}\"" },
        { " {\"x\":null,\"a\":true}", "a", "true" },
        { "{\"b\":1}", "a", NULL },
        { "[1]", "a", NULL },
        { "{\"a\"", "a", NULL },
        { "{\"a\":\"x", "a", NULL },
        { "", "a", NULL },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        const char *value = NULL;
        size_t length = 0;
        bool found = json_member_text(rows[i][0], strlen(rows[i][0]), rows[i][1], &value, &length);
        assert_int_equal(found, rows[i][2] != NULL);
        if (!found)
            continue;
        assert_int_equal(length, strlen(rows[i][2]));
        assert_memory_equal(value, rows[i][2], length);
    }
}

static void getters_survive_wrong_types(void **state)
{
    (void)state;
    json_auto_t *object = json_pack("{s:s, s:i, s:f, s:b}", "s", "text", "i", 7, "r", 2.5, "b", 1);
    assert_string_equal(json_get_string(object, "s"), "text");
    assert_null(json_get_string(object, "i"));
    assert_null(json_get_string(NULL, "s"));
    assert_int_equal(json_get_int(object, "i", 1), 7);
    assert_int_equal(json_get_int(object, "r", 1), 2);
    assert_int_equal(json_get_int(object, "s", 1), 1);
    assert_true(json_get_number(object, "r", 0) > 2.4);
    assert_true(json_get_number(object, "none", 1.5) < 1.6);
    assert_true(json_get_bool(object, "b", false));
    assert_true(json_get_bool(object, "s", true));
}

static void prints_sorted_and_pretty(void **state)
{
    (void)state;
    json_auto_t *object = json_pack("{s:i, s:[i]}", "b", 1, "a", 2);
    auto_str sorted = json_print_sorted(object);
    auto_str pretty = json_print_pretty(object);
    assert_string_equal(sorted, "{\"a\":[2],\"b\":1}");
    assert_string_equal(pretty, "{\n  \"b\": 1,\n  \"a\": [\n    2\n  ]\n}");
    assert_null(json_print(NULL));
}

static void sorts_few_members_and_many(void **state)
{
    (void)state;
    json_auto_t *few = json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "h", 1, "b", 1, "a", 1,
                                 "g", 1, "d", 1, "c", 1, "f", 1, "e", 1);
    json_auto_t *many = json_deep_copy(few);
    json_object_set_new(many, "ab", json_null());
    auto_str few_text = json_print_sorted(few);
    auto_str many_text = json_print_sorted(many);
    assert_string_equal(few_text,
                        "{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1}");
    assert_string_equal(many_text, "{\"a\":1,\"ab\":null,\"b\":1,\"c\":1,\"d\":1,\"e\":1,"
                                   "\"f\":1,\"g\":1,\"h\":1}");
}

static void escapes_what_must_be_wherever_it_stands(void **state)
{
    (void)state;
    for (size_t before = 0; before < 20; before++) {
        char text[64], wanted[64];
        snprintf(text, sizeof text, "%.*s\xC3\xA9\"\x01\\\x7Fz", (int)before,
                 "abcdefghijklmnopqrst");
        snprintf(wanted, sizeof wanted, "\"%.*s\xC3\xA9\\\"\\u0001\\\\\x7Fz\"", (int)before,
                 "abcdefghijklmnopqrst");
        json_auto_t *value = json_string(text);
        auto_str printed = json_print(value);
        assert_string_equal(printed, wanted);
    }
}

static void prints_behind_what_is_there(void **state)
{
    (void)state;
    AUTO(buf) text;
    json_auto_t *object = json_pack("{s:i, s:[i]}", "b", 1, "a", 2);
    buf_init(&text, SIZE_MAX);
    json_append_string(&text, "\"\n");
    json_append(&text, object);
    assert_string_equal(text.bytes, "\"\\\"\\n\"{\"b\":1,\"a\":[2]}");
}

static void knows_strings_that_c_would_cut(void **state)
{
    (void)state;
    json_auto_t *cut = json_stringn("a\0b", 3), *whole = json_string("ab");
    assert_true(json_string_has_nul(cut));
    assert_false(json_string_has_nul(whole));
    assert_false(json_string_has_nul(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_the_shortest_text_that_reads_back),
        cmocka_unit_test(repairs_foreign_text_and_not_ours),
        cmocka_unit_test(refuses_what_is_not_one_value),
        cmocka_unit_test(says_line_and_column_of_an_error),
        cmocka_unit_test(bounds_the_nesting),
        cmocka_unit_test(brackets_inside_strings_do_not_nest),
        cmocka_unit_test(makes_as_many_values_as_it_may_and_not_one_more),
        cmocka_unit_test(finds_the_bytes_of_a_member),
        cmocka_unit_test(getters_survive_wrong_types),
        cmocka_unit_test(prints_sorted_and_pretty),
        cmocka_unit_test(sorts_few_members_and_many),
        cmocka_unit_test(escapes_what_must_be_wherever_it_stands),
        cmocka_unit_test(prints_behind_what_is_there),
        cmocka_unit_test(knows_strings_that_c_would_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
