/* Questions in the model's words (clarification.wording: model). */
#include "domain/base/json.h"
#include "tests/support/chat_bench.h"
#include "tests/support/cmocka.h"
#include <string.h>

#define TOOLS                                                                                      \
    "[{\"name\":\"send\",\"description\":\"Sends a note\",\"inputSchema\":{\"type\":\"object\","   \
    "\"properties\":{\"to\":{\"type\":\"string\"},\"how\":{\"enum\":[\"mail\",\"post\"]},"         \
    "\"text\":{\"type\":\"string\"},\"sign\":{\"type\":\"string\"}},"                              \
    "\"required\":[\"to\",\"how\",\"text\",\"sign\"]}}]"
#define INTENT                                                                                     \
    "{\"primary_goal\":\"send a "                                                                  \
    "note\",\"tools_needed\":[\"notes__send\"],\"parameters\":{},"                                 \
    "\"unclear_aspects\":[\"text\"],\"needs_clarification\":false,\"confidence\":0.9,\"steps\":[]" \
    "}"
#define WORDED                                                                                     \
    "{\"questions\":[{\"key\":\"to\",\"text\":\"Who gets it?\"},{\"key\":\"how\",\"text\":\"By "   \
    "which way?\"},{\"key\":\"text\",\"text\":\"What shall it say?\"}]}"

static int set_up(void **state)
{
    struct chat_bench *bench = chat_bench_create("notes", TOOLS);
    bench->services.settings.clarification_wording = "model";
    fake_model_reply(bench->model, INTENT);
    *state = bench;
    return 0;
}

static const struct question *question(const struct chat_bench *bench, size_t n)
{
    return &bench->result.intent->questions[n];
}

