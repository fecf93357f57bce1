#include "application/use_cases/mistral_chat.h"
#include "tests/support/cmocka.h"
#include "tests/support/service_bench.h"
#include <string.h>

#define TOOLS                                                                                      \
    "[{\"name\":\"look\",\"description\":\"Looks at a path\",\"inputSchema\":{\"type\":"           \
    "\"object\",\"properties\":{\"path\":{\"type\":\"string\"},\"n\":{\"type\":\"integer\"}},"     \
    "\"required\":[\"path\"]},\"annotations\":{\"readOnlyHint\":true}},"                           \
    "{\"name\":\"send\",\"inputSchema\":{\"type\":\"object\"}}]"

static int set_up(void **state)
{
    *state = service_bench_create("dev", TOOLS);
    return 0;
}

static struct turn_result say(struct service_bench *bench, const char *message,
                              const struct turn_answer *answer, enum err_code wanted)
{
    struct mistral_chat *chat = mistral_chat_create(&bench->services.base);
    struct turn_result result = { 0 };
    const struct turn_request request = {
        .message = message, .session_id = "s", .answers = answer, .n_answers = answer ? 1 : 0
    };
    assert_int_equal(
        mistral_chat_turn(chat, &bench->scope, &bench->arena, &request, &result, &bench->err),
        wanted);
    mistral_chat_destroy(chat);
    return result;
}

static void intend(struct service_bench *bench, const char *tool, bool unclear)
{
    const char *text = arena_printf(
        &bench->arena,
        "{\"steps\":[],\"primary_goal\":\"the goal\",\"tools_needed\":[\"%s\"],\"parameters\":{},"
        "\"unclear_aspects\":[],\"needs_clarification\":%s,\"confidence\":0.9}",
        tool, unclear ? "true" : "false");
    fake_model_reply(&bench->services.model, text);
}

/* The conversation waits for the path of dev/look. */
static void ask_for_path(struct service_bench *bench)
{
    bench->services.base.approve_all = true;
    intend(bench, "dev__look", false);
    assert_int_equal(say(bench, "look", NULL, ERR_NONE).status, RUN_NEEDS_ANSWER);
}

static void reads_answers_by_key_out_of_a_message(void **state)
{
    struct service_bench *bench = *state;
    ask_for_path(bench);
    fake_model_reply(&bench->services.model, "Seen.");

    struct turn_result result = say(bench, "of course\n path : a b \n", NULL, ERR_NONE);

    assert_int_equal(result.status, RUN_COMPLETED);
    assert_string_equal(bench->server->calls[0].arguments, "{\"path\":\"a b\"}");
}

static void an_unknown_goal_is_told_anew_with_the_answer(void **state)
{
    struct service_bench *bench = *state;
    intend(bench, "none", true);
    struct turn_result result = say(bench, "do it", NULL, ERR_NONE);
    assert_int_equal(result.status, RUN_NEEDS_ANSWER);
    assert_string_equal(result.intent->questions[0].key, "goal");
    intend(bench, "none", false);
    fake_model_reply(&bench->services.model, "Hello Ann.");

    result = say(bench, "greet Ann", NULL, ERR_NONE);

    assert_int_equal(result.status, RUN_COMPLETED);
    assert_non_null(strstr(bench->services.model.requests[1].user, "do it\ngreet Ann"));
}

/* The conversation waits for a tool, as a lexical doubt leaves it. */
static void store_doubt_about(struct service_bench *bench, const char *message)
{
    struct conversation *conversation = conversation_create(&bench->arena, "s", 1);
    json_object_set_new(conversation->context, "clarification",
                        json_pack("{s:i, s:s, s:s, s:[], s:{}, s:s, s:[{s:s, s:s, s:[s, s, s]}]}",
                                  "version", 1, "message", message, "goal", "g", "tools",
                                  "parameters", "analyst", "model", "questions", "key", "tool",
                                  "text", "Which?", "choices", "dev/look", "dev/send", "none"));
    bench->services.base.approve_all = true;
    assert_int_equal(conversation_repository_save(bench->services.conversations_port, &bench->scope,
                                                  conversation, 0, NULL),
                     ERR_NONE);
}

