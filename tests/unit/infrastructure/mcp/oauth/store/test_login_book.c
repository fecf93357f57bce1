
#include "infrastructure/mcp/oauth/store/login_book.h"
#include "tests/support/cmocka.h"
#include <stdio.h>

static const struct kept_login login = {
    .issuer = "https://as",
    .resource = "https://h",
    .client_id = "c",
    .token_endpoint = "https://as/t",
    .access_token = "a",
    .refresh_token = "r",
    .asked = "one",
    .until_ms = 7,
};

static void finds_the_login_that_serves_a_server(void **state)
{
    json_t *book = login_book_of(NULL);
    struct kept_login found;
    (void)state;
    login_book_put(book, "https://h/mcp", &login);
    assert_true(login_book_find(book, "https://h/mcp", &found));
    assert_string_equal(found.access_token, "a");
    assert_string_equal(found.asked, "one");
    assert_int_equal(found.until_ms, 7);
    assert_null(found.scope);
    assert_false(login_book_find(book, "https://h/other", &found));
    json_decref(book);
}

static void keeps_the_logins_of_issuers_apart(void **state)
{
    json_t *book = login_book_of(NULL);
    struct kept_login found, other = login;
    (void)state;
    other.issuer = "https://new";
    other.access_token = "b";
    login_book_put(book, "https://h/mcp", &login);
    login_book_put(book, "https://h/mcp", &other);
    assert_true(login_book_find(book, "https://h/mcp", &found));
    assert_string_equal(found.access_token, "b");
    login_book_put_client(book, "https://as", json_pack("{s:s}", "client_id", "c"));
    assert_null(login_book_client(book, "https://new"));
    assert_non_null(login_book_client(book, "https://as"));
    login_book_put_client(book, "https://as", NULL);
    assert_null(login_book_client(book, "https://as"));
    json_decref(book);
}

static void forgets_a_login_for_all_servers_it_serves(void **state)
{
    json_t *book = login_book_of(NULL);
    struct kept_login found;
    (void)state;
    login_book_put(book, "https://h/one", &login);
    login_book_put(book, "https://h/two", &login);
    assert_true(login_book_remove(book, "https://h/one"));
    assert_false(login_book_find(book, "https://h/two", &found));
    assert_false(login_book_remove(book, "https://h/one"));
    json_decref(book);
}

static void keeps_no_login_that_serves_no_server_any_more(void **state)
{
    json_t *book = login_book_of(NULL);
    struct kept_login found, moved = login;
    (void)state;
    moved.issuer = "https://new";
    login_book_put(book, "https://h/one", &login);
    login_book_put(book, "https://h/two", &login);
    login_book_put(book, "https://h/one", &moved);
    assert_true(login_book_find(book, "https://h/two", &found));
    login_book_put(book, "https://h/two", &moved);
    assert_int_equal(json_object_size(json_object_get(book, "logins")), 1);
    json_decref(book);
}

static void forgets_a_client_with_the_last_login_at_its_issuer(void **state)
{
    json_t *book = login_book_of(NULL);
    struct kept_login other = login;
    (void)state;
    other.resource = "https://other";
    login_book_put(book, "https://h/mcp", &login);
    login_book_put(book, "https://other/mcp", &other);
    login_book_put_client(book, "https://as", json_pack("{s:s}", "client_id", "c"));
    assert_true(login_book_remove(book, "https://h/mcp"));
    assert_non_null(login_book_client(book, "https://as"));
    assert_true(login_book_remove(book, "https://other/mcp"));
    assert_null(login_book_client(book, "https://as"));
    json_decref(book);
}

static void remembers_what_is_to_be_asked_for_until_it_was(void **state)
{
    json_t *book = login_book_of(NULL);
    (void)state;
    assert_null(login_book_wanted(book, "https://h/mcp"));
    login_book_want(book, "https://h/mcp", "more");
    assert_string_equal(login_book_wanted(book, "https://h/mcp"), "more");
    login_book_put(book, "https://h/mcp", &login);
    assert_null(login_book_wanted(book, "https://h/mcp"));
    json_decref(book);
}

static void begins_anew_where_there_is_no_book(void **state)
{
    (void)state;
    json_t *book = login_book_of(json_pack("{s:i, s:s}", "version", 2, "servers", "x"));
    assert_true(json_is_object(json_object_get(book, "servers")));
    assert_int_equal(json_integer_value(json_object_get(book, "version")), 1);
    json_decref(book);
    book = login_book_of(json_string("x"));
    assert_true(json_is_object(book));
    json_decref(book);
}

static void lets_the_oldest_go(void **state)
{
    json_t *book = login_book_of(NULL);
    struct kept_login found;
    char server[40], resource[40];
    struct kept_login one = login;
    (void)state;
    one.resource = resource;
    for (int i = 0; i <= LOGIN_BOOK_MAX_ENTRIES; i++) {
        snprintf(server, sizeof server, "https://h/%d", i);
        snprintf(resource, sizeof resource, "https://h/%d", i);
        login_book_put(book, server, &one);
        if (i == LOGIN_BOOK_MAX_ENTRIES - 1)
            assert_true(login_book_find(book, "https://h/0", &found));
    }
    assert_false(login_book_find(book, "https://h/0", &found));
    assert_true(login_book_find(book, "https://h/1", &found));
    assert_int_equal(json_object_size(json_object_get(book, "logins")), LOGIN_BOOK_MAX_ENTRIES);
    json_decref(book);
}

static void takes_over_what_is_later(void **state)
{
    json_t *book = login_book_of(NULL), *later = login_book_of(NULL);
    struct kept_login found, newer = login;
    (void)state;
    newer.access_token = "b";
    login_book_put(book, "https://h/mcp", &login);
    login_book_want(book, "https://old", "one");
    login_book_put(later, "https://h/mcp", &newer);
    login_book_put_client(later, "https://as", json_pack("{s:s}", "client_id", "c"));
    login_book_merge(book, later);
    json_decref(later);
    assert_true(login_book_find(book, "https://h/mcp", &found));
    assert_string_equal(found.access_token, "b");
    assert_string_equal(login_book_wanted(book, "https://old"), "one");
    assert_non_null(login_book_client(book, "https://as"));
    json_decref(book);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_login_that_serves_a_server),
        cmocka_unit_test(keeps_the_logins_of_issuers_apart),
        cmocka_unit_test(forgets_a_login_for_all_servers_it_serves),
        cmocka_unit_test(keeps_no_login_that_serves_no_server_any_more),
        cmocka_unit_test(forgets_a_client_with_the_last_login_at_its_issuer),
        cmocka_unit_test(remembers_what_is_to_be_asked_for_until_it_was),
        cmocka_unit_test(begins_anew_where_there_is_no_book),
        cmocka_unit_test(lets_the_oldest_go),
        cmocka_unit_test(takes_over_what_is_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
