/* What a turn does when the ladder is spent: the lexical analyst for an intent, the compaction of
 * each contract, the last result for an answer. */
#include "domain/base/json.h"
#include "tests/support/chat_bench.h"
#include "tests/support/cmocka.h"
#include <string.h>

#define READ(id, path) "{\"id\":\"" id "\",\"tool\":\"files__read_file\",\"args\":{" path "}}"
#define LADDER 4 /* requests of an asking that never succeeds: the first, reminders, compaction */

static int set_up(void **state)
{
    struct chat_bench *bench = chat_bench_create("files", CHAT_BENCH_FILES);
    bench->services.base.approve_all = true;
    *state = bench;
    return 0;
}

static void the_lexical_analyst_speaks_for_a_model_that_never_says_what_it_is_asked(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_repeat(bench, "I am not sure what you mean.", LADDER);
    fake_model_reply(bench->model, "The note says: milk.");

    assert_int_equal(chat_bench_say(bench, "read file path=notes.md"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_COMPLETED);
    assert_string_equal(bench->result.analyst, "lexical");
    assert_string_equal(bench->server->calls[0].arguments, "{\"path\":\"notes.md\"}");
    assert_string_equal(json_get_string(chat_bench_event(bench, EVENT_INTENT), "analyst"),
                        "lexical");
    assert_non_null(
        strstr(json_get_string(chat_bench_event(bench, EVENT_INTENT), "reason"), "in 4 attempts"));
    assert_true(chat_bench_warned_of(bench, "lexical analyst"));
}

static void what_the_lexical_analyst_does_not_understand_either_is_asked(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_repeat(bench, "I am not sure what you mean.", LADDER);

    assert_int_equal(chat_bench_say(bench, "brighten my day"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_NEEDS_ANSWER);
    assert_int_equal(bench->result.intent->n_questions, 1);
    assert_int_equal(bench->server->n_calls, 0);
}

static void what_is_missing_is_asked_whoever_noticed(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_repeat(bench, "", LADDER);

    assert_int_equal(chat_bench_say(bench, "read file"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_NEEDS_ANSWER);
    assert_string_equal(bench->result.intent->questions[0].key, "path");
}

static void a_model_that_is_gone_is_an_error_and_no_guess(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_repeat(bench, "I am not sure what you mean.", 1);
    fake_model_push(bench->model, (struct fake_reply){ .fails = ERR_TIMEOUT });

    assert_int_equal(chat_bench_say(bench, "read file path=notes.md"), ERR_TIMEOUT);

    assert_int_equal(bench->server->n_calls, 0);
}

static void the_compaction_has_the_wishes_and_the_tools(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"none\"", "{}", "");
    fake_model_reply(bench->model, "Hello Ann.");
    assert_int_equal(chat_bench_say(bench, "my notebook is called garden"), ERR_NONE);
    chat_bench_repeat(bench, "I am not sure what you mean.", LADDER - 1);
    chat_bench_propose(bench, "\"none\"", "{}", "");
    fake_model_reply(bench->model, "Well.");

    assert_int_equal(chat_bench_say(bench, "which vegetables grow there"), ERR_NONE);

    const struct fake_request *compaction = &bench->model->requests[5];
    assert_string_equal(compaction->purpose, "intent_and_plan");
    assert_non_null(strstr(compaction->user, "vegetables"));
    assert_non_null(strstr(compaction->user, "garden"));
    assert_non_null(strstr(compaction->system, "files__read_file(path: string"));
    assert_null(strstr(compaction->user, "Hello Ann"));
}

static void the_result_itself_is_the_answer_of_a_model_that_says_nothing(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"files__read_file\"", "{\"path\":\"a.md\"}", "");
    fake_tool_server_reply(bench->server,
                           (struct fake_tool_reply){ .tool = "read_file", .text = "buy milk" });
    chat_bench_repeat(bench, " \n", LADDER);

    assert_int_equal(chat_bench_say(bench, "read a.md"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_COMPLETED);
    assert_string_equal(bench->result.answer, "buy milk");
    assert_true(chat_bench_warned_of(bench, "the last result follows"));
    const struct event *last =
        fake_run_repository_event(&bench->services.runs, EVENT_ATTEMPT, LADDER + 1);
    assert_string_equal(json_get_string(last->data, "contract"), "answer");
    assert_string_equal(json_get_string(last->data, "rung"), "last");
}

static void a_model_that_says_nothing_about_nothing_is_an_error(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"none\"", "{}", "");
    chat_bench_repeat(bench, "", LADDER);

    assert_int_equal(chat_bench_say(bench, "hello"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_FAILED);
    assert_int_equal(bench->result.err.code, ERR_FAILED);
    assert_null(bench->result.answer);
}

static void an_empty_answer_is_asked_for_again(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"none\"", "{}", "");
    fake_model_reply(bench->model, "");
    fake_model_reply(bench->model, "Hello.");

    assert_int_equal(chat_bench_say(bench, "hello"), ERR_NONE);

    assert_string_equal(bench->result.answer, "Hello.");
    assert_int_equal(bench->model->n_requests, 3);
    assert_non_null(strstr(bench->model->requests[2].user, "in plain words"));
    assert_int_equal(fake_services_count(&bench->services, EVENT_ATTEMPT_DISCARDED), 1);
}

static void the_compaction_of_an_answer_has_the_results_and_asks_for_words(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"files__read_file\"", "{\"path\":\"a.md\"}", "");
    fake_tool_server_reply(bench->server,
                           (struct fake_tool_reply){ .tool = "read_file", .text = "buy milk" });
    chat_bench_repeat(bench, "", LADDER - 1);
    fake_model_reply(bench->model, "Milk.");

    assert_int_equal(chat_bench_say(bench, "tell what a.md says"), ERR_NONE);

    const char *prompt = bench->model->requests[4].user;
    assert_non_null(strstr(prompt, "buy milk"));
    assert_non_null(strstr(prompt, "plain sentences"));
    assert_null(strstr(prompt, "JSON"));
    assert_string_equal(bench->result.answer, "Milk.");
}

