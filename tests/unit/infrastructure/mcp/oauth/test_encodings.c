#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "infrastructure/mcp/oauth/encodings.h"
#include "infrastructure/mcp/oauth/scope_set.h"
#include <string.h>

static void writes_base64_in_both_alphabets(void **state)
{
    struct arena arena = { 0 };
    (void)state;
    assert_string_equal(base64_text(&arena, "", 0), "");
    assert_string_equal(base64_text(&arena, "a", 1), "YQ==");
    assert_string_equal(base64_text(&arena, "ab", 2), "YWI=");
    assert_string_equal(base64_text(&arena, "abc", 3), "YWJj");
    assert_string_equal(base64_text(&arena, "\xFB\xFF\xFE", 3), "+//+");
    assert_string_equal(base64url_text(&arena, "\xFB\xFF\xFE", 3), "-__-");
    assert_string_equal(base64url_text(&arena, "a", 1), "YQ");
    arena_finish(&arena);
}

static void writes_forms_that_read_back(void **state)
{
    struct arena arena = { 0 };
    struct buf form;
    static const char odd[] = "a b&c=d%\xC3\xA9+~";
    (void)state;
    buf_init(&form, 100);
    assert_true(form_add(&form, "x", odd));
    assert_true(form_add(&form, "none", NULL));
    assert_true(form_add(&form, "y", "1"));
    assert_string_equal(buf_string(&form), "x=a%20b%26c%3Dd%25%C3%A9%2B%7E&y=1");
    assert_string_equal(form_find(&arena, form.bytes, form.length, "x"), odd);
    assert_string_equal(form_find(&arena, form.bytes, form.length, "y"), "1");
    assert_null(form_find(&arena, form.bytes, form.length, "none"));
    buf_finish(&form);
    arena_finish(&arena);
}

static void takes_no_parameter_that_is_doubtful(void **state)
{
    struct arena arena = { 0 };
    (void)state;
    assert_string_equal(form_find(&arena, "a=1+2&b", 7, "a"), "1 2");
    assert_null(form_find(&arena, "a=%", 3, "a"));
    assert_null(form_find(&arena, "a=%4", 4, "a"));
    assert_null(form_find(&arena, "a=%zz", 5, "a"));
    assert_null(form_find(&arena, "a=%00", 5, "a"));
    assert_null(form_find(&arena, "a=1&a=1", 7, "a"));
    assert_true(form_has("a=1&a=1", 7, "a"));
    assert_false(form_has("b=a=1", 5, "a"));
    arena_finish(&arena);
}

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
        cmocka_unit_test(writes_base64_in_both_alphabets),
        cmocka_unit_test(writes_forms_that_read_back),
        cmocka_unit_test(takes_no_parameter_that_is_doubtful),
        cmocka_unit_test(knows_scopes_as_sets),
        cmocka_unit_test(asks_for_no_more_scopes_than_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
