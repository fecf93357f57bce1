
#include "domain/base/json.h"
#include "infrastructure/mcp/wire/header_parameters.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <string.h>

static json_t *parse(const char *text)
{
    json_t *value = NULL;
    struct err err = { 0 };
    if (json_parse(text, strlen(text), JSON_FOREIGN, &value, &err))
        fail_msg("%s: %s", text, err.message);
    return value;
}

static void assert_good(const char *schema)
{
    struct err err = { 0 };
    json_auto_t *value = parse(schema);
    if (header_parameters_check(value, &err))
        fail_msg("%s: %s", schema, err.message);
}

static void assert_bad(const char *schema, const char *words)
{
    struct err err = { 0 };
    json_auto_t *value = parse(schema);
    assert_int_equal(header_parameters_check(value, &err), ERR_PROTOCOL);
    if (!strstr(err.message, words))
        fail_msg("%s: %s", schema, err.message);
}

/* The lines for these arguments, each with a newline. */
static const char *lines_for(struct arena *arena, const char *schema, const char *arguments)
{
    struct err err = { 0 };
    const char *const *lines;
    const char *all = "";
    size_t n = 0;
    json_auto_t *schema_value = parse(schema), *value = arguments ? parse(arguments) : NULL;
    assert_int_equal(header_parameters_lines(arena, schema_value, value, &lines, &n, &err),
                     ERR_NONE);
    for (size_t i = 0; i < n; i++)
        all = arena_printf(arena, "%s%s\n", all, lines[i]);
    return all;
}

#define PROPERTIES(text) "{\"type\":\"object\",\"properties\":{" text "}}"
#define STRING(header) "{\"type\":\"string\",\"x-mcp-header\":\"" header "\"}"

static void takes_parameters_of_the_three_types(void **state)
{
    (void)state;
    assert_good(PROPERTIES("\"a\":" STRING("Region")));
    assert_good(PROPERTIES("\"a\":{\"type\":\"integer\",\"x-mcp-header\":\"N\"},"
                           "\"b\":{\"type\":\"boolean\",\"x-mcp-header\":\"!#$%&'*+-.^_`|~\"}"));
    assert_good("{\"type\":\"object\"}");
}

static void takes_parameters_within_parameters(void **state)
{
    (void)state;
    assert_good(PROPERTIES("\"a\":" PROPERTIES("\"b\":" PROPERTIES("\"c\":" STRING("Deep")))));
}

static void refuses_what_is_no_name_of_a_header(void **state)
{
    (void)state;
    assert_bad(PROPERTIES("\"a\":{\"type\":\"string\",\"x-mcp-header\":{}}"), "is not a text");
    assert_bad(PROPERTIES("\"a\":{\"type\":\"string\",\"x-mcp-header\":[]}"), "is not a text");
    assert_bad(PROPERTIES("\"a\":{\"type\":\"string\",\"x-mcp-header\":null}"), "is not a text");
    assert_bad(PROPERTIES("\"a\":" STRING("a\\u0000")), "is not a text");
    assert_bad(PROPERTIES("\"a\":" STRING("")), "\"\" is not a name");
    assert_bad(PROPERTIES("\"a\":" STRING("two words")), "\"two words\" is not a name");
    assert_bad(PROPERTIES("\"a\":" STRING("a:b")), "is not a name");
    assert_bad(PROPERTIES("\"a\":" STRING("a\\r\\nX")), "is not a name");
    assert_bad(PROPERTIES("\"a\":" STRING("caf\xC3\xA9")), "is not a name");
}

static void refuses_a_name_that_comes_twice(void **state)
{
    (void)state;
    assert_bad(PROPERTIES("\"a\":" STRING("Same") ",\"b\":" STRING("Same")), "twice");
    assert_bad(PROPERTIES("\"a\":" STRING("Same") ",\"b\":" PROPERTIES("\"c\":" STRING("sAME"))),
               "\"sAME\" stands there twice");
}

