
#include "domain/base/json.h"
#include "domain/base/problem.h"
#include "domain/entities/conversation.h"
#include "domain/entities/event.h"
#include "domain/entities/run.h"
#include "domain/plan/intent.h"
#include "tests/support/cmocka.h"
#include <string.h>

static json_t *parse(const char *text)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), ERR_NONE);
    return value;
}

static void every_message_role_reads_back_from_its_name(void **state)
{
    (void)state;
    const enum message_role roles[] = { MESSAGE_SYSTEM, MESSAGE_USER, MESSAGE_ASSISTANT,
                                        MESSAGE_TOOL };
    for (size_t i = 0; i < ARRAY_LENGTH(roles); i++) {
        enum message_role read = MESSAGE_SYSTEM;
        assert_true(message_role_parse(message_role_name(roles[i]), &read));
        assert_int_equal(read, roles[i]);
    }
}

static void a_role_nobody_has_is_refused(void **state)
{
    (void)state;
    enum message_role role = MESSAGE_TOOL;
    assert_false(message_role_parse("robot", &role));
    assert_false(message_role_parse(NULL, &role));
    assert_int_equal(role, MESSAGE_TOOL);
}

static void every_run_status_reads_back_and_others_count_as_running(void **state)
{
    (void)state;
    for (int status = RUN_RUNNING; status <= RUN_CANCELLED; status++)
        assert_int_equal(run_status_parse(run_status_name((enum run_status)status)), status);
    assert_int_equal(run_status_parse("on fire"), RUN_RUNNING);
    assert_int_equal(run_status_parse(NULL), RUN_RUNNING);
}

static void every_event_kind_reads_back_from_its_name(void **state)
{
    (void)state;
    for (int kind = EVENT_RUN_STARTED; kind <= EVENT_WARNING; kind++) {
        enum event_kind read = EVENT_RUN_STARTED;
        assert_true(event_kind_parse(event_kind_name((enum event_kind)kind), &read));
        assert_int_equal(read, kind);
    }
    enum event_kind read = EVENT_PLAN;
    assert_false(event_kind_parse("party", &read));
    assert_false(event_kind_parse(NULL, &read));
    assert_int_equal(read, EVENT_PLAN);
}

static void tokens_and_progress_are_not_kept(void **state)
{
    (void)state;
    assert_false(event_is_kept(EVENT_MODEL_TOKEN));
    assert_false(event_is_kept(EVENT_STEP_PROGRESS));
    assert_true(event_is_kept(EVENT_TOOL_CALL));
}

static void an_event_prints_its_head_before_its_data(void **state)
{
    (void)state;
    json_auto_t *data = parse("{\"step\":\"s1\",\"run\":\"forged\"}");
    struct event event = {
        .run_id = "r1", .number = 3, .time_ms = 0, .kind = EVENT_STEP_STARTED, .data = data
    };
    json_auto_t *object = event_to_json(&event);
    auto_str text = json_print(object);
    assert_string_equal(text,
                        "{\"v\":1,\"run\":\"r1\",\"n\":3,\"time\":\"1970-01-01T00:00:00.000Z\","
                        "\"event\":\"step_started\",\"step\":\"s1\"}");
}

static void an_event_without_data_or_run_prints_as_well(void **state)
{
    (void)state;
    struct event event = { .kind = EVENT_WARNING };
    json_auto_t *object = event_to_json(&event);
    assert_string_equal(json_get_string(object, "run"), "");
    assert_string_equal(json_get_string(object, "event"), "warning");
}

static void a_problem_prints_its_step_and_path_in_front(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct problems problems = { .arena = &arena };
    problems_add(&problems, "s2", "/path", "not a %s", "string");
    problems_add(&problems, NULL, "/goal", "must be text");
    problems_add(&problems, NULL, NULL, "two\nlines \x1b[1m");
    assert_string_equal(problem_print(&problems, &problems.list[0]), "s2 /path: not a string");
    assert_string_equal(problem_print(&problems, &problems.list[1]), "/goal: must be text");
    assert_string_equal(problem_print(&problems, &problems.list[2]), "two\\nlines \\x1b[1m");
}

static void problems_become_json_with_what_is_known(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct problems problems = { .arena = &arena };
    problems_add(&problems, "s1", NULL, "no such tool")->fix = "use files/read_file";
    json_auto_t *list = problems_to_json(&problems);
    auto_str text = json_print(list);
    assert_string_equal(
        text, "[{\"step\":\"s1\",\"message\":\"no such tool\",\"fix\":\"use files/read_file\"}]");
}

