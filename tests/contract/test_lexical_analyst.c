/* The lexical analyst over the real full-text index. */
#include "application/orchestrators/lexical/lexical_analyst.h"
#include "application/orchestrators/lexical/lexical_words.h"
#include "domain/base/json.h"
#include "infrastructure/repositories/repository_create.h"
#include "tests/support/cmocka.h"
#include <string.h>

static const struct {
    const char *name, *description, *schema;
} definitions[] = {
    { "read_file", "Read the text of a file.",
      "{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\"}},"
      "\"required\":[\"path\"]}" },
    { "current_weather", "Weather of a city: temperature and wind.",
      "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"}},"
      "\"required\":[\"city\"]}" },
    { "sum", "Add two numbers.",
      "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"number\"},"
      "\"b\":{\"type\":\"number\"}},\"required\":[\"a\",\"b\"]}" },
};

static void analyse(struct arena *arena, const char *request, struct lexical_analysis *out)
{
    const struct tool *tools[ARRAY_LENGTH(definitions)];
    struct tool_index *index = NULL;
    struct settings settings;
    struct err err;
    for (size_t i = 0; i < ARRAY_LENGTH(definitions); i++) {
        json_t *schema = NULL;
        const char *text = definitions[i].schema;
        assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &schema, &err), ERR_NONE);
        struct tool *tool = arena_new(arena, struct tool);
        *tool = (struct tool){ .server = "s",
                               .name = definitions[i].name,
                               .full_name = definitions[i].name,
                               .description = definitions[i].description,
                               .input_schema = arena_keep_json(arena, schema) };
        tools[i] = tool;
    }
    settings_init(&settings);
    index = bm25_tool_index_create();
    assert_int_equal(tool_index_build(index, tools, ARRAY_LENGTH(tools), &err), ERR_NONE);
    const struct lexical_request asked = {
        index, tools, ARRAY_LENGTH(tools), request, settings.lexical_threshold, 0
    };
    enum err_code r = lexical_analyse(arena, &asked, out, &err);
    tool_index_destroy(index);
    assert_int_equal(r, ERR_NONE);
}

static void chooses_the_tool_and_reads_its_arguments(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        { "read the file docs/notes.txt", "read_file", "{\"path\":\"docs/notes.txt\"}" },
        { "What is the weather in Oslo?", "current_weather", "{\"city\":\"Oslo\"}" },
        { "the sum of 2 and 3", "sum", "{\"a\":2,\"b\":3}" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        AUTO(arena) arena = { 0 };
        struct lexical_analysis found;
        analyse(&arena, rows[i][0], &found);
        assert_non_null(found.tool);
        assert_string_equal(found.tool->name, rows[i][1]);
        assert_string_equal(json_print_in(&arena, found.args), rows[i][2]);
        assert_true(found.score >= found.threshold);
    }
}

static void refuses_what_no_tool_is_for(void **state)
{
    (void)state;
    static const char *const rows[] = { "tell me a joke about cats", "who painted the ceiling?", "",
                                        "\"", "%s%n" };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        AUTO(arena) arena = { 0 };
        struct lexical_analysis found;
        analyse(&arena, rows[i], &found);
        assert_null(found.tool);
        assert_int_equal(json_object_size(found.args), 0);
        assert_int_equal(found.n_slots, 0);
        assert_true(found.score < found.threshold);
    }
}

static void a_request_may_end_with_a_word_that_announces_another(void **state)
{
    (void)state;
    static const char *const rows[] = { "read the file notes.md as text", "the word",
                                        "read notes.md for the phrase" };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        AUTO(arena) arena = { 0 };
        struct lexical_analysis found;
        analyse(&arena, rows[i], &found);
        assert_non_null(found.explanation);
    }
}

static void explains_itself_without_repeating_control_characters(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct lexical_analysis found;
    analyse(&arena, "read the file \"\x1b[31mred\"", &found);
    assert_non_null(strstr(found.explanation, "read_file"));
    assert_non_null(strstr(found.explanation, "threshold 0.35"));
    assert_non_null(strstr(found.explanation, "file: in the name"));
    assert_non_null(strstr(found.explanation, "by the rule \"quoted\""));
    assert_null(strchr(found.explanation, '\x1b'));
}

static void reads_a_request_up_to_its_bound(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    char *request = arena_alloc(&arena, 5 * (size_t)LEXICAL_MAX_WORDS + 20);
    for (int i = 0; i < LEXICAL_MAX_WORDS - 1; i++)
        memcpy(request + 5 * i, "blah ", 5);
    size_t end = 5 * ((size_t)LEXICAL_MAX_WORDS - 1);
    struct lexical_analysis found;

    memcpy(request + end, "weather", 8);
    analyse(&arena, request, &found);
    assert_int_equal(found.n_candidates, 1);

    memcpy(request + end, "blah weather", 13);
    analyse(&arena, request, &found);
    assert_int_equal(found.n_candidates, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chooses_the_tool_and_reads_its_arguments),
        cmocka_unit_test(refuses_what_no_tool_is_for),
        cmocka_unit_test(a_request_may_end_with_a_word_that_announces_another),
        cmocka_unit_test(explains_itself_without_repeating_control_characters),
        cmocka_unit_test(reads_a_request_up_to_its_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
