
#include "tests/support/cmocka.h"
#include "tests/support/full/asked_person.h"
#include "tests/support/full/outcomes.h"
#include <stdio.h>
#include <string.h>

#define NAME_FORM "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}}}"

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
    const char *record = asked_person_call(&peer, (struct asked_person){ 0 });
    assert_string_equal(asked_person.message, "Who?");
    assert_non_null(
        strstr(record, "Capabilities\":{\"roots\":{},\"elicitation\":{\"form\":{},\"url\":{}}}"));
    assert_non_null(strstr(
        record, "\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":"
                "{\"a\":1},\"inputResponses\":{\"who\":{\"action\":\"accept\",\"content\":{"
                "\"name\":\"Ada\"}},\"dirs\":{\"roots\":[{\"uri\":\"file:///srv/notes\",\"name\":"
                "\"notes\"}]}},\"requestState\":\"a\\u0062\\/ \\\"\\u0000\",\"_meta\":{"));
    peer_assert_text(&peer, "ok");
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
    const char *record =
        asked_person_call(&peer, (struct asked_person){ .action = ELICITATION_CANCEL });
    const char *last = strstr(record, "\"id\":4,");
    assert_non_null(last);
    assert_non_null(
        strstr(last, "\"inputResponses\":{\"again\":{\"action\":\"cancel\"}},\"_meta\""));
    assert_null(strstr(last, "requestState"));
    peer_assert_text(&peer, "ok");
}

static void a_state_that_is_no_unicode_goes_back_as_it_came(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern",
         "tools/call#1=" NEEDS("\"inputRequests\":{" WHO
                               "},\"requestState\":\"\\ud83d\\u00e9\\/x\""));
    peer.silence_ms = 200; /* the peer cannot read it any more than we can */
    const char *record = asked_person_call(&peer, (struct asked_person){ 0 });
    assert_non_null(strstr(record, "\"requestState\":\"\\ud83d\\u00e9\\/x\",\"_meta\""));
    peer_finish(&peer);
}

static void goes_ten_rounds(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", "tools/call#11=" ANSWER(TEXT_RESULT("eleventh")),
         "tools/call=" NEEDS("\"inputRequests\":{" WHO "}"));
    (void)asked_person_call(&peer, (struct asked_person){ 0 });
    assert_int_equal(asked_person.n_asked, 10);
    peer_assert_text(&peer, "eleventh");
}

static void goes_no_eleventh_round(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", "tools/call=" NEEDS("\"inputRequests\":{" WHO "}"));
    (void)asked_person_call(&peer, (struct asked_person){ 0 });
    assert_int_equal(asked_person.n_asked, 10);
    peer_assert_fails(&peer, ERR_LIMIT, "asked for input 10 times");
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
    peer_assert_text(&peer, "ok");
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
        (void)asked_person_call(&peer, (struct asked_person){ 0 });
        assert_int_equal(asked_person.n_asked, 0);
        peer_assert_fails(&peer, ERR_PROTOCOL, i < 2 ? "unknown resultType" : "not for what");
    }
}

static void a_legacy_server_has_no_rounds(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" NEEDS("\"inputRequests\":{" WHO "}"));
    (void)asked_person_call(&peer, (struct asked_person){ 0 });
    peer_assert_fails(&peer, ERR_PROTOCOL, "asks for input where");
}

static void asks_nobody_when_the_server_also_wants_what_was_not_offered(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern",
         "tools/call=" NEEDS("\"inputRequests\":{" WHO
                             ",\"llm\":{\"method\":\"sampling/createMessage\"}}"));
    (void)asked_person_call(&peer, (struct asked_person){ 0 });
    assert_int_equal(asked_person.n_asked, 0);
    peer_assert_fails(&peer, ERR_PROTOCOL, "asks for \"sampling/createMessage\"");
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
    peer_assert_fails(&peer, ERR_PROTOCOL, "asks for \"elicitation/create\"");
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
        (void)asked_person_call(&peer, (struct asked_person){ 0 });
        if (n == 16)
            peer_assert_text(&peer, "ok");
        else
            peer_assert_fails(&peer, ERR_LIMIT, "more than 16 inputs");
    }
}

static void the_time_between_the_rounds_is_not_the_calls(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", "tools/call#1=" NEEDS("\"inputRequests\":{" WHO "}"));
    peer.silence_ms = 150;
    peer.max_ms = 200;
    (void)asked_person_call(&peer, (struct asked_person){ .thinks_ms = 400 });
    peer_assert_text(&peer, "ok");
}

static void the_rounds_together_are_bounded_like_one_call(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", "tools/call=$PAUSE60;" NEEDS("\"inputRequests\":{" WHO "}"));
    peer.max_ms = 150;
    (void)asked_person_call(&peer, (struct asked_person){ 0 });
    assert_int_equal(asked_person.n_asked, 2);
    peer_assert_fails(&peer, ERR_TIMEOUT, "not done within 0.15 s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_what_a_modern_server_wants_and_calls_again),
        cmocka_unit_test(sends_only_what_belongs_to_the_latest_round),
        cmocka_unit_test(a_state_that_is_no_unicode_goes_back_as_it_came),
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
