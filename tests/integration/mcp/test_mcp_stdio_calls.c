
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/outcomes.h"
#include <stdio.h>
#include <string.h>

/* Calls "echo" on a peer that answers tools/call as told. */
static void call_with(struct peer *peer, const char *rule)
{
    PEER(peer, rule);
    peer_run(peer, peer_call);
}

static void sends_the_arguments_and_gives_the_result_back(void **state)
{
    struct peer peer;
    (void)state;
    call_with(&peer, "x=");
    assert_int_equal(json_get_int(step_result_structured(&peer.result), "a", 0), 1);
    peer_assert_text(&peer, "ok");
    PEER(&peer, "--modern");
    peer_run(&peer, peer_call);
    assert_int_equal(json_get_int(step_result_structured(&peer.result), "a", 0), 1);
    peer_assert_text(&peer, "ok");
}

static void keeps_the_bytes_of_the_result_as_they_came(void **state)
{
    struct peer peer;
    (void)state;
    call_with(&peer,
              "tools/call={\"result\": {\"content\":[ ],  \"n\":1.0e2,\"u\":\"\\u00e9\\u0000\","
              "\"big\":123456789012345678901234567890},\"jsonrpc\":\"2.0\",\"id\":$ID}\n");
    assert_int_equal(peer.code, ERR_NONE);
    assert_string_equal(peer.result.bytes,
                        "{\"content\":[ ],  \"n\":1.0e2,\"u\":\"\\u00e9\\u0000\","
                        "\"big\":123456789012345678901234567890}");
    assert_int_equal(json_string_length(json_object_get(step_result_value(&peer.result), "u")), 3);
    peer_finish(&peer);
}

static void repairs_what_is_no_text_and_does_not_pass_it_on(void **state)
{
    struct peer peer;
    (void)state;
    call_with(&peer, "tools/call=" ANSWER(TEXT_RESULT("\\ud83d-\xff\xc3-")));
    assert_string_equal(peer.result.bytes,
                        "{\"content\":[{\"type\":\"text\",\"text\":\"\xEF\xBF\xBD-\xEF\xBF\xBD"
                        "\xEF\xBF\xBD-\"}]}");
    peer_assert_text(&peer, "\xEF\xBF\xBD-\xEF\xBF\xBD\xEF\xBF\xBD-");
}

static void ignores_answers_nobody_waits_for(void **state)
{
    struct peer peer;
    (void)state;
    call_with(&peer, "tools/call={\"jsonrpc\":\"2.0\",\"id\":999,\"result\":{}}\n"
                     "{\"jsonrpc\":\"2.0\",\"id\":\"3\",\"result\":{}}\n"
                     "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}\n"
                     "{\"jsonrpc\":\"2.0\",\"id\":-9223372036854775808,\"result\":{}}\n"
                     "{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{}}\n" ANSWER(TEXT_RESULT("first"))
                         ANSWER(TEXT_RESULT("second")));
    assert_int_equal(peer.n_logs, 0);
    peer_assert_text(&peer, "first");
}

static void accepts_answers_in_a_batch(void **state)
{
    struct peer peer;
    (void)state;
    call_with(&peer, "tools/call=[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"},"
                     "{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":" TEXT_RESULT("batch") "}]\n");
    assert_string_equal(peer.result.bytes, TEXT_RESULT("batch"));
    peer_assert_text(&peer, "batch");
}

static void answers_what_a_legacy_server_asks(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call={\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\"}\n"
                "{\"jsonrpc\":\"2.0\",\"id\":\"r\",\"method\":\"roots/list\"}\n"
                "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"no/such\"}\n"
                "$PAUSE50;" ANSWER(TEXT_RESULT("ok")));
    peer_keep_record(&peer);
    peer_run(&peer, peer_call_then_call);
    const char *record = peer_record(&peer);
    assert_non_null(strstr(record, "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}\n"));
    assert_non_null(strstr(record, "\"capabilities\":{},"));
    assert_non_null(
        strstr(record, "{\"jsonrpc\":\"2.0\",\"id\":\"r\",\"error\":{\"code\":-32601,"));
    assert_non_null(strstr(record, "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32601,"));
    peer_assert_text(&peer, "ok");
}

