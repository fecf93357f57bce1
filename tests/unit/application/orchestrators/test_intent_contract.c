/* What a model writes as an intent, and what becomes of it before it is judged. */
#include "application/orchestrators/plan_contract.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include <stdlib.h>
#include <string.h>

#define SCHEMA                                                                                     \
    "{\"type\":\"object\",\"properties\":{\"tools_needed\":{\"type\":\"array\",\"items\":{"        \
    "\"type\":\"string\"}},\"unclear_aspects\":{\"type\":\"array\",\"items\":{\"type\":"           \
    "\"string\"}},\"needs_clarification\":{\"type\":\"boolean\"},\"confidence\":{\"type\":"        \
    "\"number\"}}}"

struct bench {
    struct arena arena;
    struct tool tool;
    struct offered_tool offered;
    struct shortlist list;
};

static json_t *parsed(struct bench *bench, const char *text)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), 0);
    return arena_keep_json(&bench->arena, value);
}

static int set_up(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    bench->tool = (struct tool){ .server = "files",
                                 .name = "read_file",
                                 .full_name = "files/read_file",
                                 .input_schema = parsed(bench, "{\"type\":\"object\"}") };
    bench->offered = (struct offered_tool){ .tool = &bench->tool, .shown = "files__read_file" };
    bench->list = (struct shortlist){ .tools = &bench->offered, .n = 1 };
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    arena_finish(&bench->arena);
    free(bench);
    return 0;
}

static const char *mended(struct bench *bench, const char *text)
{
    struct argument_notes notes = argument_notes_make(&bench->arena);
    return json_print_in(&bench->arena,
                         intent_contract_mend(&bench->arena, parsed(bench, SCHEMA), &bench->list,
                                              parsed(bench, text), &notes));
}

static void names_and_types_are_what_was_meant(void **state)
{
    struct bench *bench = *state;
    assert_string_equal(mended(bench, "{\"tools_needed\":\"ReadFile\",\"unclear_aspects\":\"path\","
                                      "\"needs_clarification\":\"false\",\"confidence\":\"0.9\"}"),
                        "{\"tools_needed\":[\"files__read_file\"],\"unclear_aspects\":[\"path\"],"
                        "\"needs_clarification\":false,\"confidence\":0.9}");
}

static void no_tool_is_none(void **state)
{
    struct bench *bench = *state;
    assert_string_equal(mended(bench, "{\"tools_needed\":[],\"steps\":null}"),
                        "{\"tools_needed\":[\"none\"],\"steps\":[]}");
    assert_string_equal(mended(bench, "{\"tools_needed\":[\"None\"],\"steps\":[]}"),
                        "{\"tools_needed\":[\"none\"],\"steps\":[]}");
}

static void what_cannot_be_told_stays_to_be_refused(void **state)
{
    struct bench *bench = *state;
    static const char *const same[] = { "{}",
                                        "[]",
                                        "5",
                                        "{\"steps\":[]}",
                                        "{\"tools_needed\":[true,\"rm\"],\"steps\":[]}",
                                        "{\"tools_needed\":{},\"steps\":\"read\"}" };
    for (size_t i = 0; i < ARRAY_LENGTH(same); i++)
        assert_string_equal(mended(bench, same[i]), same[i]);
}

static size_t length_of_goal(struct bench *bench, size_t length)
{
    char message[INTENT_MAX_GOAL_BYTES + 2] = "";
    memset(message, 'a', length);
    const json_t *value = intent_contract_adopt(
        &bench->arena, parsed(bench, "[{\"name\":\"read_file\",\"arguments\":{}}]"), message);
    return strlen(json_get_string(value, "primary_goal"));
}

static void the_goal_of_adopted_calls_is_as_long_as_the_contract_allows(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(length_of_goal(bench, INTENT_MAX_GOAL_BYTES), INTENT_MAX_GOAL_BYTES);
    assert_int_equal(length_of_goal(bench, INTENT_MAX_GOAL_BYTES + 1), INTENT_MAX_GOAL_BYTES);
}

static void several_calls_are_gathered_first_come_first_served(void **state)
{
    struct bench *bench = *state;

    const json_t *value = intent_contract_adopt(
        &bench->arena,
        parsed(bench, "[{\"name\":\"a\",\"arguments\":{\"x\":1}},{\"name\":\"b\",\"arguments\":"
                      "{\"x\":2,\"y\":3}},{\"name\":\"a\",\"arguments\":[4]},{\"arguments\":{}}]"),
        "do it");

    assert_string_equal(json_print_in(&bench->arena, json_object_get(value, "tools_needed")),
                        "[\"a\",\"b\"]");
    assert_string_equal(json_print_in(&bench->arena, json_object_get(value, "parameters")),
                        "{\"x\":1,\"y\":3}");
    assert_int_equal(json_array_size(json_object_get(value, "steps")), 4);
}

static void an_intent_without_a_goal_has_the_request(void **state)
{
    struct bench *bench = *state;

    const struct intent *intent = intent_contract_read(
        &bench->arena, &bench->list,
        parsed(bench, "{\"primary_goal\":\"\",\"tools_needed\":[\"files__read_file\",\"none\"],"
                      "\"parameters\":{},\"unclear_aspects\":[\"\",\"path\"]}"),
        "read it");

    assert_string_equal(intent->primary_goal, "read it");
    assert_int_equal(intent->n_tools_needed, 1);
    assert_string_equal(intent->tools_needed[0], "files/read_file");
    assert_int_equal(intent->n_unclear_aspects, 1);
    assert_true(intent->reported_confidence < 0);
}

static void a_tool_that_was_not_offered_is_not_written(void **state)
{
    struct bench *bench = *state;
    const char *tools[] = { "mail/send", "files/read_file" };
    struct intent intent = { .primary_goal = "g",
                             .tools_needed = tools,
                             .n_tools_needed = 2,
                             .parameters = parsed(bench, "{}") };

    const json_t *both = intent_contract_write(&bench->arena, &bench->list, &intent);
    intent.n_tools_needed = 1;
    const json_t *none = intent_contract_write(&bench->arena, &bench->list, &intent);

    assert_string_equal(json_print_in(&bench->arena, json_object_get(both, "tools_needed")),
                        "[\"files__read_file\"]");
    assert_string_equal(json_print_in(&bench->arena, json_object_get(none, "tools_needed")),
                        "[\"none\"]");
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(names_and_types_are_what_was_meant),
        TEST(no_tool_is_none),
        TEST(what_cannot_be_told_stays_to_be_refused),
        TEST(the_goal_of_adopted_calls_is_as_long_as_the_contract_allows),
        TEST(several_calls_are_gathered_first_come_first_served),
        TEST(an_intent_without_a_goal_has_the_request),
        TEST(a_tool_that_was_not_offered_is_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
