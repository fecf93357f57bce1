/* The lexical analyst: requests with several actions. */
#include "tests/contract/lexical_desk.h"

static const struct definition players[] = {
    { "s", "create_player", "Create a player.",
      OBJECT(TEXT("name") "," INTEGER("level"), "\"name\",\"level\""), NULL, false },
};
static const struct definition printers[] = {
    { "s", "print_file", "Print a file on paper.", OBJECT(TEXT("path"), "\"path\""), NULL, false },
    { "s", "read_file", "Read the text of a file.", OBJECT(TEXT("path"), "\"path\""), NULL, true },
};

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(does_several_actions_in_their_order),
        cmocka_unit_test(what_follows_and_shares_the_verb_where_it_is_of_the_same_kind),
        cmocka_unit_test(what_stands_before_the_same_noun_is_done_one_by_one),
        cmocka_unit_test(it_is_of_the_kind_that_the_call_before_was_about),
        cmocka_unit_test(showing_what_was_just_read_is_no_action_of_its_own),
        cmocka_unit_test(showing_is_an_action_where_a_tool_does_more_than_that),
        cmocka_unit_test(passes_the_first_result_on_where_it_surely_fits),
        cmocka_unit_test(does_no_half_of_what_it_does_not_understand),
        cmocka_unit_test(asks_for_the_one_value_that_one_of_several_actions_lacks),
        cmocka_unit_test(a_clause_that_only_says_how_is_no_other_action),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