static void store_doubt(struct service_bench *bench)
{
    store_doubt_about(bench, "do path=a");
}

static void a_chosen_tool_may_do_what_the_request_did_not_say(void **state)
{
    struct service_bench *bench = *state;
    store_doubt_about(bench, "where is path=a?");
    fake_model_reply(&bench->services.model, "Sent.");

    assert_int_equal(say(bench, "2", NULL, ERR_NONE).status, RUN_COMPLETED);

    assert_string_equal(bench->server->calls[0].tool, "send");
}

static void takes_a_choice_by_its_number(void **state)
{
    struct service_bench *bench = *state;
    store_doubt(bench);
    fake_model_reply(&bench->services.model, "Sent.");

    assert_int_equal(say(bench, "2", NULL, ERR_NONE).status, RUN_COMPLETED);

    assert_string_equal(bench->server->calls[0].tool, "send");
}

static void none_means_no_tool(void **state)
{
    struct service_bench *bench = *state;
    store_doubt(bench);
    fake_model_reply(&bench->services.model, "Well.");

    assert_int_equal(say(bench, "None", NULL, ERR_NONE).status, RUN_COMPLETED);

    assert_int_equal(bench->server->n_calls, 0);
}

static void refuses_an_answer_that_is_none_of_the_choices(void **state)
{
    struct service_bench *bench = *state;
    store_doubt(bench);
    const struct turn_answer answer = { "tool", "dev/other" };

    say(bench, NULL, &answer, ERR_INVALID);

    assert_non_null(strstr(bench->err.message, "dev/look"));
}

static void a_message_that_is_none_of_the_choices_stands_for_itself(void **state)
{
    struct service_bench *bench = *state;
    store_doubt(bench);
    intend(bench, "none", false);
    fake_model_reply(&bench->services.model, "I cannot see the weather.");

    struct turn_result result = say(bench, "how is the weather?", NULL, ERR_NONE);

    assert_string_equal(result.answer, "I cannot see the weather.");
}

static void never_mind_drops_the_question_which_a_flag_still_answers(void **state)
{
    struct service_bench *bench = *state;
    const struct turn_answer answer = { "path", "a" };
    ask_for_path(bench);

    struct turn_result result = say(bench, "never mind", NULL, ERR_NONE);

    assert_int_equal(result.status, RUN_COMPLETED);
    assert_null(result.answer);
    assert_non_null(strstr(result.dropped, "mistro ask --session s --answer path=…"));
    fake_model_reply(&bench->services.model, "Seen.");
    assert_int_equal(say(bench, NULL, &answer, ERR_NONE).status, RUN_COMPLETED);
    assert_string_equal(bench->server->calls[0].arguments, "{\"path\":\"a\"}");
}

static void what_was_dropped_is_not_answered_by_the_next_message(void **state)
{
    struct service_bench *bench = *state;
    ask_for_path(bench);
    say(bench, "cancel", NULL, ERR_NONE);
    intend(bench, "none", false);
    fake_model_reply(&bench->services.model, "Hello.");

    struct turn_result result = say(bench, "good morning", NULL, ERR_NONE);

    assert_string_equal(result.answer, "Hello.");
    assert_null(result.dropped);
    assert_int_equal(bench->server->n_calls, 0);
}

static void the_request_behind_never_mind_is_done(void **state)
{
    struct service_bench *bench = *state;
    ask_for_path(bench);
    intend(bench, "none", false);
    fake_model_reply(&bench->services.model, "Hello Ann.");

    struct turn_result result = say(bench, "forget that, please greet Ann", NULL, ERR_NONE);

    assert_string_equal(result.answer, "Hello Ann.");
    assert_non_null(result.dropped);
    assert_non_null(strstr(bench->services.model.requests[1].user, "please greet Ann"));
}

static void who_does_not_understand_a_question_is_shown_it_again(void **state)
{
    struct service_bench *bench = *state;
    ask_for_path(bench);

    struct turn_result result = say(bench, "what do you mean?", NULL, ERR_NONE);

    assert_int_equal(result.status, RUN_NEEDS_ANSWER);
    assert_non_null(strstr(result.answer, "A path, for instance notes.md"));
    fake_model_reply(&bench->services.model, "Seen.");
    assert_int_equal(say(bench, "a.md", NULL, ERR_NONE).status, RUN_COMPLETED);
}

