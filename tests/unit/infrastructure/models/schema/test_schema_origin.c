
#include "domain/base/json.h"
#include "infrastructure/models/schema/schema_lowering.h"
#include "tests/support/cmocka.h"
#include <string.h>

static void assert_comes_from(const char *schema, const char *path, const char *origin)
{
    AUTO(arena) arena = { 0 };
    json_auto_t *parsed = NULL;
    assert_int_equal(json_parse(schema, strlen(schema), JSON_OURS, &parsed, NULL), ERR_NONE);
    assert_string_equal(schema_origin_path(&arena, parsed, path), origin);
}

static void finds_what_stands_where_it_stood(void **state)
{
    (void)state;
    assert_comes_from("{}", "", "");
    assert_comes_from("{\"properties\":{\"a/b\":{\"items\":{\"type\":\"string\"}}}}",
                      "/properties/a~1b/items", "/properties/a~1b/items");
    assert_comes_from("{\"additionalProperties\":{\"type\":\"string\"}}", "/additionalProperties",
                      "/additionalProperties");
    assert_comes_from("{\"prefixItems\":[{},{\"type\":\"string\"}]}", "/prefixItems/1",
                      "/prefixItems/1");
}

static void knows_the_other_words_for_alternatives_and_tuples(void **state)
{
    (void)state;
    assert_comes_from("{\"oneOf\":[{},{\"items\":{}}]}", "/anyOf/1/items", "/oneOf/1/items");
    assert_comes_from("{\"items\":[{},{\"type\":\"string\"}]}", "/prefixItems/1", "/items/1");
}

static void finds_in_each_alternative_what_stood_beside_them(void **state)
{
    (void)state;
    assert_comes_from("{\"properties\":{\"a\":{\"type\":\"string\"}},\"anyOf\":[{},{}]}",
                      "/anyOf/1/properties/a", "/properties/a");
}

static void follows_references_and_what_was_merged(void **state)
{
    (void)state;
    assert_comes_from("{\"$defs\":{\"n\":{\"properties\":{\"a\":{\"type\":\"string\"}}}},"
                      "\"properties\":{\"x\":{\"$ref\":\"#/$defs/n\"}}}",
                      "/properties/x/properties/a", "/$defs/n/properties/a");
    assert_comes_from("{\"allOf\":[{},{\"properties\":{\"a\":{\"type\":\"string\"}}}]}",
                      "/properties/a", "/allOf/1/properties/a");
}

static void stops_where_nothing_leads_on(void **state)
{
    (void)state;
    assert_comes_from("{\"properties\":{\"a\":{}}}", "/properties/a/items/anyOf/0",
                      "/properties/a");
    assert_comes_from("{\"anyOf\":[{}]}", "/anyOf/7", "");
    assert_comes_from("{\"anyOf\":[{}]}", "/anyOf", "");
    assert_comes_from("{}", "/nonsense/1", "");
    assert_comes_from("{\"$ref\":\"#\"}", "/properties/a", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_stands_where_it_stood),
        cmocka_unit_test(knows_the_other_words_for_alternatives_and_tuples),
        cmocka_unit_test(finds_in_each_alternative_what_stood_beside_them),
        cmocka_unit_test(follows_references_and_what_was_merged),
        cmocka_unit_test(stops_where_nothing_leads_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
