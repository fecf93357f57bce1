
#include "domain/base/json.h"
#include "infrastructure/mcp/oauth/client_identity.h"
#include "tests/support/cmocka.h"
#include <string.h>

static const struct authorization_server as = { .issuer = "https://as", .takes_urls = true };

static struct client_identity configured(const struct server_oauth *config,
                                         const struct authorization_server *server)
{
    struct client_identity out = { 0 };
    bool is_found = false;
    assert_int_equal(client_identity_configured(config, server, &out, &is_found, NULL), ERR_NONE);
    assert_true(is_found == (out.id != NULL));
    return out;
}

static void proves_itself_as_the_server_takes_it(void **state)
{
    struct server_oauth config = { .client_id = "me", .client_secret = "s" };
    struct authorization_server server = as;
    json_t *both = json_pack("[s, s]", "client_secret_post", "client_secret_basic");
    json_t *post = json_pack("[s]", "client_secret_post");
    (void)state;
    assert_int_equal(configured(&config, &server).method, CLIENT_BASIC);
    server.auth_methods = both;
    assert_int_equal(configured(&config, &server).method, CLIENT_BASIC);
    server.auth_methods = post;
    assert_int_equal(configured(&config, &server).method, CLIENT_POST);
    config.client_secret = NULL;
    assert_int_equal(configured(&config, &server).method, CLIENT_NONE);
    config.private_key = "pem";
    assert_int_equal(configured(&config, &server).method, CLIENT_KEY);
    json_decref(both);
    json_decref(post);
}

static void is_a_url_where_the_server_takes_such(void **state)
{
    struct server_oauth config = { .client_metadata_url = "https://me/client.json" };
    struct authorization_server server = as;
    (void)state;
    assert_string_equal(configured(&config, &server).id, "https://me/client.json");
    server.takes_urls = false;
    assert_null(configured(&config, &server).id);
    server.takes_urls = true;
    config.client_metadata_url = "https://me/";
    assert_null(configured(&config, &server).id);
}

static void is_shown_to_no_other_issuer(void **state)
{
    struct server_oauth config = { .client_id = "me", .issuer = "https://as/" };
    struct client_identity out;
    bool is_found;
    struct err err = { 0 };
    (void)state;
    assert_int_equal(client_identity_configured(&config, &as, &out, &is_found, &err), ERR_AUTH);
    assert_non_null(strstr(err.message, "another than the configured issuer"));
    assert_false(is_found);
}

static void registers_as_a_native_program_without_a_secret_if_it_may(void **state)
{
    struct authorization_server server = as;
    json_t *methods = json_pack("[s, s]", "client_secret_basic", "none");
    (void)state;
    server.auth_methods = methods;
    json_t *request = client_registration_request(&server, "http://127.0.0.1:1/callback");
    assert_string_equal(json_get_string(request, "application_type"), "native");
    assert_string_equal(json_get_string(request, "token_endpoint_auth_method"), "none");
    assert_true(oauth_lists(json_object_get(request, "grant_types"), "refresh_token"));
    assert_true(
        oauth_lists(json_object_get(request, "redirect_uris"), "http://127.0.0.1:1/callback"));
    json_decref(request);
    json_decref(methods);
    request = client_registration_request(&as, "http://127.0.0.1:1/callback");
    assert_string_equal(json_get_string(request, "token_endpoint_auth_method"),
                        "client_secret_basic");
    json_decref(request);
}

static enum err_code keep(const char *answer, int64_t now_ms, struct client_identity *out,
                          json_t **out_kept)
{
    json_auto_t *value = NULL;
    json_auto_t *request = client_registration_request(&as, "http://127.0.0.1:1/callback");
    assert_int_equal(json_parse(answer, strlen(answer), JSON_OURS, &value, NULL), ERR_NONE);
    enum err_code r = client_registration_read(value, request, out_kept, NULL);
    if (r)
        return r;
    return client_identity_kept(*out_kept, now_ms, out) ? ERR_NONE : ERR_NOT_FOUND;
}

static void is_kept_as_it_was_registered(void **state)
{
    struct client_identity out;
    json_t *kept = NULL;
    (void)state;
    assert_int_equal(keep("{\"client_id\":\"c\",\"client_secret\":\"s\"}", 5, &out, &kept),
                     ERR_NONE);
    assert_string_equal(out.id, "c");
    assert_string_equal(out.secret, "s");
    assert_int_equal(out.method, CLIENT_BASIC);
    assert_string_equal(out.redirect_uri, "http://127.0.0.1:1/callback");
    json_decref(kept);
    assert_int_equal(keep("{\"client_id\":\"c\"}", 5, &out, &kept), ERR_NONE);
    assert_int_equal(out.method, CLIENT_NONE);
    json_decref(kept);
}

static void ends_with_its_secret(void **state)
{
    static const char answer[] = "{\"client_id\":\"c\",\"client_secret\":\"s\","
                                 "\"client_secret_expires_at\":10}";
    struct client_identity out;
    json_t *kept = NULL;
    (void)state;
    assert_int_equal(keep(answer, 9999, &out, &kept), ERR_NONE);
    json_decref(kept);
    assert_int_equal(keep(answer, 10000, &out, &kept), ERR_NOT_FOUND);
    json_decref(kept);
}

static void takes_no_registration_that_it_cannot_keep_to(void **state)
{
    struct client_identity out;
    json_t *kept = NULL;
    (void)state;
    assert_int_equal(keep("{}", 0, &out, &kept), ERR_PROTOCOL);
    assert_int_equal(keep("{\"client_id\":\"c\",\"token_endpoint_auth_method\":"
                          "\"private_key_jwt\"}",
                          0, &out, &kept),
                     ERR_PROTOCOL);
    assert_int_equal(keep("{\"client_id\":\"c\",\"token_endpoint_auth_method\":"
                          "\"client_secret_post\"}",
                          0, &out, &kept),
                     ERR_PROTOCOL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proves_itself_as_the_server_takes_it),
        cmocka_unit_test(is_a_url_where_the_server_takes_such),
        cmocka_unit_test(is_shown_to_no_other_issuer),
        cmocka_unit_test(registers_as_a_native_program_without_a_secret_if_it_may),
        cmocka_unit_test(is_kept_as_it_was_registered),
        cmocka_unit_test(ends_with_its_secret),
        cmocka_unit_test(takes_no_registration_that_it_cannot_keep_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
