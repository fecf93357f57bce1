/* Intent and plan in one call (tools.plan_at_once), tool calls that a model writes unasked, and
 * what happens when the ladder is spent. */
#include "application/use_cases/mistral_chat.h"
#include "domain/base/json.h"
#include "tests/support/fake_services.h"
#include "tests/support/immediate_runtime.h"
#include <string.h>

#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#define TOOLS                                                                                      \
    "[{\"name\":\"read_file\",\"description\":\"Reads a file\",\"inputSchema\":{\"type\":"         \
    "\"object\",\"properties\":{\"path\":{\"type\":\"string\"},\"lines\":{\"type\":\"integer\"}}," \
    "\"required\":[\"path\"]},\"annotations\":{\"readOnlyHint\":true}},"                           \
    "{\"name\":\"write_file\",\"description\":\"Writes a file\",\"inputSchema\":{\"type\":"        \
    "\"object\",\"properties\":{\"path\":{\"type\":\"string\"},\"text\":{\"type\":\"string\"}},"   \
    "\"required\":[\"path\",\"text\"]}}]"
#define READ(id, path) "{\"id\":\"" id "\",\"tool\":\"files__read_file\",\"args\":{" path "}}"
#define WRITE(id, args) "{\"id\":\"" id "\",\"tool\":\"files__write_file\",\"args\":{" args "}}"
#define COPY                                                                                       \
    READ("s1", "\"path\":\"a.md\"")                                                                \
    "," WRITE("s2", "\"path\":\"b.md\",\"text\":\"{s1.text}\"")
#define LADDER 4 /* requests of an asking that never succeeds: the first, reminders, compaction */

struct bench {
    struct immediate_runtime runtime;
    struct fake_services services;
    struct fake_model *model;
    struct fake_tool_server *files;
    struct mistral_chat *chat;
    struct arena arena;
    struct turn_result result;
    struct err err;
};

static int set_up(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    bench->runtime = immediate_runtime();
    fake_services_init(&bench->services, &bench->runtime.port, SOURCE_DIR);
    bench->model = &bench->services.model;
    bench->files = fake_services_add_server(&bench->services, "files", TOOLS);
    bench->services.base.approve_all = true;
    bench->chat = mistral_chat_create(&bench->services.base);
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    mistral_chat_destroy(bench->chat);
    arena_finish(&bench->arena);
    fake_services_finish(&bench->services);
    free(bench);
    return 0;
}

static enum err_code say(struct bench *bench, const char *message)
{
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    const struct chat_request request = { .message = message, .session_id = "s" };
    bench->result = (struct turn_result){ 0 };
    return mistral_chat_turn(bench->chat, &scope, &bench->arena, &request, &bench->result,
                             &bench->err);
}

static void propose(struct bench *bench, const char *tools, const char *parameters,
                    const char *steps)
{
    fake_model_reply(bench->model,
                     arena_printf(&bench->arena,
                                  "{\"reason\":\"it fits\",\"primary_goal\":\"the goal\","
                                  "\"tools_needed\":[%s],\"parameters\":%s,\"unclear_aspects\":[],"
                                  "\"needs_clarification\":false,\"confidence\":0.9,\"steps\":[%s]"
                                  "}",
                                  tools, parameters, steps));
}

static void reply_often(struct bench *bench, const char *text, int times)
{
    for (int i = 0; i < times; i++)
        fake_model_reply(bench->model, text);
}

static const json_t *event(const struct bench *bench, enum event_kind kind)
{
    const struct event *found = fake_run_repository_event(&bench->services.runs, kind, 0);
    return found ? found->data : NULL;
}

static bool warned_of(const struct bench *bench, const char *words)
{
    const struct fake_run_repository *runs = &bench->services.runs;
    for (size_t i = 0; i < runs->n_events; i++)
        if (runs->events[i].kind == EVENT_WARNING &&
            strstr(json_get_string(runs->events[i].data, "text"), words))
            return true;
    return false;
}

