/* The lexical analyst over the real full-text index. */
#include "application/orchestrators/lexical/lexical_analyst.h"
#include "application/orchestrators/lexical/lexical_words.h"
#include "domain/base/json.h"
#include "infrastructure/repositories/repository_create.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/test_assets.h"
#include <string.h>

#define OBJECT(properties, required)                                                               \
    "{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required "]}"
#define TEXT(name) "\"" name "\":{\"type\":\"string\"}"
#define NUMBER(name) "\"" name "\":{\"type\":\"number\"}"
#define INTEGER(name) "\"" name "\":{\"type\":\"integer\"}"

struct definition {
    const char *server, *name, *description, *input, *output;
    bool only_reads;
};

static const struct definition desk[] = {
    { "s", "read_file", "Read the text of a file.", OBJECT(TEXT("path"), "\"path\""), NULL, true },
    { "s", "search_files", "Search for text in files, and count it.",
      OBJECT(TEXT("query"), "\"query\""),
      "{\"type\":\"object\",\"properties\":{\"matches\":{\"type\":\"array\",\"items\":"
      "{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\"}}}}}}",
      true },
    { "s", "current_weather", "Weather of a city: temperature and wind.",
      OBJECT(TEXT("city"), "\"city\""), NULL, true },
    { "s", "sum", "Add two numbers.", OBJECT(NUMBER("a") "," NUMBER("b"), "\"a\",\"b\""), NULL,
      true },
    { "s", "merge_pull_request", "Merge a pull request.", OBJECT(INTEGER("number"), "\"number\""),
      NULL, false },
    { "s", "start_vacuum", "Start the vacuum robot.", OBJECT("", ""), NULL, false },
};
static const struct definition closing[] = {
    { "s", "merge_pull_request", "Merge a pull request.", OBJECT(INTEGER("number"), "\"number\""),
      NULL, false },
    { "s", "close_pull_request", "Close a pull request.", OBJECT(INTEGER("number"), "\"number\""),
      NULL, false },
};
static const struct definition orders[] = {
    { "s", "cancel_order", "Cancel an order.", OBJECT(INTEGER("number"), "\"number\""), NULL,
      false },
};
static const struct definition counting[] = {
    { "s", "text_stats", "Count lines and words of a text file.", OBJECT(TEXT("path"), ""), NULL,
      true },
    { "s", "list_notes", "List the notes of a folder.", OBJECT(TEXT("folder"), ""), NULL, true },
};
static const struct definition players[] = {
    { "s", "create_player", "Create a player.",
      OBJECT(TEXT("name") "," INTEGER("level"), "\"name\",\"level\""), NULL, false },
};
static const struct definition lights[] = {
    { "s", "set_light", "Switch the light of a room on or off.",
      OBJECT(TEXT("room") ",\"on\":{\"type\":\"boolean\"}", "\"room\",\"on\""), NULL, false },
};
static const struct definition pages[] = {
    { "s", "read_file", "Read the text of a file, or some lines of it.",
      OBJECT(TEXT("path") "," INTEGER("start_line") "," INTEGER("end_line"), "\"path\""), NULL,
      true },
    { "s", "search_files", "Search for text in the files of a folder.",
      OBJECT(TEXT("query") "," TEXT("path"), "\"query\""), NULL, true },
};
static const struct definition doors[] = {
    { "s", "lock_door", "Lock a door.",
      OBJECT("\"door\":{\"type\":\"string\",\"description\":\"for example front or garage\"}",
             "\"door\""),
      NULL, false },
};
static const struct definition issues[] = {
    { "s", "close_issue", "Close an issue.", OBJECT(INTEGER("number"), "\"number\""), NULL, false },
    { "s", "close_pull_request", "Close a pull request.", OBJECT(INTEGER("number"), "\"number\""),
      NULL, false },
    { "s", "get_issue", "Show an issue.", OBJECT(INTEGER("number"), "\"number\""), NULL, true },
};
static const struct definition printers[] = {
    { "s", "print_file", "Print a file on paper.", OBJECT(TEXT("path"), "\"path\""), NULL, false },
    { "s", "read_file", "Read the text of a file.", OBJECT(TEXT("path"), "\"path\""), NULL, true },
};
static const struct definition twins[] = {
    { "a", "search_files", "Search for text in files.", OBJECT(TEXT("query"), "\"query\""), NULL,
      true },
    { "b", "search_notes", "Search for text in notes.", OBJECT(TEXT("query"), "\"query\""), NULL,
      true },
};

