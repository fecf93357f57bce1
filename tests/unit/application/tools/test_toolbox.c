#include "application/tools/definition_check.h"
#include "application/tools/toolbox.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/immediate_runtime.h"
#include <string.h>

#define TOOL(name) "{\"name\":\"" name "\",\"inputSchema\":{\"type\":\"object\"}}"

struct bench {
    struct immediate_runtime runtime;
    struct fake_services services;
    struct toolbox *toolbox;
    struct scope scope;
    struct err err;
};

static int set_up(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    bench->runtime = immediate_runtime();
    bench->scope.deadline_ms = SCOPE_NO_DEADLINE;
    fake_services_init(&bench->services, &bench->runtime.port, SOURCE_DIR);
    fake_services_add_server(&bench->services, "files",
                             "[" TOOL("read_file") "," TOOL("list") "," TOOL("a/b") "]");
    fake_services_add_server(&bench->services, "dev", "[" TOOL("review") "," TOOL("list") "]");
    bench->toolbox = toolbox_create(&bench->services.base, bench->services.server_ports, 2);
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    toolbox_destroy(bench->toolbox);
    fake_services_finish(&bench->services);
    free(bench);
    return 0;
}

static void lists_all_tools_sorted_by_full_name(void **state)
{
    struct bench *bench = *state;
    size_t n;

    assert_int_equal(toolbox_refresh(bench->toolbox, &bench->scope, NULL, &bench->err), ERR_NONE);

    const struct tool *const *tools = toolbox_tools(bench->toolbox, &n);
    assert_int_equal(n, 5);
    assert_string_equal(tools[0]->full_name, "dev/list");
    assert_string_equal(tools[4]->full_name, "files/read_file");
}

static void a_dead_server_costs_its_own_tools_only(void **state)
{
    struct bench *bench = *state;
    size_t n;
    bench->services.servers[1].list_fails = ERR_UNAVAILABLE;

    assert_int_equal(toolbox_refresh(bench->toolbox, &bench->scope, NULL, &bench->err), ERR_NONE);

    const struct toolbox_failure *failures = toolbox_failures(bench->toolbox, &n);
    assert_int_equal(n, 1);
    assert_string_equal(failures[0].server, "dev");
    assert_int_equal(failures[0].err.code, ERR_UNAVAILABLE);
    toolbox_tools(bench->toolbox, &n);
    assert_int_equal(n, 3);
}

static void all_servers_dead_is_an_error(void **state)
{
    struct bench *bench = *state;
    bench->services.servers[0].list_fails = ERR_TIMEOUT;
    bench->services.servers[1].list_fails = ERR_TIMEOUT;

    assert_int_equal(toolbox_refresh(bench->toolbox, &bench->scope, NULL, &bench->err),
                     ERR_TIMEOUT);

    assert_non_null(strstr(bench->err.message, "server files"));
}

static void lists_only_the_server_that_is_named(void **state)
{
    struct bench *bench = *state;
    size_t n;

    assert_int_equal(toolbox_refresh(bench->toolbox, &bench->scope, "dev", &bench->err), ERR_NONE);

    toolbox_tools(bench->toolbox, &n);
    assert_int_equal(n, 2);
    assert_int_equal(bench->services.servers[0].n_lists, 0);
}

static void names_the_nearest_server(void **state)
{
    struct bench *bench = *state;

    assert_int_equal(toolbox_refresh(bench->toolbox, &bench->scope, "file", &bench->err),
                     ERR_NOT_FOUND);

    assert_string_equal(bench->err.hint, "did you mean files?");
}

static void finds_a_tool_and_starts_its_server_only(void **state)
{
    struct bench *bench = *state;
    const struct tool *tool = NULL;
    struct tool_server *server = NULL;

    assert_int_equal(
        toolbox_find(bench->toolbox, &bench->scope, "files/a/b", &tool, &server, &bench->err),
        ERR_NONE);

    assert_string_equal(tool->name, "a/b");
    assert_ptr_equal(server, bench->services.server_ports[0]);
    assert_int_equal(bench->services.servers[1].n_lists, 0);
}

static void names_the_nearest_tool(void **state)
{
    struct bench *bench = *state;

    assert_int_equal(
        toolbox_find(bench->toolbox, &bench->scope, "files/read_fil", NULL, NULL, &bench->err),
        ERR_NOT_FOUND);

    assert_string_equal(bench->err.hint, "did you mean files/read_file?");
}

static void a_bare_name_is_enough_where_it_is_unique(void **state)
{
    struct bench *bench = *state;
    const struct tool *tool = NULL;

    assert_int_equal(
        toolbox_find(bench->toolbox, &bench->scope, "review", &tool, NULL, &bench->err), ERR_NONE);
    assert_string_equal(tool->full_name, "dev/review");
    assert_int_equal(toolbox_find(bench->toolbox, &bench->scope, "list", &tool, NULL, &bench->err),
                     ERR_INVALID);
    assert_non_null(strstr(bench->err.hint, "files/list"));
}

static void hides_what_the_settings_disable(void **state)
{
    struct bench *bench = *state;
    static const char *const allowed[] = { "*l*" }, *const disabled[] = { "list" };
    struct server_config config = { .name = "files",
                                    .allowed_tools = allowed,
                                    .n_allowed_tools = 1,
                                    .disabled_tools = disabled,
                                    .n_disabled_tools = 1 };
    size_t n;
    bench->services.settings.servers = &config;
    bench->services.settings.n_servers = 1;
    toolbox_destroy(bench->toolbox);
    bench->toolbox = toolbox_create(&bench->services.base, bench->services.server_ports, 1);

    assert_int_equal(toolbox_refresh(bench->toolbox, &bench->scope, NULL, &bench->err), ERR_NONE);

    const struct tool *const *tools = toolbox_tools(bench->toolbox, &n);
    assert_int_equal(n, 1);
    assert_string_equal(tools[0]->name, "read_file");
    assert_int_equal(
        toolbox_find(bench->toolbox, &bench->scope, "files/list", NULL, NULL, &bench->err),
        ERR_NOT_FOUND);
}