static void one_call_gives_intent_and_plan(void **state)
{
    struct bench *bench = *state;
    propose(bench, "\"files__read_file\",\"files__write_file\"", "{\"path\":\"a.md\"}", COPY);
    fake_tool_server_reply(bench->files,
                           (struct fake_tool_reply){ .tool = "read_file", .text = "milk" });
    fake_model_reply(bench->model, "Copied.");

    assert_int_equal(say(bench, "copy a.md to b.md"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_COMPLETED);
    assert_int_equal(bench->model->n_requests, 2);
    assert_string_equal(bench->model->requests[0].purpose, "intent_and_plan");
    assert_string_equal(bench->model->requests[1].purpose, "answer");
    assert_int_equal(bench->result.usage.model_calls, 2);
    assert_string_equal(bench->files->calls[1].arguments, "{\"path\":\"b.md\",\"text\":\"milk\"}");
    assert_string_equal(json_get_string(event(bench, EVENT_PLAN), "by"), "model");
}

static void the_contract_names_the_tools_and_forces_no_argument(void **state)
{
    struct bench *bench = *state;
    propose(bench, "\"none\"", "{}", "");
    fake_model_reply(bench->model, "Hello.");

    assert_int_equal(say(bench, "hello"), ERR_NONE);

    const json_t *schema = bench->model->requests[0].schema;
    const json_t *step = json_path_find(schema, "/properties/steps/items/anyOf/1/properties");
    assert_string_equal(json_string_value(json_path_find(step, "/tool/enum/0")),
                        "files__write_file");
    assert_non_null(json_path_find(step, "/args/properties/text"));
    assert_null(json_path_find(step, "/args/required"));
    assert_int_equal(json_array_size(json_path_find(schema, "/properties/tools_needed/items/enum")),
                     3);
}

static void more_tools_than_the_setting_get_two_calls(void **state)
{
    struct bench *bench = *state;
    bench->services.settings.tools_plan_at_once = 1;
    propose(bench, "\"files__read_file\",\"files__write_file\"", "{\"path\":\"a.md\"}", "");
    fake_model_reply(bench->model, "{\"steps\":[" COPY "]}");
    fake_model_reply(bench->model, "Copied.");

    assert_int_equal(say(bench, "copy a.md to b.md"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_COMPLETED);
    assert_int_equal(bench->model->n_requests, 3);
    assert_string_equal(bench->model->requests[0].purpose, "intent");
    assert_string_equal(bench->model->requests[1].purpose, "plan");
}

static void as_many_tools_as_the_setting_get_one_call(void **state)
{
    struct bench *bench = *state;
    bench->services.settings.tools_plan_at_once = 2;
    propose(bench, "\"none\"", "{}", "");
    fake_model_reply(bench->model, "Hello.");

    assert_int_equal(say(bench, "hello"), ERR_NONE);

    assert_string_equal(bench->model->requests[0].purpose, "intent_and_plan");
}

static void the_system_prompt_is_the_same_bytes_in_every_turn(void **state)
{
    struct bench *bench = *state;
    for (int i = 0; i < 2; i++) {
        propose(bench, "\"none\"", "{}", "");
        fake_model_reply(bench->model, "Hello.");
        assert_int_equal(say(bench, i ? "hello again" : "hello"), ERR_NONE);
    }
    assert_string_equal(bench->model->requests[0].system, bench->model->requests[2].system);
    assert_non_null(strstr(bench->model->requests[0].system, "primary_goal"));
    assert_null(strstr(bench->model->requests[0].system, "files__"));
}

static void steps_that_came_along_do_not_get_past_the_gate(void **state)
{
    struct bench *bench = *state;
    propose(bench, "\"files__read_file\"", "{}", READ("s1", "\"path\":\"invented.md\""));

    assert_int_equal(say(bench, "read the file"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_NEEDS_ANSWER);
    assert_string_equal(bench->result.intent->questions[0].key, "path");
    assert_int_equal(bench->files->n_calls, 0);
}

static void a_step_that_came_along_corrects_a_value_that_does_not_fit(void **state)
{
    struct bench *bench = *state;
    propose(bench, "\"files__read_file\"", "{\"path\":\"a.md\",\"lines\":\"some\"}",
            READ("s1", "\"path\":\"other.md\",\"lines\":5"));
    fake_model_reply(bench->model, "Done.");

    assert_int_equal(say(bench, "the first 5 lines of a.md"), ERR_NONE);

    assert_string_equal(bench->files->calls[0].arguments, "{\"path\":\"a.md\",\"lines\":5}");
}

static void one_step_adds_what_is_optional_to_the_parameters(void **state)
{
    struct bench *bench = *state;
    propose(bench, "\"files__read_file\"", "{\"path\":\"a.md\"}",
            READ("s1", "\"path\":\"other.md\",\"lines\":\"5\""));
    fake_model_reply(bench->model, "Done.");

    assert_int_equal(say(bench, "the first 5 lines of a.md"), ERR_NONE);

    assert_int_equal(bench->model->n_requests, 2);
    assert_string_equal(bench->files->calls[0].arguments, "{\"path\":\"a.md\",\"lines\":5}");
}

static void two_steps_with_one_tool_are_both_done(void **state)
{
    struct bench *bench = *state;
    propose(bench, "\"files__read_file\"", "{\"path\":\"a.md\"}",
            READ("s1", "\"path\":\"a.md\"") "," READ("s2", "\"path\":\"b.md\""));
    fake_model_reply(bench->model, "Both.");

    assert_int_equal(say(bench, "read a.md and b.md"), ERR_NONE);

    assert_int_equal(bench->files->n_calls, 2);
    assert_int_equal(bench->model->n_requests, 2);
}

static void a_tool_the_intent_does_not_name_is_not_called(void **state)
{
    struct bench *bench = *state;
    propose(bench, "\"files__read_file\"", "{\"path\":\"a.md\"}", COPY);
    fake_model_reply(bench->model, "Read.");

    assert_int_equal(say(bench, "read a.md"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_COMPLETED);
    assert_int_equal(bench->files->n_calls, 1);
    assert_string_equal(bench->files->calls[0].tool, "read_file");
    assert_int_equal(fake_services_count(&bench->services, EVENT_PLAN_REJECTED), 1);
}

static void a_bad_proposal_goes_back_with_what_is_wrong_with_it(void **state)
{
    struct bench *bench = *state;
    propose(bench, "\"files__read_file\",\"files__write_file\"", "{\"path\":\"a.md\"}",
            READ("s1", "\"path\":\"a.md\"") "," WRITE("s2", "\"path\":\"{s9.text}\""));
    fake_model_reply(bench->model, "{\"steps\":[" COPY "]}");
    fake_model_reply(bench->model, "Copied.");

    assert_int_equal(say(bench, "copy a.md to b.md"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_COMPLETED);
    assert_int_equal(bench->model->n_requests, 3);
    assert_string_equal(bench->model->requests[1].purpose, "plan");
    assert_non_null(strstr(bench->model->requests[1].user, "s9"));
    assert_non_null(strstr(bench->model->requests[1].user, "text"));
    assert_int_equal(fake_services_count(&bench->services, EVENT_PLAN_REJECTED), 1);
    assert_int_equal(bench->files->n_calls, 2);
}

static void nothing_is_called_for_an_intent_without_a_tool(void **state)
{
    struct bench *bench = *state;
    propose(bench, "\"none\"", "{}", READ("s1", "\"path\":\"a.md\""));
    fake_model_reply(bench->model, "Hello.");

    assert_int_equal(say(bench, "hello"), ERR_NONE);

    assert_string_equal(bench->result.answer, "Hello.");
    assert_int_equal(bench->files->n_calls, 0);
}

static void changes_to_arguments_are_told(void **state)
{
    struct bench *bench = *state;
    propose(bench, "\"read_file\"", "{\"path\":\"a.md\",\"lines\":\"5\"}",
            READ("s1", "\"path\":\"a.md\",\"lines\":\"5\"") "," READ("s2", "\"path\":\"b.md\""));
    fake_model_reply(bench->model, "Done.");

    assert_int_equal(say(bench, "5 lines of a.md, and b.md"), ERR_NONE);

    assert_string_equal(
        json_print_in(&bench->arena, json_object_get(event(bench, EVENT_INTENT), "adjusted")),
        "[{\"path\":\"/lines\",\"change\":\"text to number\"}]");
    assert_string_equal(
        json_print_in(&bench->arena, json_object_get(event(bench, EVENT_PLAN), "adjusted")),
        "[{\"step\":\"s1\",\"path\":\"/lines\",\"change\":\"text to number\"}]");
    assert_string_equal(bench->files->calls[0].arguments, "{\"path\":\"a.md\",\"lines\":5}");
}

static void a_tool_call_of_the_model_becomes_a_checked_step(void **state)
{
    struct bench *bench = *state;
    fake_model_reply(bench->model, "[TOOL_CALLS] [{\"name\": \"read_file\", \"arguments\": "
                                   "{\"path\": \"a.md\", \"lines\": \"2\"}}]");
    fake_model_reply(bench->model, "Read.");

    assert_int_equal(say(bench, "read a.md"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_COMPLETED);
    assert_int_equal(bench->model->n_requests, 2);
    assert_true(bench->result.intent->reported_confidence < 0);
    assert_string_equal(bench->files->calls[0].arguments, "{\"path\":\"a.md\",\"lines\":2}");
}

static void tool_calls_in_other_notations_are_understood_where_a_plan_is_asked(void **state)
{
    struct bench *bench = *state;
    bench->services.settings.tools_plan_at_once = 0;
    propose(bench, "\"files__read_file\",\"files__write_file\"", "{\"path\":\"a.md\"}", "");
    fake_model_reply(bench->model,
                     "<tool_call>{\"name\": \"Files.ReadFile\", \"arguments\": {\"path\": "
                     "\"a.md\"}}</tool_call>\n<tool_call>{\"name\": \"files_write_file\", "
                     "\"arguments\": {\"path\": \"b.md\", \"text\": \"x\"}}</tool_call>");
    fake_model_reply(bench->model, "Done.");

    assert_int_equal(say(bench, "read a.md and write x to b.md"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_COMPLETED);
    assert_int_equal(bench->model->n_requests, 3);
    assert_int_equal(bench->files->n_calls, 2);
}

static void a_tool_call_without_what_it_needs_becomes_a_question(void **state)
{
    struct bench *bench = *state;
    fake_model_reply(bench->model, "```json\n{\"name\": \"read_file\", \"arguments\": {}}\n```");

    assert_int_equal(say(bench, "read the file"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_NEEDS_ANSWER);
    assert_int_equal(bench->files->n_calls, 0);
}

static void a_call_of_a_tool_that_is_not_there_calls_nothing(void **state)
{
    struct bench *bench = *state;
    fake_model_reply(bench->model, "[TOOL_CALLS] [{\"name\": \"delete_all\", \"arguments\": {}}]");
    propose(bench, "\"none\"", "{}", "");
    fake_model_reply(bench->model, "I cannot do that.");

    assert_int_equal(say(bench, "delete everything"), ERR_NONE);

    assert_int_equal(bench->model->n_requests, 3);
    assert_int_equal(bench->files->n_calls, 0);
}

static void the_lexical_analyst_speaks_for_a_model_that_never_says_what_it_is_asked(void **state)
{
    struct bench *bench = *state;
    reply_often(bench, "I am not sure what you mean.", LADDER);
    fake_model_reply(bench->model, "The note says: milk.");

    assert_int_equal(say(bench, "read file path=notes.md"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_COMPLETED);
    assert_string_equal(bench->result.analyst, "lexical");
    assert_string_equal(bench->files->calls[0].arguments, "{\"path\":\"notes.md\"}");
    assert_string_equal(json_get_string(event(bench, EVENT_INTENT), "analyst"), "lexical");
    assert_non_null(strstr(json_get_string(event(bench, EVENT_INTENT), "reason"), "in 4 attempts"));
    assert_true(warned_of(bench, "lexical analyst"));
}

static void what_the_lexical_analyst_does_not_understand_either_is_asked(void **state)
{
    struct bench *bench = *state;
    reply_often(bench, "I am not sure what you mean.", LADDER);

    assert_int_equal(say(bench, "brighten my day"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_NEEDS_ANSWER);
    assert_int_equal(bench->result.intent->n_questions, 1);
    assert_int_equal(bench->files->n_calls, 0);
}

static void what_is_missing_is_asked_whoever_noticed(void **state)
{
    struct bench *bench = *state;
    reply_often(bench, "", LADDER);

    assert_int_equal(say(bench, "read file"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_NEEDS_ANSWER);
    assert_string_equal(bench->result.intent->questions[0].key, "path");
}

static void a_model_that_is_gone_is_an_error_and_no_guess(void **state)
{
    struct bench *bench = *state;
    reply_often(bench, "I am not sure what you mean.", 1);
    fake_model_push(bench->model, (struct fake_reply){ .fails = ERR_TIMEOUT });

    assert_int_equal(say(bench, "read file path=notes.md"), ERR_TIMEOUT);

    assert_int_equal(bench->files->n_calls, 0);
}

static void the_compaction_has_the_wishes_and_the_tools(void **state)
{
    struct bench *bench = *state;
    propose(bench, "\"none\"", "{}", "");
    fake_model_reply(bench->model, "Hello Ann.");
    assert_int_equal(say(bench, "my notebook is called garden"), ERR_NONE);
    reply_often(bench, "I am not sure what you mean.", LADDER - 1);
    propose(bench, "\"none\"", "{}", "");
    fake_model_reply(bench->model, "Well.");

    assert_int_equal(say(bench, "which vegetables grow there"), ERR_NONE);

    const struct fake_request *compaction = &bench->model->requests[5];
    assert_string_equal(compaction->purpose, "intent_and_plan");
    assert_non_null(strstr(compaction->user, "vegetables"));
    assert_non_null(strstr(compaction->user, "garden"));
    assert_non_null(strstr(compaction->user, "files__read_file(path: string"));
    assert_null(strstr(compaction->user, "Hello Ann"));
}

static void the_result_itself_is_the_answer_of_a_model_that_says_nothing(void **state)
{
    struct bench *bench = *state;
    propose(bench, "\"files__read_file\"", "{\"path\":\"a.md\"}", "");
    fake_tool_server_reply(bench->files,
                           (struct fake_tool_reply){ .tool = "read_file", .text = "buy milk" });
    reply_often(bench, " \n", LADDER);

    assert_int_equal(say(bench, "read a.md"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_COMPLETED);
    assert_string_equal(bench->result.answer, "buy milk");
    assert_true(warned_of(bench, "the last result follows"));
    const struct event *last =
        fake_run_repository_event(&bench->services.runs, EVENT_ATTEMPT, LADDER + 1);
    assert_string_equal(json_get_string(last->data, "contract"), "answer");
    assert_string_equal(json_get_string(last->data, "rung"), "last");
}

static void a_model_that_says_nothing_about_nothing_is_an_error(void **state)
{
    struct bench *bench = *state;
    propose(bench, "\"none\"", "{}", "");
    reply_often(bench, "", LADDER);

    assert_int_equal(say(bench, "hello"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_FAILED);
    assert_int_equal(bench->result.err.code, ERR_FAILED);
    assert_null(bench->result.answer);
}

static void an_empty_answer_is_asked_for_again(void **state)
{
    struct bench *bench = *state;
    propose(bench, "\"none\"", "{}", "");
    fake_model_reply(bench->model, "");
    fake_model_reply(bench->model, "Hello.");

    assert_int_equal(say(bench, "hello"), ERR_NONE);

    assert_string_equal(bench->result.answer, "Hello.");
    assert_int_equal(bench->model->n_requests, 3);
    assert_non_null(strstr(bench->model->requests[2].user, "in plain words"));
    assert_int_equal(fake_services_count(&bench->services, EVENT_ATTEMPT_DISCARDED), 1);
}

static void the_compaction_of_an_answer_has_the_results_and_asks_for_words(void **state)
{
    struct bench *bench = *state;
    propose(bench, "\"files__read_file\"", "{\"path\":\"a.md\"}", "");
    fake_tool_server_reply(bench->files,
                           (struct fake_tool_reply){ .tool = "read_file", .text = "buy milk" });
    reply_often(bench, "", LADDER - 1);
    fake_model_reply(bench->model, "Milk.");

    assert_int_equal(say(bench, "tell what a.md says"), ERR_NONE);

    const char *prompt = bench->model->requests[4].user;
    assert_non_null(strstr(prompt, "buy milk"));
    assert_non_null(strstr(prompt, "plain sentences"));
    assert_null(strstr(prompt, "JSON"));
    assert_string_equal(bench->result.answer, "Milk.");
}

static void the_compaction_of_a_second_plan_has_what_is_known(void **state)
{
    struct bench *bench = *state;
    propose(bench, "\"files__read_file\"", "{\"path\":\"a.md\"}",
            READ("s1", "\"path\":\"a.md\"") "," READ("s2", "\"path\":\"b.md\""));
    fake_tool_server_reply(bench->files,
                           (struct fake_tool_reply){ .tool = "read_file", .text = "buy milk" });
    fake_tool_server_reply(
        bench->files,
        (struct fake_tool_reply){ .tool = "read_file", .text = "no such file", .is_error = true });
    reply_often(bench, "no idea", LADDER - 1);
    fake_model_reply(bench->model, "{\"steps\":[" READ("r1", "\"path\":\"c.md\"") "]}");
    fake_model_reply(bench->model, "Milk.");

    assert_int_equal(say(bench, "read a.md and b.md"), ERR_NONE);

    const struct fake_request *compaction = &bench->model->requests[4];
    assert_string_equal(compaction->purpose, "plan");
    assert_non_null(strstr(compaction->user, "{vars.ID}"));
    assert_non_null(strstr(compaction->user, "buy milk"));
    assert_int_equal(bench->result.status, RUN_COMPLETED);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(one_call_gives_intent_and_plan),
        TEST(the_contract_names_the_tools_and_forces_no_argument),
        TEST(more_tools_than_the_setting_get_two_calls),
        TEST(as_many_tools_as_the_setting_get_one_call),
        TEST(the_system_prompt_is_the_same_bytes_in_every_turn),
        TEST(steps_that_came_along_do_not_get_past_the_gate),
        TEST(a_step_that_came_along_corrects_a_value_that_does_not_fit),
        TEST(one_step_adds_what_is_optional_to_the_parameters),
        TEST(two_steps_with_one_tool_are_both_done),
        TEST(a_tool_the_intent_does_not_name_is_not_called),
        TEST(a_bad_proposal_goes_back_with_what_is_wrong_with_it),
        TEST(nothing_is_called_for_an_intent_without_a_tool),
        TEST(changes_to_arguments_are_told),
        TEST(a_tool_call_of_the_model_becomes_a_checked_step),
        TEST(tool_calls_in_other_notations_are_understood_where_a_plan_is_asked),
        TEST(a_tool_call_without_what_it_needs_becomes_a_question),
        TEST(a_call_of_a_tool_that_is_not_there_calls_nothing),
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
