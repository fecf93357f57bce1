#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "domain/base/json.h"
#include "tests/support/full/peer.h"
#include <stdio.h>
#include <string.h>

#define NAME_FORM "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}}}"
#define ASK_ID(id)                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"elicitation/create\",\"params\":{"            \
    "\"message\":\"Who?\",\"requestedSchema\":" NAME_FORM "}}\n"
#define ASK ASK_ID("0")
#define ASK_URL                                                                                    \
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"elicitation/"                                      \
    "create\",\"params\":{\"mode\":\"url\","                                                       \
    "\"message\":\"m\",\"url\":\"https://h/x\",\"elicitationId\":\"e\"}}\n"
#define TO_CALL(result) "{\"jsonrpc\":\"2.0\",\"id\":$CALL,\"result\":" result "}\n"
#define REPLY(id, result) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":" result "}\n"

/* A person: what they were asked, and how they react. */
static struct person {
    enum elicitation_action action;
    enum err_code fails;
    int64_t thinks_ms;
    unsigned n_asked, n_standing, max_standing;
    char message[40];
    enum err_code ended_with;
    struct peer *peer;
} person;

static enum err_code react(void *context, struct scope *scope, const struct elicitation *question,
                           struct arena *arena, struct elicitation_answer *out, struct err *err)
{
    struct peer *peer = context;
    struct runtime *runtime = uv_runtime_port(peer->runtime);
    person.n_asked++;
    if (++person.n_standing > person.max_standing)
        person.max_standing = person.n_standing;
    snprintf(person.message, sizeof person.message, "%s", question->message);
    if (person.thinks_ms)
        person.ended_with = runtime_sleep(runtime, scope, person.thinks_ms, err);
    person.n_standing--;
    if (person.ended_with)
        return person.ended_with;
    if (person.fails)
        return err_set(err, person.fails, 0, "no form");
    *out = (struct elicitation_answer){ .action = person.action };
    if (person.action == ELICITATION_ACCEPT)
        out->content = arena_keep_json(arena, json_pack("{s:s}", "name", "Ada"));
    return ERR_NONE;
}

static const char *call_somebody(struct peer *peer, struct person somebody)
{
    person = somebody;
    peer->on_question = react;
    peer_keep_record(peer);
    peer_run(peer, peer_call);
    return peer_record(peer);
}

static void assert_text(struct peer *peer, const char *text)
{
    assert_string_equal(peer->err.message, "");
    assert_int_equal(peer->code, ERR_NONE);
    assert_string_equal(step_result_text(&peer->arena, &peer->result), text);
    peer_finish(peer);
}

static void assert_fails(struct peer *peer, enum err_code code, const char *words)
{
    assert_int_equal(peer->code, code);
    if (!strstr(peer->err.message, words))
        fail_msg("%s", peer->err.message);
    peer_finish(peer);
}

static void gives_the_question_of_a_legacy_server_to_the_caller(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" ASK, "answer=" TO_CALL(TEXT_RESULT("done")));
    const char *record = call_somebody(&peer, (struct person){ 0 });
    assert_string_equal(person.message, "Who?");
    assert_non_null(strstr(record, "\"capabilities\":{\"elicitation\":{}},"));
    assert_non_null(
        strstr(record, REPLY("0", "{\"action\":\"accept\",\"content\":{\"name\":\"Ada\"}}")));
    assert_text(&peer, "done");
}

static void tells_a_legacy_server_that_it_was_declined(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" ASK, "answer=" TO_CALL(TEXT_RESULT("done")));
    const char *record = call_somebody(&peer, (struct person){ .action = ELICITATION_DECLINE });
    assert_non_null(strstr(record, REPLY("0", "{\"action\":\"decline\"}")));
    assert_text(&peer, "done");
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
    assert_text(&peer, "done");
}