static void refuses_other_types(void **state)
{
    static const char *const types[] = { "\"number\"",   "\"object\"", "\"array\"",
                                         "\"null\"",     "7",          "[\"string\",\"null\"]",
                                         "[\"string\"]", "\"String\"" };
    char schema[200];
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(types); i++) {
        snprintf(schema, sizeof schema, PROPERTIES("\"a\":{\"type\":%s,\"x-mcp-header\":\"A\"}"),
                 types[i]);
        assert_bad(schema, "of another type");
    }
    assert_bad(PROPERTIES("\"a\":{\"x-mcp-header\":\"A\"}"), "of another type");
}

static void refuses_it_where_not_every_call_has_it(void **state)
{
    static const char *const keywords[] = {
        "items",
        "additionalItems",
        "contains",
        "additionalProperties",
        "unevaluatedProperties",
        "unevaluatedItems",
        "propertyNames",
        "not",
        "if",
        "then",
        "else",
        "contentSchema",
    };
    static const char *const lists[] = { "oneOf", "anyOf", "allOf", "prefixItems", "items" };
    static const char *const maps[] = { "$defs", "definitions", "patternProperties",
                                        "dependentSchemas", "dependencies" };
    char schema[300];
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(keywords); i++) {
        snprintf(schema, sizeof schema, "{\"%s\":" STRING("A") "}", keywords[i]);
        assert_bad(schema, "not every call");
        snprintf(schema, sizeof schema,
                 PROPERTIES("\"p\":{\"%s\":" PROPERTIES("\"q\":" STRING("A")) "}"), keywords[i]);
        assert_bad(schema, "not every call");
    }
    for (size_t i = 0; i < ARRAY_LENGTH(lists); i++) {
        snprintf(schema, sizeof schema, "{\"%s\":[{}," STRING("A") "]}", lists[i]);
        assert_bad(schema, "not every call");
    }
    for (size_t i = 0; i < ARRAY_LENGTH(maps); i++) {
        snprintf(schema, sizeof schema, "{\"%s\":{\"x\":" STRING("A") "}}", maps[i]);
        assert_bad(schema, "not every call");
    }
    assert_bad("{\"type\":\"object\",\"x-mcp-header\":\"A\"}", "not every call");
}

static void does_not_look_into_what_is_data(void **state)
{
    static const char *const keywords[] = { "default", "const", "examples", "enum", "x-other" };
    char schema[200];
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(keywords); i++) {
        snprintf(schema, sizeof schema, PROPERTIES("\"a\":{\"%s\":[{\"x-mcp-header\":7}]}"),
                 keywords[i]);
        assert_good(schema);
    }
    assert_good(PROPERTIES("\"x-mcp-header\":{\"type\":\"number\"}"));
    assert_good(PROPERTIES("\"default\":" STRING("Default")));
    assert_good("{\"items\":[7,true],\"anyOf\":7,\"properties\":[],\"$defs\":[]}");
}

static void takes_as_many_as_it_can_hold(void **state)
{
    static char schema[8000] = "{\"properties\":{";
    json_t *value;
    (void)state;
    for (int i = 0; i <= HEADER_PARAMETERS_MAX; i++)
        snprintf(schema + strlen(schema), 100,
                 "%s\"p%d\":{\"type\":\"string\",\"x-mcp-header\":\"H%d\"}", i ? "," : "", i, i);
    strcat(schema, "}}");
    value = parse(schema);
    assert_int_equal(header_parameters_check(value, NULL), ERR_LIMIT);
    json_object_del(json_object_get(value, "properties"), "p0");
    assert_int_equal(header_parameters_check(value, NULL), ERR_NONE);
    json_decref(value);
}

static void writes_values_of_each_type(void **state)
{
    AUTO(arena) arena = { 0 };
    static const char schema[] = PROPERTIES("\"s\":" STRING(
        "S") ",\"i\":{\"type\":\"integer\",\"x-mcp-header\":\"I\"},"
             "\"b\":{\"type\":\"boolean\",\"x-mcp-header\":\"B\"},"
             "\"o\":" PROPERTIES("\"d\":" STRING("D")) ",\"plain\":{\"type\":\"string\"}");
    (void)state;
    assert_string_equal(lines_for(&arena, schema,
                                  "{\"s\":\"eu\",\"i\":42,\"b\":false,\"o\":{\"d\":\"x\"},"
                                  "\"plain\":\"p\"}"),
                        "Mcp-Param-S: eu\nMcp-Param-I: 42\nMcp-Param-B: false\nMcp-Param-D: x\n");
    assert_string_equal(lines_for(&arena, schema, "{\"s\":\"\",\"i\":-7.0,\"b\":true}"),
                        "Mcp-Param-S: =?base64?"
                        "?=\nMcp-Param-I: -7\nMcp-Param-B: true\n");
    assert_string_equal(lines_for(&arena, schema, "{\"s\":\"a\\u0000b\"}"),
                        "Mcp-Param-S: =?base64?YQBi?=\n");
    assert_string_equal(lines_for(&arena, schema, NULL), "");
}

