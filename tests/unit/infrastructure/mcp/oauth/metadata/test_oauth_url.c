
#include "infrastructure/mcp/oauth/metadata/oauth_url.h"
#include "tests/support/cmocka.h"
#include <string.h>

static void trusts_plain_http_on_this_machine_only(void **state)
{
    (void)state;
    assert_true(oauth_url_is_private("https://example.org/"));
    assert_true(oauth_url_is_private("http://localhost:1/x"));
    assert_true(oauth_url_is_private("http://127.0.0.9/x"));
    assert_true(oauth_url_is_private("http://[::1]:80"));
    assert_false(oauth_url_is_private("http://example.org/"));
    assert_false(oauth_url_is_private("http://127.example.org/"));
    assert_false(oauth_url_is_private("http://localhost.example.org/"));
}

static void covers_paths_by_whole_segments_of_one_origin(void **state)
{
    (void)state;
    assert_true(oauth_url_covers("https://h/mcp", "https://h/mcp"));
    assert_true(oauth_url_covers("https://h/mcp", "https://h/mcp/more?x"));
    assert_true(oauth_url_covers("https://h", "https://h/mcp"));
    assert_true(oauth_url_covers("https://h/", "https://H:443/mcp"));
    assert_true(oauth_url_covers("https://h/mcp/", "https://h/mcp"));
    assert_false(oauth_url_covers("https://h/mcp", "https://h/mcpx"));
    assert_false(oauth_url_covers("https://h/mcp/more", "https://h/mcp"));
    assert_false(oauth_url_covers("https://h/mcp", "https://h/mcp/../other"));
    assert_false(oauth_url_covers("https://h/mcp", "https://h/mcp/.."));
    assert_true(oauth_url_covers("https://h/mcp", "https://h/mcp/.hidden"));
    assert_false(oauth_url_covers("https://other/mcp", "https://h/mcp"));
    assert_false(oauth_url_covers("http://h/mcp", "https://h/mcp"));
    assert_false(oauth_url_covers("https://h:444/mcp", "https://h/mcp"));
    assert_false(oauth_url_covers("https://h/mcp#x", "https://h/mcp"));
}

static void looks_for_metadata_in_the_order_of_the_standards(void **state)
{
    struct arena arena = { 0 };
    const char *out[OAUTH_MAX_CANDIDATES];
    (void)state;
    assert_int_equal(oauth_resource_candidates(&arena, "https://h:1/a/b?q", out), 2);
    assert_string_equal(out[0], "https://h:1/.well-known/oauth-protected-resource/a/b");
    assert_string_equal(out[1], "https://h:1/.well-known/oauth-protected-resource");
    assert_int_equal(oauth_resource_candidates(&arena, "https://h/", out), 1);
    assert_int_equal(oauth_issuer_candidates(&arena, "https://h/t/", out), 3);
    assert_string_equal(out[0], "https://h/.well-known/oauth-authorization-server/t");
    assert_string_equal(out[1], "https://h/.well-known/openid-configuration/t");
    assert_string_equal(out[2], "https://h/t/.well-known/openid-configuration");
    assert_int_equal(oauth_issuer_candidates(&arena, "https://h", out), 2);
    assert_string_equal(out[0], "https://h/.well-known/oauth-authorization-server");
    assert_string_equal(out[1], "https://h/.well-known/openid-configuration");
    arena_finish(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trusts_plain_http_on_this_machine_only),
        cmocka_unit_test(covers_paths_by_whole_segments_of_one_origin),
        cmocka_unit_test(looks_for_metadata_in_the_order_of_the_standards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