static void refuses_the_mode_that_was_not_declared(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" ASK_URL, "answer=" TO_CALL(TEXT_RESULT("done")));
    const char *record = call_somebody(&peer, (struct person){ 0 });
    assert_int_equal(person.n_asked, 0);
    assert_non_null(strstr(record, "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":-32602,"));
    assert_text(&peer, "done");
}

static void refuses_a_schema_that_is_no_form(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" ASK, "answer=" TO_CALL(TEXT_RESULT("done")));
    const char *record = call_somebody(&peer, (struct person){ .fails = ERR_INVALID });
    assert_non_null(strstr(record, "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":-32602,"
                                   "\"message\":\"no form\"}}"));
    assert_text(&peer, "done");
}

static void asks_one_question_after_the_other(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" ASK_ID("1") ASK_ID("\"2\""),
         "answer#2=" TO_CALL(TEXT_RESULT("done")));
    const char *record = call_somebody(&peer, (struct person){ .thinks_ms = 20 });
    assert_int_equal(person.n_asked, 2);
    assert_int_equal(person.max_standing, 1);
    assert_non_null(strstr(record, "{\"jsonrpc\":\"2.0\",\"id\":\"2\",\"result\":{\"action\":"));
    assert_text(&peer, "done");
}

static void lets_sixteen_questions_wait_and_refuses_more(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=$REPEAT17;" ASK, "answer#17=" TO_CALL(TEXT_RESULT("16")));
    const char *record = call_somebody(&peer, (struct person){ .thinks_ms = 1 });
    assert_int_equal(person.n_asked, 16);
    assert_non_null(strstr(record, "too many questions"));
    assert_text(&peer, "16");
}

static void the_time_a_person_takes_is_no_silence_of_the_server(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" ASK, "answer=" TO_CALL(TEXT_RESULT("done")));
    peer.silence_ms = 150;
    peer.max_ms = 200;
    (void)call_somebody(&peer, (struct person){ .thinks_ms = 400 });
    assert_text(&peer, "done");
}

static void silence_after_the_answer_counts(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" ASK);
    peer.silence_ms = 100;
    (void)call_somebody(&peer, (struct person){ .thinks_ms = 200 });
    assert_fails(&peer, ERR_TIMEOUT, "no answer for 0.1 s");
}

static void a_question_ends_with_the_call_it_belongs_to(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" ASK "$PAUSE50;" ANSWER(TEXT_RESULT("early")));
    (void)call_somebody(&peer, (struct person){ .thinks_ms = 60000 });
    assert_int_equal(person.ended_with, ERR_CANCELLED);
    assert_text(&peer, "early");
}

static void a_question_ends_when_the_server_takes_it_back(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" ASK
                "$PAUSE50;{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
                "{\"requestId\":0}}\n$LATER100;" TO_CALL(TEXT_RESULT("late")));
    const char *record = call_somebody(&peer, (struct person){ .thinks_ms = 60000 });
    assert_int_equal(person.ended_with, ERR_CANCELLED);
    assert_null(strstr(record, "\"action\""));
    assert_text(&peer, "late");
}

static void a_question_ends_with_the_server(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" ASK "$PAUSE50;$EXIT3;");
    (void)call_somebody(&peer, (struct person){ .thinks_ms = 60000 });
    assert_int_equal(person.ended_with, ERR_CANCELLED);
    assert_fails(&peer, ERR_UNAVAILABLE, "3");
}

static void a_question_outside_of_any_call_is_left_unanswered(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/list=" ASK ANSWER("{\"tools\":[]}"));
    peer.on_question = react;
    person = (struct person){ 0 };
    peer_keep_record(&peer);
    peer_run(&peer, peer_list_then_list);
    assert_int_equal(person.n_asked, 0);
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
    person = (struct person){ .thinks_ms = 400 };
    peer.on_question = react;
    peer.silence_ms = 100;
    peer.max_ms = 150;
    peer_run(&peer, call_twice_at_once);
    assert_int_equal(person.n_asked, 1);
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
    person = (struct person){ .thinks_ms = 100 };
    peer.on_question = react;
    peer_run(&peer, call_twice_at_once);
    assert_int_equal(person.n_asked, 1);
    assert_int_equal(person.ended_with, ERR_NONE);
    assert_int_equal(worst, ERR_NONE);
    peer_finish(&peer);
}

#define WHO                                                                                        \
    "\"who\":{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"form\",\"message\":"        \
    "\"Who?\",\"requestedSchema\":" NAME_FORM "}}"
#define NEEDS(members) ANSWER("{\"resultType\":\"input_required\"," members "}")

