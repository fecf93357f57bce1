
#include "domain/base/json.h"
#include "domain/schema/schema_view.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <string.h>

static json_t *parsed(const char *text)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), 0);
    return value;
}

static enum schema_answer member(const char *schema_text, const char *name)
{
    json_auto_t *schema = parsed(schema_text);
    const json_t *found = NULL;
    return schema_view_member(schema, schema, name, &found);
}

static enum schema_answer element(const char *schema_text, size_t index)
{
    json_auto_t *schema = parsed(schema_text);
    const json_t *found = NULL;
    return schema_view_element(schema, schema, index, &found);
}

static void assert_shows(const char *schema_text, const char *expected)
{
    AUTO(arena) arena = { 0 };
    json_auto_t *schema = parsed(schema_text);
    assert_string_equal(schema_view_type_text(&arena, schema, schema), expected);
}

static void a_member_that_is_not_listed_is_not_there(void **state)
{
    (void)state;
    assert_int_equal(member("{\"properties\":{\"a\":{}}}", "a"), SCHEMA_HAS);
    assert_int_equal(member("{\"properties\":{\"a\":{}}}", "b"), SCHEMA_LACKS);
    assert_int_equal(member("{\"additionalProperties\":false}", "b"), SCHEMA_LACKS);
    assert_int_equal(member("{\"type\":\"string\"}", "a"), SCHEMA_LACKS);
    assert_int_equal(member("false", "a"), SCHEMA_LACKS);
}

static void a_schema_that_leaves_members_open_does_not_say(void **state)
{
    (void)state;
    assert_int_equal(member("true", "a"), SCHEMA_UNKNOWN);
    assert_int_equal(member("{}", "a"), SCHEMA_UNKNOWN);
    assert_int_equal(member("{\"properties\":{},\"additionalProperties\":true}", "a"),
                     SCHEMA_UNKNOWN);
    assert_int_equal(member("{\"properties\":{},\"anyOf\":[{}]}", "a"), SCHEMA_UNKNOWN);
    assert_int_equal(
        member("{\"properties\":{},\"additionalProperties\":{\"type\":\"string\"}}", "a"),
        SCHEMA_HAS);
}

static void elements_are_told_by_their_place(void **state)
{
    (void)state;
    const char *tuple = "{\"type\":\"array\",\"prefixItems\":[{}],\"items\":{}}";
    assert_int_equal(element(tuple, 0), SCHEMA_HAS);
    assert_int_equal(element(tuple, 1), SCHEMA_HAS);
    assert_int_equal(element("{\"items\":[{}]}", 0), SCHEMA_HAS); /* draft-07 */
    assert_int_equal(element("{\"items\":[{}]}", 1), SCHEMA_UNKNOWN);
    assert_int_equal(element("{\"type\":[\"string\",\"null\"]}", 0), SCHEMA_LACKS);
    assert_int_equal(element("false", 0), SCHEMA_LACKS);
    assert_int_equal(element("true", 0), SCHEMA_UNKNOWN);
}

static void a_pointer_is_followed_through_members_elements_and_references(void **state)
{
    (void)state;
    json_auto_t *schema =
        parsed("{\"$defs\":{\"row\":{\"properties\":{\"a/b~\":{\"type\":\"integer\"}}}},"
               "\"properties\":{\"rows\":{\"items\":{\"$ref\":\"#/$defs/row\"}}}}");
    json_auto_t *value = parsed("{\"rows\":[{\"a/b~\":1},{\"a/b~\":2}]}");

    const json_t *found = schema_view_at(schema, value, "/rows/1/a~1b~0");

    assert_string_equal(json_get_string(found, "type"), "integer");
    assert_ptr_equal(schema_view_at(schema, value, ""), schema);
    assert_null(schema_view_at(schema, value, "/rows/1/other"));
    assert_null(schema_view_at(schema, value, "/lines"));
}

static void references_lead_a_bounded_number_of_hops(void **state)
{
    (void)state;
    json_auto_t *circle = parsed("{\"$ref\":\"#\"}");
    assert_null(schema_view_resolve(circle, circle));
    json_auto_t *nowhere = parsed("{\"$ref\":\"#/$defs/none\"}");
    assert_null(schema_view_resolve(nowhere, nowhere));
}

static void types_meet_unless_both_say_others(void **state)
{
    (void)state;
    json_auto_t *integer = parsed("{\"type\":\"integer\"}");
    json_auto_t *number = parsed("{\"type\":[\"number\",\"null\"]}");
    json_auto_t *string = parsed("{\"type\":\"string\"}");
    json_auto_t *any = parsed("{}");
    assert_true(schema_view_types_meet(integer, integer, number, number));
    assert_false(schema_view_types_meet(string, string, number, number));
    assert_true(schema_view_types_meet(string, string, any, any));
}

static void types_are_shown_as_people_say_them(void **state)
{
    (void)state;
    assert_shows("{\"type\":\"integer\"}", "integer");
    assert_shows("{\"type\":[\"integer\",\"null\"]}", "integer or null");
    assert_shows("{\"enum\":[\"a\",1,\"c\"]}", "one of a, 1, c");
    assert_shows("{\"enum\":[\"a\\u001b[2J\"]}", "one of a\\x1b[2J");
    assert_shows("{}", "any value");
    assert_shows("true", "any value");
}

static void only_the_first_choices_are_shown(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    json_auto_t *schema = json_pack("{s:[]}", "enum");
    json_t *choices = json_object_get(schema, "enum");
    for (int i = 0; i < 100; i++)
        json_array_append_new(choices, json_integer(i));
    const char *text = schema_view_type_text(&arena, schema, schema);
    assert_non_null(strstr(text, "one of 0, 1, "));
    assert_string_equal(text + strlen(text) - strlen(", …"), ", …");
    assert_null(strstr(text, "99"));
}

static void one_of_several_members_may_be_lacking(void **state)
{
    (void)state;
    json_auto_t *schema =
        json_pack("{s:[{s:[s]}, {s:[s]}]}", "anyOf", "required", "query", "required", "name");
    json_auto_t *with_pairs = json_pack("{s:[{s:[s, s]}]}", "anyOf", "required", "a", "b");
    json_auto_t *nothing = json_object(), *named = json_pack("{s:s}", "name", "*.c");
    assert_string_equal(schema_view_lacks_one_of(schema, nothing), "query");
    assert_null(schema_view_lacks_one_of(schema, named));
    assert_null(schema_view_lacks_one_of(with_pairs, nothing));
    assert_null(schema_view_lacks_one_of(nothing, nothing));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_member_that_is_not_listed_is_not_there),
        cmocka_unit_test(a_schema_that_leaves_members_open_does_not_say),
        cmocka_unit_test(elements_are_told_by_their_place),
        cmocka_unit_test(a_pointer_is_followed_through_members_elements_and_references),
        cmocka_unit_test(references_lead_a_bounded_number_of_hops),
        cmocka_unit_test(types_meet_unless_both_say_others),
        cmocka_unit_test(types_are_shown_as_people_say_them),
        cmocka_unit_test(only_the_first_choices_are_shown),
        cmocka_unit_test(one_of_several_members_may_be_lacking),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
