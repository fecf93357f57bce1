
#include "domain/base/json.h"
#include "infrastructure/mcp/oauth/metadata/oauth_metadata.h"
#include "tests/support/cmocka.h"
#include <string.h>

#define SERVER "https://h/mcp"
#define AS "https://as/t"

static json_t *value_of(const char *text)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), ERR_NONE);
    return value;
}

static void expect_resource(const char *text, const char *wanted, enum err_code code,
                            const char *words)
{
    json_t *value = value_of(text);
    struct protected_resource out;
    struct err err = { 0 };
    assert_int_equal(protected_resource_read(value, SERVER, wanted, &out, &err), code);
    if (code == ERR_NONE)
        assert_string_equal(out.issuer, words);
    else
        assert_non_null(strstr(err.message, words));
    json_decref(value);
}

static void takes_the_metadata_of_this_resource_only(void **state)
{
    (void)state;
    expect_resource("{\"resource\":\"https://h/mcp\",\"authorization_servers\":[\"a\",\"b\"]}",
                    NULL, ERR_NONE, "a");
    expect_resource("{\"resource\":\"https://h\",\"authorization_servers\":[\"a\",\"b\"]}", "b",
                    ERR_NONE, "b");
    expect_resource("{\"resource\":\"https://evil/mcp\",\"authorization_servers\":[\"a\"]}", NULL,
                    ERR_PROTOCOL, "another resource");
    expect_resource("{\"authorization_servers\":[\"a\"]}", NULL, ERR_PROTOCOL, "no resource");
    expect_resource("{\"resource\":\"https://h/mcp\",\"authorization_servers\":[]}", NULL,
                    ERR_PROTOCOL, "no authorization server");
    expect_resource("{\"resource\":\"https://h/mcp\",\"authorization_servers\":[\"a\"]}", "c",
                    ERR_INVALID, "configured issuer 'c'");
}

static void expect_server(const char *text, enum err_code code, const char *words)
{
    json_t *value = value_of(text);
    struct authorization_server out;
    struct err err = { 0 };
    assert_int_equal(authorization_server_read(value, AS, &out, &err), code);
    if (code)
        assert_non_null(strstr(err.message, words));
    json_decref(value);
}

#define ENDPOINTS "\"authorization_endpoint\":\"https://as/a\",\"token_endpoint\":\"https://as/t\""

static void takes_a_server_only_by_its_own_name(void **state)
{
    (void)state;
    expect_server("{\"issuer\":\"https://as/t\"," ENDPOINTS "}", ERR_NONE, "");
    expect_server("{\"issuer\":\"https://as/t/\"," ENDPOINTS "}", ERR_PROTOCOL,
                  "is that of 'https://as/t/'");
    expect_server("{\"issuer\":\"HTTPS://as/t\"," ENDPOINTS "}", ERR_PROTOCOL, "is that of");
    expect_server("{" ENDPOINTS "}", ERR_PROTOCOL, "no issuer");
}

static void wants_endpoints_that_may_be_told_secrets(void **state)
{
    (void)state;
    expect_server("{\"issuer\":\"https://as/t\",\"authorization_endpoint\":\"https://as/a\"}",
                  ERR_PROTOCOL, "no token_endpoint");
    expect_server("{\"issuer\":\"https://as/t\",\"token_endpoint\":\"http://as/t\"}", ERR_PROTOCOL,
                  "token_endpoint of the authorization server is not an https url");
    expect_server("{\"issuer\":\"https://as/t\",\"token_endpoint\":\"https://as/t\","
                  "\"authorization_endpoint\":\"javascript:alert(1)\"}",
                  ERR_PROTOCOL, "not an https url");
    expect_server("{\"issuer\":\"https://as/t\"," ENDPOINTS ",\"revocation_endpoint\":null}",
                  ERR_NONE, "");
    expect_server("{\"issuer\":\"https://as/t\"," ENDPOINTS ",\"registration_endpoint\":7}",
                  ERR_PROTOCOL, "no registration_endpoint");
}

static void reads_what_it_can_do(void **state)
{
    json_t *value = value_of("{\"issuer\":\"https://as/t\"," ENDPOINTS ","
                             "\"code_challenge_methods_supported\":[\"plain\",\"S256\"],"
                             "\"authorization_response_iss_parameter_supported\":true,"
                             "\"client_id_metadata_document_supported\":true,"
                             "\"scopes_supported\":[\"a\"]}");
    struct authorization_server out;
    (void)state;
    assert_int_equal(authorization_server_read(value, AS, &out, NULL), ERR_NONE);
    assert_true(out.has_s256 && out.names_itself && out.takes_urls);
    assert_true(oauth_lists(out.scopes, "a"));
    assert_false(oauth_lists(out.auth_methods, "none"));
    json_decref(value);
}

static void takes_no_text_with_what_does_not_belong_there(void **state)
{
    json_t *value =
        value_of("{\"a\":\"x\\u0000y\",\"b\":\"x\\ny\",\"c\":\"\",\"d\":7,\"e\":\"ok\"}");
    char *longest = malloc(OAUTH_MAX_TEXT_BYTES + 2);
    (void)state;
    assert_null(oauth_member(value, "a"));
    assert_null(oauth_member(value, "b"));
    assert_null(oauth_member(value, "c"));
    assert_null(oauth_member(value, "d"));
    assert_string_equal(oauth_member(value, "e"), "ok");
    memset(longest, 'x', OAUTH_MAX_TEXT_BYTES + 1);
    longest[OAUTH_MAX_TEXT_BYTES] = '\0';
    json_object_set_new(value, "f", json_string(longest));
    assert_non_null(oauth_member(value, "f"));
    longest[OAUTH_MAX_TEXT_BYTES] = 'x';
    longest[OAUTH_MAX_TEXT_BYTES + 1] = '\0';
    json_object_set_new(value, "f", json_string(longest));
    assert_null(oauth_member(value, "f"));
    free(longest);
    json_decref(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_metadata_of_this_resource_only),
        cmocka_unit_test(takes_a_server_only_by_its_own_name),
        cmocka_unit_test(wants_endpoints_that_may_be_told_secrets),
        cmocka_unit_test(reads_what_it_can_do),
        cmocka_unit_test(takes_no_text_with_what_does_not_belong_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
