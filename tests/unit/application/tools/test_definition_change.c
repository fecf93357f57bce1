
#include "application/tools/definition_change.h"
#include "tests/support/cmocka.h"

static void shows_a_change_that_has_the_same_words(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    json_t *now = json_pack("{s:s, s:s, s:{s:s}}", "name", "t", "title", "5", "inputSchema", "type",
                            "object");
    struct tool_catalogue *catalogue = tool_catalogue_create("web");
    assert_int_equal(tool_catalogue_add(catalogue, now, NULL), ERR_NONE);
    json_decref(now);
    const struct tool *tool = tool_catalogue_find(catalogue, "t");

    struct definition_change number = definition_change(
        &arena, "{\"inputSchema\":{\"type\":\"object\"},\"name\":\"t\",\"title\":5}", tool);
    struct definition_change none = definition_change(
        &arena, "{\"inputSchema\":{\"type\":\"object\"},\"name\":\"t\",\"title\":\"5\"}", tool);
    tool_catalogue_unref(catalogue);

    assert_int_equal(number.n, 1);
    assert_string_equal(number.parts[0].name, "title");
    assert_int_equal(none.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_a_change_that_has_the_same_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
