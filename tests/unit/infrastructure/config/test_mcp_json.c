
#include "domain/base/json.h"
#include "infrastructure/config/config.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct fixture {
    struct arena arena;
    char root[64];
    const char *user_file, *project_file; /* mcp.json of the user, .mcp.json of the folder */
    struct settings settings;
    struct config_paths paths;
    struct err err;
};

static int open_fixture(void **state)
{
    static const char *const variables[] = { "XDG_DATA_HOME", "OLLAMA_HOST",  "OPENAI_BASE_URL",
                                             "MISTRO_CONFIG", "MISTRO_MODEL", "MCP_UNSET" };
    static struct fixture f;
    f = (struct fixture){ .root = "/tmp/mistro_mcp.XXXXXX" };
    assert_non_null(mkdtemp(f.root));
    for (size_t i = 0; i < ARRAY_LENGTH(variables); i++)
        unsetenv(variables[i]);
    setenv("HOME", f.root, 1);
    setenv("XDG_CONFIG_HOME", f.root, 1);
    setenv("MCP_SET", "value", 1);
    setenv("MCP_EMPTY", "", 1);
    assert_int_equal(mkdir(arena_printf(&f.arena, "%s/mistro", f.root), 0700), 0);
    assert_int_equal(mkdir(arena_printf(&f.arena, "%s/project", f.root), 0700), 0);
    assert_int_equal(chdir(arena_printf(&f.arena, "%s/project", f.root)), 0);
    f.user_file = arena_printf(&f.arena, "%s/mistro/mcp.json", f.root);
    f.project_file = arena_printf(&f.arena, "%s/project/.mcp.json", f.root);
    *state = &f;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(system(arena_printf(&f->arena, "rm -rf %s", f->root)), 0);
    arena_finish(&f->arena);
    return 0;
}