static void tells_a_legacy_server_the_roots_that_are_configured(void **state)
{
    static const char *const roots[] = { "/srv/my notes" };
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call={\"jsonrpc\":\"2.0\",\"id\":\"r\",\"method\":\"roots/list\"}\n"
                "$PAUSE50;" ANSWER(TEXT_RESULT("ok")));
    peer.config.roots = roots;
    peer.config.n_roots = 1;
    peer_keep_record(&peer);
    peer_run(&peer, peer_call_then_call);
    const char *record = peer_record(&peer);
    assert_non_null(strstr(record, "\"capabilities\":{\"roots\":{\"listChanged\":false}}"));
    assert_non_null(strstr(record, "\"id\":\"r\",\"result\":{\"roots\":[{\"uri\":"
                                   "\"file:///srv/my%20notes\",\"name\":\"my notes\"}]}}\n"));
    peer_assert_text(&peer, "ok");
}

struct listener {
    struct traffic base;
    char text[4096];
};

static void write_down(struct traffic *traffic, const char *server,
                       enum traffic_direction direction, const char *bytes, size_t length)
{
    struct listener *listener = (struct listener *)traffic;
    size_t used = strlen(listener->text);
    snprintf(listener->text + used, sizeof listener->text - used, "%s%c%.*s\n", server,
             direction == TRAFFIC_TO_SERVER ? '>' : '<', (int)length, bytes);
}

static void tells_what_goes_over_the_wire_to_whoever_wants_to_know(void **state)
{
    static const struct traffic_ops ops = { write_down };
    struct listener listener = { .base = { &ops } };
    struct peer peer;
    (void)state;
    PEER(&peer, "start=banner\n", "tools/call=" ANSWER(TEXT_RESULT("ok")));
    peer.traffic = &listener.base;
    peer_run(&peer, peer_call);
    assert_non_null(strstr(listener.text, "peer<banner\n"));
    assert_non_null(strstr(listener.text, "peer>{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":"
                                          "\"tools/call\",\"params\":{\"name\":\"echo\","));
    assert_non_null(strstr(
        listener.text, "peer<{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":" TEXT_RESULT("ok") "}\n"));
    peer_assert_text(&peer, "ok");
}

static void asks_a_modern_server_for_its_log_with_every_call(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern",
         "tools/call={\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{"
         "\"level\":\"warning\",\"logger\":\"db\",\"data\":\"slow disk\"}}\n" ANSWER(
             TEXT_RESULT("ok")));
    peer_keep_record(&peer);
    peer_run(&peer, peer_call);
    assert_non_null(strstr(peer_record(&peer),
                           "\"io.modelcontextprotocol/logLevel\":\"info\",\"progressToken\":"));
    assert_string_equal(peer.last_log, "warning: slow disk");
    peer_assert_text(&peer, "ok");
}

static void does_not_answer_a_modern_server(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern",
         "tools/call={\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\"}\n"
         "$PAUSE50;" ANSWER(TEXT_RESULT("ok")));
    peer_keep_record(&peer);
    peer_run(&peer, peer_call_then_call);
    assert_null(strstr(peer_record(&peer), "\"result\""));
    peer_assert_text(&peer, "ok");
}

static void keeps_a_tools_own_failure_as_a_result(void **state)
{
    struct peer peer;
    (void)state;
    call_with(&peer, "tools/call=" ANSWER("{\"content\":[],\"isError\":true}"));
    assert_int_equal(peer.code, ERR_NONE);
    assert_true(peer.result.is_error);
    peer_finish(&peer);
}

static void tells_an_unknown_tool_from_bad_arguments(void **state)
{
    struct peer peer;
    (void)state;
    call_with(&peer, "tools/call=" REFUSE("{\"code\":-32602,\"message\":\"Tool echo not found\"}"));
    assert_int_equal(peer.err.origin, -32602);
    assert_string_equal(peer.err.what, "tool");
    peer_assert_fails(&peer, ERR_NOT_FOUND, "error -32602: \"Tool echo");
    call_with(&peer, "tools/call=" REFUSE("{\"code\":-32602,\"message\":\"a must be text\"}"));
    peer_assert_fails(&peer, ERR_INVALID, "\"a must be text\"");
}

static void quotes_an_error_escaped_and_cut(void **state)
{
    struct peer peer;
    (void)state;
    call_with(&peer,
              "tools/call=" REFUSE("{\"code\":-32000,\"message\":\"\\u001b[2J$FILL5000;\"}"));
    assert_true(strlen(peer.err.message) < 300);
    peer_assert_fails(&peer, ERR_FAILED, "error -32000: \"\\x1b[2Jxxx");
}

