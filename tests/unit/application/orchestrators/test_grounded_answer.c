/* An answer is held against what it was made of before it is shown. */
#include "domain/base/json.h"
#include "tests/support/chat_bench.h"
#include "tests/support/cmocka.h"
#include <string.h>

static int set_up(void **state)
{
    struct chat_bench *bench = chat_bench_create("files", CHAT_BENCH_FILES);
    bench->services.base.approve_all = true;
    *state = bench;
    return 0;
}

/* One turn about a file with this text, and the model's answers to it. */
static void ask(struct chat_bench *bench, const char *text, const char *first, const char *second)
{
    chat_bench_propose(bench, "\"files__read_file\"", "{\"path\":\"a.md\"}", "");
    fake_tool_server_reply(bench->server,
                           (struct fake_tool_reply){ .tool = "read_file", .text = text });
    fake_model_reply(bench->model, first);
    if (second)
        fake_model_reply(bench->model, second);
    assert_int_equal(chat_bench_say(bench, "count the words of a.md"), ERR_NONE);
    assert_int_equal(bench->result.status, RUN_COMPLETED);
}

static void an_answer_that_stands_on_the_results_is_shown(void **state)
{
    struct chat_bench *bench = *state;
    ask(bench, "7 lines, 47 words", "a.md has 47 words.", NULL);
    assert_string_equal(bench->result.answer, "a.md has 47 words.");
    assert_string_equal(bench->result.answer_source, "checked");
    assert_null(bench->result.ungrounded);
    assert_string_equal(json_get_string(chat_bench_event(bench, EVENT_ANSWER), "source"),
                        "checked");
}

static void an_invented_number_is_asked_about_once(void **state)
{
    struct chat_bench *bench = *state;
    ask(bench, "7 lines, 47 words", "It has 244 words and 12 lines.", "It has 47 words.");
    const struct fake_request *reminder = &bench->model->requests[2];
    assert_non_null(strstr(reminder->user, "eave out what no result has (244; 12)"));
    assert_string_equal(bench->result.answer, "It has 47 words.");
    assert_string_equal(bench->result.answer_source, "checked");
    assert_int_equal(fake_services_count(&bench->services, EVENT_ATTEMPT_DISCARDED), 1);
    assert_string_equal(
        json_get_string(fake_run_repository_event(&bench->services.runs, EVENT_ATTEMPT, 1)->data,
                        "class"),
        "ungrounded");
}

static void a_number_invented_twice_gives_way_to_the_result(void **state)
{
    struct chat_bench *bench = *state;
    ask(bench, "470", "The result is 690.", "As I said, it is 690.");
    assert_int_equal(bench->model->n_requests, 3);
    assert_string_equal(bench->result.answer, "470");
    assert_string_equal(bench->result.answer_source, "result");
    assert_true(chat_bench_warned_of(bench, "had what is in no result (690)"));
    json_auto_t *json = turn_result_to_json(&bench->result);
    assert_string_equal(json_get_string(json, "answer_source"), "result");
    assert_true(json_array_has_text(json_object_get(json, "ungrounded"), "690"));
    assert_true(json_array_has_text(
        json_object_get(chat_bench_event(bench, EVENT_ANSWER), "ungrounded"), "690"));
}

static void a_structured_result_without_text_is_shown_as_json(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"files__read_file\"", "{\"path\":\"a.md\"}", "");
    fake_tool_server_reply(
        bench->server,
        (struct fake_tool_reply){ .tool = "read_file", .structured = "{\"words\":470}" });
    fake_model_reply(bench->model, "The result is 690.");
    fake_model_reply(bench->model, "As I said, it is 690.");
    assert_int_equal(chat_bench_say(bench, "count the words of a.md"), ERR_NONE);
    assert_string_equal(bench->result.answer, "{\"words\":470}");
    assert_string_equal(bench->result.answer_source, "result");
}