static const json_t *schema_of(struct arena *arena, const char *text)
{
    json_t *schema = NULL;
    if (!text)
        return NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &schema, NULL), ERR_NONE);
    return arena_keep_json(arena, schema);
}

static const struct tool *make_tool(struct arena *arena, const struct definition *definition)
{
    struct tool *tool = arena_new(arena, struct tool);
    *tool = (struct tool){
        .server = definition->server,
        .name = definition->name,
        .full_name = arena_printf(arena, "%s/%s", definition->server, definition->name),
        .description = definition->description,
        .input_schema = schema_of(arena, definition->input),
        .output_schema = schema_of(arena, definition->output),
        .read_only = definition->only_reads ? HINT_YES : HINT_UNSAID,
    };
    return tool;
}

static void analyse_with(struct arena *arena, const struct definition *definitions, size_t n,
                         const char *request, struct lexical_analysis *out)
{
    const struct tool **tools = arena_array(arena, const struct tool *, n);
    struct settings settings;
    struct err err;
    for (size_t i = 0; i < n; i++)
        tools[i] = make_tool(arena, &definitions[i]);
    settings_init(&settings);
    struct tool_index *index = bm25_tool_index_create();
    assert_int_equal(tool_index_build(index, tools, n, &err), ERR_NONE);
    const struct lexical_request asked = {
        index, tools, n, request, settings.lexical_threshold, 0, test_assets()
    };
    enum err_code r = lexical_analyse(arena, &asked, out, &err);
    tool_index_destroy(index);
    assert_int_equal(r, ERR_NONE);
}

