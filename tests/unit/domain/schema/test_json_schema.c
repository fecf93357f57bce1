#include "domain/base/json.h"
#include "domain/schema/json_schema.h"
#include "tests/support/cmocka.h"

#include <string.h>

#define DRAFT_07 "\"$schema\":\"http://json-schema.org/draft-07/schema#\","

static json_t *parse(const char *text)
{
    json_t *value = NULL;
    struct err err;
    if (json_parse(text, strlen(text), JSON_FOREIGN, &value, &err))
        fail_msg("%s in %s", err.message, text);
    return value;
}

static bool accepts(const char *schema_text, const char *value_text, struct problems *problems)
{
    json_auto_t *schema = parse(schema_text), *value = parse(value_text);
    struct err err;
    bool accepted = false;
    if (json_schema_check(schema, value, problems, &accepted, &err))
        fail_msg("%s in %s", err.message, schema_text);
    return accepted;
}

struct verdict {
    const char *schema, *value;
    bool accepted;
};

static void check_verdicts(const struct verdict *verdicts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (accepts(verdicts[i].schema, verdicts[i].value, NULL) != verdicts[i].accepted)
            fail_msg("row %zu: %s with %s", i, verdicts[i].schema, verdicts[i].value);
}

static void decides_each_keyword_of_types_and_numbers_at_its_bound(void **state)
{
    (void)state;
    static const struct verdict verdicts[] = {
        { "true", "1", true },
        { "false", "1", false },
        { "{\"type\":\"integer\"}", "1.0", true },
        { "{\"type\":\"integer\"}", "1.5", false },
        { "{\"type\":\"integer\"}", "true", false },
        { "{\"type\":[\"null\",\"boolean\"]}", "false", true },
        { "{\"type\":\"number\"}", "3", true },
        { "{\"const\":1}", "1.0", true },
        { "{\"const\":{\"a\":[1,2]}}", "{\"a\":[1.0,2]}", true },
        { "{\"const\":false}", "0", false },
        { "{\"enum\":[1,\"a\"]}", "1.0", true },
        { "{\"enum\":[1,\"a\"]}", "\"b\"", false },
        { "{\"maximum\":3}", "3", true },
        { "{\"maximum\":3}", "3.1", false },
        { "{\"exclusiveMaximum\":3}", "3", false },
        { "{\"minimum\":3}", "3", true },
        { "{\"exclusiveMinimum\":3}", "3", false },
        { "{\"exclusiveMinimum\":3}", "\"x\"", true },
        { "{\"multipleOf\":0.01}", "4.35", true },
        { "{\"multipleOf\":0.01}", "19.99", true },
        { "{\"multipleOf\":0.01}", "4.355", false },
        { "{\"multipleOf\":1e-8}", "12391239123", true },
        { "{\"multipleOf\":0.123456789}", "1e308", false },
        { "{\"multipleOf\":0.5}", "1e308", true },
        { "{\"multipleOf\":1e300}", "7", false },
        { "{\"multipleOf\":7}", "-14", true },
        { "{\"multipleOf\":7}", "0", true },
        { "{\"multipleOf\":3}", "9223372036854775807", false },
        { "{\"multipleOf\":7}", "9223372036854775807", true },
        { "{\"maximum\":9007199254740992}", "9007199254740993", false },
        { "{\"maximum\":9007199254740992.0}", "9007199254740993", false },
        { "{\"minimum\":9223372036854775807}", "1e19", true },
        { "{\"maximum\":-9223372036854775808}", "-1e19", true },
    };
    check_verdicts(verdicts, ARRAY_LENGTH(verdicts));
}

