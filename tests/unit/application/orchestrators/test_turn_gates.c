/* What is asked, left to the planner, refused: the gates around a turn. */
#include "domain/base/json.h"
#include "tests/support/chat_bench.h"
#include "tests/support/cmocka.h"
#include <string.h>

#define READ(id, path) "{\"id\":\"" id "\",\"tool\":\"files__read_file\",\"args\":{" path "}}"
#define WRITE(id, args) "{\"id\":\"" id "\",\"tool\":\"files__write_file\",\"args\":{" args "}}"

static int set_up(void **state)
{
    struct chat_bench *bench = chat_bench_create("files", CHAT_BENCH_FILES);
    bench->services.base.approve_all = true;
    *state = bench;
    return 0;
}

static void a_text_that_the_request_implies_is_the_planners(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"files__write_file\"", "{\"path\":\"poem.txt\"}", "");
    fake_model_reply(
        bench->model,
        "{\"steps\":[" WRITE("s1", "\"path\":\"poem.txt\",\"text\":\"Leaves fall\"") "]}");
    fake_model_reply(bench->model, "Written.");

    assert_int_equal(chat_bench_say(bench, "write a poem about autumn to poem.txt"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_COMPLETED);
    assert_string_equal(bench->server->calls[0].arguments,
                        "{\"path\":\"poem.txt\",\"text\":\"Leaves fall\"}");
}

static void a_text_that_came_with_the_intent_needs_no_second_call(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"files__write_file\"", "{\"path\":\"poem.txt\"}",
                       WRITE("s1", "\"path\":\"poem.txt\",\"text\":\"Leaves fall\""));
    fake_model_reply(bench->model, "Written.");

    assert_int_equal(chat_bench_say(bench, "write a poem about autumn to poem.txt"), ERR_NONE);

    assert_int_equal(bench->model->n_requests, 2);
    assert_string_equal(bench->server->calls[0].arguments,
                        "{\"path\":\"poem.txt\",\"text\":\"Leaves fall\"}");
}

static void a_value_that_the_steps_give_as_the_request_says_it_is_not_missing(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"files__read_file\"", "{}", READ("s1", "\"path\":\"a.md\""));
    fake_model_reply(bench->model, "Read.");

    assert_int_equal(chat_bench_say(bench, "read A.md"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_COMPLETED);
    assert_string_equal(bench->server->calls[0].arguments, "{\"path\":\"a.md\"}");
}

static void a_value_that_was_not_said_becomes_a_question(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(
        bench, "\"files__read_file\",\"files__write_file\"", "{\"path\":\"a.md\"}",
        READ("s1", "\"path\":\"a.md\"") "," WRITE("s2", "\"path\":\"{s1.text}\",\"text\":\"x\""));
    fake_tool_server_reply(bench->server,
                           (struct fake_tool_reply){ .tool = "read_file", .text = "b.md" });
    fake_model_reply(bench->model, "Done.");
    assert_int_equal(chat_bench_say(bench, "write x to the file that a.md names"), ERR_NONE);
    assert_int_equal(bench->result.status, RUN_COMPLETED);

    chat_bench_propose(bench, "\"files__write_file\",\"files__read_file\"", "{}",
                       WRITE("s1", "\"path\":\"c.md\",\"text\":\"x\""));
    assert_int_equal(chat_bench_say(bench, "write x to a file, then read it"), ERR_NONE);
    assert_int_equal(bench->result.status, RUN_NEEDS_ANSWER);
    assert_string_equal(bench->result.intent->questions[0].key, "path");
    assert_int_equal(bench->server->n_calls, 2);
}

static void a_parameter_that_the_intent_invents_is_asked_for(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"files__write_file\"",
                       "{\"path\":\"/home/john/report.md\",\"text\":\"x\"}",
                       WRITE("s1", "\"path\":\"/home/john/report.md\",\"text\":\"x\""));

    assert_int_equal(chat_bench_say(bench, "write x down"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_NEEDS_ANSWER);
    assert_string_equal(bench->result.intent->questions[0].key, "path");
    assert_string_equal(
        json_print_in(&bench->arena,
                      json_object_get(chat_bench_event(bench, EVENT_INTENT), "adjusted")),
        "[{\"path\":\"/path\",\"change\":\"not said, left out\"}]");
    assert_int_equal(bench->server->n_calls, 0);
}

