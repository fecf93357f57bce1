
#include "domain/base/json.h"
#include "infrastructure/models/schema/schema_lowering.h"
#include "tests/support/cmocka.h"
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
    assert_lowers("{\"type\":\"thing\",\"title\":\"t\",\"not\":{},\"format\":\"email\","
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

static void caps_lengths_at_what_engines_take(void **state)
{
    (void)state;
    assert_lowers("{\"maxLength\":2000,\"minLength\":2000}",
                  "{\"maxLength\":2000,\"minLength\":2000}");
    assert_lowers("{\"maxLength\":2001,\"minLength\":2001}", "{\"minLength\":2000}");
    assert_lowers("{\"maxItems\":2001,\"minItems\":0,\"maxLength\":-1}", "{}");
}

static void keeps_only_bounds_that_engines_can_count_with(void **state)
{
    (void)state;
    assert_lowers("{\"minimum\":-9007199254740992,\"maximum\":9007199254740992}",
                  "{\"maximum\":9007199254740992,\"minimum\":-9007199254740992}");
    assert_lowers("{\"minimum\":-9007199254740994,\"maximum\":1e300}", "{}");
    assert_lowers("{\"minimum\":1,\"exclusiveMaximum\":true}", "{\"minimum\":1}");
}

static void understands_types_of_other_languages(void **state)
{
    (void)state;
    assert_lowers("{\"type\":\"dict\",\"properties\":{\"a\":{\"type\":\"float\"},\"b\":{\"type\":"
                  "\"tuple\"},\"c\":{\"type\":\"any\"},\"d\":{\"type\":\"STRING\"}}}",
                  "{\"properties\":{\"a\":{\"type\":\"number\"},\"b\":{\"type\":\"array\"},\"c\":"
                  "{},\"d\":{\"type\":\"string\"}},\"type\":\"object\"}");
    assert_lowers("{\"type\":[\"int\",\"null\"]}", "{\"type\":[\"integer\",\"null\"]}");
    assert_lowers("{\"type\":[\"string\",\"thing\"]}", "{}");
    assert_lowers("{\"type\":[1]}", "{}");
}

static void finds_references_with_escapes(void **state)
{
    (void)state;
    assert_lowers(
        "{\"$defs\":{\"a/b\":{\"type\":\"string\"},\"c~d\":{\"type\":\"null\"},\"e f\":"
        "{\"const\":1}},\"properties\":{\"x\":{\"$ref\":\"#/$defs/a~1b\"},\"y\":{\"$ref\":"
        "\"#/$defs/c~0d\"},\"z\":{\"$ref\":\"#/$defs/e%20f\"}}}",
        "{\"properties\":{\"x\":{\"type\":\"string\"},\"y\":{\"type\":\"null\"},\"z\":"
        "{\"const\":1}}}");
}

static void follows_references_to_references(void **state)
{
    (void)state;
    assert_lowers(
        "{\"$defs\":{\"a\":{\"$ref\":\"#/$defs/b\"},\"b\":{\"type\":\"string\"}},"
        "\"properties\":{\"x\":{\"$ref\":\"#/$defs/a\",\"maxLength\":3,\"title\":\"t\"}}}",
        "{\"properties\":{\"x\":{\"maxLength\":3,\"type\":\"string\"}}}");
}

static void pushes_siblings_into_alternatives_of_alternatives(void **state)
{
    (void)state;
    assert_lowers("{\"properties\":{\"a\":{\"const\":1}},\"anyOf\":[{\"oneOf\":[{\"required\":"
                  "[\"b\"]},{}]},{\"required\":[\"c\"]}]}",
                  "{\"anyOf\":[{\"anyOf\":[{\"properties\":{\"a\":{\"const\":1}},\"required\":"
                  "[\"b\"]},{\"properties\":{\"a\":{\"const\":1}}}]},{\"properties\":{\"a\":"
                  "{\"const\":1}},\"required\":[\"c\"]}]}");
    assert_lowers("{\"type\":\"object\",\"allOf\":[{\"anyOf\":[{\"required\":[\"a\"]},{}]}]}",
                  "{\"anyOf\":[{\"required\":[\"a\"],\"type\":\"object\"},{\"type\":\"object\"}]}");
    assert_lowers("{\"anyOf\":[{\"const\":1},{\"const\":2}]}",
                  "{\"anyOf\":[{\"const\":1},{\"const\":2}]}");
}

static void merges_what_both_say_of_a_member(void **state)
{
    (void)state;
    assert_lowers("{\"allOf\":[{\"properties\":{\"a\":{\"type\":\"string\"}},\"required\":[\"a\"]},"
                  "{\"properties\":{\"a\":{\"maxLength\":3}},\"required\":[\"a\"]}]}",
                  "{\"properties\":{\"a\":{\"maxLength\":3,\"type\":\"string\"}},\"required\":"
                  "[\"a\"]}");
}

static void leaves_unnamed_members_as_the_schema_has_them(void **state)
{
    (void)state;
    assert_lowers("{\"properties\":{}}", "{\"properties\":{}}");
    assert_lowers("{\"additionalProperties\":false}", "{\"additionalProperties\":false}");
    assert_lowers("{\"additionalProperties\":true}", "{\"additionalProperties\":true}");
    assert_lowers("{\"additionalProperties\":{}}", "{\"additionalProperties\":true}");
    assert_lowers("{\"additionalProperties\":{\"type\":\"string\",\"title\":\"t\"}}",
                  "{\"additionalProperties\":{\"type\":\"string\"}}");
}

static void says_of_all_members_what_a_pattern_says_of_some(void **state)
{
    (void)state;
    assert_lowers("{\"patternProperties\":{\"^a\":{\"type\":\"string\"}},"
                  "\"additionalProperties\":false}",
                  "{\"additionalProperties\":{\"type\":\"string\"}}");
    assert_lowers("{\"patternProperties\":{\"^a\":{\"type\":\"string\"}}}",
                  "{\"additionalProperties\":true}");
    assert_lowers("{\"patternProperties\":{\"^a\":{},\"^b\":{}},\"additionalProperties\":false}",
                  "{\"additionalProperties\":true}");
}

static void names_what_is_required_but_not_described(void **state)
{
    (void)state;
    assert_lowers("{\"properties\":{\"a\":{\"const\":1}},\"required\":[\"b\",3]}",
                  "{\"properties\":{\"a\":{\"const\":1},\"b\":{}},\"required\":[\"b\",3]}");
}

static void knows_tuples_by_both_words(void **state)
{
    (void)state;
    assert_lowers("{\"prefixItems\":[{\"const\":1},true],\"items\":false}",
                  "{\"prefixItems\":[{\"const\":1},{}]}");
    assert_lowers("{\"items\":[{\"const\":1}]}", "{\"prefixItems\":[{\"const\":1}]}");
    assert_lowers("{\"type\":\"array\",\"items\":false}", "{\"type\":\"array\"}");
    assert_lowers("{\"type\":\"array\",\"maxItems\":3}",
                  "{\"items\":{},\"maxItems\":3,\"type\":\"array\"}");
}

static void drops_what_engines_ignore(void **state)
{
    (void)state;
    assert_lowers("{\"multipleOf\":2,\"uniqueItems\":true,\"not\":{},\"if\":{},\"then\":{},"
                  "\"contains\":{},\"propertyNames\":{},\"dependentRequired\":{},\"format\":"
                  "\"uri\",\"default\":1,\"examples\":[],\"$schema\":\"x\",\"description\":\"d\","
                  "\"enum\":[],\"anyOf\":[],\"allOf\":{},\"required\":[]}",
                  "{}");
}

static void gives_tgi_an_object_at_the_root(void **state)
{
    (void)state;
    static const char alternatives[] =
        "{\"anyOf\":[{\"properties\":{\"a\":{\"const\":1},\"b\":{}},\"required\":[\"a\",\"b\"]},"
        "{\"anyOf\":[{\"properties\":{\"a\":{\"const\":2}},\"required\":[\"a\"]}]}]}";
    AUTO(arena) arena = { 0 };
    json_auto_t *schema = NULL;
    assert_int_equal(json_parse(alternatives, strlen(alternatives), JSON_OURS, &schema, NULL),
                     ERR_NONE);
    auto_str tgi = json_print_sorted(schema_lower_for(&arena, schema, "tgi"));
    assert_string_equal(tgi, "{\"properties\":{\"a\":{\"anyOf\":[{\"const\":1},{\"const\":2}]},"
                             "\"b\":{}},\"required\":[\"a\"],\"type\":\"object\"}");
    json_auto_t *text = json_pack("{s:s}", "type", "string");
    assert_null(schema_lower_for(&arena, text, "tgi"));
    auto_str other = json_print_sorted(schema_lower_for(&arena, text, "vllm"));
    assert_string_equal(other, "{\"type\":\"string\"}");
}

/* Alternatives repeat what stands beside them: as much as there is room for. */
static void bounds_what_alternatives_repeat(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    json_t *properties = json_object(), *any_of = json_array();
    for (size_t i = 0; i < 1000; i++) {
        char name[24];
        snprintf(name, sizeof name, "p%zu", i);
        json_object_set_new(properties, name, json_object());
        json_array_append_new(any_of, json_pack("{s:[s]}", "required", name));
    }
    json_auto_t *schema = json_pack("{s:o, s:o}", "properties", properties, "anyOf", any_of);
    const json_t *lowered = schema_lower(&arena, schema);
    assert_null(json_object_get(lowered, "anyOf"));
    assert_int_equal(json_object_size(json_object_get(lowered, "properties")), 1000);
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
        cmocka_unit_test(caps_lengths_at_what_engines_take),
        cmocka_unit_test(keeps_only_bounds_that_engines_can_count_with),
        cmocka_unit_test(understands_types_of_other_languages),
        cmocka_unit_test(finds_references_with_escapes),
        cmocka_unit_test(follows_references_to_references),
        cmocka_unit_test(pushes_siblings_into_alternatives_of_alternatives),
        cmocka_unit_test(merges_what_both_say_of_a_member),
        cmocka_unit_test(leaves_unnamed_members_as_the_schema_has_them),
        cmocka_unit_test(says_of_all_members_what_a_pattern_says_of_some),
        cmocka_unit_test(names_what_is_required_but_not_described),
        cmocka_unit_test(knows_tuples_by_both_words),
        cmocka_unit_test(drops_what_engines_ignore),
        cmocka_unit_test(gives_tgi_an_object_at_the_root),
        cmocka_unit_test(bounds_what_alternatives_repeat),
        cmocka_unit_test(gives_up_on_what_nests_too_deeply),
        cmocka_unit_test(lets_anything_go_behind_the_last_schema_it_lowers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
