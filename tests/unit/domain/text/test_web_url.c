
#include "domain/base/attributes.h"
#include "domain/text/web_url.h"
#include "tests/support/cmocka.h"
#include <string.h>

static struct web_url url;

static void assert_host(const char *text, const char *host)
{
    if (!web_url_read(text, &url))
        fail_msg("refused: %s", text);
    assert_int_equal(url.host_length, strlen(host));
    assert_memory_equal(text + url.host_at, host, url.host_length);
}

static void finds_the_host_where_browsers_find_it(void **state)
{
    (void)state;
    assert_host("https://h", "h");
    assert_host("https://a.example/path?to=b.example#c.example", "a.example");
    assert_host("HTTPS://a.example:8443", "a.example");
    assert_host("https://a.example?x", "a.example");
    assert_host("https://[2001:db8::1]:443/x", "2001:db8::1");
    assert_host("https://a.example/\xc3\xa4", "a.example");
    assert_false(url.has_user || url.is_punycode || url.is_here);
    assert_true(url.is_https);
}

static void is_not_taken_in_by_what_stands_before_the_host(void **state)
{
    (void)state;
    assert_host("https://bank.example@evil.example/", "evil.example");
    assert_true(url.has_user);
    assert_host("https://a@b@evil.example", "evil.example");
    assert_host("https://evil.example/@bank.example", "evil.example");
    assert_false(url.has_user);
}

static void sees_names_that_are_spelled_for_machines(void **state)
{
    (void)state;
    assert_host("https://xn--80ak6aa92e.com/", "xn--80ak6aa92e.com");
    assert_true(url.is_punycode);
    assert_host("https://www.XN--80ak6aa92e.com/", "www.XN--80ak6aa92e.com");
    assert_true(url.is_punycode);
    assert_host("https://axn--b.com/xn--c", "axn--b.com");
    assert_false(url.is_punycode);
}

static void knows_this_machine_and_plain_http(void **state)
{
    static const char *const here[] = { "http://localhost:80/x", "http://127.0.0.1",
                                        "http://[::1]/" };
    static const char *const away[] = { "http://localhost.example", "http://127.evil.example",
                                        "http://128.0.0.1" };
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        assert_true(web_url_read(here[i], &url));
        assert_true(url.is_here && !url.is_https);
        assert_true(web_url_read(away[i], &url));
        assert_false(url.is_here);
    }
}

static void refuses_what_is_no_page(void **state)
{
    static const char *const texts[] = {
        "",
        "-h",
        "--help",
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "vbscript:x",
        "ftp://h/",
        "//h/",
        "h",
        "https:/h",
        "https://",
        "https:///x",
        "https://?x",
        "https://@",
        "https://-h/",
        "https://h h/",
        "https://h/\n",
        "https://h/\x1b[2J",
        "https://h/\x7f",
        "https://h/\"x",
        "https://good.example\\@evil.example",
        "https://h:x/",
        "https://h:123456/",
        "https://h:1:2/",
        "https://[::1/",
        "https://[::1]x/",
        "https://[x-y]/",
        "https://\xc3\xa4.example/",
        " https://h/",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (web_url_read(texts[i], &url))
            fail_msg("taken: %s", texts[i]);
}

static void takes_eight_kibibytes_and_no_more(void **state)
{
    static char text[WEB_URL_MAX_BYTES + 2];
    (void)state;
    memset(text, 'a', WEB_URL_MAX_BYTES);
    memcpy(text, "https://h/", 10);
    assert_true(web_url_read(text, &url));
    text[WEB_URL_MAX_BYTES] = 'a';
    assert_false(web_url_read(text, &url));
}

static void knows_the_names_of_this_machine(void **state)
{
    static const char *const here[] = { "localhost", "LOCALHOST", "a.localhost", "127.0.0.9",
                                        "::1" };
    static const char *const elsewhere[] = { "",           "localhost.example", "notlocalhost",
                                             ".localhost", "127.example.org",   "127.",
                                             "::2" };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(here); i++)
        assert_true(web_host_is_here(here[i], strlen(here[i])));
    for (size_t i = 0; i < ARRAY_LENGTH(elsewhere); i++)
        assert_false(web_host_is_here(elsewhere[i], strlen(elsewhere[i])));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_the_names_of_this_machine),
        cmocka_unit_test(finds_the_host_where_browsers_find_it),
        cmocka_unit_test(is_not_taken_in_by_what_stands_before_the_host),
        cmocka_unit_test(sees_names_that_are_spelled_for_machines),
        cmocka_unit_test(knows_this_machine_and_plain_http),
        cmocka_unit_test(refuses_what_is_no_page),
        cmocka_unit_test(takes_eight_kibibytes_and_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
