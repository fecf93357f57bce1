
#include "infrastructure/mcp/oauth/form_encoding.h"
#include "tests/support/cmocka.h"
#include <string.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_forms_that_read_back),
        cmocka_unit_test(takes_no_parameter_that_is_doubtful),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
