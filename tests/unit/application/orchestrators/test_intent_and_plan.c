/* Intent and plan in one call (tools.plan_at_once), and tool calls that a model writes unasked. */
#include "application/orchestrators/turn.h"
#include "domain/base/json.h"
#include "tests/support/chat_bench.h"
#include "tests/support/cmocka.h"
#include <string.h>

#define READ(id, path) "{\"id\":\"" id "\",\"tool\":\"files__read_file\",\"args\":{" path "}}"
#define WRITE(id, args) "{\"id\":\"" id "\",\"tool\":\"files__write_file\",\"args\":{" args "}}"
#define COPY                                                                                       \
    READ("s1", "\"path\":\"a.md\"")                                                                \
    "," WRITE("s2", "\"path\":\"b.md\",\"text\":\"{s1.text}\"")

static int set_up(void **state)
{
    struct chat_bench *bench = chat_bench_create("files", CHAT_BENCH_FILES);
    bench->services.base.approve_all = true;
    *state = bench;
    return 0;
}

static void one_call_gives_intent_and_plan(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"files__read_file\",\"files__write_file\"", "{\"path\":\"a.md\"}",
                       COPY);
    fake_tool_server_reply(bench->server,
                           (struct fake_tool_reply){ .tool = "read_file", .text = "milk" });
    fake_model_reply(bench->model, "Copied.");

    assert_int_equal(chat_bench_say(bench, "copy a.md to b.md"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_COMPLETED);
    assert_int_equal(bench->model->n_requests, 2);
    assert_string_equal(bench->model->requests[0].purpose, "intent_and_plan");
    assert_string_equal(bench->model->requests[1].purpose, "answer");
    assert_int_equal(bench->result.usage.model_calls, 2);
    assert_string_equal(bench->server->calls[1].arguments, "{\"path\":\"b.md\",\"text\":\"milk\"}");
    assert_string_equal(json_get_string(chat_bench_event(bench, EVENT_PLAN), "by"), "model");
}

static void the_contract_names_the_tools_and_forces_no_argument(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"none\"", "{}", "");
    fake_model_reply(bench->model, "Hello.");

    assert_int_equal(chat_bench_say(bench, "hello"), ERR_NONE);

    const json_t *schema = bench->model->requests[0].schema;
    const json_t *step = json_path_find(schema, "/properties/steps/items/anyOf/1/properties");
    assert_string_equal(json_string_value(json_path_find(step, "/tool/enum/0")),
                        "files__write_file");
    assert_non_null(json_path_find(step, "/args/properties/text"));
    assert_null(json_path_find(step, "/args/required"));
    const json_t *first = json_path_find(schema, "/properties/steps/items/anyOf/0/required");
    assert_string_equal(json_print_in(&bench->arena, first), "[\"id\",\"tool\",\"args\"]");
    assert_int_equal(json_array_size(json_path_find(schema, "/properties/tools_needed/items/enum")),
                     3);
}

/* Of the lines of both tools. */
static int64_t tokens_of_tools(struct chat_bench *bench)
{
    const struct tool *tools = bench->server->catalogue->tools;
    const struct offered_tool read = { .tool = &tools[0], .shown = "files__read_file" };
    const struct offered_tool write = { .tool = &tools[1], .shown = "files__write_file" };
    return shortlist_tokens(shortlist_line(&bench->arena, &read)) +
           shortlist_tokens(shortlist_line(&bench->arena, &write));
}