static void fails_a_call_whose_answer_cannot_be_read(void **state)
{
    struct peer peer;
    (void)state;
    call_with(&peer,
              "tools/call={\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"content\":[nope]}}\n");
    peer_assert_fails(&peer, ERR_PROTOCOL, "its answer cannot be read");
    call_with(&peer, "tools/call={\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":$NUL;{}}\n");
    peer_assert_fails(&peer, ERR_PROTOCOL, "its answer cannot be read");
    call_with(&peer, "tools/call=" ANSWER("[]"));
    assert_true(peer.err.is_outcome_unknown);
    peer_assert_fails(&peer, ERR_PROTOCOL, "object");
}

static void refuses_what_it_never_offered(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern",
         "tools/call=" ANSWER("{\"resultType\":\"input_required\",\"inputRequests\":{}}"));
    peer_run(&peer, peer_call);
    assert_false(peer.err.is_outcome_unknown);
    peer_assert_fails(&peer, ERR_PROTOCOL, "asks for input");
    PEER(&peer, "--modern", "tools/call=" ANSWER("{\"resultType\":\"task\",\"taskId\":\"t\"}"));
    peer_run(&peer, peer_call);
    peer_assert_fails(&peer, ERR_PROTOCOL, "has no status");
    PEER(&peer, "--modern", "tools/call=" ANSWER("{\"resultType\":7,\"content\":[]}"));
    peer_run(&peer, peer_call);
    peer_assert_fails(&peer, ERR_PROTOCOL, "unknown resultType");
}

#define PROGRESS                                                                                   \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":"    \
    "$TOKEN,\"progress\":1,\"total\":3,\"message\":\"m\"}}\n"

static void progress_puts_the_end_of_silence_off(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" PROGRESS "$PAUSE150;" PROGRESS "$PAUSE150;" PROGRESS
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
                "\"progressToken\":\"77\",\"progress\":1}}\n" ANSWER(TEXT_RESULT("done")));
    peer.silence_ms = 250;
    peer_run(&peer, peer_call);
    assert_int_equal(peer.n_progress, 3);
    peer_assert_text(&peer, "done");
}

static void cancels_a_call_that_stays_silent_and_ignores_its_late_answer(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call#1=$LATER150;" ANSWER(TEXT_RESULT("late")),
         "tools/call#2=$LATER150;" ANSWER(TEXT_RESULT("in time")));
    peer_keep_record(&peer);
    peer.silence_ms = 100;
    peer_run(&peer, peer_call);
    assert_non_null(strstr(peer_record(&peer), "\"method\":\"notifications/cancelled\",\"params\":{"
                                               "\"requestId\":3,\"reason\":\"timeout\"}"));
    assert_true(peer.err.is_outcome_unknown);
    peer_assert_fails(&peer, ERR_TIMEOUT,
                      "sent, no answer: it may have taken effect (no answer for 0.1 s)");
}

static enum err_code call_late_then_call(struct runtime *runtime, struct scope *scope,
                                         void *argument)
{
    struct peer *peer = argument;
    peer->silence_ms = 50;
    (void)!peer_call(runtime, scope, peer);
    peer->silence_ms = 5000;
    peer->err = (struct err){ 0 };
    return peer_call(runtime, scope, peer);
}

static void a_late_answer_is_not_taken_for_another(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call#1=$LATER100;" ANSWER(TEXT_RESULT("late")),
         "tools/call#2=$LATER150;" ANSWER(TEXT_RESULT("mine")));
    peer_run(&peer, call_late_then_call);
    peer_assert_text(&peer, "mine");
}

static enum err_code call_and_be_cancelled(struct runtime *runtime, struct scope *scope,
                                           void *argument)
{
    struct scope inner = scope_child(scope, SCOPE_NO_DEADLINE);
    struct task *call = runtime_spawn(runtime, &inner, peer_call, argument);
    (void)!runtime_sleep(runtime, scope, 100, NULL);
    runtime_cancel(runtime, &inner);
    return runtime_wait(runtime, call);
}

