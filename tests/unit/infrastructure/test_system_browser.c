#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "domain/base/attributes.h"
#include "infrastructure/runtime/system_browser.h"
#include <stdlib.h>

static enum err_code open_url(const char *url)
{
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    return browser_open(system_browser(), &scope, url, NULL);
}

static void starts_a_program_for_a_page_encrypted_or_not(void **state)
{
    (void)state;
    setenv("BROWSER", "/bin/true", 1);
    assert_int_equal(open_url("https://pay.example/cart?id=1"), ERR_NONE);
    assert_int_equal(open_url("http://127.0.0.1:8080/"), ERR_NONE);
    assert_int_equal(open_url("http://pay.example/"), ERR_NONE);
}

static void starts_nothing_for_what_is_no_page(void **state)
{
    (void)state;
    static const char *const others[] = { "",
                                          "--version",
                                          "javascript:alert(1)",
                                          "file:///etc/passwd",
                                          "data:text/html,x",
                                          "https://",
                                          "https://a.example/\nb",
                                          "https://a.example/\x1b[2J",
                                          " https://a.example/" };
    setenv("BROWSER", "/bin/true", 1);
    for (size_t i = 0; i < ARRAY_LENGTH(others); i++)
        assert_int_equal(open_url(others[i]), ERR_INVALID);
}

static void says_so_when_there_is_no_browser(void **state)
{
    (void)state;
    setenv("BROWSER", "/nonexistent/browser:bin/true", 1);
    assert_int_equal(open_url("https://pay.example/"), ERR_NOT_FOUND);
    unsetenv("BROWSER");
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    assert_int_equal(open_url("https://pay.example/"), ERR_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_a_program_for_a_page_encrypted_or_not),
        cmocka_unit_test(starts_nothing_for_what_is_no_page),
        cmocka_unit_test(says_so_when_there_is_no_browser),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