static void longer_lines_than_the_setting_get_two_calls(void **state)
{
    struct chat_bench *bench = *state;
    bench->services.settings.tools_plan_at_once = tokens_of_tools(bench) - 1;
    chat_bench_propose(bench, "\"files__read_file\",\"files__write_file\"", "{\"path\":\"a.md\"}",
                       "");
    fake_model_reply(bench->model, "{\"steps\":[" COPY "]}");
    fake_model_reply(bench->model, "Copied.");

    assert_int_equal(chat_bench_say(bench, "copy a.md to b.md"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_COMPLETED);
    assert_int_equal(bench->model->n_requests, 3);
    assert_string_equal(bench->model->requests[0].purpose, "intent");
    assert_string_equal(bench->model->requests[1].purpose, "plan");
}

static void lines_as_long_as_the_setting_get_one_call(void **state)
{
    struct chat_bench *bench = *state;
    bench->services.settings.tools_plan_at_once = tokens_of_tools(bench);
    chat_bench_propose(bench, "\"none\"", "{}", "");
    fake_model_reply(bench->model, "Hello.");

    assert_int_equal(chat_bench_say(bench, "hello"), ERR_NONE);

    assert_string_equal(bench->model->requests[0].purpose, "intent_and_plan");
}

static void a_tool_that_is_shown_by_name_gets_its_line_once_it_is_asked_for(void **state)
{
    struct chat_bench *bench = *state;
    bench->services.settings.tools_prompt_tokens = tokens_of_tools(bench) - 1;
    chat_bench_propose(bench, "\"files__read_file\",\"files__write_file\"", "{\"path\":\"a.md\"}",
                       "");
    fake_model_reply(bench->model, "{\"steps\":[" COPY "]}");
    fake_model_reply(bench->model, "Copied.");

    assert_int_equal(chat_bench_say(bench, "copy a.md to b.md"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_COMPLETED);
    const char *intent = bench->model->requests[0].user, *plan = bench->model->requests[1].user;
    assert_string_equal(bench->model->requests[0].purpose, "intent");
    assert_non_null(strstr(bench->model->requests[0].system, "- files__read_file("));
    assert_non_null(strstr(intent, "by name: files__write_file\n"));
    assert_null(strstr(bench->model->requests[0].system, "- files__write_file("));
    assert_null(strstr(intent, "- files__write_file("));
    assert_non_null(strstr(plan, "- files__write_file("));
    assert_int_equal(bench->server->n_calls, 2);
}

static void lines_take_a_third_of_a_small_context_at_most(void **state)
{
    struct chat_bench *bench = *state;
    struct mistral_orchestrator orchestrator = { .context_tokens = 3 * tokens_of_tools(bench) - 1 };
    struct run_session session = { .services = &bench->services.base };
    struct turn turn = { .orchestrator = &orchestrator, .session = &session };

    assert_int_equal(turn_tool_tokens(&turn), tokens_of_tools(bench) - 1);
    orchestrator.context_tokens++;
    assert_int_equal(turn_tool_tokens(&turn), tokens_of_tools(bench));
    orchestrator.context_tokens = -1; /* unknown */
    assert_int_equal(turn_tool_tokens(&turn), 1500);
    orchestrator.context_tokens = 1000000;
    assert_int_equal(turn_tool_tokens(&turn), 1500);
}

static void the_system_prompt_is_the_same_bytes_in_every_turn(void **state)
{
    struct chat_bench *bench = *state;
    for (int i = 0; i < 2; i++) {
        chat_bench_propose(bench, "\"none\"", "{}", "");
        fake_model_reply(bench->model, "Hello.");
        assert_int_equal(chat_bench_say(bench, i ? "hello again" : "hello"), ERR_NONE);
    }
    assert_string_equal(bench->model->requests[0].system, bench->model->requests[2].system);
    assert_string_equal(bench->model->requests[0].system, bench->model->requests[1].system);
    assert_non_null(strstr(bench->model->requests[0].system, "\n- files__read_file(path: string"));
    assert_non_null(strstr(bench->model->requests[0].user, "primary_goal"));
}

static void steps_that_came_along_do_not_get_past_the_gate(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"files__read_file\"", "{}", READ("s1", "\"path\":\"invented.md\""));

    assert_int_equal(chat_bench_say(bench, "read the file"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_NEEDS_ANSWER);
    assert_string_equal(bench->result.intent->questions[0].key, "path");
    assert_int_equal(bench->server->n_calls, 0);
}

static void a_step_that_came_along_corrects_a_value_that_does_not_fit(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"files__read_file\"", "{\"path\":\"a.md\",\"lines\":\"some\"}",
                       READ("s1", "\"path\":\"other.md\",\"lines\":5"));
    fake_model_reply(bench->model, "Done.");

    assert_int_equal(chat_bench_say(bench, "the first 5 lines of a.md"), ERR_NONE);

    assert_string_equal(bench->server->calls[0].arguments, "{\"path\":\"a.md\",\"lines\":5}");
}

static void one_step_adds_what_is_optional_to_the_parameters(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"files__read_file\"", "{\"path\":\"a.md\"}",
                       READ("s1", "\"path\":\"other.md\",\"lines\":\"5\""));
    fake_model_reply(bench->model, "Done.");

    assert_int_equal(chat_bench_say(bench, "the first 5 lines of a.md"), ERR_NONE);

    assert_int_equal(bench->model->n_requests, 2);
    assert_string_equal(bench->server->calls[0].arguments, "{\"path\":\"a.md\",\"lines\":5}");
}

