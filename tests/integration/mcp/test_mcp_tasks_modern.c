
#include "tests/support/cmocka.h"
#include "tests/support/full/asked_person.h"
#include "tests/support/full/outcomes.h"
#include <stdio.h>
#include <string.h>

#define TASK(id, status) "\"taskId\":\"" id "\",\"status\":\"" status "\",\"pollIntervalMs\":10"
#define MADE "tools/call=" ANSWER("{\"resultType\":\"task\"," TASK("t1", "working") "}")
#define WORKING ANSWER("{\"resultType\":\"complete\"," TASK("t1", "working") "}")
#define STATE(status, members)                                                                     \
    ANSWER("{\"resultType\":\"complete\"," TASK("t1", status) members "}")
#define DONE STATE("completed", ",\"ttlMs\":null,\"result\":" TEXT_RESULT("done"))
#define ASKS(key)                                                                                  \
    "\"" key "\":{\"method\":\"elicitation/create\",\"params\":{\"message\":\"Who?\","             \
    "\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}}}}}"
#define NEEDS(requests) STATE("input_required", ",\"inputRequests\":{" requests "}")

static void looks_at_a_task_until_it_is_completed(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", MADE, "tasks/get#1=" WORKING, "tasks/get=" DONE);
    const char *record = peer_call_recorded(&peer);
    assert_non_null(strstr(record, "clientCapabilities\":{\"extensions\":{"
                                   "\"io.modelcontextprotocol/tasks\":{}}}"));
    const char *look = strstr(record, "\"method\":\"tasks/get\"");
    assert_non_null(look);
    assert_non_null(strstr(look, "\"params\":{\"taskId\":\"t1\",\"_meta\":{"));
    assert_non_null(strstr(look, "\"io.modelcontextprotocol/tasks\":{}"));
    assert_int_equal(count_words(record, "\"tasks/get\""), 2);
    assert_int_equal(count_words(record, "\"tools/call\""), 1);
    assert_int_equal(count_words(record, "tasks/cancel"), 0);
    assert_string_equal(peer.tasks, "t1 working\nt1 completed\n");
    peer_assert_text(&peer, "done");
}

static void a_look_may_call_itself_a_task(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", MADE,
         "tasks/get=" ANSWER("{\"resultType\":\"task\"," TASK(
             "t1", "completed") ",\"result\":" TEXT_RESULT("done") "}"));
    peer_run(&peer, peer_call);
    peer_assert_text(&peer, "done");
}

static void a_task_that_is_over_when_it_is_made_is_looked_at_once(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern",
         "tools/call=" ANSWER("{\"resultType\":\"task\",\"taskId\":\"t1\",\"status\":\"completed\","
                              "\"pollIntervalMs\":60000}"),
         "tasks/get=" DONE);
    peer_run(&peer, peer_call);
    peer_assert_text(&peer, "done");
}

static void a_tools_own_failure_is_a_result(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", MADE,
         "tasks/get=" STATE("completed", ",\"result\":{\"isError\":true,\"content\":[]}"));
    peer_run(&peer, peer_call);
    assert_int_equal(peer.code, ERR_NONE);
    assert_true(peer.result.is_error);
    peer_finish(&peer);
}

