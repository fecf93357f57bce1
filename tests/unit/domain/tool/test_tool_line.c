/* How a tool is shown: to people as a signature and a summary, to models as one line. */
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

static const struct tool *added(struct fixture *fixture, const char *text)
{
    json_t *definition = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &definition, NULL), ERR_NONE);
    assert_int_equal(tool_catalogue_add(fixture->catalogue, definition, NULL), ERR_NONE);
    json_decref(definition);
    return &fixture->catalogue->tools[fixture->catalogue->n_tools - 1];
}

static const char *line(struct fixture *fixture, const char *definition)
{
    return tool_line(&fixture->arena, added(fixture, definition), NULL);
}

#define PLAIN "{\"name\":\"plain\",\"inputSchema\":{\"type\":\"object\"}}"

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

static void a_line_tells_what_a_tool_takes_and_gives_and_does(void **state)
{
    struct fixture *fixture = *state;
    const struct tool *tool = added(
        fixture,
        "{\"name\":\"search_files\",\"title\":\"Search\",\"description\":\"Find text in files. "
        "More."
        "\",\"inputSchema\":{\"type\":\"object\",\"required\":[\"query\"],\"properties\":{\"name\":"
        "{"
        "\"type\":\"string\",\"description\":\"glob; * is any text\"},\"path\":{\"type\":"
        "\"string\",\"description\":\"folder, relative to the workspace folder\"},\"query\":{"
        "\"type\":\"string\",\"description\":\"text to find\"}}},\"outputSchema\":{\"type\":"
        "\"object\",\"properties\":{\"matches\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
        "\"properties\":{\"path\":{\"type\":\"string\"},\"line\":{\"type\":\"integer\"}}}}}}}");
    assert_string_equal(tool_line(&fixture->arena, tool, "files__search_files"),
                        "files__search_files(query: text to find, name?: glob, path?: folder) -> "
                        "matches[].path, matches[].line: Find text in files");
    assert_string_equal(line(fixture, PLAIN), "files/plain()");
}

static void a_title_stands_in_a_line_where_there_is_no_description(void **state)
{
    assert_string_equal(line(*state, "{\"name\":\"a\",\"title\":\"Read a file\",\"description\":"
                                     "\" \",\"inputSchema\":{\"type\":\"object\"}}"),
                        "files/a(): Read a file");
}

static void a_line_says_what_to_write_for_each_kind_of_parameter(void **state)
{
    assert_string_equal(
        line(
            *state,
            "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"$defs\":{\"U\":{\"enum\":["
            "\"km\",\"mi\"],\"description\":\"unit\"}},\"properties\":{\"a\":{\"type\":\"number\"},"
            "\"b\":{\"enum\":[\"x\",\"y\"],\"description\":\"which\"},\"c\":{\"type\":\"array\","
            "\"items\":{\"type\":\"string\"},\"description\":\"names of files\"},\"d\":{\"type\":"
            "\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"from\":{},\"to\":{}}}},"
            "\"e\":{\"type\":\"object\",\"properties\":{\"k\":{}}},\"f\":{\"$ref\":\"#/$defs/U\"},"
            "\"g\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}}}"),
        "files/t(a?: number, b?: x|y, c?: [names of files], d?: [{from, to}], e?: {k}, f?: km|mi, "
        "g?: string[])");
}

static void long_texts_of_a_line_are_cut_between_words(void **state)
{
    assert_string_equal(
        line(*state,
             "{\"name\":\"t\",\"description\":\"Counts everything that can be counted in a file of "
             "any kind whatever its length may be\",\"inputSchema\":{\"type\":\"object\","
             "\"properties\":{\"a\":{\"description\":\"If given, returns only so many of the last "
             "lines\"},\"b\":{\"description\":\"the name of a zone (such as UTC)\"}}}}"),
        "files/t(a?: If given, returns only so many of the…, b?: the name of a zone): Counts "
        "everything that can be counted in a file of any kind whatever…");
}

static void what_is_nested_in_a_result_is_shown_by_its_path_as_far_as_there_is_room(void **state)
{
    assert_string_equal(
        line(*state,
             "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\"},\"outputSchema\":{"
             "\"$defs\":{\"P\":{\"type\":\"object\",\"properties\":{\"x\":{}}}},"
             "\"properties\":{\"place\":{\"$ref\":\"#/$defs/P\"},\"ids\":{\"type\":"
             "\"array\",\"items\":{\"type\":\"string\"}},\"deep\":{\"properties\":{\"er\":{"
             "\"properties\":{\"est\":{}}}}},\"a_name_that_takes_the_room\":{},\"z\":{}}}}"),
        "files/t() -> place.x, ids[], deep.er.est, a_name_that_takes_the_room, …");
    assert_string_equal(line(*state, "{\"name\":\"r\",\"inputSchema\":{\"type\":\"object\"},"
                                     "\"outputSchema\":{\"properties\":{\"n\":{\"$ref\":\"#\"}}}}"),
                        "files/r() -> n.n.n.n.n");
}