static void answers_what_a_modern_server_wants_and_calls_again(void **state)
{
    static const char *const roots[] = { "/srv/notes" };
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern",
         "tools/call#1=" NEEDS("\"inputRequests\":{" WHO ",\"dirs\":{\"method\":\"roots/list\"}},"
                               "\"requestState\":\"a\\u0062\\/ \\\"\\u0000\""));
    peer.config.roots = roots;
    peer.config.n_roots = 1;
    const char *record = call_somebody(&peer, (struct person){ 0 });
    assert_string_equal(person.message, "Who?");
    assert_non_null(strstr(record, "Capabilities\":{\"roots\":{},\"elicitation\":{\"form\":{}}}"));
    assert_non_null(strstr(
        record, "\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":"
                "{\"a\":1},\"inputResponses\":{\"who\":{\"action\":\"accept\",\"content\":{"
                "\"name\":\"Ada\"}},\"dirs\":{\"roots\":[{\"uri\":\"file:///srv/notes\",\"name\":"
                "\"notes\"}]}},\"requestState\":\"a\\u0062\\/ \\\"\\u0000\",\"_meta\":{"));
    assert_text(&peer, "ok");
}

static void sends_only_what_belongs_to_the_latest_round(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern",
         "tools/call#1=" NEEDS("\"inputRequests\":{" WHO "},\"requestState\":"
                               "\"one\""),
         "tools/call#2=" NEEDS("\"inputRequests\":{\"again\":{\"method\":\"elicitation/create\","
                               "\"params\":{\"message\":\"Sure?\",\"requestedSchema\":" NAME_FORM
                               "}}}"));
    const char *record = call_somebody(&peer, (struct person){ .action = ELICITATION_CANCEL });
    const char *last = strstr(record, "\"id\":4,");
    assert_non_null(last);
    assert_non_null(
        strstr(last, "\"inputResponses\":{\"again\":{\"action\":\"cancel\"}},\"_meta\""));
    assert_null(strstr(last, "requestState"));
    assert_text(&peer, "ok");
}

static void goes_ten_rounds(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", "tools/call#11=" ANSWER(TEXT_RESULT("eleventh")),
         "tools/call=" NEEDS("\"inputRequests\":{" WHO "}"));
    (void)call_somebody(&peer, (struct person){ 0 });
    assert_int_equal(person.n_asked, 10);
    assert_text(&peer, "eleventh");
}

static void goes_no_eleventh_round(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", "tools/call=" NEEDS("\"inputRequests\":{" WHO "}"));
    (void)call_somebody(&peer, (struct person){ 0 });
    assert_int_equal(person.n_asked, 10);
    assert_fails(&peer, ERR_LIMIT, "asked for input 10 times");
}

static int64_t began_ms, took_ms;
static enum err_code timed_call(struct runtime *runtime, struct scope *scope, void *argument)
{
    began_ms = runtime_now_ms(runtime);
    enum err_code r = peer_call(runtime, scope, argument);
    took_ms = runtime_now_ms(runtime) - began_ms;
    return r;
}

static void a_server_that_only_wants_its_state_back_gets_it_after_a_pause(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", "tools/call#1=" NEEDS("\"requestState\":\"later\""));
    peer_keep_record(&peer);
    peer_run(&peer, timed_call);
    assert_true(took_ms >= 250);
    const char *record = peer_record(&peer);
    assert_non_null(strstr(record, "{\"a\":1},\"requestState\":\"later\",\"_meta\""));
    assert_null(strstr(record, "inputResponses"));
    assert_text(&peer, "ok");
}

static void refuses_answers_of_a_kind_that_does_not_exist(void **state)
{
    static const char *const answers[] = { ANSWER("{\"resultType\":\"strange\"}"),
                                           ANSWER("{\"resultType\":7}"),
                                           NEEDS("\"x\":1"),
                                           NEEDS("\"inputRequests\":[]"),
                                           NEEDS("\"inputRequests\":{}"),
                                           NEEDS("\"requestState\":{}") };
    char rule[400];
    (void)state;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct peer peer;
        snprintf(rule, sizeof rule, "tools/call=%s", answers[i]);
        PEER(&peer, "--modern", rule);
        (void)call_somebody(&peer, (struct person){ 0 });
        assert_int_equal(person.n_asked, 0);
        assert_fails(&peer, ERR_PROTOCOL, i < 2 ? "unknown resultType" : "not for what");
    }
}