#define TWO_NEEDED                                                                                 \
    "[{\"name\":\"look\",\"inputSchema\":{\"type\":\"object\"},\"annotations\":{\"readOnlyHint\":" \
    "true}},{\"name\":\"mail\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"to\":{"      \
    "\"type\":\"string\"},\"body\":{\"type\":\"string\"},\"cc\":{\"type\":\"string\"}},"           \
    "\"required\":[\"to\",\"body\"]}}]"

#define MAIL_TO(to)                                                                                \
    "{\"id\":\"s1\",\"tool\":\"files__look\",\"args\":{}},{\"id\":\"s2\",\"tool\":\"files__"       \
    "mail\","                                                                                      \
    "\"args\":{\"to\":\"" to "\",\"body\":\"{s1.text}\"}}"

static int set_up_mail(void **state)
{
    struct chat_bench *bench = chat_bench_create("files", TWO_NEEDED);
    bench->services.base.approve_all = true;
    *state = bench;
    return 0;
}

static void an_invented_option_is_left_out_of_what_changes_something(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"files__mail\"", "{\"to\":\"ann@a.org\",\"cc\":\"bob@b.org\"}",
                       "{\"id\":\"s1\",\"tool\":\"files__mail\",\"args\":{\"to\":\"ann@a.org\","
                       "\"cc\":\"bob@b.org\",\"body\":\"Hello\"}}");
    fake_model_reply(bench->model, "Sent.");

    assert_int_equal(chat_bench_say(bench, "say hello to ann@a.org"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_COMPLETED);
    assert_string_equal(bench->server->calls[0].arguments,
                        "{\"to\":\"ann@a.org\",\"body\":\"Hello\"}");
}

static void what_a_later_step_invents_is_asked_for_and_then_used(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"files__look\",\"files__mail\"", "{}", MAIL_TO("boss@example.com"));
    assert_int_equal(chat_bench_say(bench, "look and mail it"), ERR_NONE);
    assert_int_equal(bench->result.status, RUN_NEEDS_ANSWER);
    assert_string_equal(bench->result.intent->questions[0].key, "to");
    assert_int_equal(bench->server->n_calls, 0);

    fake_model_reply(bench->model, "{\"steps\":[" MAIL_TO("boss@example.com") "]}");
    fake_model_reply(bench->model, "{\"steps\":[" MAIL_TO("ann@b.org") "]}");
    fake_model_reply(bench->model, "Sent.");
    assert_int_equal(chat_bench_say(bench, "ann@b.org"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_COMPLETED);
    assert_non_null(strstr(bench->model->requests[2].user, "rite \"ann@b.org\""));
    assert_non_null(strstr(bench->server->calls[1].arguments, "ann@b.org"));
}

static void a_list_for_one_value_is_planned_as_a_step_for_each(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"files__read_file\"", "{\"path\":[\"a.md\",\"b.md\"]}", "");
    fake_model_reply(bench->model, "{\"steps\":[" READ("s1", "\"path\":\"a.md\"") "," READ(
                                       "s2", "\"path\":\"b.md\"") "]}");
    fake_model_reply(bench->model, "Compared.");

    assert_int_equal(chat_bench_say(bench, "compare a.md and b.md"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_COMPLETED);
    assert_int_equal(bench->server->n_calls, 2);
}

static void an_empty_plan_for_named_tools_is_asked_again_and_then_fails(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"files__read_file\",\"files__write_file\"", "{\"path\":\"a.md\"}",
                       "");
    chat_bench_repeat(bench, "{\"reason\":\"done\",\"steps\":[]}", 4);

    assert_int_equal(chat_bench_say(bench, "copy a.md to b.md"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_FAILED);
    assert_int_equal(bench->result.err.code, ERR_FAILED);
    assert_non_null(strstr(bench->result.err.message, "files__read_file"));
    assert_non_null(strstr(bench->model->requests[2].user, "files__read_file, files__write_file"));
    assert_null(bench->result.answer);
}