static void two_steps_with_one_tool_are_both_done(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"files__read_file\"", "{\"path\":\"a.md\"}",
                       READ("s1", "\"path\":\"a.md\"") "," READ("s2", "\"path\":\"b.md\""));
    fake_model_reply(bench->model, "Both.");

    assert_int_equal(chat_bench_say(bench, "read a.md and b.md"), ERR_NONE);

    assert_int_equal(bench->server->n_calls, 2);
    assert_int_equal(bench->model->n_requests, 2);
}

static void steps_without_ids_and_an_intent_without_its_reason_are_not_asked_for_again(void **state)
{
    struct chat_bench *bench = *state;
    fake_model_reply(bench->model,
                     "{\"primary_goal\":\"read both\",\"tools_needed\":[\"files__read_file\"],"
                     "\"parameters\":{\"path\":\"a.md\"},\"unclear_aspects\":[],"
                     "\"needs_clarification\":false,\"confidence\":0.9,\"steps\":["
                     "{\"tool\":\"files__read_file\",\"args\":{\"path\":\"a.md\"}},"
                     "{\"tool\":\"files__read_file\",\"args\":{\"path\":\"b.md\"}}]}");
    fake_model_reply(bench->model, "Both.");

    assert_int_equal(chat_bench_say(bench, "read a.md and b.md"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_COMPLETED);
    assert_int_equal(bench->model->n_requests, 2);
    assert_int_equal(bench->server->n_calls, 2);
}

static void a_tool_the_intent_does_not_name_is_not_called(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"files__read_file\"", "{\"path\":\"a.md\"}", COPY);
    fake_model_reply(bench->model, "Read.");

    assert_int_equal(chat_bench_say(bench, "read a.md"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_COMPLETED);
    assert_int_equal(bench->server->n_calls, 1);
    assert_string_equal(bench->server->calls[0].tool, "read_file");
    assert_int_equal(fake_services_count(&bench->services, EVENT_PLAN_REJECTED), 1);
}

static void a_bad_proposal_goes_back_with_what_is_wrong_with_it(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"files__read_file\",\"files__write_file\"", "{\"path\":\"a.md\"}",
                       READ("s1", "\"path\":\"a.md\"") "," WRITE("s2", "\"path\":\"{s9.text}\""));
    fake_model_reply(bench->model, "{\"steps\":[" COPY "]}");
    fake_model_reply(bench->model, "Copied.");

    assert_int_equal(chat_bench_say(bench, "copy a.md to b.md"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_COMPLETED);
    assert_int_equal(bench->model->n_requests, 3);
    assert_string_equal(bench->model->requests[1].purpose, "plan");
    assert_non_null(strstr(bench->model->requests[1].user, "s9"));
    assert_non_null(strstr(bench->model->requests[1].user, "text"));
    assert_int_equal(fake_services_count(&bench->services, EVENT_PLAN_REJECTED), 1);
    assert_int_equal(bench->server->n_calls, 2);
}

static void a_reference_in_another_notation_is_bound_and_told(void **state)
{
    static const char *const notations[] = { "{{s1.text}}",        "${s1.text}",
                                             "$s1.text",           "{ s1.text }",
                                             "{step1.text}",       "{steps.s1.text}",
                                             "{result.text}",      "{prev.text}",
                                             "<prev_result.text>", "{previous_result.text}" };
    struct chat_bench *bench = *state;
    for (unsigned i = 0; i < ARRAY_LENGTH(notations); i++) {
        const char *args =
            arena_printf(&bench->arena, "\"path\":\"b.md\",\"text\":\"%s\"", notations[i]);
        chat_bench_propose(bench, "\"files__read_file\",\"files__write_file\"",
                           "{\"path\":\"a.md\"}",
                           arena_printf(&bench->arena, "%s," WRITE("s2", "%s"),
                                        READ("s1", "\"path\":\"a.md\""), args));
        fake_tool_server_reply(bench->server,
                               (struct fake_tool_reply){ .tool = "read_file", .text = "milk" });
        fake_model_reply(bench->model, "Copied.");

        assert_int_equal(chat_bench_say(bench, "copy a.md to b.md"), ERR_NONE);

        assert_string_equal(bench->server->calls[2 * i + 1].arguments,
                            "{\"path\":\"b.md\",\"text\":\"milk\"}");
        const struct event *plan = fake_run_repository_event(&bench->services.runs, EVENT_PLAN, i);
        assert_string_equal(
            json_print_in(&bench->arena, json_object_get(plan->data, "adjusted")),
            "[{\"step\":\"s2\",\"path\":\"/text\",\"change\":\"reference in its own form\"}]");
    }
}

static void a_gap_is_sent_back_before_anything_runs(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"files__read_file\",\"files__write_file\"", "{\"path\":\"a.md\"}",
                       READ("s1", "\"path\":\"a.md\"") "," WRITE(
                           "s2", "\"path\":\"b.md\",\"text\":\"[insert text here]\""));
    fake_model_reply(bench->model, "{\"steps\":[" COPY "]}");
    fake_model_reply(bench->model, "Copied.");

    assert_int_equal(chat_bench_say(bench, "copy a.md to b.md"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_COMPLETED);
    assert_non_null(strstr(bench->model->requests[1].user,
                           "\"[insert text here]\" is a gap, not a value: write {s1.text}, or the "
                           "value itself, in step s2, args.text"));
    assert_int_equal(bench->server->n_calls, 2);
    assert_null(strstr(bench->server->calls[1].arguments, "insert"));
}

static void a_plan_that_keeps_its_gap_calls_nothing(void **state)
{
    struct chat_bench *bench = *state;
    const char *gap = "{\"steps\":[" READ("s1", "\"path\":\"a.md\"") "," WRITE(
        "s2", "\"path\":\"b.md\",\"text\":\"<content>\"") "]}";
    bench->services.settings.tools_plan_at_once = 0;
    chat_bench_propose(bench, "\"files__read_file\",\"files__write_file\"", "{\"path\":\"a.md\"}",
                       "");
    for (int i = 0; i < 4; i++)
        fake_model_reply(bench->model, gap);

    assert_int_equal(chat_bench_say(bench, "copy a.md to b.md"), ERR_NONE);

    assert_int_equal(bench->result.err.code, ERR_BAD_PLAN);
    assert_int_equal(bench->server->n_calls, 0);
}

static void a_gap_among_the_parameters_was_not_given(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"files__write_file\"", "{\"path\":\"b.md\",\"text\":\"<text>\"}",
                       WRITE("s1", "\"path\":\"b.md\",\"text\":\"<text>\""));

    assert_int_equal(chat_bench_say(bench, "write to b.md"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_NEEDS_ANSWER);
    assert_string_equal(bench->result.intent->questions[0].key, "text");
    assert_int_equal(bench->server->n_calls, 0);
}

static void what_looks_like_a_gap_in_the_request_is_written(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"files__write_file\"",
                       "{\"path\":\"b.md\",\"text\":\"Dear {name}\"}", "");
    fake_model_reply(bench->model, "Written.");

    assert_int_equal(chat_bench_say(bench, "write \"Dear {name}\" to b.md"), ERR_NONE);

    assert_string_equal(bench->server->calls[0].arguments,
                        "{\"path\":\"b.md\",\"text\":\"Dear {name}\"}");
}