static void decides_each_keyword_of_texts_and_arrays_at_its_bound(void **state)
{
    (void)state;
    static const struct verdict verdicts[] = {
        { "{\"maxLength\":2}", "\"\xC3\xA4\xF0\x9F\x98\x80\"", true },
        { "{\"maxLength\":2}", "\"abc\"", false },
        { "{\"minLength\":2.0}", "\"a\"", false },
        { "{\"pattern\":\"^\\\\d$\"}", "\"1\"", true },
        { "{\"pattern\":\"^\\\\d$\"}", "\"1\\n\"", false },
        { "{\"pattern\":\"^\\\\d$\"}", "\"\xD9\xA1\"", false },
        { "{\"pattern\":\"b\"}", "\"abc\"", true },
        { "{\"pattern\":\"^\\\\p{Letter}+$\"}", "\"\xC3\xA4z\"", true },
        { "{\"pattern\":\"^\\\\p{gc=Lu}$\"}", "\"a\"", false },
        { "{\"pattern\":\"^\\\\u0061$\"}", "\"a\"", true },
        { "{\"pattern\":\"a\"}", "12", true },
        { "{\"format\":\"ipv4\"}", "\"no address\"", true },
        { "{\"minItems\":1}", "[]", false },
        { "{\"maxItems\":1}", "[1,2]", false },
        { "{\"uniqueItems\":true}", "[1,2,1.0]", false },
        { "{\"uniqueItems\":true}", "[{\"a\":1,\"b\":2},{\"b\":2,\"a\":1}]", false },
        { "{\"uniqueItems\":true}", "[1,true,\"1\",[1],{\"a\":1},null,1.5]", true },
        { "{\"uniqueItems\":false}", "[1,1]", true },
        { "{\"prefixItems\":[true,{\"type\":\"string\"}],\"items\":false}", "[1,\"a\"]", true },
        { "{\"prefixItems\":[true,{\"type\":\"string\"}],\"items\":false}", "[1,\"a\",2]", false },
        { "{\"contains\":{\"const\":1}}", "[2,1]", true },
        { "{\"contains\":{\"const\":1}}", "[]", false },
        { "{\"contains\":{\"const\":1},\"minContains\":0}", "[]", true },
        { "{\"contains\":{\"const\":1},\"maxContains\":1}", "[1,1]", false },
    };
    check_verdicts(verdicts, ARRAY_LENGTH(verdicts));
}

static void decides_each_keyword_of_objects_and_combinations_at_its_bound(void **state)
{
    (void)state;
    static const struct verdict verdicts[] = {
        { "{\"required\":[\"a\"]}", "{}", false },
        { "{\"required\":[\"a\"]}", "[]", true },
        { "{\"minProperties\":1}", "{}", false },
        { "{\"maxProperties\":1}", "{\"a\":1,\"b\":1}", false },
        { "{\"properties\":{\"a\":{\"type\":\"string\"}}}", "{\"a\":1}", false },
        { "{\"patternProperties\":{\"^a\":{\"type\":\"string\"}}}", "{\"ab\":1}", false },
        { "{\"patternProperties\":{\"^a\":true},\"additionalProperties\":false}", "{\"b\":1}",
          false },
        { "{\"propertyNames\":{\"maxLength\":1}}", "{\"ab\":1}", false },
        { "{\"dependentRequired\":{\"a\":[\"b\"]}}", "{\"a\":1}", false },
        { "{\"dependentSchemas\":{\"a\":{\"required\":[\"b\"]}}}", "{\"a\":1}", false },
        { "{\"allOf\":[{\"minimum\":1},{\"maximum\":2}]}", "3", false },
        { "{\"anyOf\":[{\"minimum\":3},{\"maximum\":2}]}", "3", true },
        { "{\"oneOf\":[{\"minimum\":1},{\"maximum\":2}]}", "1", false },
        { "{\"oneOf\":[{\"minimum\":1},{\"maximum\":2}]}", "0", true },
        { "{\"not\":{\"type\":\"string\"}}", "\"a\"", false },
        { "{\"if\":{\"minimum\":5},\"then\":{\"maximum\":9},\"else\":false}", "10", false },
        { "{\"if\":{\"minimum\":5},\"then\":{\"maximum\":9},\"else\":false}", "4", false },
        { "{\"if\":{\"minimum\":5},\"then\":{\"maximum\":9}}", "4", true },
        { "{\"properties\":{\"a\":true},\"unevaluatedProperties\":false}", "{\"a\":1}", true },
        { "{\"anyOf\":[{\"properties\":{\"a\":true}}],\"unevaluatedProperties\":false}",
          "{\"a\":1,\"b\":1}", false },
        { "{\"prefixItems\":[true],\"unevaluatedItems\":false}", "[1,2]", false },
        { "{\"contains\":{\"const\":2},\"prefixItems\":[true],\"unevaluatedItems\":false}", "[1,2]",
          true },
        { "{\"dependencies\":{\"a\":[\"b\"]}}", "{\"a\":1}", true }, /* no keyword of 2020-12 */
    };
    check_verdicts(verdicts, ARRAY_LENGTH(verdicts));
}

