#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/schema/schema_shape.h"
#include "tests/support/cmocka.h"
#include <string.h>

static void looks(const char *name, const char *schema_text, const char *words, const char *example)
{
    AUTO(arena) arena = { 0 };
    json_t *schema = NULL;
    assert_int_equal(json_parse(schema_text, strlen(schema_text), JSON_OURS, &schema, NULL), 0);
    const struct schema_shape shape = schema_shape(&arena, schema, schema, name);
    assert_string_equal(shape.words, words);
    if (!text_equal(shape.example, example))
        fail_msg("%s: %s", schema_text, shape.example ? shape.example : "no example");
    json_decref(schema);
}

static void says_types_bounds_and_patterns(void **state)
{
    (void)state;
    looks("a", "{\"type\":\"string\"}", "a text", "some words");
    looks("a", "{\"type\":\"string\",\"pattern\":\"^a$\"}", "a text that matches ^a$", NULL);
    looks("a", "{\"type\":\"integer\",\"minimum\":2,\"maximum\":9}",
          "a whole number from 2 up to 9", "2");
    looks("a", "{\"type\":[\"null\",\"number\"]}", "a number", "3");
    looks("a", "{\"anyOf\":[{\"type\":\"null\"},{\"type\":\"integer\"}]}", "a whole number", "3");
    looks("a", "{\"type\":\"object\"}", "an object", "{}");
    looks("a", "true", "a value", "some words");
}

static void shows_lists_and_objects_with_what_they_need(void **state)
{
    (void)state;
    looks("a", "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}", "a list of texts",
          "[\"some words\"]");
    looks("a", "{\"type\":\"array\"}", "a list", "[\"some words\"]");
    looks(
        "entities",
        "{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/"
        "e\"},\"$defs\":{\"e\":{\"type\":\"object\","
        "\"properties\":{\"name\":{\"type\":\"string\"},\"n\":{\"type\":\"integer\"},\"more\":{}},"
        "\"required\":[\"name\",\"n\"]}}}",
        "a list of objects", "[{\"name\":\"some words\",\"n\":3}]");
    looks("a", "{\"properties\":{\"x\":{\"type\":\"boolean\"},\"y\":{}}}", "an object",
          "{\"x\":true}");
}

static void takes_examples_and_defaults_of_the_schema(void **state)
{
    (void)state;
    looks("a", "{\"type\":\"string\",\"examples\":[\"CH-8000\"],\"default\":\"x\"}", "a text",
          "CH-8000");
    looks("a", "{\"type\":\"integer\",\"default\":7}", "a whole number", "7");
    looks("a", "{\"type\":\"string\",\"default\":\"\"}", "a text", "some words");
    looks("a", "{\"type\":\"array\",\"items\":{\"enum\":[\"red\",\"green\"]}}", "a list",
          "[\"red\"]");
}

static void knows_forms_by_format_and_by_name(void **state)
{
    (void)state;
    looks("a", "{\"type\":\"string\",\"format\":\"date\"}", "a date", "2026-01-31");
    looks("outputPath", "{\"type\":\"string\"}", "a path", "notes.md");
    looks("start_date", "{\"type\":\"string\"}", "a date", "2026-01-31");
    looks("update", "{\"type\":\"string\"}", "a text", "some words");
    looks("paths", "{\"type\":\"array\",\"items\":{\"type\":\"string\",\"format\":\"uri\"}}",
          "a list of texts", "[\"https://example.org/\"]");
}

static void a_schema_that_contains_itself_ends(void **state)
{
    (void)state;
    looks(
        "a",
        "{\"type\":\"object\",\"properties\":{\"next\":{\"$ref\":\"#\"}},\"required\":[\"next\"]}",
        "an object", "{\"next\":{\"next\":{\"next\":{}}}}");
}

static void what_is_long_is_cut(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    char text[500];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    json_auto_t *schema = json_pack("{s:s, s:s}", "type", "string", "default", text);
    const struct schema_shape shape = schema_shape(&arena, schema, schema, "a");
    assert_int_equal(text_columns(shape.example), SCHEMA_SHAPE_COLUMNS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_types_bounds_and_patterns),
        cmocka_unit_test(shows_lists_and_objects_with_what_they_need),
        cmocka_unit_test(takes_examples_and_defaults_of_the_schema),
        cmocka_unit_test(knows_forms_by_format_and_by_name),
        cmocka_unit_test(a_schema_that_contains_itself_ends),
        cmocka_unit_test(what_is_long_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
