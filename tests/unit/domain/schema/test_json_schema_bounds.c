#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/schema/json_schema_internal.h"
#include "tests/support/cmocka.h"
#include <string.h>

static enum err_code compile(json_t *schema, struct err *err)
{
    struct json_schema *compiled = NULL;
    enum err_code r = json_schema_compile(schema, NULL, 0, &compiled, err);
    json_schema_destroy(compiled);
    return r;
}

static void bounds_the_number_of_subschemas(void **state)
{
    (void)state;
    json_auto_t *schema = json_object();
    json_t *list = json_array();
    json_object_set_new(schema, "allOf", list);
    while (json_array_size(list) < JSON_SCHEMA_MAX_SUBSCHEMAS - 1) /* and the root */
        json_array_append_new(list, json_object());

    assert_int_equal(compile(schema, NULL), ERR_NONE);
    json_array_append_new(list, json_object());
    assert_int_equal(compile(schema, NULL), ERR_LIMIT);
}

static json_t *nest_items(size_t levels)
{
    json_t *schema = json_true();
    for (size_t i = 0; i < levels; i++)
        schema = json_pack("{s:o}", "items", schema);
    return schema;
}

static void bounds_the_nesting_of_a_schema(void **state)
{
    (void)state;
    json_auto_t *deep = nest_items(JSON_MAX_DEPTH), *deeper = nest_items(JSON_MAX_DEPTH + 1);

    assert_int_equal(compile(deep, NULL), ERR_NONE);
    assert_int_equal(compile(deeper, NULL), ERR_LIMIT);
}

static bool accepts_nested(size_t levels, struct problems *problems)
{
    json_auto_t *schema = nest_items(levels), *value = json_null();
    for (size_t i = 0; i < levels; i++)
        value = json_pack("[o]", value);
    bool accepted = false;
    assert_int_equal(json_schema_check(schema, value, problems, &accepted, NULL), ERR_NONE);
    return accepted;
}

static void bounds_the_depth_of_evaluation(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct problems problems = { .arena = &arena };

    assert_true(accepts_nested(JSON_SCHEMA_MAX_DEPTH - 1, NULL)); /* and the root */
    assert_false(accepts_nested(JSON_SCHEMA_MAX_DEPTH, &problems));
    assert_int_equal(problems.n, 1);
    assert_string_equal(problems.list[0].message,
                        "too large to check: the limit of levels of nesting was reached");
}

static void a_reference_to_itself_ends_at_the_depth(void **state)
{
    (void)state;
    json_auto_t *schema = json_pack("{s:s}", "$ref", "#"), *value = json_integer(1);
    bool accepted = true;
    assert_int_equal(json_schema_check(schema, value, NULL, &accepted, NULL), ERR_NONE);
    assert_false(accepted);
}

static bool accepts_array_of(size_t n, struct problems *problems)
{
    json_auto_t *schema = json_pack("{s:{}}", "items"), *value = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(value, json_null());
    bool accepted = false;
    assert_int_equal(json_schema_check(schema, value, problems, &accepted, NULL), ERR_NONE);
    return accepted;
}

static void bounds_the_steps_of_one_validation(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct problems problems = { .arena = &arena };

    assert_true(accepts_array_of(JSON_SCHEMA_MAX_STEPS - 1, NULL)); /* and the root */
    assert_false(accepts_array_of(JSON_SCHEMA_MAX_STEPS, &problems));
    assert_string_equal(problems.list[0].message,
                        "too large to check: the limit of steps was reached");
}

static void bounds_the_reported_problems(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct problems problems = { .arena = &arena };
    json_auto_t *schema = json_pack("{s:{s:s}}", "items", "type", "string"), *value = json_array();
    bool accepted = true;
    for (int i = 0; i < JSON_SCHEMA_MAX_PROBLEMS + 1; i++)
        json_array_append_new(value, json_integer(i));

    assert_int_equal(json_schema_check(schema, value, &problems, &accepted, NULL), ERR_NONE);
    assert_int_equal(problems.n, JSON_SCHEMA_MAX_PROBLEMS);
}

static enum err_code compile_with_text(const char *keyword, char fill, size_t length)
{
    AUTO(buf) text;
    buf_init(&text, length);
    while (text.length < length)
        assert_true(buf_append(&text, &fill, 1));
    json_auto_t *schema = json_pack("{s:{s:s}}", "not", keyword, buf_string(&text));
    return compile(schema, NULL);
}