static void reads_draft_07_as_it_was(void **state)
{
    (void)state;
    static const struct verdict verdicts[] = {
        { "{" DRAFT_07 "\"items\":[{\"type\":\"string\"}],\"additionalItems\":false}", "[\"a\"]",
          true },
        { "{" DRAFT_07 "\"items\":[{\"type\":\"string\"}],\"additionalItems\":false}", "[\"a\",1]",
          false },
        { "{" DRAFT_07 "\"items\":{\"type\":\"string\"},\"additionalItems\":false}",
          "[\"a\",\"b\"]", true },
        { "{" DRAFT_07 "\"dependencies\":{\"a\":[\"b\"],\"c\":{\"maxProperties\":1}}}", "{\"a\":1}",
          false },
        { "{" DRAFT_07 "\"dependencies\":{\"a\":[\"b\"],\"c\":{\"maxProperties\":1}}}",
          "{\"c\":1,\"d\":1}", false },
        { "{" DRAFT_07 "\"definitions\":{\"s\":{\"type\":\"string\"}},\"properties\":{\"a\":"
          "{\"$ref\":\"#/definitions/s\",\"maxLength\":0}}}",
          "{\"a\":\"x\"}", true },
        { "{" DRAFT_07 "\"definitions\":{\"s\":{\"$id\":\"#it\",\"type\":\"string\"}},"
          "\"properties\":{\"a\":{\"$ref\":\"#it\"}}}",
          "{\"a\":1}", false },
        { "{" DRAFT_07 "\"prefixItems\":[false],\"unevaluatedItems\":false}", "[1]", true },
        { "{" DRAFT_07 "\"$ref\":\"http://json-schema.org/draft-07/schema#\"}", "{\"type\":1}",
          false },
    };
    check_verdicts(verdicts, ARRAY_LENGTH(verdicts));
}

