
#include "tests/support/cmocka.h"
#include "tests/support/full/asked_person.h"
#include "tests/support/full/outcomes.h"
#include <string.h>

#define NAME_FORM "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}}}"
#define ASK_ID(id)                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"elicitation/create\",\"params\":{"            \
    "\"message\":\"Who?\",\"requestedSchema\":" NAME_FORM "}}\n"
#define ASK ASK_ID("0")
#define ASK_URL(mode)                                                                              \
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"elicitation/"                                      \
    "create\",\"params\":{\"mode\":\"" mode "\","                                                  \
    "\"message\":\"m\",\"url\":\"https://h/x\",\"elicitationId\":\"e\"}}\n"
#define TO_CALL(result) "{\"jsonrpc\":\"2.0\",\"id\":$CALL,\"result\":" result "}\n"
#define REPLY(id, result) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":" result "}\n"

static void gives_the_question_of_a_legacy_server_to_the_caller(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" ASK, "answer=" TO_CALL(TEXT_RESULT("done")));
    const char *record = asked_person_call(&peer, (struct asked_person){ 0 });
    assert_string_equal(asked_person.message, "Who?");
    assert_non_null(strstr(record, "\"capabilities\":{\"elicitation\":{\"form\":{},\"url\":{}}},"));
    assert_non_null(
        strstr(record, REPLY("0", "{\"action\":\"accept\",\"content\":{\"name\":\"Ada\"}}")));
    peer_assert_text(&peer, "done");
}

static void tells_a_legacy_server_that_it_was_declined(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" ASK, "answer=" TO_CALL(TEXT_RESULT("done")));
    const char *record =
        asked_person_call(&peer, (struct asked_person){ .action = ELICITATION_DECLINE });
    assert_non_null(strstr(record, REPLY("0", "{\"action\":\"decline\"}")));
    peer_assert_text(&peer, "done");
}

static void has_no_such_method_where_nobody_is_present(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" ASK, "answer=" TO_CALL(TEXT_RESULT("done")));
    peer_keep_record(&peer);
    peer_run(&peer, peer_call);
    const char *record = peer_record(&peer);
    assert_non_null(strstr(record, "\"capabilities\":{},"));
    assert_non_null(strstr(record, "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":-32601,"));
    peer_assert_text(&peer, "done");
}

static void hands_a_url_over_and_sends_nothing_but_the_consent(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" ASK_URL("url"), "answer=" TO_CALL(TEXT_RESULT("done")));
    const char *record = asked_person_call(&peer, (struct asked_person){ 0 });
    assert_string_equal(asked_person.url, "https://h/x");
    assert_false(asked_person.must_finish);
    assert_non_null(strstr(record, REPLY("0", "{\"action\":\"accept\"}")));
    peer_assert_text(&peer, "done");
}

static void refuses_a_mode_that_does_not_exist(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" ASK_URL("dream"), "answer=" TO_CALL(TEXT_RESULT("done")));
    const char *record = asked_person_call(&peer, (struct asked_person){ 0 });
    assert_int_equal(asked_person.n_asked, 0);
    assert_non_null(strstr(record, "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":-32602,"));
    peer_assert_text(&peer, "done");
}

static void refuses_a_schema_that_is_no_form(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" ASK, "answer=" TO_CALL(TEXT_RESULT("done")));
    const char *record = asked_person_call(&peer, (struct asked_person){ .fails = ERR_INVALID });
    assert_non_null(strstr(record, "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":-32602,"
                                   "\"message\":\"no form\"}}"));
    peer_assert_text(&peer, "done");
}

static void asks_one_question_after_the_other(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" ASK_ID("1") ASK_ID("\"2\""),
         "answer#2=" TO_CALL(TEXT_RESULT("done")));
    const char *record = asked_person_call(&peer, (struct asked_person){ .thinks_ms = 20 });
    assert_int_equal(asked_person.n_asked, 2);
    assert_int_equal(asked_person.max_standing, 1);
    assert_non_null(strstr(record, "{\"jsonrpc\":\"2.0\",\"id\":\"2\",\"result\":{\"action\":"));
    peer_assert_text(&peer, "done");
}

static void lets_sixteen_questions_wait_and_refuses_more(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=$REPEAT17;" ASK, "answer#17=" TO_CALL(TEXT_RESULT("16")));
    const char *record = asked_person_call(&peer, (struct asked_person){ .thinks_ms = 1 });
    assert_int_equal(asked_person.n_asked, 16);
    assert_non_null(strstr(record, "too many questions"));
    peer_assert_text(&peer, "16");
}

static void the_time_a_person_takes_is_no_silence_of_the_server(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" ASK, "answer=" TO_CALL(TEXT_RESULT("done")));
    peer.silence_ms = 150;
    peer.max_ms = 200;
    (void)asked_person_call(&peer, (struct asked_person){ .thinks_ms = 400 });
    peer_assert_text(&peer, "done");
}

static void silence_after_the_answer_counts(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" ASK);
    peer.silence_ms = 100;
    (void)asked_person_call(&peer, (struct asked_person){ .thinks_ms = 200 });
    peer_assert_fails(&peer, ERR_TIMEOUT, "no answer for 0.1 s");
}

static void a_question_ends_with_the_call_it_belongs_to(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" ASK "$PAUSE50;" ANSWER(TEXT_RESULT("early")));
    (void)asked_person_call(&peer, (struct asked_person){ .thinks_ms = 60000 });
    assert_int_equal(asked_person.ended_with, ERR_CANCELLED);
    peer_assert_text(&peer, "early");
}

static void a_question_ends_when_the_server_takes_it_back(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" ASK
                "$PAUSE50;{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
                "{\"requestId\":0}}\n$LATER100;" TO_CALL(TEXT_RESULT("late")));
    const char *record = asked_person_call(&peer, (struct asked_person){ .thinks_ms = 60000 });
    assert_int_equal(asked_person.ended_with, ERR_CANCELLED);
    assert_null(strstr(record, "\"action\""));
    peer_assert_text(&peer, "late");
}

static void a_question_ends_with_the_server(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" ASK "$PAUSE50;$EXIT3;");
    (void)asked_person_call(&peer, (struct asked_person){ .thinks_ms = 60000 });
    assert_int_equal(asked_person.ended_with, ERR_CANCELLED);
    peer_assert_fails(&peer, ERR_UNAVAILABLE, "3");
}

static void a_question_outside_of_any_call_is_left_unanswered(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/list=" ASK ANSWER("{\"tools\":[]}"));
    peer.on_question = asked_person_react;
    asked_person = (struct asked_person){ 0 };
    peer_keep_record(&peer);
    peer_run(&peer, peer_list_then_list);
    assert_int_equal(asked_person.n_asked, 0);
    assert_non_null(strstr(peer_record(&peer), REPLY("0", "{\"action\":\"cancel\"}")));
    peer_finish(&peer);
}