static void tells_why_a_task_failed(void **state)
{
    static const struct {
        const char *rule;
        enum err_code code;
        const char *words;
        bool is_unknown;
    } cases[] = {
        { "tasks/get=" STATE("failed", ",\"error\":{\"code\":-32603,\"message\":\"no disk\"}"),
          ERR_FAILED, "the task failed: error -32603: \"no disk\"", false },
        { "tasks/get=" STATE("failed", ",\"error\":\"odd\",\"statusMessage\":\"out\\u001b of it\""),
          ERR_FAILED, "the task failed: out\\x1b of it", false },
        { "tasks/get=" STATE("failed", ""), ERR_FAILED, "the task failed", false },
        { "tasks/get=" STATE("cancelled", ",\"statusMessage\":\"maintenance\""), ERR_FAILED,
          "the server cancelled the task: maintenance", false },
        { "tasks/get=" STATE("completed", ""), ERR_PROTOCOL, "has no result", true },
        { "tasks/get=" STATE("completed", ",\"result\":[]"), ERR_PROTOCOL, "has no result", true },
        { "tasks/get=" STATE("strange", ""), ERR_PROTOCOL, "unknown status: \"strange\"", true },
        { "tasks/get=" ANSWER("{\"resultType\":\"odd\"," TASK("t1", "completed") "}"), ERR_PROTOCOL,
          "unknown resultType", true },
        { "tasks/get=" ANSWER("{" TASK("t2", "working") "}"), ERR_PROTOCOL, "another task", true },
        { "tasks/get=" REFUSE("{\"code\":-32602,\"message\":\"Task not found\"}"), ERR_FAILED,
          "the server has forgotten the task", true },
        { "tasks/get=" REFUSE("{\"code\":-32603,\"message\":\"no database\"}"), ERR_FAILED,
          "no database", true },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct peer peer;
        PEER(&peer, "--modern", MADE, cases[i].rule);
        peer_run(&peer, peer_call);
        assert_int_equal(peer.err.is_outcome_unknown, cases[i].is_unknown);
        peer_assert_fails(&peer, cases[i].code, cases[i].words);
    }
}

static void refuses_a_task_without_a_usable_id(void **state)
{
    static const char *const rules[] = {
        "tools/call=" ANSWER("{\"resultType\":\"task\",\"status\":\"working\"}"),
        "tools/call=" ANSWER("{\"resultType\":\"task\",\"taskId\":\"\",\"status\":\"working\"}"),
        "tools/call=" ANSWER("{\"resultType\":\"task\",\"taskId\":7,\"status\":\"working\"}"),
        "tools/call=" ANSWER(
            "{\"resultType\":\"task\",\"taskId\":\"a\\u0000b\",\"status\":\"working\"}"),
        "tools/call=" ANSWER(
            "{\"resultType\":\"task\",\"taskId\":\"$FILL1025;\",\"status\":\"working\"}"),
    };
    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        struct peer peer;
        PEER(&peer, "--modern", rules[i]);
        peer_run(&peer, peer_call);
        assert_true(peer.err.is_outcome_unknown);
        peer_assert_fails(&peer, ERR_PROTOCOL,
                          i < 4 ? "without a usable id" : "longer than 1024 bytes");
    }
}

static void any_text_is_an_id(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern",
         "tools/call=" ANSWER("{\"resultType\":\"task\",\"taskId\":\"a\\n\\\"\\u00e9 ../%\","
                              "\"status\":\"working\",\"pollIntervalMs\":1}"),
         "tasks/get=" ANSWER("{\"status\":\"completed\",\"result\":" TEXT_RESULT("done") "}"));
    const char *record = peer_call_recorded(&peer);
    assert_non_null(strstr(record, "\"taskId\":\"a\\n\\\"\xc3\xa9 ../%\""));
    peer_assert_text(&peer, "done");
}

static void an_id_of_1024_bytes_is_not_too_long(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern",
         "tools/call=" ANSWER("{\"resultType\":\"task\",\"taskId\":\"$FILL1024;\",\"status\":"
                              "\"working\",\"pollIntervalMs\":1}"),
         "tasks/get=" ANSWER("{\"status\":\"completed\",\"result\":" TEXT_RESULT("done") "}"));
    peer_run(&peer, peer_call);
    peer_assert_text(&peer, "done");
}

static void every_request_of_a_call_is_of_its_trace(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", MADE, "tasks/get=" DONE);
    peer.trace.parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const char *record = peer_call_recorded(&peer);
    assert_int_equal(count_words(record, ",\"traceparent\":\"00-4bf92f3577b34da6a3ce929d0e0e4736-"
                                         "00f067aa0ba902b7-01\""),
                     2);
    peer_assert_text(&peer, "done");
}

