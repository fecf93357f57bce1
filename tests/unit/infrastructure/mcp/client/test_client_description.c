
#include "infrastructure/mcp/client/client_internal.h"
#include "infrastructure/runtime/system_ports.h"
#include "tests/support/cmocka.h"
#include <limits.h>
#include <string.h>
#include <unistd.h>

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
    return strcmp(server_identity(&arena, &a).text, server_identity(&arena, &b).text) == 0;
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
    assert_null(strstr(server_identity(&arena, &local).text, "hunter2"));
    assert_null(strstr(server_identity(&arena, &remote).text, "hunter2"));
}

static void bytes_that_are_no_text_tell_servers_apart_all_the_same(void **state)
{
    (void)state;
    static const char *const variables[] = { "A=\xff", "A=\xfe" };
    assert_false(are_same(with_variable(&variables[0]), with_variable(&variables[1])));
}

/* Pins, approvals and eras of earlier versions are kept under these. */
static void a_server_that_no_folder_belongs_to_is_what_it_always_was(void **state)
{
    (void)state;
    static const char *const arguments[] = { "-y", "some-server@1", "--root=/srv/data", "not here",
                                             "\xff" };
    static const char *const variables[] = { "GITHUB_TOKEN=ghp_old", "NODE_OPTIONS=--no-warnings" };
    static const char *const headers[] = { "Authorization: Bearer a", "X-Tenant: b" };
    const struct {
        struct server_config config;
        const char *hash;
    } cases[] = {
        { { .command = "npx" },
          "2b33e6469f6d514897ef7a5d60d2bf3e7e677940fa365cd70f89f2867ae95fdb" },
        { { .command = "/usr/bin/env", .arguments = arguments, .n_arguments = 5 },
          "2c82249e9f6f4ac9d45d57372d389200f6699d23f1736dfd334c63c204c9e451" },
        { { .command = "npx",
            .arguments = arguments,
            .n_arguments = 2,
            .environment = variables,
            .n_environment = 2 },
          "651580ab7ebc953c501e7fcf23eb9166430d08485037c17e1c40852359a83532" },
        { { .command = "./nowhere/server", .directory = "/" },
          "49ff296efa9c55f2ef434e6a9a2dc6721b91460ed4deae2ce925d2d04bf35399" },
        { { .url = "https://a.example/mcp?x=tests" },
          "7ae039bd2f5a470cb8cccc91713ef5ec2729700ff4e64a21ea7c640bc10e8390" },
        { { .url = "https://a.example/mcp", .headers = headers, .n_headers = 2 },
          "a4e6dfd3cb51ca49f75486d3c339f21a2fe31310637a1312256ea8c66a077bd7" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        AUTO(arena) arena = { 0 };
        char hash[DIGEST_HEX_SIZE];
        struct server_identity identity = server_identity(&arena, &cases[i].config);
        digest_sha256(system_digest(), identity.text, strlen(identity.text), hash);
        assert_string_equal(hash, cases[i].hash);
        assert_null(identity.without_folder);
    }
}

/* In the folder of the sources, where README.md and docs/ are. */
static void a_path_that_lies_in_the_working_folder_makes_the_folder_part_of_it(void **state)
{
    (void)state;
    static const char *const lines[] = { "README.md",        "docs/tour.md",       "./docs",
                                         "--file=README.md", "exec cat README.md", "." };
    static const char *const others[] = { "readme.md", "-docs", "/README.md", "", "docs/none" };
    char folder[PATH_MAX];
    assert_non_null(getcwd(folder, sizeof folder));
    AUTO(arena) arena = { 0 };
    for (size_t i = 0; i < ARRAY_LENGTH(lines); i++) {
        struct server_config config = { .command = "cat",
                                        .arguments = &lines[i],
                                        .n_arguments = 1 };
        struct server_identity here = server_identity(&arena, &config);
        assert_non_null(strstr(here.text, folder));
        assert_null(strstr(here.without_folder, folder));
        assert_non_null(strstr(lines[i], here.path));
        config.directory = "tests";
        assert_string_not_equal(server_identity(&arena, &config).text, here.text);
    }
    for (size_t i = 0; i < ARRAY_LENGTH(others); i++) {
        struct server_config config = { .command = "cat",
                                        .arguments = &others[i],
                                        .n_arguments = 1 };
        assert_null(server_identity(&arena, &config).without_folder);
    }
}

static void a_command_is_a_path_only_with_a_slash_in_it(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct server_config script = { .command = "./dev" }, searched = { .command = "dev" };
    assert_string_equal(server_identity(&arena, &script).path, "./dev");
    assert_null(server_identity(&arena, &searched).path);
}

static void a_configured_folder_counts_once(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct server_config config = { .command = "./dev", .directory = SOURCE_DIR };
    assert_null(server_identity(&arena, &config).path);
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
        cmocka_unit_test(a_server_that_no_folder_belongs_to_is_what_it_always_was),
        cmocka_unit_test(a_path_that_lies_in_the_working_folder_makes_the_folder_part_of_it),
        cmocka_unit_test(a_command_is_a_path_only_with_a_slash_in_it),
        cmocka_unit_test(a_configured_folder_counts_once),
        cmocka_unit_test(gives_folders_as_encoded_uris_with_their_last_part_as_name),
        cmocka_unit_test(tells_no_folders_apart_from_an_empty_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
