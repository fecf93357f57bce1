#include "presentation/web/web_form.h"
#include "tests/support/cmocka.h"
#include <string.h>

static struct arena arena;
static struct web_form form;

static bool read(const char *text)
{
    return web_form_read(&arena, text, strlen(text), &form);
}

static void fields_are_read_as_a_browser_writes_them(void **state)
{
    (void)state;
    assert_true(read("a=1+2%2B3&b=&&c&a=later&%C3%A9=%22"));
    assert_string_equal(web_form_get(&form, "a"), "1 2+3");
    assert_string_equal(web_form_get(&form, "b"), "");
    assert_string_equal(web_form_get(&form, "c"), "");
    assert_string_equal(web_form_get(&form, "\xc3\xa9"), "\"");
    assert_null(web_form_get(&form, "d"));
    assert_true(read("a=%41"));
    assert_true(read(""));
}

static void what_is_no_text_is_refused(void **state)
{
    static const char *const bad[] = { "a=%", "a=%4", "a=%4x", "a=%00", "a=%ff", "%zz=1" };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(read(bad[i]));
}

static void too_many_fields_are_refused(void **state)
{
    char text[2 * WEB_FORM_MAX_FIELDS + 4] = "";
    (void)state;
    for (size_t i = 0; i < WEB_FORM_MAX_FIELDS; i++)
        strcat(text, "a&");
    assert_true(read(text));
    strcat(text, "a");
    assert_false(read(text));
}

static void a_text_can_be_part_of_an_address(void **state)
{
    (void)state;
    assert_string_equal(web_form_escape(&arena, "a b/\xc3\xa9&"), "a%20b%2F%C3%A9%26");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_read_as_a_browser_writes_them),
        cmocka_unit_test(what_is_no_text_is_refused),
        cmocka_unit_test(too_many_fields_are_refused),
        cmocka_unit_test(a_text_can_be_part_of_an_address),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_finish(&arena);
    return failed;
}
