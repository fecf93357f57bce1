
#include "infrastructure/mcp/client/client_internal.h"
#include "tests/support/cmocka.h"
#include <string.h>

static struct server_config with_variable(const char *const *pair)
{
    return (struct server_config){ .command = "node", .environment = pair, .n_environment = 1 };
}

static struct server_config with_header(const char *const *pair)
{
    return (
        struct server_config){ .url = "https://a.example/mcp", .headers = pair, .n_headers = 1 };
}

static bool are_same(struct server_config a, struct server_config b)
{
    AUTO(arena) arena = { 0 };
    return strcmp(server_identity(&arena, &a), server_identity(&arena, &b)) == 0;
}

static void a_rotated_secret_leaves_a_server_what_it_is(void **state)
{
    (void)state;
    static const char *const variables[][2] = {
        { "GITHUB_TOKEN=ghp_old", "GITHUB_TOKEN=ghp_new" },
        { "AWS_SECRET_ACCESS_KEY=ab/cd", "AWS_SECRET_ACCESS_KEY=ef/gh" },
        { "API_KEY=", "API_KEY=x" },
    };
    static const char *const headers[][2] = {
        { "Authorization: Bearer old", "Authorization: Bearer new" },
        { "x-api-key: 1", "x-api-key: 2" },
        { "Cookie: a=/b", "Cookie: a=/c" },
    };
    for (size_t i = 0; i < 3; i++) {
        assert_true(are_same(with_variable(&variables[i][0]), with_variable(&variables[i][1])));
        assert_true(are_same(with_header(&headers[i][0]), with_header(&headers[i][1])));
    }
}

static void a_value_that_may_change_what_runs_makes_another_server(void **state)
{
    (void)state;
    static const char *const variables[][2] = {
        { "NODE_OPTIONS=", "NODE_OPTIONS=--require=/tmp/x.js" },
        { "LD_PRELOAD=/a.so", "LD_PRELOAD=/b.so" },
        { "PASSWORD_COMMAND=pass", "PASSWORD_COMMAND=evil" },
        { "AWS_SHARED_CREDENTIALS_FILE=a", "AWS_SHARED_CREDENTIALS_FILE=b" },
        { "CREDENTIALS=/home/me/key", "CREDENTIALS=/tmp/key" },
        { "SECRET=sh -c a", "SECRET=sh -c b" },
        { "TOKEN=1", "OTHER_TOKEN=1" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(variables); i++)
        assert_false(are_same(with_variable(&variables[i][0]), with_variable(&variables[i][1])));
    static const char *const headers[][2] = { { "X-Tenant: a", "X-Tenant: b" },
                                              { "Cookie: a", "X-Api-Key: a" } };
    for (size_t i = 0; i < ARRAY_LENGTH(headers); i++)
        assert_false(are_same(with_header(&headers[i][0]), with_header(&headers[i][1])));
}

static void another_command_argument_folder_or_address_makes_another_server(void **state)
{
    (void)state;
    static const char *const arguments[] = { "server.js", "--token=a", "--token=b" };
    const struct server_config plain = { .command = "node",
                                         .arguments = arguments,
                                         .n_arguments = 1 };
    struct server_config others[5] = { plain,
                                       plain,
                                       plain,
                                       { .url = "https://a.example/?key=1" },
                                       { .url = "https://a.example/?key=2" } };
    others[0].command = "deno";
    others[1].arguments = arguments + 1;
    others[2].directory = "/srv";
    for (size_t i = 0; i < ARRAY_LENGTH(others); i++) {
        assert_false(are_same(plain, others[i]));
        for (size_t j = 0; j < i; j++)
            assert_false(are_same(others[j], others[i]));
    }
}

static void a_secret_that_counts_for_nothing_is_not_in_it(void **state)
{
    (void)state;
    static const char *const variable = "API_TOKEN=hunter2", *const header = "Cookie: hunter2";
    AUTO(arena) arena = { 0 };
    struct server_config local = with_variable(&variable), remote = with_header(&header);
    assert_null(strstr(server_identity(&arena, &local), "hunter2"));
    assert_null(strstr(server_identity(&arena, &remote), "hunter2"));
}

static void bytes_that_are_no_text_tell_servers_apart_all_the_same(void **state)
{
    (void)state;
    static const char *const variables[] = { "A=\xff", "A=\xfe" };
    assert_false(are_same(with_variable(&variables[0]), with_variable(&variables[1])));
}

static void gives_folders_as_encoded_uris_with_their_last_part_as_name(void **state)
{
    static const char *const folders[] = { "/srv/my notes", "/a%b/ü?#", "/", "/x~y_z-1.2",
                                           "/\xff" };
    struct server_config config = { .roots = folders, .n_roots = 5 };
    AUTO(arena) arena = { 0 };
    (void)state;
    assert_string_equal(server_roots(&arena, &config),
                        "{\"roots\":[{\"uri\":\"file:///srv/my%20notes\",\"name\":\"my notes\"},"
                        "{\"uri\":\"file:///a%25b/%C3%BC%3F%23\",\"name\":\"ü?#\"},"
                        "{\"uri\":\"file:///\",\"name\":\"/\"},"
                        "{\"uri\":\"file:///x~y_z-1.2\",\"name\":\"x~y_z-1.2\"},"
                        "{\"uri\":\"file:///%FF\",\"name\":\"\\\\xff\"}]}");
}

static void tells_no_folders_apart_from_an_empty_list(void **state)
{
    static const char *const folders[] = { NULL };
    struct server_config without = { .roots = NULL }, empty = { .roots = folders };
    AUTO(arena) arena = { 0 };
    (void)state;
    assert_null(server_roots(&arena, &without));
    assert_string_equal(server_roots(&arena, &empty), "{\"roots\":[]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rotated_secret_leaves_a_server_what_it_is),
        cmocka_unit_test(a_value_that_may_change_what_runs_makes_another_server),
        cmocka_unit_test(another_command_argument_folder_or_address_makes_another_server),
        cmocka_unit_test(a_secret_that_counts_for_nothing_is_not_in_it),
        cmocka_unit_test(bytes_that_are_no_text_tell_servers_apart_all_the_same),
        cmocka_unit_test(gives_folders_as_encoded_uris_with_their_last_part_as_name),
        cmocka_unit_test(tells_no_folders_apart_from_an_empty_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