static void a_key_that_nobody_asked_for_is_an_error_with_the_nearest(void **state)
{
    struct service_bench *bench = *state;
    const struct turn_answer answer = { "pth", "a" };
    ask_for_path(bench);

    say(bench, NULL, &answer, ERR_INVALID);

    assert_non_null(strstr(bench->err.message, "asked is: path"));
    assert_non_null(strstr(bench->err.hint, "--answer path=…"));
}

static void a_tool_is_chosen_by_words(void **state)
{
    struct service_bench *bench = *state;
    store_doubt(bench);
    fake_model_reply(&bench->services.model, "Sent.");

    assert_int_equal(say(bench, "the one to send", NULL, ERR_NONE).status, RUN_COMPLETED);

    assert_string_equal(bench->server->calls[0].tool, "send");
}

static void an_answer_needs_a_question(void **state)
{
    struct service_bench *bench = *state;
    const struct turn_answer answer = { "path", "a" };

    say(bench, NULL, &answer, ERR_NOT_FOUND);
}

static void a_turn_goes_behind_what_somebody_else_wrote(void **state)
{
    struct service_bench *bench = *state;
    intend(bench, "none", false);
    fake_model_reply(&bench->services.model, "Hello.");
    struct conversation *stored = conversation_create(&bench->arena, "s", 5);
    conversation_add(&bench->arena, stored, MESSAGE_USER, "theirs", NULL, 5);
    assert_int_equal(conversation_repository_save(bench->services.conversations_port, &bench->scope,
                                                  stored, 0, NULL),
                     ERR_NONE);
    bench->services.conversations.next_save = ERR_MISMATCH;
    bench->services.conversations.more_refusals = 3;

    assert_int_equal(say(bench, "hello", NULL, ERR_NONE).status, RUN_COMPLETED);

    assert_int_equal(conversation_repository_get_by_id(bench->services.conversations_port,
                                                       &bench->scope, "s", &bench->arena, &stored,
                                                       NULL),
                     ERR_NONE);
    assert_int_equal(stored->n_messages, 3);
    assert_string_equal(stored->messages[0].content, "theirs");
}

static void an_answered_question_stays_answered_when_somebody_else_wrote(void **state)
{
    struct service_bench *bench = *state;
    const struct turn_answer answer = { "path", "notes.md" };
    struct conversation *stored = NULL;
    ask_for_path(bench);
    fake_model_reply(&bench->services.model, "Seen.");
    bench->services.conversations.next_save = ERR_MISMATCH;

    say(bench, NULL, &answer, ERR_NONE);

    assert_int_equal(conversation_repository_get_by_id(bench->services.conversations_port,
                                                       &bench->scope, "s", &bench->arena, &stored,
                                                       NULL),
                     ERR_NONE);
    assert_null(json_object_get(stored->context, "clarification"));
}

/* Another process, which changes the session as soon as the turn has loaded it. */
struct neighbour {
    struct observer base;
    struct service_bench *bench;
    json_t *question; /* what it leaves waiting; NULL: nothing */
};

static struct conversation *stored_session(struct service_bench *bench)
{
    struct conversation *stored = NULL;
    enum err_code r = conversation_repository_get_by_id(
        bench->services.conversations_port, &bench->scope, "s", &bench->arena, &stored, NULL);
    assert_true(r == ERR_NONE || r == ERR_NOT_FOUND);
    return stored;
}

static void meddle(struct observer *observer, const struct event *event)
{
    struct neighbour *neighbour = (struct neighbour *)observer;
    struct service_bench *bench = neighbour->bench;
    if (event->kind != EVENT_RUN_STARTED)
        return;
    struct conversation *stored = stored_session(bench);
    int64_t version_ms = stored ? stored->updated_at_ms : 0;
    if (!stored)
        stored = conversation_create(&bench->arena, "s", 5);
    if (neighbour->question)
        json_object_set(stored->context, "clarification", neighbour->question);
    else
        json_object_del(stored->context, "clarification");
    conversation_add(&bench->arena, stored, MESSAGE_USER, "theirs", NULL, 5);
    assert_int_equal(conversation_repository_save(bench->services.conversations_port, &bench->scope,
                                                  stored, version_ms, NULL),
                     ERR_NONE);
}

