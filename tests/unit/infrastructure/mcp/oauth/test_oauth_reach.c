
#include "infrastructure/mcp/oauth/oauth_http.h"
#include "tests/support/cmocka.h"

static void goes_anywhere_where_the_user_said_so(void **state)
{
    const struct oauth_http http = { .server = "https://mcp.corp/mcp", .issuer = "https://sso/x" };
    (void)state;
    assert_int_equal(oauth_reach(&http, "https://mcp.corp/.well-known/y"), HTTP_ANYWHERE);
    assert_int_equal(oauth_reach(&http, "https://MCP.corp:443/"), HTTP_ANYWHERE);
    assert_int_equal(oauth_reach(&http, "https://sso/token"), HTTP_ANYWHERE);
}

static void goes_where_everybody_may_otherwise(void **state)
{
    static const char *const urls[] = { "https://mcp.corp:444/",  "http://mcp.corp/",
                                        "https://mcp.corp.evil/", "https://evil@mcp.corp/",
                                        "https://mcp.corp./",     "http://127.0.0.1/",
                                        "https://sso/token",      "no url" };
    const struct oauth_http http = { .server = "https://mcp.corp/mcp" };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(urls); i++)
        assert_int_equal(oauth_reach(&http, urls[i]), HTTP_PUBLIC);
}

static void a_server_on_this_machine_may_lead_to_others_there(void **state)
{
    const struct oauth_http http = { .server = "http://127.0.0.1:8000/mcp" };
    (void)state;
    assert_int_equal(oauth_reach(&http, "http://localhost:9000/token"), HTTP_HERE_TOO);
    assert_int_equal(oauth_reach(&http, "http://127.0.0.1:8000/x"), HTTP_ANYWHERE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_anywhere_where_the_user_said_so),
        cmocka_unit_test(goes_where_everybody_may_otherwise),
        cmocka_unit_test(a_server_on_this_machine_may_lead_to_others_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