static void answers_what_a_task_needs_and_never_twice(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", MADE, "tasks/get#1=" NEEDS(ASKS("who")),
         "tasks/get#2=" NEEDS(ASKS("who")), "tasks/get#3=" NEEDS(ASKS("who") "," ASKS("next")),
         "tasks/get=" DONE, "tasks/update=" ANSWER("{\"resultType\":\"complete\"}"));
    const char *record = asked_person_call(&peer, (struct asked_person){ 0 });
    assert_int_equal(asked_person.n_asked, 2);
    assert_int_equal(count_words(record, "\"tasks/update\""), 2);
    assert_non_null(strstr(record, "\"params\":{\"taskId\":\"t1\",\"inputResponses\":{\"who\":{"
                                   "\"action\":\"accept\",\"content\":{\"name\":\"Ada\"}}},"
                                   "\"_meta\":{"));
    assert_non_null(strstr(record, "\"inputResponses\":{\"next\":{"));
    assert_string_equal(peer.tasks, "t1 working\nt1 input_required\nt1 completed\n");
    peer_assert_text(&peer, "done");
}

static void a_no_is_an_answer(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", MADE, "tasks/get#1=" NEEDS(ASKS("who")), "tasks/get=" DONE,
         "tasks/update=" ANSWER("{}"));
    const char *record =
        asked_person_call(&peer, (struct asked_person){ .action = ELICITATION_DECLINE });
    assert_non_null(strstr(record, "\"inputResponses\":{\"who\":{\"action\":\"decline\"}}"));
    peer_assert_text(&peer, "done");
}

static void a_task_that_asks_for_what_nobody_offered_is_cancelled(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", MADE, "tasks/get=" NEEDS(ASKS("who")),
         "tasks/cancel=" ANSWER("{\"resultType\":\"complete\"}"));
    const char *record = peer_call_recorded(&peer);
    assert_int_equal(count_words(record, "\"tasks/cancel\""), 1);
    assert_int_equal(count_words(record, "\"tasks/update\""), 0);
    peer_assert_fails(&peer, ERR_PROTOCOL, "asks for \"elicitation/create\"");
}

static void a_task_that_takes_too_long_is_cancelled(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", MADE, "tasks/get=" WORKING, "tasks/cancel=" ANSWER("{}"));
    peer.max_ms = 500;
    const char *record = peer_call_recorded(&peer);
    assert_int_equal(count_words(record, "\"tasks/cancel\""), 1);
    assert_int_equal(count_words(record, "notifications/cancelled"), 0);
    assert_true(count_words(record, "\"tasks/get\"") <= 51);
    peer_assert_fails(&peer, ERR_TIMEOUT, "not done within 0.5 s");
}

static void a_server_that_answers_looks_is_not_silent(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", MADE, "tasks/get#1=$PAUSE60;" WORKING, "tasks/get#2=$PAUSE60;" WORKING,
         "tasks/get=$PAUSE60;" DONE);
    peer.silence_ms = 100;
    peer_run(&peer, peer_call);
    peer_assert_text(&peer, "done");
}

static void a_look_without_an_answer_is_silence(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", MADE, "tasks/get=", "tasks/cancel=" ANSWER("{}"));
    peer.silence_ms = 50;
    const char *record = peer_call_recorded(&peer);
    assert_int_equal(count_words(record, "\"tasks/cancel\""), 1);
    peer_assert_fails(&peer, ERR_TIMEOUT, "no answer for 0.05 s");
}

static struct scope inner;
static void cancel_at_once(void *context, const char *id, const char *status, const char *message)
{
    struct peer *peer = context;
    (void)id;
    (void)status;
    (void)message;
    runtime_cancel(uv_runtime_port(peer->runtime), &inner);
}

static enum err_code call_under_inner(struct runtime *runtime, struct scope *scope, void *argument)
{
    inner = scope_child(scope, SCOPE_NO_DEADLINE);
    return peer_call(runtime, &inner, argument);
}