/* Two calls at once; which of them a question belongs to is not said. */
static enum err_code worst;
static enum err_code call_twice_at_once(struct runtime *runtime, struct scope *scope,
                                        void *argument)
{
    struct task *tasks[2];
    enum err_code r = peer_list(runtime, scope, argument); /* it is started */
    tasks[0] = runtime_spawn(runtime, scope, peer_call, argument);
    tasks[1] = runtime_spawn(runtime, scope, peer_call, argument);
    worst = ERR_NONE;
    for (size_t i = 0; i < 2; i++) {
        r = runtime_wait(runtime, tasks[i]);
        worst = r ? r : worst;
    }
    return r;
}

static void a_question_keeps_every_call_of_its_server_from_running_out_of_time(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call#1=$ERR;", "tools/call#2=" ASK,
         "answer={\"jsonrpc\":\"2.0\",\"id\":4,\"result\":" TEXT_RESULT(
             "one") "}\n"
                    "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":" TEXT_RESULT("two") "}\n");
    asked_person = (struct asked_person){ .thinks_ms = 400 };
    peer.on_question = asked_person_react;
    peer.silence_ms = 100;
    peer.max_ms = 150;
    peer_run(&peer, call_twice_at_once);
    assert_int_equal(asked_person.n_asked, 1);
    assert_int_equal(worst, ERR_NONE);
    peer_finish(&peer);
}

static void a_question_outlives_the_call_it_was_given_to_while_others_may_have_asked(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call#1=$ERR;",
         "tools/call#2=" ASK "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":" TEXT_RESULT("one") "}\n",
         "answer={\"jsonrpc\":\"2.0\",\"id\":5,\"result\":" TEXT_RESULT("two") "}\n");
    asked_person = (struct asked_person){ .thinks_ms = 100 };
    peer.on_question = asked_person_react;
    peer_run(&peer, call_twice_at_once);
    assert_int_equal(asked_person.n_asked, 1);
    assert_int_equal(asked_person.ended_with, ERR_NONE);
    assert_int_equal(worst, ERR_NONE);
    peer_finish(&peer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_question_of_a_legacy_server_to_the_caller),
        cmocka_unit_test(tells_a_legacy_server_that_it_was_declined),
        cmocka_unit_test(has_no_such_method_where_nobody_is_present),
        cmocka_unit_test(hands_a_url_over_and_sends_nothing_but_the_consent),
        cmocka_unit_test(refuses_a_mode_that_does_not_exist),
        cmocka_unit_test(refuses_a_schema_that_is_no_form),
        cmocka_unit_test(asks_one_question_after_the_other),
        cmocka_unit_test(lets_sixteen_questions_wait_and_refuses_more),
        cmocka_unit_test(the_time_a_person_takes_is_no_silence_of_the_server),
        cmocka_unit_test(silence_after_the_answer_counts),
        cmocka_unit_test(a_question_ends_with_the_call_it_belongs_to),
        cmocka_unit_test(a_question_ends_when_the_server_takes_it_back),
        cmocka_unit_test(a_question_ends_with_the_server),
        cmocka_unit_test(a_question_outside_of_any_call_is_left_unanswered),
        cmocka_unit_test(a_question_keeps_every_call_of_its_server_from_running_out_of_time),
        cmocka_unit_test(a_question_outlives_the_call_it_was_given_to_while_others_may_have_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