static struct turn_result say_beside_neighbour(struct service_bench *bench, const char *message,
                                               const struct turn_answer *answer, json_t *question)
{
    static const struct observer_ops ops = { meddle };
    struct neighbour neighbour = { .base = { &ops }, .bench = bench, .question = question };
    bench->services.base.observer = &neighbour.base;
    struct turn_result result = say(bench, message, answer, ERR_NONE);
    bench->services.base.observer = NULL;
    return result;
}

static void assert_was_not_saved(const struct turn_result *result, const char *why)
{
    json_auto_t *object = turn_result_to_json(result);
    assert_int_equal(result->status, RUN_FAILED);
    assert_int_equal(result->err.code, ERR_UNAVAILABLE);
    assert_non_null(strstr(result->err.message, why));
    assert_false(json_get_bool(object, "saved", true));
}

static void the_second_of_two_who_answer_a_question_is_told(void **state)
{
    struct service_bench *bench = *state;
    const struct turn_answer answer = { "path", "notes.md" };
    ask_for_path(bench);
    fake_model_reply(&bench->services.model, "Seen.");

    struct turn_result result = say_beside_neighbour(bench, NULL, &answer, NULL);

    struct conversation *stored = stored_session(bench);
    assert_was_not_saved(&result, "its question was answered or cleared meanwhile");
    assert_string_equal(result.answer, "Seen.");
    assert_string_equal(stored->messages[stored->n_messages - 1].content, "theirs");
    assert_null(json_object_get(stored->context, "clarification"));
}

static void the_second_of_two_who_ask_is_told_and_the_first_question_waits(void **state)
{
    struct service_bench *bench = *state;
    json_auto_t *question = json_pack("{s:s}", "message", "their question");
    intend(bench, "dev__look", false);

    struct turn_result result = say_beside_neighbour(bench, "look", NULL, question);

    struct conversation *stored = stored_session(bench);
    assert_was_not_saved(&result, "another question was asked in it meanwhile");
    assert_true(json_equal(json_object_get(stored->context, "clarification"), question));
    assert_int_equal(stored->n_messages, 1);
}

static void a_question_asked_meanwhile_still_waits_behind_a_turn_that_asks_nothing(void **state)
{
    struct service_bench *bench = *state;
    json_auto_t *question = json_pack("{s:s}", "message", "their question");
    intend(bench, "none", false);
    fake_model_reply(&bench->services.model, "Hello.");

    struct turn_result result = say_beside_neighbour(bench, "hello", NULL, question);

    struct conversation *stored = stored_session(bench);
    assert_int_equal(result.status, RUN_COMPLETED);
    assert_true(json_equal(json_object_get(stored->context, "clarification"), question));
    assert_int_equal(stored->n_messages, 3);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, service_bench_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(reads_answers_by_key_out_of_a_message),
        TEST(an_unknown_goal_is_told_anew_with_the_answer),
        TEST(a_chosen_tool_may_do_what_the_request_did_not_say),
        TEST(takes_a_choice_by_its_number),
        TEST(none_means_no_tool),
        TEST(refuses_an_answer_that_is_none_of_the_choices),
        TEST(a_message_that_is_none_of_the_choices_stands_for_itself),
        TEST(never_mind_drops_the_question_which_a_flag_still_answers),
        TEST(what_was_dropped_is_not_answered_by_the_next_message),
        TEST(the_request_behind_never_mind_is_done),
        TEST(who_does_not_understand_a_question_is_shown_it_again),
        TEST(a_key_that_nobody_asked_for_is_an_error_with_the_nearest),
        TEST(a_tool_is_chosen_by_words),
        TEST(an_answer_needs_a_question),
        TEST(a_turn_goes_behind_what_somebody_else_wrote),
        TEST(an_answered_question_stays_answered_when_somebody_else_wrote),
        TEST(the_second_of_two_who_answer_a_question_is_told),
        TEST(the_second_of_two_who_ask_is_told_and_the_first_question_waits),
        TEST(a_question_asked_meanwhile_still_waits_behind_a_turn_that_asks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