static void follows_references_inside_the_schema(void **state)
{
    (void)state;
    static const struct verdict verdicts[] = {
        { "{\"$defs\":{\"a~/b\":{\"type\":\"null\"}},\"$ref\":\"#/$defs/a~0~1b\"}", "1", false },
        { "{\"$defs\":{\"a b\":{\"type\":\"null\"}},\"$ref\":\"#/$defs/a%20b\"}", "1", false },
        { "{\"$defs\":{\"x\":{\"$anchor\":\"it\",\"type\":\"null\"}},\"$ref\":\"#it\"}", "1",
          false },
        { "{\"$id\":\"http://h/a/b\",\"$defs\":{\"x\":{\"$id\":\"../c?q\",\"type\":\"null\"}},"
          "\"$ref\":\"/c?q\"}",
          "1", false },
        { "{\"$id\":\"http://h/a/b\",\"$defs\":{\"x\":{\"$id\":\"./d/../c\",\"type\":\"null\"}},"
          "\"$ref\":\"//h/a/c\"}",
          "1", false },
        { "{\"properties\":{\"next\":{\"$ref\":\"#\"}},\"additionalProperties\":false}",
          "{\"next\":{\"next\":{\"x\":1}}}", false },
        { "{\"anyOf\":[{\"type\":\"null\"}],\"properties\":{\"a\":{\"$ref\":\"#/anyOf/0\"}}}",
          "null", true },
        { "{\"$ref\":\"https://json-schema.org/draft/2020-12/schema\"}", "{\"minLength\":-1}",
          false },
        { "{\"$ref\":\"https://json-schema.org/draft/2020-12/schema\"}",
          "{\"properties\":{\"a\":{\"type\":\"strin\"}}}", false },
        { "{\"$id\":\"http://h/"
          "tree\",\"$dynamicAnchor\":\"n\",\"properties\":{\"c\":{\"$ref\":\"base\"}},"
          "\"maxProperties\":1,\"$defs\":{\"b\":{\"$id\":\"base\",\"$dynamicAnchor\":\"n\","
          "\"properties\":{\"d\":{\"$dynamicRef\":\"#n\"}}}}}",
          "{\"c\":{\"d\":{\"x\":1,\"y\":2}}}", false },
        { "{\"enum\":[{\"$id\":\"http://h/x\"}],\"properties\":{}}", "{\"$id\":\"http://h/x\"}",
          true },
    };
    check_verdicts(verdicts, ARRAY_LENGTH(verdicts));
}

static void switches_off_what_a_metaschema_does_not_name(void **state)
{
    (void)state;
    json_auto_t *metaschema = parse(
        "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$vocabulary\":{"
        "\"https://json-schema.org/draft/2020-12/vocab/core\":true,"
        "\"https://json-schema.org/draft/2020-12/vocab/applicator\":true,\"http://h/odd\":false}}");
    const struct json_schema_document documents[] = { { "http://h/meta", metaschema } };
    json_auto_t *schema = parse("{\"$schema\":\"http://h/meta\",\"properties\":{\"a\":false},"
                                "\"minProperties\":3}");
    json_auto_t *empty = parse("{}"), *with_a = parse("{\"a\":1}");
    struct json_schema *compiled = NULL;
    struct err err;
    assert_int_equal(json_schema_compile(schema, documents, 1, &compiled, &err), ERR_NONE);

    assert_true(json_schema_accepts(compiled, empty, NULL));
    assert_false(json_schema_accepts(compiled, with_a, NULL));

    json_schema_destroy(compiled);
    json_object_set_new(json_object_get(metaschema, "$vocabulary"), "http://h/odd", json_true());
    assert_int_equal(json_schema_compile(schema, documents, 1, &compiled, &err), ERR_INVALID);
    assert_non_null(strstr(err.message, "unknown vocabulary \"http://h/odd\""));
}

static void resolves_references_into_given_documents(void **state)
{
    (void)state;
    json_auto_t *document = parse("{\"$defs\":{\"s\":{\"type\":\"string\"}}}");
    const struct json_schema_document documents[] = { { "http://h/doc.json", document } };
    json_auto_t *schema = parse("{\"$ref\":\"http://h/doc.json#/$defs/s\"}");
    json_auto_t *text = parse("\"x\""), *number = parse("1");
    struct json_schema *compiled = NULL;
    assert_int_equal(json_schema_compile(schema, documents, 1, &compiled, NULL), ERR_NONE);

    assert_true(json_schema_accepts(compiled, text, NULL));
    assert_false(json_schema_accepts(compiled, number, NULL));

    json_schema_destroy(compiled);
}