static void analyse(struct arena *arena, const char *request, struct lexical_analysis *out)
{
    analyse_with(arena, desk, ARRAY_LENGTH(desk), request, out);
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
        assert_true(found.score >= found.threshold && found.score < 1);
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

/* "read_file {…}; sum {…}" */
static const char *print_calls(struct arena *arena, const struct lexical_analysis *found)
{
    const char *text = "";
    for (size_t i = 0; i < found->n_calls; i++)
        text = arena_printf(arena, "%s%s%s %s", text, i ? "; " : "", found->calls[i].tool->name,
                            json_print_in(arena, found->calls[i].args));
    return text;
}

static void does_several_actions_in_their_order(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        { "read README.md and then docs/setup.md",
          "read_file {\"path\":\"README.md\"}; read_file {\"path\":\"docs/setup.md\"}" },
        { "read README.md, a.md and b.md",
          "read_file {\"path\":\"README.md\"}; read_file {\"path\":\"a.md\"}; "
          "read_file {\"path\":\"b.md\"}" },
        { "what is the weather in Oslo and Rome?",
          "current_weather {\"city\":\"Oslo\"}; current_weather {\"city\":\"Rome\"}" },
        { "search for TODO and read README.md",
          "search_files {\"query\":\"TODO\"}; read_file {\"path\":\"README.md\"}" },
        { "lies README.md und dann docs/setup.md",
          "read_file {\"path\":\"README.md\"}; read_file {\"path\":\"docs/setup.md\"}" },
        { "before you read README.md, search for TODO",
          "search_files {\"query\":\"TODO\"}; read_file {\"path\":\"README.md\"}" },
        { "read README.md after searching for TODO",
          "search_files {\"query\":\"TODO\"}; read_file {\"path\":\"README.md\"}" },
        { "bevor du README.md liest, lies docs/setup.md",
          "read_file {\"path\":\"docs/setup.md\"}; read_file {\"path\":\"README.md\"}" },
        { "avant de lire README.md, lis docs/setup.md",
          "read_file {\"path\":\"docs/setup.md\"}; read_file {\"path\":\"README.md\"}" },
        { "lee README.md y después lee docs/setup.md",
          "read_file {\"path\":\"README.md\"}; read_file {\"path\":\"docs/setup.md\"}" },
        { "leggi README.md e dopo leggi docs/setup.md",
          "read_file {\"path\":\"README.md\"}; read_file {\"path\":\"docs/setup.md\"}" },
        { "sum 10 with 5 and 30 with 7", "sum {\"a\":10,\"b\":5}; sum {\"a\":30,\"b\":7}" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        AUTO(arena) arena = { 0 };
        struct lexical_analysis found;
        analyse(&arena, rows[i][0], &found);
        assert_string_equal(print_calls(&arena, &found), rows[i][1]);
    }
}

static void what_follows_and_shares_the_verb_where_it_is_of_the_same_kind(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        { "show lines 1-5 of a.txt and lines 7-9 of b.txt",
          "read_file {\"start_line\":1,\"end_line\":5,\"path\":\"a.txt\"}; "
          "read_file {\"start_line\":7,\"end_line\":9,\"path\":\"b.txt\"}" },
        { "search for TODO in docs and in src",
          "search_files {\"query\":\"TODO\",\"path\":\"docs\"}; "
          "search_files {\"query\":\"TODO\",\"path\":\"src\"}" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        AUTO(arena) arena = { 0 };
        struct lexical_analysis found;
        analyse_with(&arena, pages, ARRAY_LENGTH(pages), rows[i][0], &found);
        assert_string_equal(print_calls(&arena, &found), rows[i][1]);
    }
}

static void what_stands_before_the_same_noun_is_done_one_by_one(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct lexical_analysis found;
    analyse_with(&arena, doors, ARRAY_LENGTH(doors), "lock the front door and the garage door",
                 &found);
    assert_string_equal(print_calls(&arena, &found),
                        "lock_door {\"door\":\"front\"}; lock_door {\"door\":\"garage\"}");
}

static void asks_which_where_no_word_tells_changes_apart(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct lexical_analysis found;
    analyse_with(&arena, issues, ARRAY_LENGTH(issues), "close #41", &found);
    assert_int_equal(found.n_calls, 0);
    assert_int_equal(found.n_choices, 2);
}

static void who_only_asks_wants_nothing_changed(void **state)
{
    (void)state;
    static const char *const rows[] = { "is the front door locked?",
                                        "was the front door locked by you?",
                                        "lock the front door? No, leave it as it is.",
                                        "would lock_door be able to lock the front door?",
                                        "if it is late, lock the front door" };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        AUTO(arena) arena = { 0 };
        struct lexical_analysis found;
        analyse_with(&arena, doors, ARRAY_LENGTH(doors), rows[i], &found);
        assert_int_equal(found.n_calls, 0);
        assert_non_null(found.refusal);
    }
}

static void a_command_of_another_program_is_no_search(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct lexical_analysis found;
    analyse_with(&arena, pages, ARRAY_LENGTH(pages), "zap search -m 'fix typo'", &found);
    assert_true(found.n_calls == 0 || found.doubt);
}

static void little_is_enough_to_ask_for_what_is_missing(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct lexical_analysis found;
    analyse(&arena, "read it", &found);
    assert_int_equal(found.n_calls, 1);
    assert_string_equal(found.tool->name, "read_file");
    assert_int_equal(json_object_size(found.args), 0);
}

static void it_is_of_the_kind_that_the_call_before_was_about(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct lexical_analysis found;
    analyse_with(&arena, issues, ARRAY_LENGTH(issues), "show issue 5 and then close it", &found);
    assert_string_equal(print_calls(&arena, &found),
                        "get_issue {\"number\":5}; close_issue {\"number\":5}");
}

