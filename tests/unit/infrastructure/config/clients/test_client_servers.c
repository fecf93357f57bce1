#include "domain/base/json.h"
#include "infrastructure/config/clients/client_servers.h"
#include "tests/support/cmocka.h"
#include <stdlib.h>
#include <string.h>

/* The first server of a client's settings as mcp.json has it, or why not. */
static void expect(const char *client, const char *settings, const char *definition)
{
    AUTO(arena) arena = { 0 };
    struct client_servers servers;
    const struct client_place *place = client_places;
    while (strcmp(place->client, client) != 0)
        place++;
    json_t *value = arena_keep_json(&arena, json_loads(settings, 0, NULL));
    assert_non_null(value);
    client_servers_read(&arena, place, value, NULL, &servers);
    assert_true(servers.n >= 1);
    assert_string_equal(servers.list[0].definition
                            ? json_print_in(&arena, servers.list[0].definition)
                            : servers.list[0].why_not,
                        definition);
}

static void reads_what_each_client_calls_a_program(void **state)
{
    (void)state;
    const char *program = "{\"command\":\"a\",\"args\":[\"b\",\"1\"],\"env\":{\"C\":\"d\"}}";
    expect("cursor",
           "{\"mcpServers\": {\"s\": {\"command\": \"a\", \"args\": [\"b\", 1], \"env\": {\"C\": "
           "\"d\"}}}}",
           program);
    expect("opencode",
           "{\"mcp\": {\"s\": {\"type\": \"local\", \"command\": [\"a\", \"b\", \"1\"], "
           "\"environment\": {\"C\": \"d\"}}}}",
           program);
    expect("opencode",
           "{\"mcp\": {\"servers\": {\"s\": {\"command\": [\"a\", \"b\", \"1\"], \"environment\": "
           "{\"C\": \"d\"}}}}}",
           program);
    expect("goose",
           "{\"extensions\": {\"s\": {\"type\": \"stdio\", \"cmd\": \"a\", \"args\": [\"b\", "
           "\"1\"], \"envs\": {\"C\": \"d\"}}}}",
           program);
    expect("zed",
           "{\"context_servers\": {\"s\": {\"command\": {\"path\": \"a\", \"args\": [\"b\", "
           "\"1\"], \"env\": {\"C\": \"d\"}}}}}",
           program);
    expect("mistral-vibe",
           "{\"mcp_servers\": [{\"name\": \"s\", \"transport\": \"stdio\", \"command\": \"a 'b' "
           "1\", \"env\": {\"C\": \"d\"}}]}",
           program);
    expect("codex",
           "{\"mcp_servers\": {\"s\": {\"command\": \"a\", \"env_vars\": [\"X\", {\"name\": "
           "\"Y\"}]}}}",
           "{\"command\":\"a\",\"args\":[],\"env\":{\"X\":\"${X}\",\"Y\":\"${Y}\"}}");
}

static void tells_a_server_called_servers_from_a_map_of_them(void **state)
{
    (void)state;
    expect("opencode", "{\"mcp\": {\"servers\": {\"type\": \"local\", \"command\": [\"a\"]}}}",
           "{\"command\":\"a\",\"args\":[]}");
}

static void reads_what_each_client_calls_an_address(void **state)
{
    (void)state;
    expect("windsurf", "{\"mcpServers\": {\"s\": {\"serverUrl\": \"https://a/\"}}}",
           "{\"url\":\"https://a/\"}");
    expect("gemini-cli", "{\"mcpServers\": {\"s\": {\"httpUrl\": \"https://a/\"}}}",
           "{\"url\":\"https://a/\"}");
    expect("gemini-cli", "{\"mcpServers\": {\"s\": {\"url\": \"https://a/\"}}}",
           "{\"url\":\"https://a/\",\"type\":\"sse\"}");
    expect("goose",
           "{\"extensions\": {\"s\": {\"type\": \"streamable_http\", \"uri\": \"https://a/$X\"}}}",
           "{\"url\":\"https://a/${X}\"}");
    expect(
        "codex",
        "{\"mcp_servers\": {\"s\": {\"url\": \"https://a/\", \"bearer_token_env_var\": \"T\", "
        "\"env_http_headers\": {\"X\": \"Y\"}}}}",
        "{\"url\":\"https://a/\",\"headers\":{\"Authorization\":\"Bearer ${T}\",\"X\":\"${Y}\"}}");
    expect("mistral-vibe",
           "{\"mcp_servers\": [{\"name\": \"s\", \"transport\": \"http\", \"url\": \"https://a/\", "
           "\"api_key_env\": \"K\", \"api_key_header\": \"X\", \"api_key_format\": \"Key "
           "{token}!\"}]}",
           "{\"url\":\"https://a/\",\"headers\":{\"X\":\"Key ${K}!\"}}");
}