static void optional_parameters_are_shortened_before_required_ones(void **state)
{
    const char *text =
        line(*state,
             "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"required\":[\"must\"],"
             "\"properties\":{\"a\":{\"description\":\"words that take up a lot of room\"},\"b\":{"
             "\"description\":\"words that take up a lot of room\"},\"c\":{\"description\":"
             "\"words that take up a lot of room\"},\"d\":{\"description\":"
             "\"words that take up a lot of room\"},\"must\":{\"description\":"
             "\"what it is about\"}}}}");
    assert_string_equal(text, "files/t(must: what it is about, a?, b?, c?, d?)");
}

/* A tool with n parameters that have names of ten bytes: a line names each with ", ". */
static const char *line_of_many(struct fixture *fixture, size_t n, bool required)
{
    json_t *properties = json_object(), *names = json_array();
    for (size_t i = 0; i < n; i++) {
        const char *name = arena_printf(&fixture->arena, "name%06zu", i);
        json_object_set_new(properties, name,
                            json_pack("{s:s}", "description", "words that take up some room"));
        if (required)
            json_array_append_new(names, json_string(name));
    }
    json_auto_t *definition =
        json_pack("{s:s, s:{s:s, s:o, s:o}}", "name", required ? "r" : "o", "inputSchema", "type",
                  "object", "properties", properties, "required", names);
    auto_str text = json_print(definition);
    return line(fixture, text);
}

static void a_line_names_every_required_parameter_up_to_its_bound(void **state)
{
    const char *most = line_of_many(*state, 333, true); /* ( and 333 times 12 less 2: 3,995 bytes */
    assert_non_null(strstr(most, "name000332)"));
    assert_null(strstr(most, "…"));
}

static void one_required_parameter_more_is_left_out(void **state)
{
    const char *cut = line_of_many(*state, 334, true);
    assert_non_null(strstr(cut, "name000332, …)"));
}

static void a_line_names_as_many_optional_parameters_as_there_is_room_for(void **state)
{
    const char *text = line_of_many(*state, 1000, false);
    assert_non_null(strstr(text, "name000000?, name000001?"));
    assert_non_null(strstr(text, ", …)"));
    assert_true(strlen(text) < 200);
}

static void other_languages_are_shown_as_they_are(void **state)
{
    assert_string_equal(line(*state,
                             "{\"name\":\"w\",\"description\":\"Zeigt das Wetter für eine Stadt\","
                             "\"inputSchema\":{\"type\":\"object\",\"required\":[\"ort\"],"
                             "\"properties\":{\"ort\":{\"type\":\"string\",\"description\":"
                             "\"都市の名前\"}}}}"),
                        "files/w(ort: 都市の名前): Zeigt das Wetter für eine Stadt");
}

static void foreign_texts_stay_on_their_line_and_are_bounded(void **state)
{
    static char words[100000];
    struct fixture *fixture = *state;
    memset(words, 'w', sizeof words - 1);
    json_auto_t *definition =
        json_pack("{s:s, s:s, s:{s:s, s:{s:{s:s}, s:{s:s}}}}", "name", "t\nEND", "description",
                  arena_printf(&fixture->arena, "\n a\tb\x1b[2J \xE2\x80\xAE%s", words),
                  "inputSchema", "type", "object", "properties", "p\n- x(): y", "description",
                  "first\nsecond", "q", "description", words);
    auto_str text = json_print(definition);
    const char *shown = line(fixture, text);
    assert_null(strpbrk(shown, "\n\t\x1b"));
    assert_true(strlen(shown) < 400);
    assert_non_null(strstr(shown, "p\\n- x(): y?: first, "));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        T(a_signature_shows_required_parameters_first),
        T(a_signature_prints_every_kind_of_type),
        T(a_schema_that_refers_to_itself_ends),
        T(a_long_signature_is_cut_at_200_characters),
        T(many_choices_are_cut),
        T(foreign_names_are_escaped_in_a_signature),
        T(a_summary_is_the_title_or_the_first_sentence),
        T(a_line_tells_what_a_tool_takes_and_gives_and_does),
        T(a_title_stands_in_a_line_where_there_is_no_description),
        T(a_line_says_what_to_write_for_each_kind_of_parameter),
        T(long_texts_of_a_line_are_cut_between_words),
        T(what_is_nested_in_a_result_is_shown_by_its_path_as_far_as_there_is_room),
        T(optional_parameters_are_shortened_before_required_ones),
        T(a_line_names_every_required_parameter_up_to_its_bound),
        T(one_required_parameter_more_is_left_out),
        T(a_line_names_as_many_optional_parameters_as_there_is_room_for),
        T(other_languages_are_shown_as_they_are),
        T(foreign_texts_stay_on_their_line_and_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