static void an_answer_without_a_tool_says_that_it_is_ungrounded(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"none\"", "{}", "");
    fake_model_reply(bench->model, "Paris.");

    assert_int_equal(chat_bench_say(bench, "what is the capital of France?"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_COMPLETED);
    assert_true(chat_bench_warned_of(bench, "no tool was used"));
    assert_non_null(strstr(bench->model->requests[1].user, "Nothing was done or looked up."));
    json_auto_t *value = turn_result_to_json(&bench->result);
    assert_true(json_is_false(json_object_get(value, "grounded")));
    assert_true(json_is_false(json_object_get(chat_bench_event(bench, EVENT_ANSWER), "grounded")));
}

static void an_answer_from_results_says_nothing_of_its_ground(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"files__read_file\"", "{\"path\":\"a\"}", "");
    fake_model_reply(bench->model, "I have read it: it is 14:35.");

    assert_int_equal(chat_bench_say(bench, "read a"), ERR_NONE);

    json_auto_t *value = turn_result_to_json(&bench->result);
    assert_null(json_object_get(value, "grounded"));
    assert_false(chat_bench_warned_of(bench, "no tool was used"));
}

static void a_claim_without_a_tool_is_sent_back(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"none\"", "{}", "");
    fake_model_reply(bench->model, "I have turned on the light.");
    fake_model_reply(bench->model, "The light could not be turned on.");

    assert_int_equal(chat_bench_say(bench, "turn on the light"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_COMPLETED);
    assert_string_equal(bench->result.answer, "The light could not be turned on.");
    assert_non_null(strstr(bench->model->requests[2].user, "that it could not be done"));
}

static void a_claim_that_stays_ends_the_turn(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"none\"", "{}", "");
    chat_bench_repeat(bench, "I have turned on the light.", 4);

    assert_int_equal(chat_bench_say(bench, "turn on the light"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_FAILED);
    assert_int_equal(bench->result.err.code, ERR_UNGROUNDED);
    assert_non_null(strstr(bench->result.err.message, "I have turned on the light"));
    assert_null(bench->result.answer);
    assert_int_equal(fake_services_count(&bench->services, EVENT_ANSWER), 0);
}

static void what_an_earlier_turn_did_may_be_told_again(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"files__read_file\"", "{\"path\":\"a\"}", "");
    fake_model_reply(bench->model, "I have opened the note.");
    assert_int_equal(chat_bench_say(bench, "open note a"), ERR_NONE);
    chat_bench_propose(bench, "\"none\"", "{}", "");
    fake_model_reply(bench->model, "I have opened the note.");

    assert_int_equal(chat_bench_say(bench, "what did you do?"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_COMPLETED);
}

static void broken_claims_are_an_error_of_their_file(void **state)
{
    struct chat_bench *bench = *state;
    bench->services.assets.override_path = "config/words/claims.json";
    bench->services.assets.override_text = "{";
    chat_bench_propose(bench, "\"none\"", "{}", "");

    assert_int_equal(chat_bench_say(bench, "hello"), ERR_NONE);

    assert_int_equal(bench->result.err.code, ERR_INVALID);
}