static void the_compaction_of_a_second_plan_has_what_is_known(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"files__read_file\"", "{\"path\":\"a.md\"}",
                       READ("s1", "\"path\":\"a.md\"") "," READ("s2", "\"path\":\"b.md\""));
    fake_tool_server_reply(bench->server,
                           (struct fake_tool_reply){ .tool = "read_file", .text = "buy milk" });
    fake_tool_server_reply(
        bench->server,
        (struct fake_tool_reply){ .tool = "read_file", .text = "no such file", .is_error = true });
    chat_bench_repeat(bench, "no idea", LADDER - 1);
    fake_model_reply(bench->model, "{\"steps\":[" READ("r1", "\"path\":\"c.md\"") "]}");
    fake_model_reply(bench->model, "Milk.");

    assert_int_equal(chat_bench_say(bench, "read a.md and b.md"), ERR_NONE);

    const struct fake_request *compaction = &bench->model->requests[4];
    assert_string_equal(compaction->purpose, "plan");
    assert_non_null(strstr(compaction->user, "{vars.ID}"));
    assert_non_null(strstr(compaction->user, "buy milk"));
    assert_int_equal(bench->result.status, RUN_COMPLETED);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, chat_bench_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(the_lexical_analyst_speaks_for_a_model_that_never_says_what_it_is_asked),
        TEST(what_the_lexical_analyst_does_not_understand_either_is_asked),
        TEST(what_is_missing_is_asked_whoever_noticed),
        TEST(a_model_that_is_gone_is_an_error_and_no_guess),
        TEST(the_compaction_has_the_wishes_and_the_tools),
        TEST(the_result_itself_is_the_answer_of_a_model_that_says_nothing),
        TEST(a_model_that_says_nothing_about_nothing_is_an_error),
        TEST(an_empty_answer_is_asked_for_again),
        TEST(the_compaction_of_an_answer_has_the_results_and_asks_for_words),
        TEST(the_compaction_of_a_second_plan_has_what_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