/* One request for the intent, whatever it looks like, then the answer. */
static void an_intent_in_other_forms_costs_no_request(void **state)
{
    struct chat_bench *bench = *state;
    static const char *const said[] = {
        "\"parameters\":{\"path\":\"a.md\"},\"unclear_aspects\":null,\"confidence\":\"high\"",
        "\"parameters\":\"{\\\"path\\\": "
        "\\\"a.md\\\"}\",\"unclear_aspects\":[],\"confidence\":\"90%\"",
        "\"parameters\":{\"path\":\"a.md\"}, // as it "
        "says\n\"unclear_aspects\":[],\"confidence\":\"0.9\"",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(said); i++) {
        const char *body = arena_printf(&bench->arena,
                                        "{\"reason\":\"it reads\",\"primary_goal\":\"Read "
                                        "a.md\",\"tools_needed\":\"files__read\\_"
                                        "file\",%s,\"needs_clarification\":\"false\",\"steps\":[]}",
                                        said[i]);
        fake_model_reply(bench->model,
                         arena_printf(&bench->arena, i ? "{\"response\": %s}" : "%s", body));
        fake_model_reply(bench->model, "Read.");

        assert_int_equal(chat_bench_say(bench, "read a.md"), ERR_NONE);

        assert_int_equal(bench->model->n_requests, 2 * (i + 1));
        assert_true(bench->result.intent->reported_confidence == 0.9);
        assert_string_equal(bench->server->calls[i].arguments, "{\"path\":\"a.md\"}");
    }
}

