/* What a planner may write itself, and what must have been said. */
#include "domain/base/json.h"
#include "domain/plan/value_origin.h"
#include "tests/support/cmocka.h"
#include <string.h>

#define TEXT "{\"type\":\"string\"}"

/* A tool with one property of that name and schema. */
static struct tool tool_with(struct arena *arena, const char *name, const char *schema)
{
    const char *input =
        arena_printf(arena, "{\"type\":\"object\",\"properties\":{\"%s\":%s}}", name, schema);
    json_t *value = NULL;
    assert_int_equal(json_parse(input, strlen(input), JSON_OURS, &value, NULL), ERR_NONE);
    return (struct tool){ .full_name = "dev/do", .input_schema = arena_keep_json(arena, value) };
}

static bool is_written(const char *name, const char *schema)
{
    AUTO(arena) arena = { 0 };
    struct tool tool = tool_with(&arena, name, schema);
    return value_is_written(&tool, name);
}

static void texts_and_formal_languages_are_written(void **state)
{
    (void)state;
    static const char *const names[] = { "sql",        "sql_query",    "bodyText", "message",
                                         "expression", "content",      "subject",  "regex",
                                         "code",       "text_to_send", "SQL" };
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        if (!is_written(names[i], TEXT))
            fail_msg("%s", names[i]);
}

