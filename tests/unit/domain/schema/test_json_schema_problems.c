#include "domain/base/json.h"
#include "domain/schema/json_schema.h"
#include "tests/support/cmocka.h"

#include <string.h>

static json_t *parse(const char *text)
{
    json_t *value = NULL;
    struct err err;
    if (json_parse(text, strlen(text), JSON_FOREIGN, &value, &err))
        fail_msg("%s in %s", err.message, text);
    return value;
}

static void validate(const char *schema_text, const char *value_text, struct problems *problems)
{
    json_auto_t *schema = parse(schema_text), *value = parse(value_text);
    struct err err;
    bool accepted = true;
    if (json_schema_check(schema, value, problems, &accepted, &err))
        fail_msg("%s in %s", err.message, schema_text);
    assert_false(accepted);
}

static void says_where_what_and_how_to_mend_it(void **state)
{
    (void)state;
    static const struct {
        const char *schema, *value, *path, *message, *fix;
    } rows[] = {
        { "{\"required\":[\"path\"],\"properties\":{\"path\":{\"type\":\"string\"}}}", "{}", "",
          "lacks the property \"path\"", "add the property \"path\" (string)" },
        { "{\"required\":[\"path\"]}", "{}", "", "lacks the property \"path\"",
          "add the property \"path\"" },
        { "{\"properties\":{\"n\":{\"type\":\"integer\"}}}", "{\"n\":\"5\"}", "/n",
          "is \"5\", must be an integer", "write 5 without quotes" },
        { "{\"properties\":{\"n\":{\"type\":\"integer\"}}}", "{\"n\":\"five\"}", "/n",
          "is \"five\", must be an integer", "replace it by an integer" },
        { "{\"type\":[\"string\",\"null\"]}", "5", "", "is 5, must be a string or null",
          "write it as a string, in double quotes: \"5\"" },
        { "{\"type\":\"array\"}", "\"a\"", "", "is \"a\", must be an array",
          "write it as an array: [\"a\"]" },
        { "{\"items\":{\"enum\":[\"celsius\",\"kelvin\"]}}", "[\"celsus\"]", "/0",
          "is \"celsus\", must be one of: \"celsius\", \"kelvin\"",
          "write exactly \"celsius\", or one of: \"celsius\", \"kelvin\"" },
        { "{\"enum\":[1,2]}", "3", "", "is 3, must be one of: 1, 2", "use one of: 1, 2" },
        { "{\"const\":\"a\"}", "\"b\"", "", "is \"b\", must be \"a\"", "write exactly \"a\"" },
        { "{\"maximum\":3}", "4", "", "is 4, must be at most 3", "use a number that is at most 3" },
        { "{\"multipleOf\":0.5}", "0.3", "", "is 0.3, must be a multiple of 0.5",
          "use a number that is a multiple of 0.5" },
        { "{\"maxLength\":1}", "\"ab\"", "", "has 2 characters, must have at most 1",
          "use at most 1 characters" },
        { "{\"pattern\":\"^a\"}", "\"b\"", "", "\"b\" does not match \"^a\"",
          "write a string that matches the regular expression \"^a\"" },
        { "{\"properties\":{\"path\":true},\"additionalProperties\":false}", "{\"paht\":1}",
          "/paht", "\"paht\" is not a property allowed here",
          "rename it to \"path\", or remove it if \"path\" is there" },
        { "{\"additionalProperties\":false}", "{\"a/~b\":1}", "/a~1~0b",
          "\"a/~b\" is not a property allowed here", "remove the property \"a/~b\"" },
        { "{\"uniqueItems\":true}", "[1,2,1]", "", "items 0 and 2 are equal, must all differ",
          "remove item 2" },
        { "{\"contains\":{\"type\":\"null\"}}", "[1]", "",
          "has 0 items of the wanted kind, must have at least 1",
          "make at least 1 items fit {\"type\":\"null\"}" },
        { "{\"not\":{\"const\":1}}", "1", "", "is 1, which is ruled out", "use a different value" },
        { "{\"oneOf\":[true,true]}", "1", "",
          "fits more than one alternative, must fit exactly one",
          "change the value so that it fits only one of the alternatives" },
        { "{\"propertyNames\":{\"maxLength\":1}}", "{\"ab\":1}", "/ab",
          "\"ab\" is not allowed as a name",
          "rename the property so that its name fits {\"maxLength\":1}" },
        { "{\"items\":false}", "[1]", "/0", "no value is allowed here", "leave this value out" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        AUTO(arena) arena = { 0 };
        struct problems problems = { .arena = &arena };
        validate(rows[i].schema, rows[i].value, &problems);
        assert_int_equal(problems.n, 1);
        assert_string_equal(problems.list[0].path, rows[i].path);
        assert_string_equal(problems.list[0].message, rows[i].message);
        assert_string_equal(problems.list[0].fix, rows[i].fix);
    }
}

static void tells_every_problem_once(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct problems problems = { .arena = &arena };
    validate(
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"},\"b\":{\"minimum\":2}},"
        "\"required\":[\"c\"],\"unevaluatedProperties\":false}",
        "{\"a\":1,\"b\":1,\"d\":1}", &problems);
    assert_int_equal(problems.n, 3); /* "d" is not told: what was evaluated is unknown */
    assert_string_equal(problems.list[0].message, "lacks the property \"c\"");
    assert_string_equal(problems.list[1].path, "/a");
    assert_string_equal(problems.list[2].path, "/b");
}

static void names_the_types_when_no_branch_has_the_right_one(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct problems problems = { .arena = &arena };
    validate("{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"integer\",\"minimum\":3}]}", "{}",
             &problems);
    assert_int_equal(problems.n, 1);
    assert_string_equal(problems.list[0].message, "is {}, must be a string or an integer");
}

static void reports_the_branch_that_comes_nearest(void **state)
{
    (void)state;
    static const char schema[] =
        "{\"oneOf\":[{\"type\":\"object\",\"properties\":{\"kind\":{\"const\":\"circle\"},"
        "\"radius\":{\"type\":\"number\"}},\"required\":[\"kind\",\"radius\"]},"
        "{\"type\":\"object\",\"properties\":{\"kind\":{\"const\":\"square\"},"
        "\"side\":{\"type\":\"number\"}},\"required\":[\"kind\",\"side\"]},"
        "{\"type\":\"string\"}]}";
    AUTO(arena) arena = { 0 };
    struct problems problems = { .arena = &arena };
    validate(schema, "{\"kind\":\"square\",\"radius\":2}", &problems);
    assert_int_equal(problems.n, 1);
    assert_string_equal(problems.list[0].fix, "add the property \"side\" (number)");
}

static void keeps_foreign_text_short_and_on_one_line(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct problems problems = { .arena = &arena };
    char value[4100];
    memset(value, 'x', sizeof value - 1);
    value[0] = value[4098] = '"';
    value[4099] = '\0';
    validate("{\"type\":\"integer\"}", value, &problems);
    assert_true(strlen(problems.list[0].message) < 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_where_what_and_how_to_mend_it),
        cmocka_unit_test(tells_every_problem_once),
        cmocka_unit_test(names_the_types_when_no_branch_has_the_right_one),
        cmocka_unit_test(reports_the_branch_that_comes_nearest),
        cmocka_unit_test(keeps_foreign_text_short_and_on_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