static void nothing_is_called_for_an_intent_without_a_tool(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(bench, "\"none\"", "{}", READ("s1", "\"path\":\"a.md\""));
    fake_model_reply(bench->model, "Hello.");

    assert_int_equal(chat_bench_say(bench, "hello"), ERR_NONE);

    assert_string_equal(bench->result.answer, "Hello.");
    assert_int_equal(bench->server->n_calls, 0);
}

static void changes_to_arguments_are_told(void **state)
{
    struct chat_bench *bench = *state;
    chat_bench_propose(
        bench, "\"read_file\"", "{\"path\":\"a.md\",\"lines\":\"5\"}",
        READ("s1", "\"path\":\"a.md\",\"lines\":\"5\"") "," READ("s2", "\"path\":\"b.md\""));
    fake_model_reply(bench->model, "Done.");

    assert_int_equal(chat_bench_say(bench, "5 lines of a.md, and b.md"), ERR_NONE);

    assert_string_equal(
        json_print_in(&bench->arena,
                      json_object_get(chat_bench_event(bench, EVENT_INTENT), "adjusted")),
        "[{\"path\":\"/lines\",\"change\":\"text to number\"}]");
    assert_string_equal(
        json_print_in(&bench->arena,
                      json_object_get(chat_bench_event(bench, EVENT_PLAN), "adjusted")),
        "[{\"step\":\"s1\",\"path\":\"/lines\",\"change\":\"text to number\"}]");
    assert_string_equal(bench->server->calls[0].arguments, "{\"path\":\"a.md\",\"lines\":5}");
}