static void after_a_refusal_of_the_model_words_alone_change_nothing(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_repeat(bench, "I cannot do that.", 4);

    assert_int_equal(chat_bench_say(bench, "write file path=a.md text=x"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_FAILED);
    assert_int_equal(bench->result.err.code, ERR_FAILED);
    assert_non_null(strstr(bench->result.err.message, "files/write_file was not called"));
    assert_int_equal(bench->server->n_calls, 0);
}

static void after_a_refusal_of_the_model_words_alone_may_read(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_repeat(bench, "I cannot do that.", 4);
    fake_tool_server_reply(
        bench->server,
        (struct fake_tool_reply){ .tool = "read_file", .text = "no such file", .is_error = true });

    assert_int_equal(chat_bench_say(bench, "read file path=a.md"), ERR_NONE);

    assert_string_equal(bench->result.analyst, "lexical");
    assert_int_equal(bench->server->n_calls, 1);
    assert_int_equal(bench->model->n_requests, 4);
}

static void a_missing_model_is_no_leave_to_change_anything(void **state)
{
    struct chat_bench *bench = *state;
    bench->services.settings.model_fallback = "lexical";
    bench->model->check_fails = ERR_UNAVAILABLE;

    assert_int_equal(chat_bench_say(bench, "write file path=a.md text=x"), ERR_NONE);

    assert_int_equal(bench->result.err.code, ERR_FAILED);
    assert_int_equal(bench->server->n_calls, 0);
}

static void too_many_steps_are_told_as_such(void **state)
{
    struct chat_bench *bench = *state;
    static const char step[] = "{\"tool\":\"files__read_file\",\"args\":{\"path\":\"a\"}}";
    const char *steps = arena_printf(&bench->arena, "%s,%s,%s", step, step, step);
    bench->services.settings.max_plan_steps = 2;
    chat_bench_propose(bench, "\"files__read_file\",\"files__read_file\",\"files__read_file\"",
                       "{\"path\":[\"a\",\"a\"]}", steps);
    chat_bench_repeat(bench, arena_printf(&bench->arena, "{\"steps\":[%s]}", steps), 4);

    assert_int_equal(chat_bench_say(bench, "read a three times"), ERR_NONE);

    assert_int_equal(bench->result.err.code, ERR_BAD_PLAN);
    assert_non_null(strstr(bench->result.err.message, "3 steps, at most 2 are allowed"));
}

static void a_plan_that_changes_what_the_request_only_reads_goes_back_to_the_model(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"files__write_file\"", "{\"path\":\"a.md\"}",
                       WRITE("s1", "\"path\":\"a.md\",\"text\":\"x\""));
    fake_model_reply(bench->model, "{\"steps\":[" READ("s1", "\"path\":\"a.md\"") "]}");
    fake_model_reply(bench->model, "It says: x.");

    assert_int_equal(chat_bench_say(bench, "read a.md to me, x"), ERR_NONE);

    assert_non_null(strstr(bench->model->requests[1].user, "files/write_file: the request only"));
    assert_int_equal(bench->server->n_calls, 1);
    assert_string_equal(bench->server->calls[0].tool, "read_file");
}

static void a_plan_that_does_what_the_request_forbids_is_refused(void **state)
{
    struct chat_bench *bench = *state;
    const char *plan = WRITE("s1", "\"path\":\"a.md\",\"text\":\"x\"");
    chat_bench_propose(bench, "\"files__write_file\"", "{\"path\":\"a.md\"}", plan);
    for (size_t i = 0; i < 8; i++)
        fake_model_reply(bench->model, arena_printf(&bench->arena, "{\"steps\":[%s]}", plan));

    assert_int_equal(chat_bench_say(bench, "never write x to a.md"), ERR_NONE);

    assert_int_equal(bench->result.err.code, ERR_BAD_PLAN);
    assert_non_null(strstr(bench->result.err.message, "the request says not to do this"));
    assert_int_equal(bench->server->n_calls, 0);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, chat_bench_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_text_that_the_request_implies_is_the_planners),
        TEST(a_text_that_came_with_the_intent_needs_no_second_call),
        TEST(a_value_that_the_steps_give_as_the_request_says_it_is_not_missing),
        TEST(a_value_that_was_not_said_becomes_a_question),
        TEST(a_parameter_that_the_intent_invents_is_asked_for),
        cmocka_unit_test_setup_teardown(an_invented_option_is_left_out_of_what_changes_something,
                                        set_up_mail, chat_bench_tear_down),
        TEST(a_list_for_one_value_is_planned_as_a_step_for_each),
        TEST(an_empty_plan_for_named_tools_is_asked_again_and_then_fails),
        cmocka_unit_test_setup_teardown(what_a_later_step_invents_is_asked_for_and_then_used,
                                        set_up_mail, chat_bench_tear_down),
        TEST(an_answer_without_a_tool_says_that_it_is_ungrounded),
        TEST(an_answer_from_results_says_nothing_of_its_ground),
        TEST(a_claim_without_a_tool_is_sent_back),
        TEST(a_claim_that_stays_ends_the_turn),
        TEST(what_an_earlier_turn_did_may_be_told_again),
        TEST(broken_claims_are_an_error_of_their_file),
        TEST(after_a_refusal_of_the_model_words_alone_change_nothing),
        TEST(after_a_refusal_of_the_model_words_alone_may_read),
        TEST(a_missing_model_is_no_leave_to_change_anything),
        TEST(too_many_steps_are_told_as_such),
        TEST(a_plan_that_changes_what_the_request_only_reads_goes_back_to_the_model),
        TEST(a_plan_that_does_what_the_request_forbids_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
