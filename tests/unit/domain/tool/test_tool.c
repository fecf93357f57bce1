
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

static void a_signature_shows_required_parameters_first(void **state)
{
    struct fixture *fixture = *state;
    const struct tool *tool = added(
        fixture, "{\"name\":\"read_file\",\"inputSchema\":{\"type\":\"object\",\"properties\":"
                 "{\"lines\":{\"type\":\"integer\"},\"path\":{\"type\":\"string\"}},"
                 "\"required\":[\"path\"]}}");
    assert_string_equal(tool_signature(&fixture->arena, tool, NULL),
                        "files/read_file(path: string, lines?: integer)");
    assert_string_equal(tool_signature(&fixture->arena, tool, "files__read_file"),
                        "files__read_file(path: string, lines?: integer)");
}

static void a_signature_prints_every_kind_of_type(void **state)
{
    struct fixture *fixture = *state;
    const struct tool *tool = added(
        fixture,
        "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"$defs\":{\"M\":{\"enum\":"
        "[\"on\",\"off\",3]}},\"properties\":{\"a\":{\"$ref\":\"#/$defs/M\"},"
        "\"b\":{\"type\":[\"string\",\"null\"]},\"c\":{\"type\":\"array\",\"items\":{\"type\":"
        "\"string\"}},\"d\":{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"null\"}]},"
        "\"e\":{\"const\":true},\"f\":{},\"g\":{\"type\":\"array\"},\"h\":{\"type\":\"array\","
        "\"items\":{\"oneOf\":[{\"type\":\"string\"},{}]}},\"i\":true}}}");
    assert_string_equal(tool_signature(&fixture->arena, tool, NULL),
                        "files/t(a?: on|off|3, b?: string|null, c?: string[], d?: integer|null, "
                        "e?: true, f?: any, g?: array, h?: (string|any)[], i?: any)");
}

static void a_schema_that_refers_to_itself_ends(void **state)
{
    struct fixture *fixture = *state;
    const struct tool *tool = added(
        fixture, "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"$defs\":{\"L\":"
                 "{\"$ref\":\"#/$defs/L\"}},\"properties\":{\"a\":{\"$ref\":\"#/$defs/L\"}}}}");
    assert_string_equal(tool_signature(&fixture->arena, tool, NULL), "files/t(a?: any)");
}

static void a_long_signature_is_cut_at_200_characters(void **state)
{
    struct fixture *fixture = *state;
    char definition[4000] = "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"properties\":{";
    for (int i = 0; i < 40; i++) {
        char member[60];
        snprintf(member, sizeof member, "%s\"parameter%d\":{\"type\":\"string\"}", i ? "," : "", i);
        strcat(definition, member);
    }
    strcat(definition, "}}}");
    const char *text = tool_signature(&fixture->arena, added(fixture, definition), NULL);
    assert_true(strlen(text) <= 200);
    assert_string_equal(text + strlen(text) - strlen(", …)"), ", …)");
}

static void many_choices_are_cut(void **state)
{
    struct fixture *fixture = *state;
    const struct tool *tool =
        added(fixture, "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":"
                       "{\"enum\":[1,2,3,4,5,6,7,8,9]},\"b\":{\"anyOf\":[{},{},{},{},{},{},{},{},{}"
                       "]}}}}");
    assert_string_equal(tool_signature(&fixture->arena, tool, NULL),
                        "files/t(a?: 1|2|3|4|5|6|7|8|…, b?: any|any|any|any|any|any|any|any|…)");
}

static void foreign_names_are_escaped_in_a_signature(void **state)
{
    struct fixture *fixture = *state;
    const struct tool *tool =
        added(fixture, "{\"name\":\"t\\u001b[2J\",\"inputSchema\":{\"type\":\"object\"}}");
    assert_string_equal(tool_signature(&fixture->arena, tool, NULL), "files/t\\x1b[2J()");
}

static void a_summary_is_the_title_or_the_first_sentence(void **state)
{
    struct fixture *fixture = *state;
    const struct tool *titled = added(fixture, "{\"name\":\"a\",\"title\":\"Read a file\","
                                               "\"inputSchema\":{\"type\":\"object\"}}");
    assert_string_equal(tool_summary(&fixture->arena, titled, 40), "Read a file");
    const struct tool *described =
        added(fixture, "{\"name\":\"b\",\"description\":\"  Reads v1.2 files. And more.\","
                       "\"inputSchema\":{\"type\":\"object\"}}");
    assert_string_equal(tool_summary(&fixture->arena, described, 40), "Reads v1.2 files");
    const struct tool *lines = added(fixture, "{\"name\":\"c\",\"description\":\"one\\ntwo\","
                                              "\"inputSchema\":{\"type\":\"object\"}}");
    assert_string_equal(tool_summary(&fixture->arena, lines, 40), "one");
    assert_string_equal(tool_summary(&fixture->arena, added(fixture, PLAIN), 40), "");
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
        T(a_signature_shows_required_parameters_first),
        T(a_signature_prints_every_kind_of_type),
        T(a_schema_that_refers_to_itself_ends),
        T(a_long_signature_is_cut_at_200_characters),
        T(many_choices_are_cut),
        T(foreign_names_are_escaped_in_a_signature),
        T(a_summary_is_the_title_or_the_first_sentence),
        T(the_definition_text_ignores_order_and_icons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