static void leaves_out_what_is_not_there_or_of_another_type(void **state)
{
    AUTO(arena) arena = { 0 };
    static const char schema[] =
        PROPERTIES("\"s\":" STRING("S") ",\"i\":{\"type\":\"integer\",\"x-mcp-header\":\"I\"},"
                                        "\"b\":{\"type\":\"boolean\",\"x-mcp-header\":\"B\"},"
                                        "\"o\":" PROPERTIES("\"d\":" STRING("D")));
    (void)state;
    assert_string_equal(lines_for(&arena, schema, "{\"s\":null,\"b\":null,\"o\":null}"), "");
    assert_string_equal(lines_for(&arena, schema, "{\"s\":7,\"i\":\"7\",\"b\":1,\"o\":[]}"), "");
    assert_string_equal(lines_for(&arena, schema, "{\"s\":{},\"i\":1.5,\"o\":{\"d\":[\"x\"]}}"),
                        "");
}

static void sends_no_integer_that_others_would_misread(void **state)
{
    AUTO(arena) arena = { 0 };
    static const char schema[] = PROPERTIES("\"i\":{\"type\":\"integer\",\"x-mcp-header\":\"I\"}");
    (void)state;
    assert_string_equal(lines_for(&arena, schema, "{\"i\":9007199254740991}"),
                        "Mcp-Param-I: 9007199254740991\n");
    assert_string_equal(lines_for(&arena, schema, "{\"i\":-9007199254740991}"),
                        "Mcp-Param-I: -9007199254740991\n");
    assert_string_equal(lines_for(&arena, schema, "{\"i\":9007199254740992}"), "");
    assert_string_equal(lines_for(&arena, schema, "{\"i\":-9007199254740992}"), "");
    assert_string_equal(lines_for(&arena, schema, "{\"i\":123456789012345678901234}"), "");
}

static void refuses_a_value_that_no_header_should_hold(void **state)
{
    AUTO(arena) arena = { 0 };
    const char *const *lines;
    size_t n;
    char value[HEADER_PARAMETER_MAX_BYTES + 2] = "";
    (void)state;
    json_auto_t *schema = parse(PROPERTIES("\"s\":" STRING("S")));
    memset(value, 'a', HEADER_PARAMETER_MAX_BYTES);
    json_auto_t *most = json_pack("{s:s}", "s", value);
    value[HEADER_PARAMETER_MAX_BYTES] = 'a';
    json_auto_t *more = json_pack("{s:s}", "s", value);
    assert_int_equal(header_parameters_lines(&arena, schema, most, &lines, &n, NULL), ERR_NONE);
    assert_int_equal(header_parameters_lines(&arena, schema, more, &lines, &n, NULL), ERR_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_parameters_of_the_three_types),
        cmocka_unit_test(takes_parameters_within_parameters),
        cmocka_unit_test(refuses_what_is_no_name_of_a_header),
        cmocka_unit_test(refuses_a_name_that_comes_twice),
        cmocka_unit_test(refuses_other_types),
        cmocka_unit_test(refuses_it_where_not_every_call_has_it),
        cmocka_unit_test(does_not_look_into_what_is_data),
        cmocka_unit_test(takes_as_many_as_it_can_hold),
        cmocka_unit_test(writes_values_of_each_type),
        cmocka_unit_test(leaves_out_what_is_not_there_or_of_another_type),
        cmocka_unit_test(sends_no_integer_that_others_would_misread),
        cmocka_unit_test(refuses_a_value_that_no_header_should_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