static void bounds_the_length_of_patterns_ids_and_references(void **state)
{
    (void)state;
    assert_int_equal(compile_with_text("pattern", 'a', JSON_SCHEMA_MAX_PATTERN_BYTES), ERR_NONE);
    assert_int_equal(compile_with_text("pattern", 'a', JSON_SCHEMA_MAX_PATTERN_BYTES + 1),
                     ERR_LIMIT);
    assert_int_equal(compile_with_text("$id", 'a', JSON_SCHEMA_MAX_URI_BYTES), ERR_NONE);
    assert_int_equal(compile_with_text("$id", 'a', JSON_SCHEMA_MAX_URI_BYTES + 1), ERR_LIMIT);
    assert_int_equal(compile_with_text("$ref", 'a', JSON_SCHEMA_MAX_URI_BYTES), ERR_INVALID);
    assert_int_equal(compile_with_text("$ref", 'a', JSON_SCHEMA_MAX_URI_BYTES + 1), ERR_LIMIT);
}

static void a_pattern_that_backtracks_without_end_is_cut_off(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct problems problems = { .arena = &arena };
    json_auto_t *schema = json_pack("{s:s}", "pattern", "^(a+)+$");
    json_auto_t *value = json_string("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!");
    bool accepted = true;

    assert_int_equal(json_schema_check(schema, value, &problems, &accepted, NULL), ERR_NONE);
    assert_false(accepted);
    assert_string_equal(problems.list[0].message,
                        "too large to check: the limit of pattern matching was reached");
}

static enum err_code compile_with_metaschemas(size_t hops)
{
    AUTO(arena) arena = { 0 };
    struct json_schema_document documents[JSON_SCHEMA_MAX_METASCHEMA_HOPS + 1];
    for (size_t i = 0; i < hops; i++) {
        const char *above = i + 1 < hops ? arena_printf(&arena, "http://h/%zu", i + 1)
                                         : "https://json-schema.org/draft/2020-12/schema";
        documents[i].uri = arena_printf(&arena, "http://h/%zu", i);
        documents[i].value = arena_keep_json(&arena, json_pack("{s:s}", "$schema", above));
    }
    json_auto_t *schema = json_pack("{s:s}", "$schema", "http://h/0");
    struct json_schema *compiled = NULL;
    enum err_code r = json_schema_compile(schema, documents, hops, &compiled, NULL);
    json_schema_destroy(compiled);
    return r;
}

static void bounds_the_chain_of_metaschemas(void **state)
{
    (void)state;
    assert_int_equal(compile_with_metaschemas(JSON_SCHEMA_MAX_METASCHEMA_HOPS), ERR_NONE);
    assert_int_equal(compile_with_metaschemas(JSON_SCHEMA_MAX_METASCHEMA_HOPS + 1), ERR_INVALID);
}

static void resolves_uris_as_rfc_3986_does(void **state)
{
    (void)state;
    static const char base[] = "http://a/b/c/d;p?q";
    static const char *const rows[][2] = {
        { "g:h", "g:h" },
        { "g", "http://a/b/c/g" },
        { "./g", "http://a/b/c/g" },
        { "g/", "http://a/b/c/g/" },
        { "/g", "http://a/g" },
        { "//g", "http://g" },
        { "?y", "http://a/b/c/d;p?y" },
        { "g?y", "http://a/b/c/g?y" },
        { "#s", "http://a/b/c/d;p?q#s" },
        { "g#s", "http://a/b/c/g#s" },
        { ";x", "http://a/b/c/;x" },
        { "", "http://a/b/c/d;p?q" },
        { ".", "http://a/b/c/" },
        { "./", "http://a/b/c/" },
        { "..", "http://a/b/" },
        { "../", "http://a/b/" },
        { "../g", "http://a/b/g" },
        { "../..", "http://a/" },
        { "../../g", "http://a/g" },
        { "../../../g", "http://a/g" },
        { "/./g", "http://a/g" },
        { "/../g", "http://a/g" },
        { "g.", "http://a/b/c/g." },
        { "..g", "http://a/b/c/..g" },
        { "./../g", "http://a/b/g" },
        { "g/./h", "http://a/b/c/g/h" },
        { "g/../h", "http://a/b/c/h" },
    };
    AUTO(arena) arena = { 0 };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
        assert_string_equal(schema_uri_resolve(&arena, base, rows[i][0]), rows[i][1]);
    assert_string_equal(schema_uri_resolve(&arena, "http://h", "x"), "http://h/x");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_the_number_of_subschemas),
        cmocka_unit_test(bounds_the_nesting_of_a_schema),
        cmocka_unit_test(bounds_the_depth_of_evaluation),
        cmocka_unit_test(a_reference_to_itself_ends_at_the_depth),
        cmocka_unit_test(bounds_the_steps_of_one_validation),
        cmocka_unit_test(bounds_the_reported_problems),
        cmocka_unit_test(bounds_the_length_of_patterns_ids_and_references),
        cmocka_unit_test(a_pattern_that_backtracks_without_end_is_cut_off),
        cmocka_unit_test(bounds_the_chain_of_metaschemas),
        cmocka_unit_test(resolves_uris_as_rfc_3986_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