static void showing_what_was_just_read_is_no_action_of_its_own(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        { "read notes.txt and print it out", "read_file {\"path\":\"notes.txt\"}" },
        { "read notes.txt and show it to me", "read_file {\"path\":\"notes.txt\"}" },
        { "read notes.txt, then display its contents", "read_file {\"path\":\"notes.txt\"}" },
        { "search for TODO and show me the results", "search_files {\"query\":\"TODO\"}" },
        { "lies notes.txt und zeig mir den Inhalt", "read_file {\"path\":\"notes.txt\"}" },
        { "search for TODO and show me the first match",
          "search_files {\"query\":\"TODO\"}; read_file {\"path\":\"{s1.matches[0].path}\"}" },
        { "read a.md and show b.md",
          "read_file {\"path\":\"a.md\"}; read_file {\"path\":\"b.md\"}" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        AUTO(arena) arena = { 0 };
        struct lexical_analysis found;
        analyse(&arena, rows[i][0], &found);
        assert_string_equal(print_calls(&arena, &found), rows[i][1]);
    }
}

static void showing_is_an_action_where_a_tool_does_more_than_that(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct lexical_analysis found;
    analyse_with(&arena, printers, ARRAY_LENGTH(printers), "read notes.txt and print it", &found);
    assert_string_equal(print_calls(&arena, &found),
                        "read_file {\"path\":\"notes.txt\"}; print_file {\"path\":\"notes.txt\"}");
}

static void passes_the_first_result_on_where_it_surely_fits(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct lexical_analysis found;
    analyse(&arena, "search for TODO then read the first match", &found);
    assert_string_equal(
        print_calls(&arena, &found),
        "search_files {\"query\":\"TODO\"}; read_file {\"path\":\"{s1.matches[0].path}\"}");
    analyse(&arena, "read README.md then read the first match", &found);
    assert_int_equal(found.n_calls, 0);
    assert_non_null(strstr(found.refusal, "\"read the first match\""));
}

static void does_no_half_of_what_it_does_not_understand(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        { "read README.md and bake a cake", "bake" },
        { "read README.md and then water the plants", "water the plants" },
        { "search for TODO and delete README.md", "delete" },
        { "search and read", "read" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        AUTO(arena) arena = { 0 };
        struct lexical_analysis found;
        analyse(&arena, rows[i][0], &found);
        assert_string_equal(print_calls(&arena, &found), "");
        assert_non_null(found.refusal);
        assert_non_null(strstr(found.refusal, rows[i][1]));
    }
}

static void asks_for_the_one_value_that_one_of_several_actions_lacks(void **state)
{
    (void)state;
    static const struct {
        const char *request, *calls, *wanting;
        size_t wanting_call;
    } rows[] = {
        { "read README.md and search", "read_file {\"path\":\"README.md\"}; search_files {}",
          "query", 1 },
        { "read the file and search for TODO", "read_file {}; search_files {\"query\":\"TODO\"}",
          "path", 0 },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        AUTO(arena) arena = { 0 };
        struct lexical_analysis found;
        analyse(&arena, rows[i].request, &found);
        assert_string_equal(print_calls(&arena, &found), rows[i].calls);
        assert_string_equal(found.wanting, rows[i].wanting);
        assert_int_equal(found.wanting_call, rows[i].wanting_call);
    }
}

static void calls_nothing_that_the_verb_does_not_mean(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "don't show me LICENSE",  "do not open LICENSE",
        "don't read LICENSE",     "delete the file README.md",
        "stop the vacuum",        "create a file hello.txt with the text hi",
        "close pull request 31",  "the vacuum",
        "don't start the vacuum", "how do I merge a pull request?",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        AUTO(arena) arena = { 0 };
        struct lexical_analysis found;
        analyse(&arena, rows[i], &found);
        assert_string_equal(print_calls(&arena, &found), "");
        assert_true(found.refusal || found.n_choices);
    }
}

