/* The workspace as a tool_server, on the real loop with its worker. */
#include "domain/schema/json_schema.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "infrastructure/workspace/workspace_server.h"
#include "tests/unit/infrastructure/workspace/workspace_fixture.h"

struct served {
    struct uv_runtime *runtime;
    struct tool_server *server;
    struct settings settings;
    struct tool_catalogue *catalogue;
    struct scope scope;
    struct arena arena;
    struct err err;
    const char *tool, *arguments;
    struct step_result result;
    enum err_code outcome;
};

static void open_server(struct served *s, bool write)
{
    memset(s, 0, sizeof *s);
    settings_init(&s->settings);
    s->runtime = uv_runtime_create();
    s->scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    struct workspace_options options = { .name = "files", .root = ws.root.path, .write = write };
    assert_int_equal(
        workspace_server_create(s->runtime, &options, &s->settings, &s->server, &s->err), 0);
}

static void close_server(struct served *s)
{
    tool_catalogue_unref(s->catalogue);
    tool_server_destroy(s->server);
    uv_runtime_destroy(s->runtime);
    arena_finish(&s->arena);
}

static enum err_code list_task(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct served *s = argument;
    (void)runtime;
    return tool_server_list(s->server, scope, &s->catalogue, &s->err);
}

static enum err_code call_task(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct served *s = argument;
    json_t *arguments = NULL;
    (void)runtime;
    if (json_parse(s->arguments, strlen(s->arguments), JSON_OURS, &arguments, NULL))
        return ERR_INTERNAL;
    struct tool_call call = { .name = s->tool, .arguments = arena_keep_json(&s->arena, arguments) };
    s->outcome = tool_server_call(s->server, scope, &call, &s->arena, &s->result, &s->err);
    return ERR_NONE;
}

static void list(struct served *s)
{
    assert_int_equal(uv_runtime_run(s->runtime, &s->scope, list_task, s), ERR_NONE);
}

static void call(struct served *s, const char *tool, const char *arguments)
{
    s->tool = tool;
    s->arguments = arguments;
    assert_int_equal(uv_runtime_run(s->runtime, &s->scope, call_task, s), ERR_NONE);
}

static void offers_writing_only_where_it_is_allowed(void **state)
{
    (void)state;
    struct served s;
    open_server(&s, false);
    list(&s);
    assert_int_equal(s.catalogue->n_tools, 6);
    assert_null(tool_catalogue_find(s.catalogue, "write_file"));
    call(&s, "write_file", "{\"path\":\"x\",\"content\":\"y\"}");
    assert_int_equal(s.outcome, ERR_NOT_FOUND);
    close_server(&s);
    open_server(&s, true);
    list(&s);
    assert_int_equal(s.catalogue->n_tools, 8);
    const struct tool *tool = tool_catalogue_find(s.catalogue, "write_file");
    assert_int_equal(tool->read_only, HINT_NO);
    assert_int_equal(tool->destructive, HINT_YES);
    assert_int_equal(tool_catalogue_find(s.catalogue, "read_file")->read_only, HINT_YES);
    close_server(&s);
}

static void answers_and_keeps_failures_as_results(void **state)
{
    (void)state;
    struct served s;
    put("a.txt", "hello");
    open_server(&s, false);
    call(&s, "read_file", "{\"path\":\"a.txt\"}");
    assert_int_equal(s.outcome, ERR_NONE);
    assert_string_equal(step_result_text(&s.arena, &s.result), "hello");
    assert_string_equal(json_get_string(step_result_structured(&s.result), "path"), "a.txt");
    call(&s, "read_file", "{\"path\":\"absent\"}");
    assert_int_equal(s.outcome, ERR_NONE);
    assert_true(s.result.is_error);
    call(&s, "read_file", "{}");
    assert_true(s.result.is_error);
    call(&s, "no_such_tool", "{}");
    assert_int_equal(s.outcome, ERR_NOT_FOUND);
    close_server(&s);
}

static void does_nothing_in_a_scope_that_has_ended(void **state)
{
    (void)state;
    struct served s;
    open_server(&s, true);
    s.scope.cancelled = true;
    call(&s, "write_file", "{\"path\":\"x\",\"content\":\"y\"}");
    assert_int_equal(s.outcome, ERR_CANCELLED);
    assert_int_not_equal(access(inside_path("x"), F_OK), 0);
    close_server(&s);
}

