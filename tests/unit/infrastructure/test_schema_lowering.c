#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "domain/base/json.h"
#include "infrastructure/models/schema_lowering.h"
#include <stdio.h>
#include <string.h>

static void assert_lowers(const char *schema, const char *expected)
{
    AUTO(arena) arena = { 0 };
    json_auto_t *parsed = NULL;
    assert_int_equal(json_parse(schema, strlen(schema), JSON_OURS, &parsed, NULL), ERR_NONE);
    auto_str lowered = json_print_sorted(schema_lower(&arena, parsed));
    assert_string_equal(lowered, expected);
}

static void keeps_what_engines_enforce(void **state)
{
    (void)state;
    assert_lowers("{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{\"a\":{\"type\":"
                  "\"array\",\"items\":{\"enum\":[1,2]},\"maxItems\":3}}}",
                  "{\"properties\":{\"a\":{\"items\":{\"enum\":[1,2]},\"maxItems\":3,\"type\":"
                  "\"array\"}},\"required\":[\"a\"],\"type\":\"object\"}");
}

static void drops_unknown_keywords_types_and_formats(void **state)
{
    (void)state;
    assert_lowers("{\"type\":\"dict\",\"title\":\"t\",\"not\":{},\"format\":\"email\","
                  "\"exclusiveMinimum\":true}",
                  "{}");
    assert_lowers("{\"type\":[\"string\",\"null\"],\"format\":\"date\"}",
                  "{\"format\":\"date\",\"type\":[\"string\",\"null\"]}");
}

static void makes_boolean_schemas_objects(void **state)
{
    (void)state;
    assert_lowers("true", "{}");
    assert_lowers("{\"properties\":{\"a\":true},\"items\":true}",
                  "{\"items\":{},\"properties\":{\"a\":{}}}");
}

static void inlines_local_references(void **state)
{
    (void)state;
    assert_lowers("{\"$defs\":{\"a\":{\"type\":\"string\"}},\"properties\":{\"x\":"
                  "{\"$ref\":\"#/$defs/a\"},\"y\":{\"$ref\":\"http://e/x\"},"
                  "\"z\":{\"$ref\":\"#/$defs/nope\"}}}",
                  "{\"properties\":{\"x\":{\"type\":\"string\"},\"y\":{},\"z\":{}}}");
}

static void ends_recursion_after_four_references(void **state)
{
    (void)state;
    assert_lowers("{\"properties\":{\"n\":{\"$ref\":\"#\"}}}",
                  "{\"properties\":{\"n\":{\"properties\":{\"n\":{\"properties\":{\"n\":"
                  "{\"properties\":{\"n\":{\"properties\":{\"n\":{}}}}}}}}}}}");
}

static void pushes_siblings_into_the_branches(void **state)
{
    (void)state;
    assert_lowers(
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}},\"required\":"
        "[\"a\"],\"oneOf\":[{\"properties\":{\"b\":{\"const\":1}},\"required\":[\"b\"]},"
        "{\"properties\":{\"c\":{}}}]}",
        "{\"anyOf\":[{\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{\"const\":1}},"
        "\"required\":[\"a\",\"b\"],\"type\":\"object\"},{\"properties\":{\"a\":{\"type\":"
        "\"integer\"},\"c\":{}},\"required\":[\"a\"],\"type\":\"object\"}]}");
}

static void merges_all_of(void **state)
{
    (void)state;
    assert_lowers("{\"allOf\":[{\"type\":\"object\",\"properties\":{\"a\":{}}},"
                  "{\"properties\":{\"b\":{}}}]}",
                  "{\"properties\":{\"a\":{},\"b\":{}},\"type\":\"object\"}");
}

static void spells_out_character_classes(void **state)
{
    (void)state;
    assert_lowers("{\"pattern\":\"^\\\\d+[\\\\w-]\\\\.(?:a|b)$\"}",
                  "{\"pattern\":\"^[0-9]+[A-Za-z0-9_-]\\\\.(?:a|b)$\"}");
}

static void drops_patterns_that_engines_ignore(void **state)
{
    (void)state;
    assert_lowers("{\"pattern\":\"abc\"}", "{}");
    assert_lowers("{\"pattern\":\"^abc\"}", "{}");
    assert_lowers("{\"pattern\":\"^abc\\\\$\"}", "{}");
    assert_lowers("{\"pattern\":\"^(?=a)b$\"}", "{}");
    assert_lowers("{\"pattern\":\"^\\\\D$\"}", "{}");
    assert_lowers("{\"pattern\":\"^a\\\\b$\"}", "{}");
}

static void caps_lengths_at_what_engines_take(void **state)
{
    (void)state;
    assert_lowers("{\"maxLength\":2000,\"minLength\":2000}",
                  "{\"maxLength\":2000,\"minLength\":2000}");
    assert_lowers("{\"maxLength\":2001,\"minLength\":2001}",
                  "{\"maxLength\":2000,\"minLength\":2000}");
}

static void gives_up_on_what_nests_too_deeply(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    json_t *schema = json_pack("{s:s}", "type", "string");
    for (int i = 0; i < SCHEMA_LOWERING_MAX_DEPTH; i++)
        schema = json_pack("{s:o}", "items", schema);
    auto_str lowered = json_print(schema_lower(&arena, schema));
    auto_str inner = json_print(schema_lower(&arena, json_object_get(schema, "items")));
    json_decref(schema);
    assert_null(strstr(lowered, "string"));
    assert_non_null(strstr(inner, "string"));
}

/* How many of n properties keep their type; the schema around them is one more. */
static size_t count_lowered(size_t n)
{
    AUTO(arena) arena = { 0 };
    json_t *properties = json_object();
    for (size_t i = 0; i < n; i++) {
        char name[24];
        snprintf(name, sizeof name, "p%zu", i);
        json_object_set_new(properties, name, json_pack("{ss}", "type", "string"));
    }
    json_auto_t *schema = json_pack("{so}", "properties", properties);
    const json_t *lowered = json_object_get(schema_lower(&arena, schema), "properties");
    size_t n_typed = 0;
    const char *name;
    json_t *property;
    json_object_foreach ((json_t *)(uintptr_t)lowered, name, property)
        n_typed += json_get_string(property, "type") != NULL;
    assert_int_equal(json_object_size(lowered), n);
    return n_typed;
}

static void lets_anything_go_behind_the_last_schema_it_lowers(void **state)
{
    (void)state;
    assert_int_equal(count_lowered(SCHEMA_LOWERING_MAX_SCHEMAS - 1),
                     SCHEMA_LOWERING_MAX_SCHEMAS - 1);
    assert_int_equal(count_lowered(SCHEMA_LOWERING_MAX_SCHEMAS), SCHEMA_LOWERING_MAX_SCHEMAS - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_what_engines_enforce),
        cmocka_unit_test(drops_unknown_keywords_types_and_formats),
        cmocka_unit_test(makes_boolean_schemas_objects),
        cmocka_unit_test(inlines_local_references),
        cmocka_unit_test(ends_recursion_after_four_references),
        cmocka_unit_test(pushes_siblings_into_the_branches),
        cmocka_unit_test(merges_all_of),
        cmocka_unit_test(spells_out_character_classes),
        cmocka_unit_test(drops_patterns_that_engines_ignore),
        cmocka_unit_test(caps_lengths_at_what_engines_take),
        cmocka_unit_test(gives_up_on_what_nests_too_deeply),
        cmocka_unit_test(lets_anything_go_behind_the_last_schema_it_lowers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