static void what_must_not_be_done_does_not_stop_what_must(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct lexical_analysis found;
    analyse_with(&arena, closing, ARRAY_LENGTH(closing), "close pull request 31 without merging it",
                 &found);
    assert_string_equal(print_calls(&arena, &found), "close_pull_request {\"number\":31}");
}

static void what_changes_something_is_called_by_its_own_verb(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct lexical_analysis found;
    analyse_with(&arena, orders, ARRAY_LENGTH(orders), "delete order 12", &found);
    assert_non_null(found.doubt); /* which is shown with the call, and nothing is done */
    analyse_with(&arena, orders, ARRAY_LENGTH(orders), "uncancel order 12 and cancel it", &found);
    assert_string_equal(print_calls(&arena, &found), "");
    analyse_with(&arena, orders, ARRAY_LENGTH(orders), "cancel order 12", &found);
    assert_string_equal(print_calls(&arena, &found), "cancel_order {\"number\":12}");
}

static void what_is_counted_has_to_be_said(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct lexical_analysis found;
    analyse_with(&arena, counting, ARRAY_LENGTH(counting), "count the words", &found);
    assert_string_equal(found.wanting, "path");
    analyse_with(&arena, counting, ARRAY_LENGTH(counting), "list the notes", &found);
    assert_string_equal(print_calls(&arena, &found), "list_notes {}");
}

static void turning_on_is_switching(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct lexical_analysis found;
    const char *request = "turn on the light in the room \"hall\"";
    analyse_with(&arena, lights, ARRAY_LENGTH(lights), request, &found);
    assert_string_equal(print_calls(&arena, &found), "set_light {\"on\":true,\"room\":\"hall\"}");
}

static void a_clause_that_only_says_how_is_no_other_action(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct lexical_analysis found;
    const char *request = "create a player with name \"Mage\", set the level to 5";
    analyse_with(&arena, players, ARRAY_LENGTH(players), request, &found);
    assert_int_equal(found.n_calls, 1);
    assert_int_equal(json_integer_value(json_object_get(found.args, "level")), 5);
    request = "create a player with name \"Mage\", delete level 5";
    analyse_with(&arena, players, ARRAY_LENGTH(players), request, &found);
    assert_int_equal(found.n_calls, 0);
}

static void what_no_parameter_takes_ends_it(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "read the file notes.md without line 3",   "why did you read the file notes.md",
        "merge pull request 31 or is it merged?",  "undo: merge pull request 31",
        "merge pull request 31 if the tests pass", "merge pull request 31 but don't tell the team",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        AUTO(arena) arena = { 0 };
        struct lexical_analysis found;
        analyse(&arena, rows[i], &found);
        assert_string_equal(print_calls(&arena, &found), "");
        assert_non_null(found.refusal);
    }
}

static void what_only_limits_a_call_is_a_persons_to_leave_out(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        { "read the newest file notes.md", "newest" },
        { "read the file notes.md already", "already" },
        { "if it rains, read the file notes.md", "if" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        AUTO(arena) arena = { 0 };
        struct lexical_analysis found;
        analyse(&arena, rows[i][0], &found);
        assert_string_equal(print_calls(&arena, &found), "read_file {\"path\":\"notes.md\"}");
        assert_non_null(found.doubt);
        assert_non_null(strstr(found.doubt, rows[i][1]));
    }
}

static void a_change_needs_every_word(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct lexical_analysis found;
    analyse(&arena, "merge pull request 31", &found);
    assert_string_equal(print_calls(&arena, &found), "merge_pull_request {\"number\":31}");
    assert_null(found.wanting);
    analyse(&arena, "merge pull request 31 gently", &found);
    assert_true(found.n_calls == 0 || found.wanting || found.doubt);
}

static void text_given_behind_a_blank_line_asks_for_nothing(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct lexical_analysis found;
    analyse(&arena, "read the file notes.md\n\nnotes.md:\nplums, but not the last ones\n", &found);
    assert_string_equal(print_calls(&arena, &found), "read_file {\"path\":\"notes.md\"}");
}

