
#include "infrastructure/net/http_address.h"
#include "tests/support/cmocka.h"
#include <string.h>

static void reads_what_an_address_is_made_of(void **state)
{
    struct http_address address;
    (void)state;
    assert_true(http_address_read("https://h.example:8443/a/b?c#d", &address));
    assert_true(address.is_secure && address.has_query && address.has_fragment);
    assert_int_equal(address.port, 8443);
    assert_int_equal(address.origin_length, strlen("https://h.example:8443"));
    assert_int_equal(address.path_length, strlen("/a/b"));
    assert_true(http_address_read("http://[::1]", &address));
    assert_int_equal(address.port, 80);
    assert_int_equal(address.path_length, 0);
}

static void refuses_what_may_be_read_in_two_ways(void **state)
{
    static const char *const bad[] = {
        "",
        "h",
        "ftp://h/",
        "javascript:alert(1)",
        "https://",
        "https:///x",
        "https://a@b",
        "https://h\\",
        "https://h/ x",
        "https://h/\x01",
        "https://h:x",
        "-https://h",
        "https://h:0",
        "https://h:65536",
        "https://h:1x",
        "file:///x",
        "https:/h/x",
        "https://\xC3\xA9.example/",
    };
    struct http_address address;
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++)
        assert_false(http_address_read(bad[i], &address));
}

static void bounds_the_length_of_an_address(void **state)
{
    static char text[HTTP_MAX_ADDRESS_BYTES + 2] = "https://h/";
    struct http_address address;
    (void)state;
    memset(text + strlen(text), 'x', HTTP_MAX_ADDRESS_BYTES - strlen(text));
    assert_true(http_address_read(text, &address));
    text[HTTP_MAX_ADDRESS_BYTES] = 'x';
    assert_false(http_address_read(text, &address));
}

static void assert_leads(const char *base, const char *location, const char *expected)
{
    AUTO(arena) arena = { 0 };
    const char *url = http_address_follow(&arena, base, location, strlen(location));
    if (expected)
        assert_string_equal(url, expected);
    else
        assert_null(url);
}

static void resolves_a_location_within_the_origin(void **state)
{
    (void)state;
    assert_leads("https://h/a/b?q", "/c?d", "https://h/c?d");
    assert_leads("https://h/a/b?q=/", "c", "https://h/a/c");
    assert_leads("https://h", "c", "https://h/c");
    assert_leads("https://h/a", "//h/c", "https://h/c");
    assert_leads("https://h/a", "https://H:443/c", "https://H:443/c");
    assert_leads("http://h:80/a", "http://h/c", "http://h/c");
    assert_leads("http://[::1]:8080/a", "http://[::1]:8080/c", "http://[::1]:8080/c");
}

static void leads_to_no_other_origin(void **state)
{
    (void)state;
    assert_leads("https://h/a", "http://h/a", NULL);
    assert_leads("https://h/a", "https://h:444/a", NULL);
    assert_leads("https://h/a", "https://h.evil/a", NULL);
    assert_leads("https://h/a", "//evil/a", NULL);
    assert_leads("https://h/a", "https://h@evil/a", NULL);
    assert_leads("https://h/a", "https://user@h/a", NULL);
    assert_leads("https://h/a", "https://evil\\@h/a", NULL);
    assert_leads("https://h/a", "\\\\evil/a", NULL);
    assert_leads("https://h/a", "file:///etc/passwd", NULL);
    assert_leads("https://h/a", "https://", NULL);
    assert_leads("https://h/a", "https://h:/a", "https://h:/a");
    assert_leads("https://h/a", "https://h:123456/a", NULL);
    assert_leads("https://h/a", "/a b", NULL);
    assert_leads("https://h/a", "/a\r\nX: 1", NULL);
    assert_leads("https://h/a", "", NULL);
}

static void bounds_a_location(void **state)
{
    AUTO(arena) arena = { 0 };
    char text[HTTP_MAX_LOCATION_BYTES + 1];
    (void)state;
    memset(text, 'a', sizeof text);
    text[0] = '/';
    assert_non_null(http_address_follow(&arena, "http://h/", text, HTTP_MAX_LOCATION_BYTES));
    assert_null(http_address_follow(&arena, "http://h/", text, HTTP_MAX_LOCATION_BYTES + 1));
}

static void assert_shown(const char *url, const char *expected)
{
    AUTO(arena) arena = { 0 };
    assert_string_equal(http_address_shown(&arena, url), expected);
}

static void shows_an_address_without_its_secrets(void **state)
{
    (void)state;
    assert_shown("https://h:1/a", "https://h:1/a");
    assert_shown("https://me:secret@h/a", "https://h/a");
    assert_shown("https://me:p@ss@h/a@b", "https://h/a@b");
    assert_shown("https://h/a?key=secret", "https://h/a?\u2026");
    assert_shown("https://h/a#secret", "https://h/a");
    assert_shown("https://h/\033[2J", "https://h/\\x1b[2J");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_an_address_is_made_of),
        cmocka_unit_test(refuses_what_may_be_read_in_two_ways),
        cmocka_unit_test(bounds_the_length_of_an_address),
        cmocka_unit_test(resolves_a_location_within_the_origin),
        cmocka_unit_test(leads_to_no_other_origin),
        cmocka_unit_test(bounds_a_location),
        cmocka_unit_test(shows_an_address_without_its_secrets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