static void a_legacy_server_has_no_rounds(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" NEEDS("\"inputRequests\":{" WHO "}"));
    (void)call_somebody(&peer, (struct person){ 0 });
    assert_fails(&peer, ERR_PROTOCOL, "asks for input where");
}

static void asks_nobody_when_the_server_also_wants_what_was_not_offered(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern",
         "tools/call=" NEEDS("\"inputRequests\":{" WHO
                             ",\"llm\":{\"method\":\"sampling/createMessage\"}}"));
    (void)call_somebody(&peer, (struct person){ 0 });
    assert_int_equal(person.n_asked, 0);
    assert_fails(&peer, ERR_PROTOCOL, "asks for \"sampling/createMessage\"");
}

static void offers_no_person_to_a_modern_server_where_nobody_is_present(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", "tools/call=" NEEDS("\"inputRequests\":{" WHO "}"));
    peer_keep_record(&peer);
    peer_run(&peer, peer_call);
    assert_non_null(strstr(peer_record(&peer), "clientCapabilities\":{}"));
    assert_null(strstr(peer_record(&peer), "\"id\":3"));
    assert_fails(&peer, ERR_PROTOCOL, "asks for \"elicitation/create\"");
}

static void sixteen_inputs_in_one_round_are_enough(void **state)
{
    char one[32], rule[2000];
    (void)state;
    for (int n = 16; n <= 17; n++) {
        struct peer peer;
        strcpy(rule, "tools/call#1={\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"resultType\":"
                     "\"input_required\",\"inputRequests\":{");
        for (int i = 0; i < n; i++) {
            snprintf(one, sizeof one, "%s\"%d\":{\"method\":", i ? "," : "", i);
            strcat(strcat(rule, one), "\"roots/list\"}");
        }
        strcat(rule, "}}}\n");
        static const char *const roots[] = { "/srv" };
        PEER(&peer, "--modern", rule);
        peer.config.roots = roots;
        peer.config.n_roots = 1;
        (void)call_somebody(&peer, (struct person){ 0 });
        if (n == 16)
            assert_text(&peer, "ok");
        else
            assert_fails(&peer, ERR_LIMIT, "more than 16 inputs");
    }
}

static void the_time_between_the_rounds_is_not_the_calls(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", "tools/call#1=" NEEDS("\"inputRequests\":{" WHO "}"));
    peer.silence_ms = 150;
    peer.max_ms = 200;
    (void)call_somebody(&peer, (struct person){ .thinks_ms = 400 });
    assert_text(&peer, "ok");
}

static void the_rounds_together_are_bounded_like_one_call(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", "tools/call=$PAUSE60;" NEEDS("\"inputRequests\":{" WHO "}"));
    peer.max_ms = 150;
    (void)call_somebody(&peer, (struct person){ 0 });
    assert_int_equal(person.n_asked, 2);
    assert_fails(&peer, ERR_TIMEOUT, "not done within 0.15 s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_question_of_a_legacy_server_to_the_caller),
        cmocka_unit_test(tells_a_legacy_server_that_it_was_declined),
        cmocka_unit_test(has_no_such_method_where_nobody_is_present),
        cmocka_unit_test(refuses_the_mode_that_was_not_declared),
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
        cmocka_unit_test(answers_what_a_modern_server_wants_and_calls_again),
        cmocka_unit_test(sends_only_what_belongs_to_the_latest_round),
        cmocka_unit_test(goes_ten_rounds),
        cmocka_unit_test(goes_no_eleventh_round),
        cmocka_unit_test(a_server_that_only_wants_its_state_back_gets_it_after_a_pause),
        cmocka_unit_test(refuses_answers_of_a_kind_that_does_not_exist),
        cmocka_unit_test(a_legacy_server_has_no_rounds),
        cmocka_unit_test(asks_nobody_when_the_server_also_wants_what_was_not_offered),
        cmocka_unit_test(offers_no_person_to_a_modern_server_where_nobody_is_present),
        cmocka_unit_test(sixteen_inputs_in_one_round_are_enough),
        cmocka_unit_test(the_time_between_the_rounds_is_not_the_calls),
        cmocka_unit_test(the_rounds_together_are_bounded_like_one_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