static void asks_which_of_two_close_tools_is_meant(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct lexical_analysis found;
    analyse_with(&arena, twins, ARRAY_LENGTH(twins), "search for TODO", &found);
    assert_int_equal(found.n_calls, 0);
    assert_int_equal(found.n_choices, 2);
    assert_null(found.refusal);
    analyse_with(&arena, twins, ARRAY_LENGTH(twins), "search for TODO in the notes", &found);
    assert_int_equal(found.n_calls, 1);
}

static void a_refusal_says_what_no_tool_covers(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct lexical_analysis found;
    analyse(&arena, "what about the poem?", &found);
    assert_int_equal(found.n_calls, 0);
    assert_non_null(strstr(found.refusal, "poem"));
}

static void explains_itself_without_repeating_control_characters(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct lexical_analysis found;
    analyse(&arena, "read the file \"\x1b[31mred\"", &found);
    assert_non_null(strstr(found.explanation, "read_file"));
    assert_non_null(strstr(found.explanation, "threshold 0.50"));
    assert_non_null(strstr(found.explanation, "read: in the name"));
    assert_non_null(strstr(found.explanation, "by the rule \"quoted\""));
    assert_null(strchr(found.explanation, '\x1b'));
}

static void looks_at_a_request_up_to_its_bound(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    char *request = arena_alloc(&arena, 5 * (size_t)QUERY_MAX_WORDS + 20);
    for (int i = 0; i < QUERY_MAX_WORDS - 1; i++)
        memcpy(request + 5 * i, "blah ", 5);
    size_t end = 5 * ((size_t)QUERY_MAX_WORDS - 1);
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
        cmocka_unit_test(does_several_actions_in_their_order),
        cmocka_unit_test(what_follows_and_shares_the_verb_where_it_is_of_the_same_kind),
        cmocka_unit_test(what_stands_before_the_same_noun_is_done_one_by_one),
        cmocka_unit_test(asks_which_where_no_word_tells_changes_apart),
        cmocka_unit_test(who_only_asks_wants_nothing_changed),
        cmocka_unit_test(a_command_of_another_program_is_no_search),
        cmocka_unit_test(little_is_enough_to_ask_for_what_is_missing),
        cmocka_unit_test(it_is_of_the_kind_that_the_call_before_was_about),
        cmocka_unit_test(showing_what_was_just_read_is_no_action_of_its_own),
        cmocka_unit_test(showing_is_an_action_where_a_tool_does_more_than_that),
        cmocka_unit_test(passes_the_first_result_on_where_it_surely_fits),
        cmocka_unit_test(does_no_half_of_what_it_does_not_understand),
        cmocka_unit_test(asks_for_the_one_value_that_one_of_several_actions_lacks),
        cmocka_unit_test(calls_nothing_that_the_verb_does_not_mean),
        cmocka_unit_test(what_must_not_be_done_does_not_stop_what_must),
        cmocka_unit_test(what_changes_something_is_called_by_its_own_verb),
        cmocka_unit_test(what_is_counted_has_to_be_said),
        cmocka_unit_test(turning_on_is_switching),
        cmocka_unit_test(a_clause_that_only_says_how_is_no_other_action),
        cmocka_unit_test(what_no_parameter_takes_ends_it),
        cmocka_unit_test(what_only_limits_a_call_is_a_persons_to_leave_out),
        cmocka_unit_test(a_change_needs_every_word),
        cmocka_unit_test(text_given_behind_a_blank_line_asks_for_nothing),
        cmocka_unit_test(asks_which_of_two_close_tools_is_meant),
        cmocka_unit_test(a_refusal_says_what_no_tool_covers),
        cmocka_unit_test(explains_itself_without_repeating_control_characters),
        cmocka_unit_test(looks_at_a_request_up_to_its_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
