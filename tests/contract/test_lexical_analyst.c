/* The lexical analyst: what it calls, asks and refuses. */
#include "application/orchestrators/lexical/lexical_words.h"
#include "tests/contract/lexical_desk.h"

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
static const struct definition lights[] = {
    { "s", "set_light", "Switch the light of a room on or off.",
      OBJECT(TEXT("room") ",\"on\":{\"type\":\"boolean\"}", "\"room\",\"on\""), NULL, false },
};
static const struct definition echoes[] = {
    { "echo0", "echo", "Echoes its text argument.", OBJECT(TEXT("text"), ""), NULL, true },
    { "echo1", "echo", "Echoes its text argument.", OBJECT(TEXT("text"), ""), NULL, true },
};
static const struct definition twins[] = {
    { "a", "search_files", "Search for text in files.", OBJECT(TEXT("query"), "\"query\""), NULL,
      true },
    { "b", "search_notes", "Search for text in notes.", OBJECT(TEXT("query"), "\"query\""), NULL,
      true },
};

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

static void what_a_tool_or_its_server_is_called_is_no_value(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "use echo0 to echo text=hello",
        "echo0/echo text=hello",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        AUTO(arena) arena = { 0 };
        struct lexical_analysis found;
        analyse_with(&arena, echoes, ARRAY_LENGTH(echoes), rows[i], &found);
        assert_string_equal(print_calls(&arena, &found), "echo {\"text\":\"hello\"}");
        assert_string_equal(found.calls[0].tool->server, "echo0");
        assert_null(found.doubt);
    }
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
        cmocka_unit_test(asks_which_where_no_word_tells_changes_apart),
        cmocka_unit_test(who_only_asks_wants_nothing_changed),
        cmocka_unit_test(a_command_of_another_program_is_no_search),
        cmocka_unit_test(little_is_enough_to_ask_for_what_is_missing),
        cmocka_unit_test(calls_nothing_that_the_verb_does_not_mean),
        cmocka_unit_test(what_must_not_be_done_does_not_stop_what_must),
        cmocka_unit_test(what_changes_something_is_called_by_its_own_verb),
        cmocka_unit_test(what_a_tool_or_its_server_is_called_is_no_value),
        cmocka_unit_test(what_is_counted_has_to_be_said),
        cmocka_unit_test(turning_on_is_switching),
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