/* A model is shown the snapshot, a plan names the tool, a person looks at the server. */
static void a_tool_for_plans_is_found_by_its_full_name_and_listed_with_its_server(void **state)
{
    static const char tools[] = "[{\"name\":\"query\",\"inputSchema\":{\"type\":\"object\"},"
                                "\"_meta\":{\"mistro/for_plans\":true}}]";
    struct bench *bench = *state;
    const struct tool *tool = NULL;
    size_t n;
    struct fake_tool_server *data = fake_services_add_server(&bench->services, "data", tools);
    struct toolbox *toolbox =
        toolbox_create(&bench->services.base, bench->services.server_ports, 3);
    for (int is_builtin = 0; is_builtin <= 1; is_builtin++) {
        data->is_builtin = is_builtin;
        assert_int_equal(toolbox_refresh(toolbox, &bench->scope, NULL, NULL), ERR_NONE);
        (void)toolbox_tools(toolbox, &n);
        assert_int_equal(n,
                         is_builtin ? 5 : 6); /* what another server says of itself is no matter */
        assert_int_equal(toolbox_find(toolbox, &bench->scope, "query", &tool, NULL, NULL),
                         is_builtin ? ERR_NOT_FOUND : ERR_NONE);
        assert_int_equal(toolbox_find(toolbox, &bench->scope, "data/query", &tool, NULL, NULL),
                         ERR_NONE);
        assert_int_equal(toolbox_refresh(toolbox, &bench->scope, "data", NULL), ERR_NONE);
        (void)toolbox_tools(toolbox, &n);
        assert_int_equal(n, 1);
    }
    toolbox_destroy(toolbox);
}

static void no_server_at_all_is_no_error(void **state)
{
    struct bench *bench = *state;
    struct toolbox *empty = toolbox_create(&bench->services.base, NULL, 0);

    assert_int_equal(toolbox_refresh(empty, &bench->scope, NULL, &bench->err), ERR_NONE);
    assert_int_equal(toolbox_find(empty, &bench->scope, "x", NULL, NULL, &bench->err),
                     ERR_NOT_FOUND);

    toolbox_destroy(empty);
}

static bool matches(const char *expected, enum schema_mode mode)
{
    static const char definition[] =
        "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":"
        "\"string\",\"enum\":[\"x\",\"y\"]},\"b\":{\"type\":\"integer\"}},\"required\":[\"a\"]}}";
    AUTO(arena) arena = { 0 };
    struct problems problems = { .arena = &arena };
    json_auto_t *actual = NULL, *wanted = NULL;
    assert_int_equal(json_parse(definition, strlen(definition), JSON_OURS, &actual, NULL), 0);
    assert_int_equal(json_parse(expected, strlen(expected), JSON_OURS, &wanted, NULL), 0);
    struct tool_catalogue *catalogue = tool_catalogue_create("s");
    assert_int_equal(tool_catalogue_add(catalogue, actual, NULL), 0);
    bool same = definition_matches(&catalogue->tools[0], wanted, mode, &problems);
    tool_catalogue_unref(catalogue);
    assert_int_equal(same, problems.n == 0);
    return same;
}

static void tells_a_changed_definition(void **state)
{
    (void)state;
    static const char same[] =
        "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":"
        "\"string\",\"enum\":[\"x\",\"y\"]},\"b\":{\"type\":\"integer\"}},\"required\":[\"a\"]}}";
    static const char fewer_choices[] =
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"enum\":[\"x\"]}},"
        "\"required\":[\"a\"]}";
    static const char was_optional[] =
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"enum\":[\"x\"]}}}";
    static const char other_type[] = "{\"properties\":{\"b\":{\"type\":\"string\"}},"
                                     "\"required\":[\"a\"]}";
    static const char gone[] = "{\"properties\":{\"c\":{}},\"required\":[\"a\"]}";
    static const char was_free[] = "{\"properties\":{\"a\":{\"type\":\"string\"}},"
                                   "\"required\":[\"a\"]}";

    assert_true(matches(same, SCHEMA_MODE_STRICT));
    assert_false(matches(fewer_choices, SCHEMA_MODE_STRICT));
    assert_true(matches(fewer_choices, SCHEMA_MODE_COMPATIBLE));
    assert_false(matches(was_optional, SCHEMA_MODE_COMPATIBLE));
    assert_false(matches(other_type, SCHEMA_MODE_COMPATIBLE));
    assert_false(matches(gone, SCHEMA_MODE_COMPATIBLE));
    assert_false(matches(was_free, SCHEMA_MODE_COMPATIBLE));
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(lists_all_tools_sorted_by_full_name),
        TEST(a_dead_server_costs_its_own_tools_only),
        TEST(all_servers_dead_is_an_error),
        TEST(lists_only_the_server_that_is_named),
        TEST(names_the_nearest_server),
        TEST(finds_a_tool_and_starts_its_server_only),
        TEST(names_the_nearest_tool),
        TEST(a_bare_name_is_enough_where_it_is_unique),
        TEST(hides_what_the_settings_disable),
        TEST(a_tool_for_plans_is_found_by_its_full_name_and_listed_with_its_server),
        TEST(no_server_at_all_is_no_error),
        cmocka_unit_test(tells_a_changed_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