static void tells_the_server_that_a_call_was_cancelled(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", "tools/call=");
    peer_keep_record(&peer);
    peer_run(&peer, call_and_be_cancelled);
    assert_non_null(strstr(peer_record(&peer), "notifications/cancelled\",\"params\":{"
                                               "\"requestId\":2,\"reason\":\"cancelled\"}"));
    peer_assert_fails(&peer, ERR_CANCELLED, "");
}

static enum err_code close_under_a_call(struct runtime *runtime, struct scope *scope,
                                        void *argument)
{
    struct peer *peer = argument;
    struct task *call = runtime_spawn(runtime, scope, peer_call, peer);
    (void)!runtime_sleep(runtime, scope, 100, NULL);
    tool_server_close(peer->server, scope);
    return runtime_wait(runtime, call);
}

static void closing_fails_the_calls_in_flight_and_refuses_others(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call={\"jsonrpc\":\"2.0\",");
    peer_run(&peer, close_under_a_call);
    peer_assert_fails(&peer, ERR_UNAVAILABLE, "closed");
    PEER(&peer, "initialize=");
    peer_run(&peer, close_under_a_call);
    peer_assert_fails(&peer, ERR_UNAVAILABLE, "closed");
}

enum { SIDE_BY_SIDE = 16 };

static enum err_code sixteen_calls(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct peer *peer = argument;
    struct task *tasks[SIDE_BY_SIDE];
    (void)!peer_list(runtime, scope, peer);
    int64_t began_ms = runtime_now_ms(runtime);
    for (size_t i = 0; i < SIDE_BY_SIDE; i++)
        tasks[i] = runtime_spawn(runtime, scope, peer_call, peer);
    for (size_t i = 0; i < SIDE_BY_SIDE; i++)
        peer->code |= runtime_wait(runtime, tasks[i]);
    peer->silence_ms = runtime_now_ms(runtime) - began_ms;
    return ERR_NONE;
}

static void runs_calls_side_by_side(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=$LATER200;" ANSWER(TEXT_RESULT("ok")));
    peer_run(&peer, sixteen_calls);
    assert_true(peer.silence_ms < 2 * 200 + 1000);
    peer_assert_text(&peer, "ok");
}

static void passes_a_name_on_whatever_it_holds(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "x=");
    peer_keep_record(&peer);
    peer.tool = "a\"b\\c\n\xC3\xA9";
    peer_run(&peer, peer_call);
    assert_non_null(strstr(peer_record(&peer), "{\"name\":\"a\\\"b\\\\c\\n\xC3\xA9\",\"arguments\":"
                                               "{\"a\":1}"));
    peer_assert_text(&peer, "ok");
    PEER(&peer, "x=");
    peer.tool = "\xff";
    peer_run(&peer, peer_call);
    peer_assert_fails(&peer, ERR_INVALID, "not UTF-8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sends_the_arguments_and_gives_the_result_back),
        cmocka_unit_test(keeps_the_bytes_of_the_result_as_they_came),
        cmocka_unit_test(repairs_what_is_no_text_and_does_not_pass_it_on),
        cmocka_unit_test(ignores_answers_nobody_waits_for),
        cmocka_unit_test(accepts_answers_in_a_batch),
        cmocka_unit_test(answers_what_a_legacy_server_asks),
        cmocka_unit_test(tells_a_legacy_server_the_roots_that_are_configured),
        cmocka_unit_test(tells_what_goes_over_the_wire_to_whoever_wants_to_know),
        cmocka_unit_test(asks_a_modern_server_for_its_log_with_every_call),
        cmocka_unit_test(does_not_answer_a_modern_server),
        cmocka_unit_test(keeps_a_tools_own_failure_as_a_result),
        cmocka_unit_test(tells_an_unknown_tool_from_bad_arguments),
        cmocka_unit_test(quotes_an_error_escaped_and_cut),
        cmocka_unit_test(fails_a_call_whose_answer_cannot_be_read),
        cmocka_unit_test(refuses_what_it_never_offered),
        cmocka_unit_test(progress_puts_the_end_of_silence_off),
        cmocka_unit_test(cancels_a_call_that_stays_silent_and_ignores_its_late_answer),
        cmocka_unit_test(a_late_answer_is_not_taken_for_another),
        cmocka_unit_test(tells_the_server_that_a_call_was_cancelled),
        cmocka_unit_test(closing_fails_the_calls_in_flight_and_refuses_others),
        cmocka_unit_test(runs_calls_side_by_side),
        cmocka_unit_test(passes_a_name_on_whatever_it_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