static void refuses_schemas_that_mean_nothing_and_says_where(void **state)
{
    (void)state;
    static const struct {
        const char *schema, *message;
    } rows[] = {
        { "1", "a schema must be an object or a boolean" },
        { "{\"$schema\":\"http://json-schema.org/draft-04/schema#\"}", "unknown dialect" },
        { "{\"$ref\":\"http://elsewhere/x\"}",
          "#/$ref: reference to an unknown document \"http://elsewhere/x\"" },
        { "{\"$ref\":\"#/$defs/no\"}", "leads nowhere" },
        { "{\"$ref\":\"#no\"}", "leads nowhere" },
        { "{\"x\":[1],\"$ref\":\"#/x/01\"}", "leads nowhere" },
        { "{\"x\":[1],\"$ref\":\"#/x/0\"}", "leads to something that is not a schema" },
        { "{\"properties\":{\"a\":{\"type\":\"strin\"}}}",
          "#/properties/a/type: must be the name of a JSON type" },
        { "{\"properties\":{\"a\":{\"pattern\":\"(\"}}}",
          "#/properties/a/pattern: \"(\" is not a regular expression" },
        { "{\"patternProperties\":{\"[\":true}}", "#/patternProperties: \"[\" is not a regular" },
        { "{\"allOf\":[true,{\"minimum\":\"1\"}]}", "#/allOf/1/minimum: must be a number" },
        { "{\"allOf\":[]}", "must be an array of schemas, not empty" },
        { "{\"minLength\":-1}", "must be a whole number, not negative" },
        { "{\"minLength\":1.5}", "must be a whole number, not negative" },
        { "{\"multipleOf\":0}", "must be a number greater than 0" },
        { "{\"required\":[1]}", "must be an array of strings" },
        { "{\"required\":true}", "must be an array of strings" },
        { "{\"dependentRequired\":{\"a\":1}}", "must be an object of arrays of strings" },
        { "{\"properties\":[]}", "must be an object of schemas" },
        { "{\"items\":[{}]}", "must be a schema" },
        { "{\"uniqueItems\":1}", "must be true or false" },
        { "{\"enum\":1}", "must be an array" },
        { "{\"$id\":1}", "must be a string" },
        { "{" DRAFT_07 "\"items\":1}", "must be a schema or an array of schemas" },
        { "{" DRAFT_07 "\"dependencies\":{\"a\":1}}", "must be an object of schemas or arrays" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        json_auto_t *schema = parse(rows[i].schema);
        struct json_schema *compiled = NULL;
        struct err err = { 0 };
        enum err_code r = json_schema_compile(schema, NULL, 0, &compiled, &err);
        if (r != ERR_INVALID || !strstr(err.message, rows[i].message))
            fail_msg("row %zu: %s: %s", i, rows[i].schema, err.message);
    }
}

static void treats_equal_numbers_as_equal_values(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        bool equal;
    } rows[] = {
        { "1", "1.0", true },
        { "9007199254740993", "9007199254740992.0", false },
        { "[1,{\"a\":2}]", "[1.0,{\"a\":2.0}]", true },
        { "{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", true },
        { "{\"a\":1}", "{\"b\":1}", false },
        { "{\"a\":1}", "{\"a\":1,\"b\":1}", false },
        { "[1,2]", "[2,1]", false },
        { "[1]", "[1,1]", false },
        { "true", "1", false },
        { "null", "false", false },
        { "\"a\"", "\"a\"", true },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        json_auto_t *a = parse(rows[i].a), *b = parse(rows[i].b);
        if (json_schema_equal(a, b) != rows[i].equal)
            fail_msg("row %zu: %s and %s", i, rows[i].a, rows[i].b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decides_each_keyword_of_types_and_numbers_at_its_bound),
        cmocka_unit_test(decides_each_keyword_of_texts_and_arrays_at_its_bound),
        cmocka_unit_test(decides_each_keyword_of_objects_and_combinations_at_its_bound),
        cmocka_unit_test(reads_draft_07_as_it_was),
        cmocka_unit_test(follows_references_inside_the_schema),
        cmocka_unit_test(switches_off_what_a_metaschema_does_not_name),
        cmocka_unit_test(resolves_references_into_given_documents),
        cmocka_unit_test(refuses_schemas_that_mean_nothing_and_says_where),
        cmocka_unit_test(treats_equal_numbers_as_equal_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