static void takes_the_client_of_an_oauth_login_along(void **state)
{
    (void)state;
    expect("cursor",
           "{\"mcpServers\": {\"s\": {\"url\": \"https://a/\", \"auth\": {\"CLIENT_ID\": \"c\", "
           "\"CLIENT_SECRET\": \"${env:S}\", \"scopes\": [\"r\", \"w\"]}}}}",
           "{\"url\":\"https://a/"
           "\",\"oauth\":{\"client_id\":\"c\",\"client_secret\":\"${S}\",\"scope\":\"r w\"}}");
    expect("opencode", "{\"mcp\": {\"s\": {\"url\": \"https://a/\", \"oauth\": {}}}}",
           "{\"url\":\"https://a/\"}");
}

static void makes_no_variable_that_a_shell_would_take_for_a_command(void **state)
{
    (void)state;
    expect("cursor",
           "{\"mcpServers\": {\"s\": {\"command\": \"a\", \"args\": [\"${env:A=1;rm -r x}\"]}}}",
           "{\"command\":\"a\",\"args\":[\"${A_1_rm__r_x}\"]}");
    expect("goose", "{\"extensions\": {\"s\": {\"cmd\": \"a\", \"env_keys\": [\"A B\"]}}}",
           "{\"command\":\"a\",\"args\":[],\"env\":{\"A B\":\"${A_B}\"}}");
}

static void says_why_something_is_no_server(void **state)
{
    (void)state;
    expect("goose", "{\"extensions\": {\"s\": {\"type\": \"builtin\"}}}",
           "it is a part of its client, no MCP server");
    expect("zed", "{\"context_servers\": {\"s\": {\"settings\": {}}}}",
           "it has no command and no URL");
    expect("cursor", "{\"mcpServers\": {\"s\": []}}", "must be an object");
    expect("cursor", "{\"mcpServers\": {\"s\": {\"command\": \"a\", \"args\": \"b\"}}}",
           "must be a list of texts");
    expect("vscode", "{\"servers\": {\"s\": {\"url\": \"unix:///x\"}}}",
           "its URL is not http or https");
}

static void translates_references_and_keeps_what_only_looks_like_one(void **state)
{
    (void)state;
    expect("vscode",
           "{\"servers\": {\"s\": {\"command\": \"${userHome}/x\", \"args\": [\"${env:A}\", "
           "\"${input:my-key}\", \"${workspaceFolder}\", \"${A}\", \"$A\"]}}}",
           "{\"command\":\"${HOME}/"
           "x\",\"args\":[\"${A}\",\"${S_INPUT_MY_KEY}\",\"${workspaceFolder}\",\"${:-$}{A}\",\"$"
           "A\"]}");
    expect(
        "opencode",
        "{\"mcp\": {\"s\": {\"command\": [\"a\", \"{env:B}\", \"{file:~/.k/the key}\", \"{x}\"]}}}",
        "{\"command\":\"a\",\"args\":[\"${B}\",\"${S_FILE_THE_KEY}\",\"{x}\"]}");
    expect("claude-desktop",
           "{\"mcpServers\": {\"s\": {\"command\": \"a\", \"args\": [\"X:${X}\"]}}}",
           "{\"command\":\"a\",\"args\":[\"X:${:-$}{X}\"]}");
    expect("gemini-cli",
           "{\"mcpServers\": {\"s\": {\"command\": \"a\", \"args\": [\"$X-${Y}\", \"${Z:-1}\", "
           "\"5$\"]}}}",
           "{\"command\":\"a\",\"args\":[\"${X}-${Y}\",\"${Z:-1}\",\"5$\"]}");
    expect("goose", "{\"extensions\": {\"s\": {\"cmd\": \"a\", \"args\": [\"$X\"]}}}",
           "{\"command\":\"a\",\"args\":[\"$X\"]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_each_client_calls_a_program),
        cmocka_unit_test(tells_a_server_called_servers_from_a_map_of_them),
        cmocka_unit_test(reads_what_each_client_calls_an_address),
        cmocka_unit_test(takes_the_client_of_an_oauth_login_along),
        cmocka_unit_test(makes_no_variable_that_a_shell_would_take_for_a_command),
        cmocka_unit_test(says_why_something_is_no_server),
        cmocka_unit_test(translates_references_and_keeps_what_only_looks_like_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