static void whoever_gives_up_cancels_the_task(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", MADE, "tasks/get=" WORKING, "tasks/cancel=" ANSWER("{}"));
    peer.on_task = cancel_at_once;
    peer_keep_record(&peer);
    peer_run(&peer, call_under_inner);
    assert_int_equal(count_words(peer_record(&peer), "\"tasks/cancel\""), 1);
    assert_int_equal(count_words(peer_record(&peer), "notifications/cancelled"), 0);
    assert_int_equal(peer.code, ERR_CANCELLED);
    peer_finish(&peer);
}

#define HAS_TASKS                                                                                  \
    "server/discover=" ANSWER(                                                                     \
        "{\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"extensions\":{"               \
        "\"io.modelcontextprotocol/tasks\":{}}}}")

static void a_task_is_cancelled_even_when_its_id_comes_late(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", HAS_TASKS,
         "tools/call=$LATER120;" ANSWER("{\"resultType\":\"task\"," TASK("t1", "working") "}"),
         "tasks/cancel=" ANSWER("{}"));
    peer.silence_ms = 60;
    const char *record = peer_call_recorded(&peer);
    const char *told = strstr(record, "notifications/cancelled");
    assert_non_null(told);
    assert_non_null(strstr(told, "\"tasks/cancel\""));
    peer_assert_fails(&peer, ERR_TIMEOUT, "no answer for 0.06 s");
}

static void a_call_that_was_given_up_and_is_answered_all_the_same_is_over(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", HAS_TASKS, "tools/call=$LATER120;" ANSWER(TEXT_RESULT("late")));
    peer.silence_ms = 60;
    const char *record = peer_call_recorded(&peer);
    assert_int_equal(count_words(record, "notifications/cancelled"), 1);
    assert_int_equal(count_words(record, "\"tasks/cancel\""), 0);
    peer_assert_fails(&peer, ERR_TIMEOUT, "no answer for 0.06 s");
}

static void an_error_without_an_id_is_for_the_look_and_not_for_the_call(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", MADE,
         "tasks/get={\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32603,\"message\":"
         "\"broken\"}}\n",
         "tasks/cancel=" ANSWER("{}"));
    peer.silence_ms = 3000;
    peer_run(&peer, peer_call);
    peer_assert_fails(&peer, ERR_FAILED, "broken");
}

static void a_server_that_was_started_again_is_asked_for_the_same_task(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", MADE "$EXIT1;", "tasks/get=" DONE);
    const char *record = peer_call_recorded(&peer);
    assert_int_equal(count_words(record, "\"server/discover\""), 2);
    assert_int_equal(count_words(record, "\"tools/call\""), 1);
    peer_assert_text(&peer, "done");
}

static void a_server_that_keeps_dying_is_given_up(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", MADE, "tasks/get=$EXIT1;");
    peer.settings.mcp_max_restarts = 1;
    peer_run(&peer, peer_call);
    peer_assert_fails(&peer, ERR_UNAVAILABLE, "started 2 times within five minutes");
}

static void progress_goes_on_after_the_answer(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", MADE,
         "tasks/get#1={\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
         "\"progressToken\":$CALL,\"progress\":1}}\n" WORKING,
         "tasks/get=" DONE);
    peer_run(&peer, peer_call);
    assert_int_equal(peer.n_progress, 1);
    peer_assert_text(&peer, "done");
}

static int64_t began_ms, took_ms;
static enum err_code timed_call(struct runtime *runtime, struct scope *scope, void *argument)
{
    began_ms = runtime_now_ms(runtime);
    enum err_code r = peer_call(runtime, scope, argument);
    took_ms = runtime_now_ms(runtime) - began_ms;
    return r;
}

