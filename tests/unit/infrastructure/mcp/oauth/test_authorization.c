
#include "infrastructure/mcp/oauth/authorization.h"
#include "tests/support/cmocka.h"
#include <string.h>

static const struct authorization ours = {
    .endpoint = "https://as/authorize",
    .issuer = "https://as",
    .client_id = "c 1",
    .redirect_uri = "http://127.0.0.1:7/callback",
    .state = "s1",
    .challenge = "abc",
    .resource = "https://h",
    .scope = "a b",
};

static void asks_for_exactly_what_was_published(void **state)
{
    struct arena arena = { 0 };
    struct authorization other = ours;
    (void)state;
    assert_string_equal(authorization_url(&arena, &ours),
                        "https://as/authorize?response_type=code&client_id=c%201&redirect_uri="
                        "http%3A%2F%2F127.0.0.1%3A7%2Fcallback&code_challenge=abc&"
                        "code_challenge_method=S256&state=s1&resource=https%3A%2F%2Fh&scope=a%20b");
    other.endpoint = "https://as/authorize?tenant=1";
    other.scope = NULL;
    const char *url = authorization_url(&arena, &other);
    assert_non_null(strstr(url, "?tenant=1&response_type=code&"));
    assert_null(strstr(url, "scope"));
    arena_finish(&arena);
}

static bool is_answer(const char *query)
{
    return authorization_is_answer(&ours, query, strlen(query));
}

static void knows_its_own_answers_by_the_state(void **state)
{
    (void)state;
    assert_true(is_answer("code=x&state=s1"));
    assert_false(is_answer("code=x&state=s2"));
    assert_false(is_answer("code=x"));
    assert_false(is_answer("state=s1&state=s1"));
    assert_false(is_answer("xstate=s1"));
    assert_false(is_answer("state=s1%00"));
}

static void expect(bool must_name, const char *query, enum err_code code, const char *words)
{
    struct arena arena = { 0 };
    struct authorization authorization = ours;
    struct err err = { 0 };
    const char *got = NULL;
    authorization.must_name_issuer = must_name;
    assert_int_equal(authorization_code(&authorization, query, strlen(query), &arena, &got, &err),
                     code);
    if (code)
        assert_non_null(strstr(err.message, words));
    else
        assert_string_equal(got, words);
    arena_finish(&arena);
}

static void takes_a_code_from_the_issuer_that_was_asked(void **state)
{
    (void)state;
    expect(false, "code=x%2By&state=s1", ERR_NONE, "x+y");
    expect(false, "code=x&iss=https%3A%2F%2Fas", ERR_NONE, "x");
    expect(true, "code=x&iss=https://as", ERR_NONE, "x");
}

static void refuses_an_answer_of_anybody_else(void **state)
{
    (void)state;
    expect(true, "code=x", ERR_AUTH, "does not come from");
    expect(false, "code=x&iss=https://evil", ERR_AUTH, "does not come from");
    expect(false, "code=x&iss=https://as/", ERR_AUTH, "does not come from");
    expect(false, "code=x&iss=HTTPS://as", ERR_AUTH, "does not come from");
    expect(false, "code=x&iss=", ERR_AUTH, "does not come from");
    expect(false, "code=x&iss=https://as&iss=https://as", ERR_AUTH, "does not come from");
    expect(true, "error=access_denied", ERR_AUTH, "does not come from");
}

static void says_what_was_refused_without_obeying_it(void **state)
{
    (void)state;
    expect(false, "error=access_denied", ERR_AUTH, "refuses: access_denied");
    expect(false, "error=%1b%5b31m", ERR_AUTH, "refuses: \\x1b[31m");
    expect(false, "state=s1", ERR_AUTH, "without a code");
    expect(false, "code=", ERR_AUTH, "without a code");
}

static void expect_request(const char *head, bool is_ours, enum callback_reply reply)
{
    const char *query = NULL;
    size_t length = 0;
    enum callback_reply got = CALLBACK_DONE;
    assert_true(callback_request_query(head, strlen(head), &query, &length, &got) == is_ours);
    if (is_ours)
        assert_memory_equal(query, "a=b", length);
    else
        assert_int_equal(got, reply);
}

static void takes_one_path_and_one_method(void **state)
{
    (void)state;
    expect_request("GET /callback?a=b HTTP/1.1\r\n\r\n", true, CALLBACK_DONE);
    expect_request("GET /callback HTTP/1.1\r\n\r\n", false, CALLBACK_NOT_FOUND);
    expect_request("GET /callbackx?a=b HTTP/1.1\r\n\r\n", false, CALLBACK_NOT_FOUND);
    expect_request("GET /favicon.ico HTTP/1.1\r\n\r\n", false, CALLBACK_NOT_FOUND);
    expect_request("GET /callback?a=b\r\n\r\n", false, CALLBACK_NOT_FOUND);
    expect_request("POST /callback?a=b HTTP/1.1\r\n\r\n", false, CALLBACK_NO_METHOD);
    expect_request("GET", false, CALLBACK_NO_METHOD);
    assert_false(callback_request_is_whole("GET / HTTP/1.1\r\n", 16));
    assert_true(callback_request_is_whole("GET /\r\n\r\n", 9));
}

static void answers_with_pages_that_load_nothing(void **state)
{
    (void)state;
    for (int reply = CALLBACK_DONE; reply <= CALLBACK_TOO_LONG; reply++) {
        const char *text = callback_reply_text((enum callback_reply)reply);
        assert_ptr_equal(strstr(text, "HTTP/1.1 "), text);
        assert_non_null(strstr(text, "default-src 'none'"));
        assert_non_null(strstr(text, "Connection: close\r\n\r\n<!doctype html>"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asks_for_exactly_what_was_published),
        cmocka_unit_test(knows_its_own_answers_by_the_state),
        cmocka_unit_test(takes_a_code_from_the_issuer_that_was_asked),
        cmocka_unit_test(refuses_an_answer_of_anybody_else),
        cmocka_unit_test(says_what_was_refused_without_obeying_it),
        cmocka_unit_test(takes_one_path_and_one_method),
        cmocka_unit_test(answers_with_pages_that_load_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