static void what_was_said_and_called_grounds_an_answer(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"none\"", "{}", "");
    fake_model_reply(bench->model, "Good to know.");
    assert_int_equal(chat_bench_say(bench, "my file plums.txt has 815 pages"), ERR_NONE);
    assert_string_equal(bench->result.answer_source, "unchecked");
    ask(bench, "ok", "a.md is shorter than the 815 pages of plums.txt.", NULL);
    assert_string_equal(bench->result.answer_source, "checked");
}

/* What a small model writes beside or instead of what the result says. */
static void a_gap_or_a_deed_of_no_tool_is_asked_about(void **state)
{
    struct chat_bench *bench = *state;
    static const char *const inventions[] = {
        "It is about [insert topic here].",
        "It has {s1.words} words.",
        "It has <number> words.",
        "It has 47 words. I have mailed the report to Ann.",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(inventions); i++) {
        ask(bench, "7 lines, 47 words", inventions[i], "It has 47 words.");
        assert_string_equal(bench->result.answer, "It has 47 words.");
    }
}

static void marks_of_a_result_and_what_a_person_fills_in_are_no_gaps(void **state)
{
    struct chat_bench *bench = *state;
    static const char *const answers[] = { "It says \"Dear <name>\".",
                                           "Dear Ann, yours, [Your Name]" };
    for (size_t i = 0; i < ARRAY_LENGTH(answers); i++) {
        ask(bench, "Dear <name>, see a.md, Ann", answers[i], NULL);
        assert_string_equal(bench->result.answer, answers[i]);
    }
}

static void a_deed_beside_a_call_that_changes_something_is_shown(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"files__write_file\"", "{\"path\":\"a.md\",\"text\":\"b\"}", "");
    fake_tool_server_reply(bench->server,
                           (struct fake_tool_reply){ .tool = "write_file", .text = "ok" });
    fake_model_reply(bench->model, "I have saved a.md.");
    assert_int_equal(chat_bench_say(bench, "write b to a.md"), ERR_NONE);
    assert_string_equal(bench->result.answer, "I have saved a.md.");
    chat_bench_propose(bench, "\"none\"", "{}", "");
    fake_model_reply(bench->model, "Yes, I have written b to a.md, the file has been saved.");
    assert_int_equal(chat_bench_say(bench, "did it work?"), ERR_NONE);
    assert_int_equal(bench->result.status, RUN_COMPLETED);
    chat_bench_propose(bench, "\"none\"", "{}", "");
    chat_bench_repeat(bench, "I have saved c.md.", 4);
    assert_int_equal(chat_bench_say(bench, "can you write b to c.md?"), ERR_NONE);
    assert_int_equal(bench->result.err.code, ERR_UNGROUNDED);
}

static void a_deed_that_another_change_is_no_proof_of_is_asked_about(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"files__write_file\"", "{\"path\":\"a.md\",\"text\":\"b\"}", "");
    fake_tool_server_reply(bench->server,
                           (struct fake_tool_reply){ .tool = "write_file", .text = "ok" });
    fake_model_reply(bench->model, "I have written a.md and mailed it to Ann.");
    fake_model_reply(bench->model, "I have saved a.md.");
    assert_int_equal(chat_bench_say(bench, "write b to a.md and mail it to Ann"), ERR_NONE);
    assert_string_equal(bench->result.answer, "I have saved a.md.");
    assert_int_equal(fake_services_count(&bench->services, EVENT_ATTEMPT_DISCARDED), 1);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, chat_bench_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(an_answer_that_stands_on_the_results_is_shown),
        TEST(an_invented_number_is_asked_about_once),
        TEST(a_number_invented_twice_gives_way_to_the_result),
        TEST(a_structured_result_without_text_is_shown_as_json),
        TEST(what_was_said_and_called_grounds_an_answer),
        TEST(a_gap_or_a_deed_of_no_tool_is_asked_about),
        TEST(marks_of_a_result_and_what_a_person_fills_in_are_no_gaps),
        TEST(a_deed_beside_a_call_that_changes_something_is_shown),
        TEST(a_deed_that_another_change_is_no_proof_of_is_asked_about),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
