
#include "infrastructure/config/config.h"
#include "tests/support/cmocka.h"
#include <string.h>

static const char *const configured[] = { "X-Team: red", "authorization: Bearer old" };
static const struct server_config servers[] = {
    { .name = "local", .command = "x", .enabled = true },
    { .name = "off", .url = "http://off/", .enabled = false },
    { .name = "web", .url = "http://web/", .enabled = true, .headers = configured, .n_headers = 2 },
    { .name = "other", .url = "http://other/", .enabled = true },
};

static struct err err;

static enum err_code add(struct arena *arena, struct settings *settings, size_t n_servers,
                         const char *line)
{
    *settings = (struct settings){ .servers = servers, .n_servers = n_servers };
    return server_headers_add(arena, settings, &line, 1, &err);
}

static void goes_to_the_one_server_with_a_url(void **state)
{
    AUTO(arena) arena = { 0 };
    struct settings settings;
    (void)state;
    assert_int_equal(add(&arena, &settings, 3, "X-New: 1"), ERR_NONE);
    assert_int_equal(settings.servers[0].n_headers, 0);
    assert_int_equal(settings.servers[1].n_headers, 0);
    assert_int_equal(settings.servers[2].n_headers, 3);
    assert_string_equal(settings.servers[2].headers[2], "X-New: 1");
}

static void takes_the_place_of_a_configured_one(void **state)
{
    AUTO(arena) arena = { 0 };
    struct settings settings;
    (void)state;
    assert_int_equal(add(&arena, &settings, 3, "Authorization: Bearer new"), ERR_NONE);
    assert_int_equal(settings.servers[2].n_headers, 2);
    assert_string_equal(settings.servers[2].headers[0], "X-Team: red");
    assert_string_equal(settings.servers[2].headers[1], "Authorization: Bearer new");
}

static void goes_to_none_of_several(void **state)
{
    AUTO(arena) arena = { 0 };
    struct settings settings;
    (void)state;
    assert_int_equal(add(&arena, &settings, 4, "X: 1"), ERR_INVALID);
    assert_non_null(strstr(err.message, "2 servers have a url"));
    assert_non_null(strstr(err.hint, "--servers NAME"));
    assert_int_equal(add(&arena, &settings, 2, "X: 1"), ERR_INVALID);
    assert_non_null(strstr(err.message, "no server has a url"));
}

static void goes_to_no_server_that_only_a_project_folder_names(void **state)
{
    static const struct server_config theirs = { .name = "theirs",
                                                 .url = "http://theirs/",
                                                 .enabled = true,
                                                 .from_project = true,
                                                 .file = "/folder/.mcp.json" };
    AUTO(arena) arena = { 0 };
    struct settings settings = { .servers = &theirs, .n_servers = 1 };
    const char *line = "Authorization: Bearer secret";
    (void)state;
    assert_int_equal(server_headers_add(&arena, &settings, &line, 1, &err), ERR_INVALID);
    assert_non_null(strstr(err.message, "theirs is named by this folder only"));
    assert_non_null(strstr(err.hint, "--mcp-config /folder/.mcp.json"));
    assert_int_equal(settings.servers[0].n_headers, 0);
}

static void refuses_what_is_no_header_without_repeating_it(void **state)
{
    static const char *const lines[] = { "secret", ": secret", "X secret: 1", "X: secret\r\nY: 1" };
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        AUTO(arena) arena = { 0 };
        struct settings settings;
        assert_int_equal(add(&arena, &settings, 3, lines[i]), ERR_INVALID);
        assert_null(strstr(err.message, "secret"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_to_the_one_server_with_a_url),
        cmocka_unit_test(takes_the_place_of_a_configured_one),
        cmocka_unit_test(goes_to_none_of_several),
        cmocka_unit_test(goes_to_no_server_that_only_a_project_folder_names),
        cmocka_unit_test(refuses_what_is_no_header_without_repeating_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