static void waits_as_long_as_the_server_says(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern",
         "tools/call=" ANSWER("{\"resultType\":\"task\",\"taskId\":\"t1\",\"status\":\"working\","
                              "\"pollIntervalMs\":120.5}"),
         "tasks/get=" DONE);
    peer.settings.mcp_task_poll_ms = 10;
    peer_run(&peer, timed_call);
    assert_true(took_ms >= 120);
    peer_assert_text(&peer, "done");
}

static void a_notice_shortens_the_wait(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern",
         "tools/call=" ANSWER(
             "{\"resultType\":\"task\",\"taskId\":\"t1\",\"status\":\"working\","
             "\"pollIntervalMs\":60000}") "$LATER50;{\"jsonrpc\":\"2.0\",\"method\":"
                                          "\"notifications/tasks\",\"params\":{" TASK(
                                              "t1", "completed") "}}\n",
         "tasks/get=" DONE);
    peer_run(&peer, timed_call);
    assert_true(took_ms < 5000);
    peer_assert_text(&peer, "done");
}

static void says_over_http_which_task_it_is_about(void **state)
{
    struct remote remote;
    (void)state;
    remote_init_modern(&remote);
    remote_answers(&remote, "tools/call",
                   (struct mock_answer){ .body =
                                             "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{"
                                             "\"resultType\":\"task\",\"taskId\":\"t \xc3\xa9\","
                                             "\"status\":\"working\",\"pollIntervalMs\":10}}" });
    remote_answers(&remote, "tasks/get",
                   (struct mock_answer){
                       .body = "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{"
                               "\"status\":\"completed\",\"result\":" TEXT_RESULT("done") "}}" });
    peer_run(&remote.peer, peer_call);
    const char *head = remote_head_of(&remote, "tasks/get");
    assert_non_null(strstr(head, "\r\nMcp-Method: tasks/get\r\n"));
    assert_non_null(strstr(head, "\r\nMcp-Name: =?base64?dCDDqQ==?=\r\n"));
    assert_string_equal(remote.peer.err.message, "");
    assert_string_equal(step_result_text(&remote.peer.arena, &remote.peer.result), "done");
    remote_finish(&remote);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks_at_a_task_until_it_is_completed),
        cmocka_unit_test(a_look_may_call_itself_a_task),
        cmocka_unit_test(a_task_that_is_over_when_it_is_made_is_looked_at_once),
        cmocka_unit_test(a_tools_own_failure_is_a_result),
        cmocka_unit_test(tells_why_a_task_failed),
        cmocka_unit_test(refuses_a_task_without_a_usable_id),
        cmocka_unit_test(any_text_is_an_id),
        cmocka_unit_test(an_id_of_1024_bytes_is_not_too_long),
        cmocka_unit_test(every_request_of_a_call_is_of_its_trace),
        cmocka_unit_test(answers_what_a_task_needs_and_never_twice),
        cmocka_unit_test(a_no_is_an_answer),
        cmocka_unit_test(a_task_that_asks_for_what_nobody_offered_is_cancelled),
        cmocka_unit_test(a_task_that_takes_too_long_is_cancelled),
        cmocka_unit_test(a_server_that_answers_looks_is_not_silent),
        cmocka_unit_test(a_look_without_an_answer_is_silence),
        cmocka_unit_test(whoever_gives_up_cancels_the_task),
        cmocka_unit_test(a_task_is_cancelled_even_when_its_id_comes_late),
        cmocka_unit_test(a_call_that_was_given_up_and_is_answered_all_the_same_is_over),
        cmocka_unit_test(an_error_without_an_id_is_for_the_look_and_not_for_the_call),
        cmocka_unit_test(a_server_that_was_started_again_is_asked_for_the_same_task),
        cmocka_unit_test(a_server_that_keeps_dying_is_given_up),
        cmocka_unit_test(progress_goes_on_after_the_answer),
        cmocka_unit_test(waits_as_long_as_the_server_says),
        cmocka_unit_test(a_notice_shortens_the_wait),
        cmocka_unit_test(says_over_http_which_task_it_is_about),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