static void put(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static const char *content_of(struct fixture *f, const char *name)
{
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    char *text = arena_alloc(&f->arena, 65536);
    assert_true(fread(text, 1, 65535, file) > 0);
    assert_int_equal(fclose(file), 0);
    return text;
}

static enum err_code load(struct fixture *f, const struct config_request *request, bool approved)
{
    f->err = (struct err){ 0 };
    return config_load(request, yaml_documents(), approved, &f->arena, &f->settings, &f->paths,
                       &f->err);
}

static void loads(struct fixture *f, bool approved)
{
    struct config_request request = { 0 };
    if (load(f, &request, approved))
        fail_msg("%s", f->err.message);
}

static void refuses(struct fixture *f, const char *text, const char *message)
{
    struct config_request request = { 0 };
    put(f->user_file, text);
    assert_int_equal(load(f, &request, true), ERR_INVALID);
    assert_string_equal(f->err.message, arena_printf(&f->arena, "%s: %s", f->user_file, message));
}

#define SERVERS(text) "{\"mcpServers\":{" text "}}"

static void every_member_of_a_server_is_read(void **state)
{
    struct fixture *f = *state;
    put(f->user_file,
        SERVERS("\"a\":{\"command\":\"run\",\"args\":[\"-x\",1,true],\"env\":{\"K\":\"v\",\"N\":2},"
                "\"cwd\":\"sub\",\"timeout_ms\":5,\"max_parallel\":1000,\"start_timeout_ms\":"
                "86400000,\"era\":\"legacy\","
                "\"allowed_tools\":[\"r*\"],\"disabled_tools\":[\"w*\",\"x\"],\"approval\":\"ask\","
                "\"sampling\":\"allow\","
                "\"type\":\"stdio\",\"somebody_elses\":[1]},"
                "\"b\":{\"url\":\"https://h/mcp\",\"headers\":{\"X-A\":\"1\"},\"enabled\":false}"));
    loads(f, false);
    assert_int_equal(f->settings.n_servers, 2);
    const struct server_config *a = &f->settings.servers[0], *b = &f->settings.servers[1];
    assert_string_equal(a->name, "a");
    assert_string_equal(a->command, "run");
    assert_int_equal(a->n_arguments, 3);
    assert_string_equal(a->arguments[1], "1");
    assert_string_equal(a->arguments[2], "true");
    assert_string_equal(a->environment[1], "N=2");
    assert_string_equal(a->directory, arena_printf(&f->arena, "%s/mistro/sub", f->root));
    assert_int_equal(a->timeout_ms, 5);
    assert_int_equal(a->max_parallel, 1000);
    assert_int_equal(a->start_timeout_ms, 86400000);
    assert_int_equal(a->era, ERA_LEGACY);
    assert_string_equal(a->allowed_tools[0], "r*");
    assert_int_equal(a->n_disabled_tools, 2);
    assert_int_equal(a->approval, SERVER_APPROVAL_ASK);
    assert_int_equal(a->sampling, SERVER_SAMPLING_ALLOW);
    assert_true(a->enabled);
    assert_false(a->from_project);
    assert_string_equal(a->file, f->user_file);
    assert_string_equal(b->url, "https://h/mcp");
    assert_string_equal(b->headers[0], "X-A: 1");
    assert_null(b->command);
    assert_false(b->enabled);
}

static void the_oldest_way_over_http_can_be_asked_for(void **state)
{
    struct fixture *f = *state;
    put(f->user_file, SERVERS("\"a\":{\"url\":\"https://h/sse\",\"type\":\"sse\"},"
                              "\"b\":{\"url\":\"https://h/sse\",\"era\":\"sse\"},"
                              "\"c\":{\"url\":\"https://h/mcp\",\"type\":\"http\"}"));
    loads(f, false);
    assert_int_equal(f->settings.servers[0].era, ERA_SSE);
    assert_int_equal(f->settings.servers[1].era, ERA_SSE);
    assert_int_equal(f->settings.servers[2].era, ERA_AUTO);
}

static void the_shape_of_editors_is_understood(void **state)
{
    struct fixture *f = *state;
    put(f->user_file, "{\n  // servers \"of\" this editor\n  \"inputs\": [],\n  \"servers\": {\n"
                      "    /* one\n       of two */ \"a\": {\"command\": \"x//y\\\\\", "
                      "\"args\": [\"http://h\", \"\\\"// no\"],},\n"
                      "    \"b\": {\"command\": \"y\", \"disabled\": true}, // the end\n  }\n}\n");
    loads(f, false);
    assert_int_equal(f->settings.n_servers, 2);
    assert_string_equal(f->settings.servers[0].command, "x//y\\");
    assert_string_equal(f->settings.servers[0].arguments[0], "http://h");
    assert_string_equal(f->settings.servers[0].arguments[1], "\"// no");
    assert_false(f->settings.servers[1].enabled);
}

static void variables_are_expanded_in_values(void **state)
{
    struct fixture *f = *state;
    put(f->user_file,
        SERVERS("\"a\":{\"command\":\"${MCP_SET}/bin\",\"args\":[\"${env:MCP_SET}\","
                "\"${MCP_UNSET:-else}${MCP_SET}\",\"${MCP_EMPTY:-x}\",\"a${MCP_EMPTY}b\",\"$HOME\","
                "\"${open\",\"${workspaceFolder}\"]}"));
    loads(f, false);
    const struct server_config *a = f->settings.servers;
    assert_string_equal(a->command, "value/bin");
    assert_string_equal(a->arguments[0], "value");
    assert_string_equal(a->arguments[1], "elsevalue");
    assert_string_equal(a->arguments[2], "x");
    assert_string_equal(a->arguments[3], "ab");
    assert_string_equal(a->arguments[4], "$HOME");
    assert_string_equal(a->arguments[5], "${open");
    assert_string_equal(a->arguments[6], arena_printf(&f->arena, "%s/project", f->root));
}

static void an_unset_variable_names_file_and_server(void **state)
{
    struct fixture *f = *state;
    refuses(f, SERVERS("\"a\":{\"command\":\"${MCP_UNSET}\"}"),
            "server \"a\": command: the variable ${MCP_UNSET} is not set");
    assert_string_equal(f->err.hint, "set it, or give a default: ${NAME:-default}");
    refuses(f, SERVERS("\"a\":{\"command\":\"x\",\"env\":{\"K\":\"${input:key}\"}}"),
            "server \"a\": env: ${input:key} would need a person to ask");
    put(f->user_file, SERVERS("\"a\":{\"command\":\"${MCP_UNSET}\",\"enabled\":false}"));
    loads(f, false);
    assert_int_equal(f->settings.n_servers, 1);
}

static void expanded_text_is_bounded(void **state)
{
    struct fixture *f = *state;
    struct config_request request = { 0 };
    char *large = arena_alloc(&f->arena, 60001);
    memset(large, 'x', 60000);
    setenv("MCP_SET", large, 1);
    put(f->user_file, SERVERS("\"a\":{\"command\":\"${MCP_SET}\"}"));
    loads(f, false);
    put(f->user_file, SERVERS("\"a\":{\"command\":\"${MCP_SET}${MCP_SET}\"}"));
    assert_int_equal(load(f, &request, false), ERR_LIMIT);
}

static void servers_that_are_none_are_refused(void **state)
{
    static const struct {
        const char *server, *message;
    } cases[] = {
        { "\"a\":1", "server \"a\": value: must be an object" },
        { "\"a\":{}", "server \"a\": command: a server needs a command or a url" },
        { "\"a\":{\"command\":\"\"}", "server \"a\": command: a server needs a command or a url" },
        { "\"a\":{\"command\":\"x\",\"url\":\"http://h\"}",
          "server \"a\": url: a server has a command or a url, not both" },
        { "\"a\":{\"url\":\"file:///x\"}",
          "server \"a\": url: must begin with http:// or https://" },
        { "\"a\":{\"url\":\"http://x\\ny\"}", "server \"a\": url: has a line break" },
        { "\"a\":{\"command\":[]}", "server \"a\": command: must be text" },
        { "\"a\":{\"command\":\"x\",\"args\":\"y\"}",
          "server \"a\": args: must be a list of at most 1000 texts" },
        { "\"a\":{\"command\":\"x\",\"args\":[null]}", "server \"a\": args: must be text" },
        { "\"a\":{\"command\":\"x\",\"env\":[]}",
          "server \"a\": env: must be a map of at most 1000 names to texts" },
        { "\"a\":{\"command\":\"x\",\"env\":{\"A=B\":\"c\"}}",
          "server \"a\": env: a name is empty or has bytes that do not belong there" },
        { "\"a\":{\"url\":\"http://h\",\"headers\":{\"A\":\"b\\r\\nC: d\"}}",
          "server \"a\": headers: a value with a line break" },
        { "\"a\":{\"command\":\"x\",\"max_parallel\":0}",
          "server \"a\": max_parallel: must be a whole number from 1 to 1000" },
        { "\"a\":{\"command\":\"x\",\"max_parallel\":1001}",
          "server \"a\": max_parallel: must be a whole number from 1 to 1000" },
        { "\"a\":{\"command\":\"x\",\"timeout_ms\":0}",
          "server \"a\": timeout_ms: must be a whole number from 1 to 86400000" },
        { "\"a\":{\"command\":\"x\",\"start_timeout_ms\":86400001}",
          "server \"a\": start_timeout_ms: must be a whole number from 1 to 86400000" },
        { "\"a\":{\"command\":\"x\",\"era\":\"new\"}",
          "server \"a\": era: must be auto, modern, legacy or sse" },
        { "\"a\":{\"command\":\"x\",\"sampling\":true}",
          "server \"a\": sampling: must be off, ask or allow" },
        { "\"a\":{\"command\":\"x\",\"era\":\"sse\"}", "server \"a\": era: sse needs a url" },
        { "\"a\":{\"command\":\"x\",\"approval\":1}",
          "server \"a\": approval: must be default, allow, ask or deny" },
        { "\"a\":{\"command\":\"x\",\"enabled\":1}",
          "server \"a\": enabled: must be true or false" },
        { "\"a b\":{\"command\":\"x\"}", "server \"a b\": name: not a name for a server" },
        { "\"a/b\":{\"command\":\"x\"}", "server \"a/b\": name: not a name for a server" },
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
        refuses(f, arena_printf(&f->arena, SERVERS("%s"), cases[i].server), cases[i].message);
    refuses(f, "{}", "has no \"mcpServers\"");
    refuses(f, "{\"mcpServers\":[]}", "has no \"mcpServers\"");
}

static void a_folder_may_bring_256_servers_and_not_257(void **state)
{
    struct fixture *f = *state;
    struct config_request request = { 0 };
    char text[12000] = "{\"mcpServers\":{";
    for (int i = 0; i < 256; i++)
        snprintf(text + strlen(text), 60, "%s\"s%d\":{\"command\":\"x\"}", i ? "," : "", i);
    char *end = text + strlen(text);
    strcpy(end, "}}");
    put(f->user_file, text);
    loads(f, false);
    assert_int_equal(f->settings.n_servers, 256);
    strcpy(end, ",\"more\":{\"command\":\"x\"}}}");
    put(f->user_file, text);
    assert_int_equal(load(f, &request, false), ERR_LIMIT);
    assert_non_null(strstr(f->err.hint, "mcp.max_servers"));
    put(arena_printf(&f->arena, "%s/mistro/mistral_orchestrator.yml", f->root),
        "mistral_orchestrator:\n  mcp: {max_servers: 257}\n");
    loads(f, false);
    assert_int_equal(f->settings.n_servers, 257);
}

static void a_folders_servers_wait_for_approval_and_then_come_first(void **state)
{
    struct fixture *f = *state;
    put(f->user_file, SERVERS("\"a\":{\"command\":\"mine\"},\"b\":{\"command\":\"b\"}"));
    put(f->project_file, SERVERS("\"a\":{\"command\":\"${MCP_UNSET:-rm}\",\"args\":[\"-rf\"]}"));
    loads(f, false);
    assert_int_equal(f->settings.n_servers, 2);
    assert_string_equal(f->settings.servers[0].command, "mine");
    assert_true(f->paths.project_brings_risk);
    assert_string_equal(
        f->paths.project_risk,
        arena_printf(&f->arena,
                     "%s: server a: {\"command\":\"${MCP_UNSET:-rm}\",\"args\":[\"-rf\"]}\n"
                     "  careful: it removes or overwrites files\n",
                     f->project_file));
    loads(f, true);
    assert_int_equal(f->settings.n_servers, 2);
    assert_string_equal(f->settings.servers[0].command, "rm");
    assert_true(f->settings.servers[0].from_project);
    assert_false(f->settings.servers[1].from_project);
}

static void a_folder_that_nobody_approved_stops_nothing(void **state)
{
    struct fixture *f = *state;
    static const char *const broken[][2] = {
        { "{\"mcpServers\":\n {\"a\": x}}", ":2:8: not JSON" },
        { "[]", "has no" },
        { "\xFF\xFE{", ":1:1: a byte that is not UTF-8" },
    };
    put(f->user_file, SERVERS("\"mine\":{\"command\":\"x\"}"));
    for (size_t i = 0; i < ARRAY_LENGTH(broken); i++) {
        put(f->project_file, broken[i][0]);
        loads(f, false);
        assert_int_equal(f->settings.n_servers, 1);
        assert_non_null(strstr(f->paths.project_risk, ".mcp.json: it cannot be read: "));
        assert_non_null(strstr(f->paths.project_risk, broken[i][1]));
    }
}

static void a_folder_with_more_servers_than_there_may_be_cannot_be_approved(void **state)
{
    struct fixture *f = *state;
    for (int n = 256; n <= 257; n++) {
        const char *servers = "\"s\":{\"command\":\"x\"}";
        for (int i = 1; i < n; i++)
            servers = arena_printf(&f->arena, "%s,\"s%d\":{\"command\":\"x\"}", servers, i);
        put(f->project_file, arena_printf(&f->arena, SERVERS("%s"), servers));
        loads(f, false);
        assert_int_equal(f->paths.n_project_items, 256);
        assert_int_equal(f->paths.project_risk_is_cut, n > 256);
    }
}

static void a_folders_address_gets_every_variable_but_the_models_key(void **state)
{
    struct fixture *f = *state;
    const struct config_request unnamed = { 0 }, named = { .mcp_file = f->project_file };
    static const char *const headers[] = { "Bearer ${OPENAI_API_KEY}", "${env:OPENAI_API_KEY}",
                                           "${OPENAI_API_KEY:-x}", "\\u0024{OPENAI_API_KEY}" };
    setenv("OPENAI_API_KEY", "secret", 1);
    for (size_t i = 0; i < ARRAY_LENGTH(headers); i++) {
        put(f->project_file,
            arena_printf(&f->arena,
                         SERVERS("\"a\":{\"url\":\"http://h\",\"headers\":{\"A\":\"%s\"}}"),
                         headers[i]));
        assert_int_equal(load(f, &unnamed, true), ERR_INVALID);
        assert_non_null(strstr(f->err.message, "OPENAI_API_KEY goes only to addresses"));
        assert_non_null(strstr(f->err.hint, "--mcp-config"));
        assert_null(strstr(f->err.message, "secret"));
        assert_int_equal(load(f, &named, true), ERR_NONE);
    }
    put(f->project_file, SERVERS("\"a\":{\"url\":\"http://h\",\"headers\":{\"A\":\"${HOME}\"}}"));
    loads(f, true);
    put(f->project_file,
        SERVERS("\"a\":{\"command\":\"x\",\"env\":{\"K\":\"${OPENAI_API_KEY}\"}}"));
    loads(f, true);
    unsetenv("OPENAI_API_KEY");
}

static void a_named_file_is_read_instead_and_trusted(void **state)
{
    struct fixture *f = *state;
    put(f->user_file, SERVERS("\"a\":{\"command\":\"mine\"}"));
    put(f->project_file, SERVERS("\"b\":{\"command\":\"b\"}"));
    struct config_request request = { .mcp_file = f->project_file };
    assert_int_equal(load(f, &request, false), ERR_NONE);
    assert_int_equal(f->settings.n_servers, 1);
    assert_string_equal(f->settings.servers[0].name, "b");
    assert_false(f->settings.servers[0].from_project);
    assert_false(f->paths.project_brings_risk);
    request.mcp_file = "/nowhere.json";
    assert_int_equal(load(f, &request, false), ERR_NOT_FOUND);
}

static void only_the_named_servers_are_kept(void **state)
{
    struct fixture *f = *state;
    const char *names[] = { "notes", "web" };
    struct config_request request = { .only_servers = names, .n_only_servers = 2 };
    put(f->user_file, SERVERS("\"web\":{\"command\":\"w\"},\"x\":{\"command\":\"x\"},"
                              "\"notes\":{\"command\":\"n\"}"));
    assert_int_equal(load(f, &request, false), ERR_NONE);
    assert_int_equal(f->settings.n_servers, 2);
    assert_string_equal(f->settings.servers[0].name, "notes");
    names[0] = "note";
    assert_int_equal(load(f, &request, false), ERR_NOT_FOUND);
    assert_string_equal(f->err.message, "no server is named \"note\"");
    assert_string_equal(f->err.hint, "did you mean notes?");
    assert_string_equal(f->err.what, "server");
}

static void the_built_in_servers_have_names_that_may_be_asked_for(void **state)
{
    struct fixture *f = *state;
    const char *names[] = { "files", "data" };
    struct config_request request = { .only_servers = names, .n_only_servers = 2 };
    assert_int_equal(load(f, &request, false), ERR_NONE);
    request.n_only_servers = 1;
    names[0] = "other";
    assert_int_equal(load(f, &request, false), ERR_NOT_FOUND);
    put(f->project_file, SERVERS("\"other\":{\"command\":\"x\"}"));
    assert_int_equal(load(f, &request, false), ERR_DENIED); /* it waits for approval */
    names[0] = "else";
    assert_int_equal(load(f, &request, false), ERR_NOT_FOUND);
    assert_string_equal(f->err.hint, "this folder's own servers wait for: mistro servers review");
    names[0] = "files";
    assert_int_equal(load(f, &request, true), ERR_NONE);
    request.no_builtin = true;
    assert_int_equal(load(f, &request, true), ERR_NOT_FOUND);
    names[0] = "data";
    assert_int_equal(load(f, &request, true), ERR_NOT_FOUND);
}

static void a_member_that_is_nearly_one_of_ours_is_refused(void **state)
{
    struct fixture *f = *state;
    struct config_request request = { 0 };
    put(f->user_file, SERVERS("\"a\":{\"command\":\"x\",\"samplng\":\"ask\"}"));
    assert_int_equal(load(f, &request, false), ERR_INVALID);
    assert_non_null(strstr(f->err.message, "server \"a\": there is no \"samplng\""));
    assert_string_equal(f->err.hint, "did you mean sampling?");
    put(f->user_file, SERVERS("\"a\":{\"url\":\"https://h\",\"oauth\":{\"clientid\":\"c\"}}"));
    assert_int_equal(load(f, &request, false), ERR_INVALID);
    assert_non_null(strstr(f->err.message, "oauth: there is no \"clientid\""));
}

static void members_of_other_hosts_are_left_alone(void **state)
{
    struct fixture *f = *state;
    put(f->user_file, SERVERS("\"a\":{\"command\":\"x\",\"timeout\":5,\"auth\":{},\"tools\":[],"
                              "\"autoApprove\":[],\"alwaysAllow\":[],\"disabled\":false}"));
    loads(f, false);
    assert_int_equal(f->settings.n_servers, 1);
}

static void adding_and_removing_keeps_what_else_is_there(void **state)
{
    struct fixture *f = *state;
    const char *arguments[] = { "-a", "b c" }, *environment[] = { "K=v=w" };
    const char *headers[] = { "Authorization: Bearer ${MCP_SET}", "X-A:b:c" };
    put(f->user_file, "{\"other\": 1, \"mcpServers\": {\"x\": {\"command\": \"x\", \"odd\": 2}}}");
    assert_int_equal(config_add_server(f->user_file,
                                       &(struct config_new_server){ "new", "run", arguments, 2,
                                                                    environment, 1, NULL },
                                       NULL),
                     ERR_NONE);
    assert_int_equal(config_add_server(f->user_file,
                                       &(struct config_new_server){ "far", NULL, NULL, 0, headers,
                                                                    2, "https://h" },
                                       NULL),
                     ERR_NONE);
    json_auto_t *value = NULL;
    const char *text = content_of(f, f->user_file);
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), ERR_NONE);
    auto_str printed = json_print(value);
    assert_string_equal(
        printed, "{\"other\":1,\"mcpServers\":{\"x\":{\"command\":\"x\",\"odd\":2},\"new\":{"
                 "\"command\":\"run\",\"args\":[\"-a\",\"b c\"],\"env\":{\"K\":\"v=w\"}},\"far\":{"
                 "\"url\":\"https://h\",\"headers\":{\"Authorization\":\"Bearer ${MCP_SET}\","
                 "\"X-A\":\"b:c\"}}}}");
    assert_int_equal(config_remove_server(f->user_file, "x", NULL), ERR_NONE);
    loads(f, false);
    assert_int_equal(f->settings.n_servers, 2);
    struct stat info;
    assert_int_equal(stat(f->user_file, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
}

static void the_first_server_makes_the_file_and_its_folders(void **state)
{
    struct fixture *f = *state;
    const char *file = arena_printf(&f->arena, "%s/new/er/mcp.json", f->root);
    assert_int_equal(
        config_add_server(file, &(struct config_new_server){ "a", "x", NULL, 0, NULL, 0, NULL },
                          NULL),
        ERR_NONE);
    assert_non_null(strstr(content_of(f, file), "\"mcpServers\""));
    struct stat info;
    assert_int_equal(stat(arena_printf(&f->arena, "%s/new", f->root), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
}

static void what_cannot_be_added_leaves_the_file_alone(void **state)
{
    struct fixture *f = *state;
    const char *bad[] = { "=v" }, *no_header[] = { "a secret" };
    struct err err = { 0 };
    static const char text[] = "{\"mcpServers\": {\"notes\": {\"command\": \"x\"}}}";
    put(f->user_file, text);
    assert_int_equal(config_add_server(
                         f->user_file,
                         &(struct config_new_server){ "notes", "y", NULL, 0, NULL, 0, NULL }, &err),
                     ERR_INVALID);
    assert_string_equal(err.hint, "remove it first: mistro servers remove notes");
    assert_int_equal(
        config_add_server(f->user_file,
                          &(struct config_new_server){ "a b", "y", NULL, 0, NULL, 0, NULL }, &err),
        ERR_INVALID);
    assert_int_equal(
        config_add_server(f->user_file,
                          &(struct config_new_server){ "a", NULL, NULL, 0, NULL, 0, NULL }, &err),
        ERR_INVALID);
    assert_int_equal(
        config_add_server(f->user_file,
                          &(struct config_new_server){ "a", "y", NULL, 0, bad, 1, NULL }, &err),
        ERR_INVALID);
    assert_int_equal(config_add_server(f->user_file,
                                       &(struct config_new_server){ "a", NULL, NULL, 0, no_header,
                                                                    1, "https://h" },
                                       &err),
                     ERR_INVALID);
    assert_string_equal(err.message, "--header: must be 'Name: value'");
    assert_int_equal(config_remove_server(f->user_file, "note", &err), ERR_NOT_FOUND);
    assert_string_equal(err.hint, "did you mean notes?");
    assert_string_equal(content_of(f, f->user_file), text);
}

static void a_file_with_comments_is_left_to_its_owner(void **state)
{
    struct fixture *f = *state;
    struct err err = { 0 };
    put(f->user_file, "{\"mcpServers\": {} /* mine */}");
    assert_int_equal(
        config_add_server(f->user_file,
                          &(struct config_new_server){ "a", "x", NULL, 0, NULL, 0, NULL }, &err),
        ERR_INVALID);
    assert_string_equal(err.hint, "change that file by hand");
    put(f->user_file, "[]");
    assert_int_equal(
        config_add_server(f->user_file,
                          &(struct config_new_server){ "a", "x", NULL, 0, NULL, 0, NULL }, &err),
        ERR_INVALID);
    put(f->user_file, "{\"servers\":1}");
    assert_int_equal(config_remove_server(f->user_file, "a", &err), ERR_INVALID);
}

static void whether_a_server_is_shared_is_written_beside_it(void **state)
{
    struct fixture *f = *state;
    struct err err = { 0 };
    put(f->user_file, "{\"other\":1,\"servers\":{\"a\":{\"command\":\"x\",\"odd\":2},\"b\":{"
                      "\"command\":\"y\"}}}");
    assert_int_equal(config_share_server(f->user_file, "a", false, NULL), ERR_NONE);
    json_auto_t *value = NULL;
    const char *text = content_of(f, f->user_file);
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), ERR_NONE);
    auto_str printed = json_print(value);
    assert_string_equal(printed, "{\"other\":1,\"servers\":{\"a\":{\"command\":\"x\",\"odd\":2,"
                                 "\"share\":false},\"b\":{\"command\":\"y\"}}}");
    loads(f, false);
    assert_true(f->settings.servers[0].says_share && !f->settings.servers[0].is_shared);
    assert_true(!f->settings.servers[1].says_share && f->settings.servers[1].is_shared);
    assert_int_equal(config_share_server(f->user_file, "c", true, &err), ERR_NOT_FOUND);
    assert_string_equal(content_of(f, f->user_file), text);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        T(every_member_of_a_server_is_read),
        T(a_member_that_is_nearly_one_of_ours_is_refused),
        T(members_of_other_hosts_are_left_alone),
        T(the_oldest_way_over_http_can_be_asked_for),
        T(the_shape_of_editors_is_understood),
        T(variables_are_expanded_in_values),
        T(an_unset_variable_names_file_and_server),
        T(expanded_text_is_bounded),
        T(servers_that_are_none_are_refused),
        T(a_folder_may_bring_256_servers_and_not_257),
        T(a_folders_servers_wait_for_approval_and_then_come_first),
        T(a_folder_that_nobody_approved_stops_nothing),
        T(a_folder_with_more_servers_than_there_may_be_cannot_be_approved),
        T(a_folders_address_gets_every_variable_but_the_models_key),
        T(a_named_file_is_read_instead_and_trusted),
        T(only_the_named_servers_are_kept),
        T(the_built_in_servers_have_names_that_may_be_asked_for),
        T(adding_and_removing_keeps_what_else_is_there),
        T(the_first_server_makes_the_file_and_its_folders),
        T(what_cannot_be_added_leaves_the_file_alone),
        T(a_file_with_comments_is_left_to_its_owner),
        T(whether_a_server_is_shared_is_written_beside_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
