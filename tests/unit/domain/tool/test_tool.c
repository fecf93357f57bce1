
#include "domain/base/json.h"
#include "domain/tool/tool.h"
#include "tests/support/cmocka.h"
#include <string.h>

struct fixture {
    struct arena arena;
    struct tool_catalogue *catalogue;
};

static int open_fixture(void **state)
{
    static struct fixture fixture;
    fixture = (struct fixture){ .catalogue = tool_catalogue_create("files") };
    *state = &fixture;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *fixture = *state;
    tool_catalogue_unref(fixture->catalogue);
    arena_finish(&fixture->arena);
    return 0;
}

static enum err_code add(struct fixture *fixture, const char *text, struct err *err)
{
    json_t *definition = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &definition, NULL), ERR_NONE);
    enum err_code r = tool_catalogue_add(fixture->catalogue, definition, err);
    json_decref(definition);
    return r;
}

static const struct tool *added(struct fixture *fixture, const char *text)
{
    assert_int_equal(add(fixture, text, NULL), ERR_NONE);
    return &fixture->catalogue->tools[fixture->catalogue->n_tools - 1];
}

#define PLAIN "{\"name\":\"plain\",\"inputSchema\":{\"type\":\"object\"}}"

static void a_definition_becomes_a_tool(void **state)
{
    const struct tool *tool =
        added(*state, "{\"name\":\"read_file\",\"description\":\"Reads.\",\"inputSchema\":"
                      "{\"type\":\"object\"},\"outputSchema\":{\"type\":\"object\"},"
                      "\"annotations\":{\"title\":\"Read\",\"readOnlyHint\":true,"
                      "\"destructiveHint\":false,\"idempotentHint\":\"yes\"}}");
    assert_string_equal(tool->full_name, "files/read_file");
    assert_string_equal(tool->server, "files");
    assert_string_equal(tool->title, "Read");
    assert_string_equal(tool->description, "Reads.");
    assert_non_null(tool->output_schema);
    assert_int_equal(tool->read_only, HINT_YES);
    assert_int_equal(tool->destructive, HINT_NO);
    assert_int_equal(tool->idempotent, HINT_UNSAID);
    assert_int_equal(tool->open_world, HINT_UNSAID);
}

static void a_tool_is_found_by_its_name_alone(void **state)
{
    struct fixture *fixture = *state;
    const struct tool *tool = added(fixture, PLAIN);
    assert_ptr_equal(tool_catalogue_find(fixture->catalogue, "plain"), tool);
    assert_null(tool_catalogue_find(fixture->catalogue, "Plain"));
}

static void a_catalogue_outlives_one_of_two_references(void **state)
{
    struct fixture *fixture = *state;
    added(fixture, PLAIN);
    struct tool_catalogue *second = tool_catalogue_ref(fixture->catalogue);
    tool_catalogue_unref(second);
    tool_catalogue_unref(NULL);
    assert_string_equal(fixture->catalogue->tools[0].name, "plain");
}

static void definitions_that_are_none_are_refused_with_the_reason(void **state)
{
    static const struct {
        const char *definition, *message;
    } cases[] = {
        { "{\"inputSchema\":{\"type\":\"object\"}}", "a tool without a name" },
        { "{\"name\":\"\",\"inputSchema\":{\"type\":\"object\"}}", "a tool without a name" },
        { "{\"name\":\"a\\u0000b\",\"inputSchema\":{\"type\":\"object\"}}",
          "a tool without a name" },
        { "[]", "a tool without a name" },
        { "{\"name\":\"a\"}", "tool \"a\": inputSchema is not a schema of type object" },
        { "{\"name\":\"a\",\"inputSchema\":{\"type\":\"string\"}}",
          "tool \"a\": inputSchema is not a schema of type object" },
        { "{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\"},\"outputSchema\":7}",
          "tool \"a\": outputSchema is not a schema" },
        { "{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\",\"allOf\":[{\"properties\":{"
          "\"p\xEF\xBF\xBD\":{}}}]}}",
          "tool \"a\": a name in its definition holds U+0000 or U+FFFD, or is not UTF-8" },
    };
    struct fixture *fixture = *state;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct err err = { 0 };
        assert_int_equal(add(fixture, cases[i].definition, &err), ERR_PROTOCOL);
        assert_string_equal(err.message, cases[i].message);
    }
    assert_int_equal(fixture->catalogue->n_tools, 0);
}

static void a_name_used_twice_is_refused(void **state)
{
    struct fixture *fixture = *state;
    struct err err = { 0 };
    added(fixture, PLAIN);
    assert_int_equal(add(fixture, PLAIN, &err), ERR_PROTOCOL);
    assert_string_equal(err.message, "tool \"plain\": the name is used twice");
}

static void a_full_name_may_have_300_bytes_and_not_301(void **state)
{
    struct fixture *fixture = *state;
    char name[296], definition[400];
    memset(name, 'n', sizeof name);
    name[294] = '\0'; /* "files/" and 294 are 300 */
    snprintf(definition, sizeof definition,
             "{\"name\":\"%s\",\"inputSchema\":{\"type\":\"object\"}}", name);
    assert_int_equal(add(fixture, definition, NULL), ERR_NONE);
    memset(name, 'm', 295);
    name[295] = '\0';
    snprintf(definition, sizeof definition,
             "{\"name\":\"%s\",\"inputSchema\":{\"type\":\"object\"}}", name);
    assert_int_equal(add(fixture, definition, NULL), ERR_PROTOCOL);
}

static void the_definition_text_ignores_order_and_icons(void **state)
{
    struct fixture *fixture = *state;
    auto_str first = tool_definition_text(
        added(fixture, "{\"name\":\"a\",\"description\":\"x\",\"icons\":[1],\"inputSchema\":"
                       "{\"type\":\"object\",\"a\":1}}"));
    assert_string_equal(
        first,
        "{\"description\":\"x\",\"inputSchema\":{\"a\":1,\"type\":\"object\"},\"name\":\"a\"}");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        T(a_definition_becomes_a_tool),
        T(a_tool_is_found_by_its_name_alone),
        T(a_catalogue_outlives_one_of_two_references),
        T(definitions_that_are_none_are_refused_with_the_reason),
        T(a_name_used_twice_is_refused),
        T(a_full_name_may_have_300_bytes_and_not_301),
        T(the_definition_text_ignores_order_and_icons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
