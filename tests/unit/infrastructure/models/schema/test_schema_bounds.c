
#include "domain/base/attributes.h"
#include "domain/base/json.h"
#include "infrastructure/models/schema/schema_lowering.h"
#include "infrastructure/models/schema/schema_lowering_internal.h"
#include "tests/support/cmocka.h"
#include <string.h>

static void becomes(const char *schema, const char *expected)
{
    json_auto_t *value = json_loads(schema, 0, NULL);
    assert_non_null(value);
    schema_bounds_reconcile(value);
    auto_str text = json_print(value);
    assert_string_equal(text, expected);
}

static void bounds_that_leave_something_stay(void **state)
{
    static const char *const fine[] = {
        "{\"minItems\":2,\"maxItems\":2}",
        "{\"minLength\":5}",
        "{\"maxLength\":0}",
        "{\"type\":\"integer\",\"minimum\":3,\"maximum\":3}",
        "{\"type\":\"integer\",\"exclusiveMinimum\":3,\"exclusiveMaximum\":5}",
        "{\"type\":\"number\",\"minimum\":0.2,\"maximum\":0.8}",
        "{\"enum\":[{\"minItems\":5,\"maxItems\":2}],\"const\":{\"minimum\":2,\"maximum\":1}}",
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(fine); i++)
        becomes(fine[i], fine[i]);
}

static void bounds_that_leave_nothing_go(void **state)
{
    static const char *const contradictory[][2] = {
        { "{\"type\":\"array\",\"minItems\":3,\"maxItems\":2}", "{\"type\":\"array\"}" },
        { "{\"minLength\":1,\"maxLength\":0,\"minItems\":1}", "{\"minItems\":1}" },
        { "{\"minimum\":9,\"maximum\":3}", "{}" },
        { "{\"type\":\"integer\",\"exclusiveMinimum\":3,\"exclusiveMaximum\":4}",
          "{\"type\":\"integer\"}" },
        { "{\"type\":\"integer\",\"minimum\":0.2,\"maximum\":0.8}", "{\"type\":\"integer\"}" },
        { "{\"properties\":{\"enum\":{\"minItems\":5,\"maxItems\":4}}}",
          "{\"properties\":{\"enum\":{}}}" },
        { "{\"anyOf\":[{\"properties\":{\"a\":{\"minItems\":5,\"maxItems\":4}}}]}",
          "{\"anyOf\":[{\"properties\":{\"a\":{}}}]}" },
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(contradictory); i++)
        becomes(contradictory[i][0], contradictory[i][1]);
}

static void a_property_may_have_the_name_of_a_bound(void **state)
{
    const char *text =
        "{\"properties\":{\"minItems\":{\"minItems\":2},\"maxItems\":{\"maxItems\":1}}}";
    (void)state;
    becomes(text, text);
}

static void lowering_leaves_no_contradiction_that_several_schemas_make_together(void **state)
{
    AUTO(arena) arena = { 0 };
    (void)state;
    json_t *schema = arena_keep_json(
        &arena, json_loads("{\"allOf\":[{\"properties\":{\"a\":{\"type\":\"string\",\"minLength\":"
                           "9}}},{\"properties\":{\"a\":{\"maxLength\":3}}}]}",
                           0, NULL));

    auto_str text = json_print(schema_lower(&arena, schema));

    assert_null(strstr(text, "minLength"));
    assert_null(strstr(text, "maxLength"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_that_leave_something_stay),
        cmocka_unit_test(bounds_that_leave_nothing_go),
        cmocka_unit_test(a_property_may_have_the_name_of_a_bound),
        cmocka_unit_test(lowering_leaves_no_contradiction_that_several_schemas_make_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