static void the_model_words_what_code_asks(void **state)
{
    struct chat_bench *bench = *state;
    fake_model_reply(bench->model, WORDED);

    assert_int_equal(chat_bench_say(bench, "send a note"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_NEEDS_ANSWER);
    assert_int_equal(bench->model->n_requests, 2);
    assert_string_equal(bench->model->requests[1].purpose, "questions");
    assert_int_equal(bench->result.intent->n_questions, 3);
    assert_string_equal(question(bench, 0)->key, "to");
    assert_string_equal(question(bench, 0)->text, "Who gets it?");
    assert_int_equal(question(bench, 1)->n_choices, 2);
    assert_string_equal(question(bench, 1)->choices[1], "post");
    assert_non_null(strstr(bench->result.answer, "By which way? (mail, post)"));
}

static void the_contract_holds_the_keys_and_their_number(void **state)
{
    struct chat_bench *bench = *state;
    fake_model_reply(bench->model, WORDED);

    assert_int_equal(chat_bench_say(bench, "send a note"), ERR_NONE);

    const json_t *questions =
        json_path_find(bench->model->requests[1].schema, "/properties/questions");
    assert_int_equal(json_get_int(questions, "minItems", 0), 3);
    assert_int_equal(json_get_int(questions, "maxItems", 0), 3);
    assert_string_equal(
        json_string_value(json_path_find(questions, "/prefixItems/2/properties/key/const")),
        "text");
    assert_null(json_object_get(questions, "items"));
}

static void questions_in_another_order_are_fine(void **state)
{
    struct chat_bench *bench = *state;
    fake_model_reply(
        bench->model,
        "{\"questions\":[{\"key\":\"text\",\"text\":\"What?\"},{\"key\":\"how\",\"text\":"
        "\"How?\"},{\"key\":\"to\",\"text\":\"Who?\"}]}");

    assert_int_equal(chat_bench_say(bench, "send a note"), ERR_NONE);

    assert_int_equal(bench->model->n_requests, 2);
    assert_string_equal(question(bench, 0)->text, "Who?");
    assert_string_equal(question(bench, 2)->text, "What?");
}

static void a_question_of_blanks_is_sent_back(void **state)
{
    struct chat_bench *bench = *state;
    fake_model_reply(bench->model,
                     "{\"questions\":[{\"key\":\"to\",\"text\":\"Who?\"},{\"key\":\"how\",\"text\":"
                     "\" \"},{\"key\":\"text\",\"text\":\"What?\"}]}");
    fake_model_reply(bench->model, WORDED);

    assert_int_equal(chat_bench_say(bench, "send a note"), ERR_NONE);

    assert_int_equal(bench->model->n_requests, 3);
    assert_non_null(strstr(bench->model->requests[2].user, "the question with the key \"how\""));
}

static void a_question_twice_in_place_of_another_is_sent_back(void **state)
{
    struct chat_bench *bench = *state;
    fake_model_reply(bench->model,
                     "{\"questions\":[{\"key\":\"to\",\"text\":\"Who?\"},{\"key\":\"to\",\"text\":"
                     "\"To whom?\"},{\"key\":\"text\",\"text\":\"What?\"}]}");
    fake_model_reply(bench->model, WORDED);

    assert_int_equal(chat_bench_say(bench, "send a note"), ERR_NONE);

    assert_int_equal(bench->model->n_requests, 3);
    assert_string_equal(question(bench, 1)->text, "By which way?");
}

static void a_key_nobody_asked_for_changes_nothing(void **state)
{
    struct chat_bench *bench = *state;
    for (int i = 0; i < 4; i++)
        fake_model_reply(bench->model, "{\"questions\":[{\"key\":\"password\",\"text\":\"What is "
                                       "your password?\"}]}");

    assert_int_equal(chat_bench_say(bench, "send a note"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_NEEDS_ANSWER);
    assert_int_equal(bench->model->n_requests, 5);
    assert_int_equal(bench->result.intent->n_questions, 3);
    assert_null(strstr(bench->result.answer, "password"));
    assert_non_null(strstr(bench->result.answer, "\"to\""));
}

static void a_model_that_is_gone_leaves_the_templates_with_a_warning(void **state)
{
    struct chat_bench *bench = *state;
    static const enum err_code codes[] = { ERR_TIMEOUT, ERR_PROTOCOL, ERR_LIMIT, ERR_AUTH };
    for (size_t i = 0; i < ARRAY_LENGTH(codes); i++) {
        if (i)
            fake_model_reply(bench->model, INTENT);
        fake_model_push(bench->model, (struct fake_reply){ .fails = codes[i] });

        assert_int_equal(chat_bench_say(bench, i ? "no, please send a note" : "send a note"),
                         ERR_NONE);

        assert_int_equal(bench->result.status, RUN_NEEDS_ANSWER);
    }
    const size_t n = fake_services_count(&bench->services, EVENT_WARNING);
    const struct event *last =
        fake_run_repository_event(&bench->services.runs, EVENT_WARNING, n - 1);
    assert_non_null(strstr(json_get_string(last->data, "text"), "asked in mistro's words"));
}

static void what_was_worded_waits_for_its_answer(void **state)
{
    struct chat_bench *bench = *state;
    fake_model_reply(bench->model, WORDED);
    assert_int_equal(chat_bench_say(bench, "send a note"), ERR_NONE);
    fake_model_reply(bench->model,
                     "{\"questions\":[{\"key\":\"text\",\"text\":\"What shall it say?\"},{"
                     "\"key\":\"sign\",\"text\":\"Whose name stands below?\"}]}");

    assert_int_equal(chat_bench_say(bench, "to: Ann\nhow: 2"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_NEEDS_ANSWER);
    assert_int_equal(bench->result.intent->n_questions, 2);
    assert_string_equal(question(bench, 1)->text, "Whose name stands below?");
    assert_string_equal(json_get_string(bench->result.intent->parameters, "how"), "post");
}

static void templates_ask_no_model(void **state)
{
    struct chat_bench *bench = *state;
    bench->services.settings.clarification_wording = "template";

    assert_int_equal(chat_bench_say(bench, "send a note"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_NEEDS_ANSWER);
    assert_int_equal(bench->model->n_requests, 1);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, chat_bench_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(the_model_words_what_code_asks),
        TEST(the_contract_holds_the_keys_and_their_number),
        TEST(questions_in_another_order_are_fine),
        TEST(a_question_of_blanks_is_sent_back),
        TEST(a_question_twice_in_place_of_another_is_sent_back),
        TEST(a_key_nobody_asked_for_changes_nothing),
        TEST(a_model_that_is_gone_leaves_the_templates_with_a_warning),
        TEST(what_was_worded_waits_for_its_answer),
        TEST(templates_ask_no_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
