
#include "infrastructure/mcp/oauth/metadata/scope_set.h"
#include "tests/support/cmocka.h"
#include <string.h>

static void knows_scopes_as_sets(void **state)
{
    struct arena arena = { 0 };
    (void)state;
    assert_true(scope_set_includes("a bc", "bc"));
    assert_true(scope_set_includes("a bc", NULL));
    assert_false(scope_set_includes("a bc", "b"));
    assert_false(scope_set_includes(NULL, "b"));
    assert_string_equal(scope_set_union(&arena, "a b", " b  c"), "a b c");
    assert_null(scope_set_union(&arena, NULL, " "));
    json_t *array = json_pack("[s, i, s, s]", "x", 7, "y", "x");
    assert_string_equal(scope_set_of(&arena, array), "x y");
    json_decref(array);
    arena_finish(&arena);
}

static void asks_for_no_more_scopes_than_fit(void **state)
{
    struct arena arena = { 0 };
    char longest[SCOPE_SET_MAX_BYTES + 1] = { 0 };
    (void)state;
    memset(longest, 'x', SCOPE_SET_MAX_BYTES);
    assert_int_equal(strlen(scope_set_union(&arena, longest, "y")), SCOPE_SET_MAX_BYTES);
    longest[SCOPE_SET_MAX_BYTES - 2] = '\0';
    assert_int_equal(strlen(scope_set_union(&arena, longest, "y")), SCOPE_SET_MAX_BYTES);
    arena_finish(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_scopes_as_sets),
        cmocka_unit_test(asks_for_no_more_scopes_than_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