static void ids_addresses_paths_dates_and_amounts_are_given(void **state)
{
    (void)state;
    static const char *const names[] = {
        "to",    "message_id",    "text_path", "recipient", "path",
        "date",  "amount",        "city",      "name",      "fileName",
        "email", "currency_code", "query_id",  "url",       "contentType",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        if (is_written(names[i], TEXT))
            fail_msg("%s", names[i]);
}

static void the_description_may_name_a_formal_language(void **state)
{
    (void)state;
    assert_true(
        is_written("q", "{\"type\":\"string\",\"description\":\"The SQL statement to run\"}"));
    assert_false(is_written("id", "{\"type\":\"string\",\"description\":\"Text of the id\"}"));
    assert_false(
        is_written("table", "{\"type\":\"string\",\"description\":\"Table of the query\"}"));
}

static bool is_code(const char *name, const char *args)
{
    AUTO(arena) arena = { 0 };
    json_t *value = NULL;
    assert_int_equal(json_parse(args, strlen(args), JSON_OURS, &value, NULL), ERR_NONE);
    return value_is_code(name, arena_keep_json(&arena, value));
}

static void programs_patterns_and_contents_of_programs_are_code(void **state)
{
    (void)state;
    assert_true(is_code("code", "{\"code\":\"echo ${first}\"}"));
    assert_true(is_code("pattern", "{\"pattern\":\"[weather]\"}"));
    assert_true(is_code("content", "{\"path\":\"hi.sh\",\"content\":\"echo ${first}\"}"));
    assert_true(is_code("text", "{\"file\":\"a/b.jinja\",\"text\":\"Hi {{ user.name }}\"}"));
    assert_false(is_code("content", "{\"path\":\"hi.sh\",\"content\":\"<code>\"}"));
    assert_false(is_code("code", "{\"code\":\"[insert code]\"}"));
    assert_false(is_code("content", "{\"path\":\"hi.txt\",\"content\":\"Hi ${first}\"}"));
    assert_false(is_code("name", "{\"path\":\"hi.sh\",\"name\":\"Hi <name>\"}"));
    assert_false(is_code("zip_code", "{\"zip_code\":\"<code> of it\"}"));
    assert_false(is_code("query", "{\"query\":\"find [weather]\"}"));
    assert_true(is_code("content", "{\"path\":\"hi.sh\",\"content\":\"\"}"));
}

static void a_schema_that_leaves_no_free_text_is_not_written(void **state)
{
    (void)state;
    assert_false(is_written("text", "{\"type\":\"integer\"}"));
    assert_false(is_written("text", "{\"enum\":[\"a\",\"b\"]}"));
    assert_false(is_written("text", "{\"type\":\"string\",\"format\":\"email\"}"));
    assert_false(is_written("text", "{\"type\":\"string\",\"pattern\":\"^a\"}"));
    assert_true(is_written("text", "{\"type\":\"string\",\"format\":\"regex\"}"));
    assert_true(is_written("text", "{\"type\":[\"string\",\"null\"]}"));
}

static void objects_are_written_and_lists_of_names_are_given(void **state)
{
    (void)state;
    assert_true(is_written("entities", "{\"type\":\"array\",\"items\":{\"type\":\"object\"}}"));
    assert_false(is_written("entityNames", "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"));
}

static void a_tool_that_only_reads_is_given_its_text(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct tool counter = tool_with(&arena, "text", TEXT);
    struct tool database = tool_with(&arena, "sql", TEXT);
    counter.read_only = database.read_only = HINT_YES;
    assert_false(value_is_written(&counter, "text"));
    assert_true(value_is_written(&database, "sql"));
}

static bool is_said(const char *schema, const char *value, const char *text)
{
    AUTO(arena) arena = { 0 };
    struct tool tool = tool_with(&arena, "v", schema);
    json_t *parsed = NULL;
    assert_int_equal(json_parse(value, strlen(value), JSON_OURS, &parsed, NULL), ERR_NONE);
    arena_keep_json(&arena, parsed);
    return value_is_said(&tool, "v", parsed, said_read(&arena, text, NULL));
}

static void a_value_is_said_when_all_its_words_are(void **state)
{
    (void)state;
    assert_true(is_said(TEXT, "\"notes/b.md\"", "copy a.md to B.md in Notes"));
    assert_false(is_said(TEXT, "\"ann@example.com\"", "mail ann"));
    assert_false(is_said(TEXT, "\"cat\"", "concatenate"));
    assert_true(is_said("{\"type\":\"integer\"}", "7", "add 7 to it"));
    assert_false(is_said("{\"type\":\"integer\"}", "7", "add 17 to it"));
    assert_true(is_said("{\"type\":\"number\"}", "2.5", "2,5 Meter"));
    assert_true(is_said("{\"type\":\"number\"}", "3.0", "3 times"));
    assert_true(is_said("{\"type\":\"integer\"}", "5", "für fünf Leute"));
    assert_false(is_said("{\"type\":\"integer\"}", "6", "für fünf Leute"));
    assert_false(is_said(TEXT, "\"\"", "mail ann"));
    assert_true(is_said(TEXT, "\"\"", "replace foo with nothing"));
    assert_true(is_said(TEXT, "\"\"", "setze es auf ''"));
    assert_false(is_said("{\"type\":\"array\"}", "[\"a\",\"b\"]", "a"));
}

static void choices_defaults_and_references_need_not_be_said(void **state)
{
    (void)state;
    assert_true(is_said("{\"enum\":[\"on\",\"off\"]}", "\"on\"", "light"));
    assert_true(is_said("{\"type\":\"boolean\"}", "true", "light"));
    assert_true(is_said("{\"type\":\"string\",\"default\":\"cm\"}", "\"cm\"", "how long?"));
    assert_true(is_said(TEXT, "\"{s1.path}\"", "read it"));
}

static bool is_invented(const char *schema, const char *value, const char *text)
{
    AUTO(arena) arena = { 0 };
    struct tool tool = tool_with(&arena, "v", schema);
    json_t *parsed = NULL;
    assert_int_equal(json_parse(value, strlen(value), JSON_OURS, &parsed, NULL), ERR_NONE);
    arena_keep_json(&arena, parsed);
    return value_is_invented(&tool, "v", parsed, said_read(&arena, text, NULL));
}

static void a_value_out_of_nothing_is_invented(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        { "\"john.doe@example.com\"", "email John that the meeting is off" },
        { "[\"ann@example.com\",\"bob@example.com\"]", "mail ann@example.com" },
        { "\"https://example.com/feed\"", "download the feed" },
        { "\"INV-4821\"", "pay the invoice" },
        { "\"48213\"", "cancel order 4821" },
        { "\"New York\"", "what is the weather like?" },
        { "\"The Hague\"", "the weather, please" },
        { "30", "set a timer" },
        { "[20, 30]", "set timers" },
        { "\"2026-03-09\"", "book a table" },
        { "\"18:30\"", "book a table" },
        { "\"30min\"", "book a room" },
        { "\"the file\"", "delete the file" },
        { "\"path/to/file.txt\"", "delete the file" },
        { "\"Email address\"", "mail it to her email address" },
        { "\"N/A\"", "send it" },
        { "\"*\"", "delete the file" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
        if (!is_invented("{}", rows[i][0], rows[i][1]))
            fail_msg("%s from \"%s\"", rows[i][0], rows[i][1]);
}

static void a_value_that_was_said_in_another_form_is_not_invented(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        { "\"Ann@example.com\"", "mail ann@example.com, please" },
        { "\"Ann <ann@example.com>\"", "mail ann@example.com" },
        { "\"https://www.example.com/feed\"", "download the feed of example.com" },
        { "\"INV-4821\"", "pay invoice 4821" },
        { "\"notes2.txt\"", "read notes2" },
        { "\"README.md\"", "show the readme" },
        { "\"bathroom\"", "light in the bath" },
        { "\"Munich\"", "Wetter in M\u00fcnchen" },
        { "\"\u6771\u4eac\"", "\u4eca\u65e5\u306e\u6771\u4eac\u306e\u5929\u6c17" },
        { "\"/home/ann/notes.txt\"", "read my notes" },
        { "20", "set it to 68 F" },
        { "1", "a coffee, please" },
        { "2", "zwei Kaffee" },
        { "\"2026-03-10\"", "book a table for tomorrow" },
        { "\"March 9, 2026\"", "a table on Monday" },
        { "\"18:30\"", "at half past six" },
        { "\"30min\"", "for half an hour" },
        { "\"EUR\"", "100 dollars in euros" },
        { "\".\"", "list the files" },
        { "\"{s1.path}\"", "read it" },
        { "true", "light" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
        if (is_invented("{}", rows[i][0], rows[i][1]))
            fail_msg("%s from \"%s\"", rows[i][0], rows[i][1]);
    assert_false(is_invented("{\"enum\":[\"loud\"]}", "\"loud\"", "light"));
    assert_false(is_invented("{\"items\":{\"enum\":[\"loud\"]}}", "[\"loud\"]", "light"));
    assert_false(is_invented("{\"default\":50}", "50", "light"));
}

static void a_tool_that_only_reads_may_look_into_a_likely_file(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const char *request = "what is this folder about?";
    const struct said *said = said_read(&arena, request, NULL);
    struct tool tool = tool_with(&arena, "path", TEXT);
    json_auto_t *file = json_string("README.md"), *city = json_string("New York");
    assert_true(value_is_invented(&tool, "path", file, said));
    tool.read_only = HINT_YES;
    assert_false(value_is_invented(&tool, "path", file, said));
    assert_true(value_is_invented(&tool, "path", city, said));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_and_formal_languages_are_written),
        cmocka_unit_test(ids_addresses_paths_dates_and_amounts_are_given),
        cmocka_unit_test(the_description_may_name_a_formal_language),
        cmocka_unit_test(programs_patterns_and_contents_of_programs_are_code),
        cmocka_unit_test(a_schema_that_leaves_no_free_text_is_not_written),
        cmocka_unit_test(objects_are_written_and_lists_of_names_are_given),
        cmocka_unit_test(a_tool_that_only_reads_is_given_its_text),
        cmocka_unit_test(a_value_is_said_when_all_its_words_are),
        cmocka_unit_test(choices_defaults_and_references_need_not_be_said),
        cmocka_unit_test(a_value_out_of_nothing_is_invented),
        cmocka_unit_test(a_value_that_was_said_in_another_form_is_not_invented),
        cmocka_unit_test(a_tool_that_only_reads_may_look_into_a_likely_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