/* What each tool says of itself is true: examples fit the input schema, results the other. */
static void keeps_to_its_own_schemas(void **state)
{
    (void)state;
    static const char *const calls[][2] = {
        { "list_directory", "{\"path\":\".\",\"depth\":2,\"pattern\":\"*\"}" },
        { "read_file", "{\"path\":\"a.csv\",\"start_line\":1,\"end_line\":2,\"max_bytes\":9}" },
        { "read_file", "{\"path\":\"a.csv\",\"encoding\":\"base64\"}" },
        { "search_files", "{\"query\":\"1\",\"name\":\"*.csv\",\"ignore_case\":true}" },
        { "search_files", "{\"name\":\"*.csv\",\"limit\":5}" },
        { "file_info", "{\"path\":\"a.csv\"}" },
        { "text_stats", "{\"text\":\"a b\"}" },
        { "query_table", "{\"path\":\"a.csv\",\"sql\":\"SELECT * FROM a\",\"limit\":3}" },
        { "write_file", "{\"path\":\"b\",\"content\":\"old\",\"overwrite\":false}" },
        { "edit_file", "{\"path\":\"b\",\"edits\":[{\"old_text\":\"old\",\"new_text\":\"new\"}]}" },
    };
    struct served s;
    put("a.csv", "x,y\n1,2\n");
    open_server(&s, true);
    list(&s);
    for (size_t i = 0; i < ARRAY_LENGTH(calls); i++) {
        const struct tool *tool = tool_catalogue_find(s.catalogue, calls[i][0]);
        bool fits = false;
        json_t *arguments = NULL;
        assert_int_equal(json_parse(calls[i][1], strlen(calls[i][1]), JSON_OURS, &arguments, NULL),
                         ERR_NONE);
        assert_int_equal(json_schema_check(tool->input_schema, arguments, NULL, &fits, NULL), 0);
        assert_true(fits);
        json_decref(arguments);
        call(&s, calls[i][0], calls[i][1]);
        assert_false(s.result.is_error);
        assert_int_equal(json_schema_check(tool->output_schema, step_result_structured(&s.result),
                                           NULL, &fits, NULL),
                         0);
        assert_true(fits);
    }
    close_server(&s);
}

static void without_a_folder_it_has_the_tools_that_touch_none(void **state)
{
    (void)state;
    static const char arguments[] = "{\"sql\":\"SELECT a FROM t\",\"tables\":{\"t\":[{\"a\":1}]}}";
    struct served s;
    struct tool_server_status status;
    bool fits = false;
    open_server(&s, false);
    call(&s, "query", arguments);
    assert_int_equal(s.outcome, ERR_NOT_FOUND);
    tool_server_destroy(s.server);
    struct workspace_options options = { .name = "data" };
    assert_int_equal(workspace_server_create(s.runtime, &options, &s.settings, &s.server, &s.err),
                     0);
    list(&s);
    assert_int_equal(s.catalogue->n_tools, 1);
    const struct tool *tool = tool_catalogue_find(s.catalogue, "query");
    assert_int_equal(tool->read_only, HINT_YES);
    assert_true(tool_is_for_plans(tool));
    call(&s, "read_file", "{\"path\":\"a.csv\"}");
    assert_int_equal(s.outcome, ERR_NOT_FOUND);
    call(&s, "query", arguments);
    assert_int_equal(s.outcome, ERR_NONE);
    assert_false(s.result.is_error);
    assert_int_equal(json_schema_check(tool->output_schema, step_result_structured(&s.result), NULL,
                                       &fits, NULL),
                     0);
    assert_true(fits);
    tool_server_status(s.server, &status);
    assert_true(status.is_builtin);
    assert_string_equal(status.identity, "data");
    close_server(&s);
}

static void refuses_a_root_that_is_missing(void **state)
{
    (void)state;
    struct settings settings;
    struct tool_server *server = NULL;
    struct workspace_options options = { .name = "files", .root = "/nowhere/at/all" };
    struct uv_runtime *runtime = uv_runtime_create();
    settings_init(&settings);
    assert_int_equal(workspace_server_create(runtime, &options, &settings, &server, NULL),
                     ERR_NOT_FOUND);
    uv_runtime_destroy(runtime);
}

#define IN_WORKSPACE(test) cmocka_unit_test_setup_teardown(test, open_workspace, close_workspace)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORKSPACE(offers_writing_only_where_it_is_allowed),
        IN_WORKSPACE(answers_and_keeps_failures_as_results),
        IN_WORKSPACE(does_nothing_in_a_scope_that_has_ended),
        IN_WORKSPACE(keeps_to_its_own_schemas),
        IN_WORKSPACE(without_a_folder_it_has_the_tools_that_touch_none),
        IN_WORKSPACE(refuses_a_root_that_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