static void problems_are_sorted_by_their_places(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct problems problems = { .arena = &arena, .at = "/steps/0" };
    static const int places[][2] = { { 3, 9 }, { 0, 0 }, { 3, 2 }, { 1, 40 } };
    for (size_t i = 0; i < ARRAY_LENGTH(places); i++) {
        struct problem *problem = problems_add(&problems, NULL, "/x", "p%zu", i);
        problem->line = places[i][0];
        problem->column = places[i][1];
    }
    problems_sort(&problems);
    assert_string_equal(problems.list[0].message, "p3");
    assert_string_equal(problems.list[1].message, "p2");
    assert_string_equal(problems.list[2].message, "p0");
    assert_string_equal(problems.list[3].message, "p1");
    assert_string_equal(problems.list[0].at, "/steps/0/x");
    json_auto_t *list = problems_to_json(&problems);
    assert_int_equal(json_get_int(json_array_get(list, 0), "column", 0), 40);
    assert_null(json_object_get(json_array_get(list, 3), "line"));
}

static void problems_beyond_the_maximum_are_counted_not_kept(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct problems problems = { .arena = &arena };
    for (int i = 0; i < PROBLEMS_MAX; i++)
        problems_add(&problems, NULL, NULL, "problem %d", i);
    assert_int_equal(problems.dropped, 0);
    problems_add(&problems, NULL, NULL, "one more")->fix = "this is fine";
    assert_int_equal(problems.n, PROBLEMS_MAX);
    assert_int_equal(problems.dropped, 1);
}

static void an_intent_keeps_the_models_number_apart_from_the_score(void **state)
{
    (void)state;
    const char *tools[] = { "files/read_file" };
    const char *unclear[] = { "which file" };
    struct intent intent = {
        .primary_goal = "read",
        .tools_needed = tools,
        .n_tools_needed = 1,
        .unclear_aspects = unclear,
        .n_unclear_aspects = 1,
        .needs_clarification = true,
        .reported_confidence = 0.5,
        .confidence = { .score = 0.25, .tool_match = 1, .completeness = 0.5, .validity = 1 },
        .analyst = "model",
    };
    json_auto_t *object = intent_to_json(&intent);
    auto_str text = json_print(object);
    assert_string_equal(
        text, "{\"primary_goal\":\"read\",\"tools_needed\":[\"files/read_file\"],\"parameters\":{},"
              "\"needs_clarification\":true,\"confidence\":0.25,"
              "\"unclear_aspects\":[\"which file\"],\"evidence\":{\"tool_match\":1.0,"
              "\"completeness\":0.5,\"validity\":1.0,\"penalty\":0.0},"
              "\"reported_confidence\":0.5,\"analyst\":\"model\"}");
}

static void an_unreported_confidence_is_left_out(void **state)
{
    (void)state;
    struct intent intent = { .reported_confidence = -1 };
    json_auto_t *object = intent_to_json(&intent);
    assert_null(json_object_get(object, "reported_confidence"));
    assert_string_equal(json_get_string(object, "primary_goal"), "");
}

static void questions_carry_their_key_and_choices(void **state)
{
    (void)state;
    const char *choices[] = { "a", "none" };
    const struct question questions[] = {
        { .key = "path", .text = "Which file?" },
        { .key = "tool", .text = "Which tool?", .choices = choices, .n_choices = 2 },
    };
    json_auto_t *list = questions_to_json(questions, 2);
    auto_str text = json_print(list);
    assert_string_equal(text, "[{\"key\":\"path\",\"text\":\"Which file?\"},{\"key\":\"tool\","
                              "\"text\":\"Which tool?\",\"choices\":[\"a\",\"none\"]}]");
}

static void json_paths_escape_and_find_members(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    json_auto_t *value = parse("{\"a/b\":[{\"c~d\":7}],\"\":1}");
    const char *path = json_path_member(
        &arena, json_path_element(&arena, json_path_member(&arena, "", "a/b"), 0), "c~d");
    assert_string_equal(path, "/a~1b/0/c~0d");
    assert_int_equal(json_integer_value(json_path_find(value, path)), 7);
    assert_int_equal(json_integer_value(json_path_find(value, "/")), 1);
    assert_ptr_equal(json_path_find(value, ""), value);
    assert_null(json_path_find(value, "/a~1b/1"));
    assert_null(json_path_find(value, "/a~1b/x"));
    assert_null(json_path_find(value, "/nothing/here"));
    assert_null(json_path_find(value, "no pointer"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_message_role_reads_back_from_its_name),
        cmocka_unit_test(a_role_nobody_has_is_refused),
        cmocka_unit_test(every_run_status_reads_back_and_others_count_as_running),
        cmocka_unit_test(every_event_kind_reads_back_from_its_name),
        cmocka_unit_test(tokens_and_progress_are_not_kept),
        cmocka_unit_test(an_event_prints_its_head_before_its_data),
        cmocka_unit_test(an_event_without_data_or_run_prints_as_well),
        cmocka_unit_test(a_problem_prints_its_step_and_path_in_front),
        cmocka_unit_test(problems_become_json_with_what_is_known),
        cmocka_unit_test(problems_are_sorted_by_their_places),
        cmocka_unit_test(problems_beyond_the_maximum_are_counted_not_kept),
        cmocka_unit_test(an_intent_keeps_the_models_number_apart_from_the_score),
        cmocka_unit_test(an_unreported_confidence_is_left_out),
        cmocka_unit_test(questions_carry_their_key_and_choices),
        cmocka_unit_test(json_paths_escape_and_find_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