static void a_tool_call_of_the_model_becomes_a_checked_step(void **state)
{
    struct chat_bench *bench = *state;
    fake_model_reply(bench->model, "[TOOL_CALLS] [{\"name\": \"read_file\", \"arguments\": "
                                   "{\"path\": \"a.md\", \"lines\": \"2\"}}]");
    fake_model_reply(bench->model, "Read.");

    assert_int_equal(chat_bench_say(bench, "read a.md"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_COMPLETED);
    assert_int_equal(bench->model->n_requests, 2);
    assert_true(bench->result.intent->reported_confidence < 0);
    assert_string_equal(bench->server->calls[0].arguments, "{\"path\":\"a.md\",\"lines\":2}");
}

static void tool_calls_in_other_notations_are_understood_where_a_plan_is_asked(void **state)
{
    struct chat_bench *bench = *state;
    bench->services.settings.tools_plan_at_once = 0;
    chat_bench_propose(bench, "\"files__read_file\",\"files__write_file\"", "{\"path\":\"a.md\"}",
                       "");
    fake_model_reply(bench->model,
                     "<tool_call>{\"name\": \"Files.ReadFile\", \"arguments\": {\"path\": "
                     "\"a.md\"}}</tool_call>\n<tool_call>{\"name\": \"files_write_file\", "
                     "\"arguments\": {\"path\": \"b.md\", \"text\": \"x\"}}</tool_call>");
    fake_model_reply(bench->model, "Done.");

    assert_int_equal(chat_bench_say(bench, "read a.md and write x to b.md"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_COMPLETED);
    assert_int_equal(bench->model->n_requests, 3);
    assert_int_equal(bench->server->n_calls, 2);
}

static void a_tool_call_without_what_it_needs_becomes_a_question(void **state)
{
    struct chat_bench *bench = *state;
    fake_model_reply(bench->model, "```json\n{\"name\": \"read_file\", \"arguments\": {}}\n```");

    assert_int_equal(chat_bench_say(bench, "read the file"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_NEEDS_ANSWER);
    assert_int_equal(bench->server->n_calls, 0);
}

static void a_call_of_a_tool_that_is_not_there_calls_nothing(void **state)
{
    struct chat_bench *bench = *state;
    fake_model_reply(bench->model, "[TOOL_CALLS] [{\"name\": \"delete_all\", \"arguments\": {}}]");
    chat_bench_propose(bench, "\"none\"", "{}", "");
    fake_model_reply(bench->model, "I cannot do that.");

    assert_int_equal(chat_bench_say(bench, "delete everything"), ERR_NONE);

    assert_int_equal(bench->model->n_requests, 3);
    assert_int_equal(bench->server->n_calls, 0);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, chat_bench_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(one_call_gives_intent_and_plan),
        TEST(the_contract_names_the_tools_and_forces_no_argument),
        TEST(longer_lines_than_the_setting_get_two_calls),
        TEST(lines_as_long_as_the_setting_get_one_call),
        TEST(a_tool_that_is_shown_by_name_gets_its_line_once_it_is_asked_for),
        TEST(lines_take_a_third_of_a_small_context_at_most),
        TEST(the_system_prompt_is_the_same_bytes_in_every_turn),
        TEST(steps_that_came_along_do_not_get_past_the_gate),
        TEST(a_step_that_came_along_corrects_a_value_that_does_not_fit),
        TEST(one_step_adds_what_is_optional_to_the_parameters),
        TEST(two_steps_with_one_tool_are_both_done),
        TEST(steps_without_ids_and_an_intent_without_its_reason_are_not_asked_for_again),
        TEST(a_tool_the_intent_does_not_name_is_not_called),
        TEST(a_bad_proposal_goes_back_with_what_is_wrong_with_it),
        TEST(a_reference_in_another_notation_is_bound_and_told),
        TEST(a_gap_is_sent_back_before_anything_runs),
        TEST(a_plan_that_keeps_its_gap_calls_nothing),
        TEST(a_gap_among_the_parameters_was_not_given),
        TEST(what_looks_like_a_gap_in_the_request_is_written),
        TEST(an_intent_in_other_forms_costs_no_request),
        TEST(nothing_is_called_for_an_intent_without_a_tool),
        TEST(changes_to_arguments_are_told),
        TEST(a_tool_call_of_the_model_becomes_a_checked_step),
        TEST(tool_calls_in_other_notations_are_understood_where_a_plan_is_asked),
        TEST(a_tool_call_without_what_it_needs_becomes_a_question),
        TEST(a_call_of_a_tool_that_is_not_there_calls_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
