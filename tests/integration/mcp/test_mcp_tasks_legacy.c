
#include "tests/support/cmocka.h"
#include "tests/support/full/asked_person.h"
#include "tests/support/full/outcomes.h"
#include <stdio.h>
#include <string.h>

#define HELLO(tasks)                                                                               \
    "initialize=" ANSWER(                                                                          \
        "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}" tasks                 \
        "},\"serverInfo\":{\"name\":\"peer\",\"version\":\"7\"}}")
#define RUNS_TASKS HELLO(",\"tasks\":{\"cancel\":{},\"requests\":{\"tools\":{\"call\":{}}}}")
#define LISTS(support)                                                                             \
    "tools/list=" ANSWER("{\"tools\":[{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\"},"   \
                         "\"execution\":{\"taskSupport\":\"" support "\"}}]}")
#define TASK(status, members)                                                                      \
    "{\"taskId\":\"t1\",\"status\":\"" status "\",\"ttl\":1000,\"pollInterval\":10" members "}"
#define MADE "tools/call=" ANSWER("{\"task\":" TASK("working", "") "}")
#define GET(status) ANSWER(TASK(status, ""))
#define RESULT "tasks/result=" ANSWER(TEXT_RESULT("done"))
#define CANCEL "tasks/cancel=" ANSWER(TASK("cancelled", ""))
#define QUESTION                                                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"elicitation/create\",\"params\":{\"message\":"     \
    "\"Who?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":"        \
    "\"string\"}}},\"_meta\":{\"io.modelcontextprotocol/related-task\":{\"taskId\":\"t1\"}}}}\n"
#define NOTICE(id, status)                                                                         \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tasks/status\",\"params\":{\"taskId\":\"" id  \
    "\",\"status\":\"" status "\"}}\n"

static void calls_a_tool_as_a_task_where_it_must(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, RUNS_TASKS, LISTS("required"), MADE, "tasks/get#1=" GET("working"),
         "tasks/get=" GET("completed"), RESULT);
    peer.settings.mcp_task_ttl_seconds = 60;
    const char *record = peer_call_recorded(&peer);
    assert_non_null(strstr(record, "\"arguments\":{\"a\":1},\"task\":{\"ttl\":60000}"));
    assert_non_null(strstr(record, "\"method\":\"tasks/get\",\"params\":{\"taskId\":\"t1\"}}"));
    assert_non_null(strstr(record, "\"method\":\"tasks/result\",\"params\":{\"taskId\":\"t1\"}}"));
    assert_int_equal(count_words(record, "\"tasks/get\""), 2);
    assert_string_equal(peer.tasks, "t1 working\nt1 completed\n");
    peer_assert_text(&peer, "done");
}

#define SPAN "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

static void every_request_about_a_task_is_of_the_trace_of_its_call(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, RUNS_TASKS, LISTS("required"), MADE, "tasks/get=" GET("completed"), RESULT);
    peer.trace = (struct trace_texts){ SPAN, "a=\"" };
    const char *record = peer_call_recorded(&peer);
    assert_int_equal(
        count_words(record, "\"_meta\":{\"traceparent\":\"" SPAN "\",\"tracestate\":\"a=\\\"\""),
        3);
    peer_assert_text(&peer, "done");
}

static void calls_plainly_where_it_may(void **state)
{
    static const char *const lists[] = { LISTS("optional"), LISTS("forbidden"), LISTS("odd") };
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct peer peer;
        PEER(&peer, RUNS_TASKS, lists[i]);
        const char *record = peer_call_recorded(&peer);
        assert_null(strstr(record, "\"task\""));
        peer_assert_text(&peer, "ok");
    }
}

static void makes_no_task_of_a_server_without_them(void **state)
{
    static const char *const hellos[] = {
        HELLO(""), HELLO(",\"tasks\":{}"),
        HELLO(",\"tasks\":{\"requests\":{\"sampling\":{\"createMessage\":{}}}}")
    };
    (void)state;
    for (size_t i = 0; i < sizeof hellos / sizeof *hellos; i++) {
        struct peer peer;
        PEER(&peer, hellos[i], LISTS("required"));
        const char *record = peer_call_recorded(&peer);
        assert_null(strstr(record, "\"ttl\""));
        peer_assert_text(&peer, "ok");
    }
}

static void a_task_nobody_asked_for_is_a_result(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, MADE);
    const char *record = peer_call_recorded(&peer);
    assert_null(strstr(record, "tasks/get"));
    assert_non_null(strstr(peer.result.bytes, "\"taskId\":\"t1\""));
    peer_assert_text(&peer, "");
}

static void a_result_instead_of_a_task_is_a_result(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, RUNS_TASKS, LISTS("required"));
    peer_run(&peer, peer_call);
    assert_string_equal(peer.tasks, "");
    peer_assert_text(&peer, "ok");
}

static void says_what_to_look_for_when_a_tool_can_be_called_in_no_way(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, RUNS_TASKS, LISTS("forbidden"),
         "tools/call=" REFUSE("{\"code\":-32601,\"message\":\"must be a task\"}"));
    peer_run(&peer, peer_call);
    assert_non_null(strstr(peer.err.hint, "as a task"));
    peer_assert_fails(&peer, ERR_PROTOCOL, "must be a task");
}

static void a_tools_own_failure_is_a_result(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, RUNS_TASKS, LISTS("required"), MADE, "tasks/get=" GET("failed"),
         "tasks/result=" ANSWER("{\"isError\":true,\"content\":[]}"));
    peer_run(&peer, peer_call);
    assert_int_equal(peer.code, ERR_NONE);
    assert_true(peer.result.is_error);
    peer_finish(&peer);
}

static void tells_how_a_task_ended(void **state)
{
    static const struct {
        const char *get, *result;
        enum err_code code;
        const char *words;
        bool is_unknown;
    } cases[] = {
        { "tasks/get=" GET("failed"),
          "tasks/result=" REFUSE("{\"code\":-32000,\"message\":\"no disk\"}"), ERR_FAILED,
          "error -32000: \"no disk\"", false },
        { "tasks/get=" GET("failed"),
          "tasks/result=" REFUSE("{\"code\":-32602,\"message\":\"bad a\"}"), ERR_INVALID,
          "error -32602: \"bad a\"", false },
        { "tasks/get=" GET("completed"),
          "tasks/result=" REFUSE("{\"code\":-32602,\"message\":\"expired\"}"), ERR_FAILED,
          "forgotten the task", true },
        { "tasks/get=" GET("cancelled"), RESULT, ERR_FAILED, "the server cancelled the task",
          false },
        { "tasks/get=" GET("strange"), RESULT, ERR_PROTOCOL, "unknown status", true },
        { "tasks/get=" REFUSE("{\"code\":-32603,\"message\":\"no database\"}"), RESULT, ERR_FAILED,
          "no database", true },
        { "tasks/get=" GET("completed"), "tasks/result=" ANSWER("[]"), ERR_PROTOCOL, "object",
          true },
        { "tasks/get=" GET("input_required"), "tasks/result=" ANSWER("[]"), ERR_PROTOCOL, "object",
          true },
        { "tasks/get=" REFUSE("{\"code\":-32602,\"message\":\"no such task\"}"), RESULT, ERR_FAILED,
          "forgotten the task", true },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct peer peer;
        PEER(&peer, RUNS_TASKS, LISTS("required"), MADE, cases[i].get, cases[i].result, CANCEL);
        peer_run(&peer, peer_call);
        assert_int_equal(peer.err.is_outcome_unknown, cases[i].is_unknown);
        peer_assert_fails(&peer, cases[i].code, cases[i].words);
    }
}

static void waits_for_the_outcome_while_it_is_asked_something(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, RUNS_TASKS, LISTS("required"), MADE, "tasks/get=" GET("input_required"),
         "tasks/result=" QUESTION "$LATER40;" ANSWER(TEXT_RESULT("done")));
    const char *record = asked_person_call(&peer, (struct asked_person){ 0 });
    assert_int_equal(asked_person.n_asked, 1);
    assert_non_null(strstr(record, "\"id\":0,\"result\":{\"action\":\"accept\",\"content\":{"
                                   "\"name\":\"Ada\"},\"_meta\":{\"io.modelcontextprotocol/"
                                   "related-task\":{\"taskId\":\"t1\"}}}"));
    assert_string_equal(peer.tasks, "t1 working\nt1 input_required\nt1 completed\n");
    peer_assert_text(&peer, "done");
}

static void is_asked_between_two_looks(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, RUNS_TASKS, LISTS("required"),
         "tools/call=" ANSWER("{\"task\":{\"taskId\":\"t1\",\"status\":\"working\","
                              "\"pollInterval\":100}}") "$LATER20;" QUESTION,
         "tasks/get=" GET("completed"), RESULT);
    const char *record =
        asked_person_call(&peer, (struct asked_person){ .action = ELICITATION_DECLINE });
    assert_int_equal(asked_person.n_asked, 1);
    assert_non_null(strstr(record, "\"result\":{\"action\":\"decline\",\"_meta\":{"));
    peer_assert_text(&peer, "done");
}

static void the_time_of_a_question_is_not_the_calls(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, RUNS_TASKS, LISTS("required"), MADE, "tasks/get#1=" GET("input_required"),
         "tasks/result#1=" QUESTION, "tasks/get=" GET("completed"),
         "tasks/result=" ANSWER(TEXT_RESULT("done")));
    peer.max_ms = 600;
    peer.silence_ms = 100;
    (void)asked_person_call(&peer, (struct asked_person){ .thinks_ms = 700 });
    peer_assert_text(&peer, "done");
}

#define EARLY NOTICE("t1", "working")
#define LATE NOTICE("t2", "completed") NOTICE("t1", "odd") NOTICE("t1", "completed")

static void notices_may_come_early_late_and_for_others(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, RUNS_TASKS, LISTS("required"),
         "tools/call=" EARLY ANSWER("{\"task\":{\"taskId\":\"t1\",\"status\":\"working\","
                                    "\"pollInterval\":60000}}") "$LATER30;" LATE,
         "tasks/get=" GET("completed"),
         "tasks/result=" ANSWER(TEXT_RESULT("done")) NOTICE("t1", "working"));
    peer_run(&peer, peer_call);
    assert_string_equal(peer.tasks, "t1 working\nt1 completed\n");
    peer_assert_text(&peer, "done");
}

static void progress_goes_on_after_the_answer(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, RUNS_TASKS, LISTS("required"), MADE,
         "tasks/get#1={\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
         "\"progressToken\":$CALL,\"progress\":1}}\n" GET("working"),
         "tasks/get=" GET("completed"),
         RESULT "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
                "\"progressToken\":$CALL,\"progress\":2}}\n");
    peer_run(&peer, peer_call);
    assert_int_equal(peer.n_progress, 1);
    peer_assert_text(&peer, "done");
}

static void a_task_that_takes_too_long_is_cancelled(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, RUNS_TASKS, LISTS("required"), MADE, "tasks/get=" GET("working"), CANCEL);
    peer.max_ms = 100;
    const char *record = peer_call_recorded(&peer);
    assert_int_equal(count_words(record, "\"tasks/cancel\""), 1);
    assert_int_equal(count_words(record, "notifications/cancelled"), 0);
    assert_string_equal(peer.tasks, "t1 working\nt1 cancelled\n");
    peer_assert_fails(&peer, ERR_TIMEOUT, "not done within 0.1 s");
}

static void a_task_is_cancelled_even_when_its_id_comes_late(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, RUNS_TASKS, LISTS("required"),
         "tools/call=$LATER120;" ANSWER("{\"task\":" TASK("working", "") "}"), CANCEL);
    peer.silence_ms = 60;
    const char *record = peer_call_recorded(&peer);
    assert_int_equal(count_words(record, "\"tasks/cancel\""), 1);
    assert_int_equal(count_words(record, "notifications/cancelled"), 0);
    peer_assert_fails(&peer, ERR_TIMEOUT, "no answer for 0.06 s");
}

static void nothing_is_cancelled_where_that_is_not_offered(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, HELLO(",\"tasks\":{\"requests\":{\"tools\":{\"call\":{}}}}"), LISTS("required"),
         MADE, "tasks/get=" GET("working"));
    peer.max_ms = 50;
    const char *record = peer_call_recorded(&peer);
    assert_null(strstr(record, "cancel\""));
    assert_null(strstr(record, "cancelled"));
    assert_true(peer.err.is_outcome_unknown);
    peer_assert_fails(&peer, ERR_TIMEOUT, "not done within 0.05 s");
}

static void a_server_that_lost_its_tasks_says_so(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, RUNS_TASKS, LISTS("required"), MADE "$EXIT1;",
         "tasks/get=" REFUSE("{\"code\":-32602,\"message\":\"Task not found\"}"));
    const char *record = peer_call_recorded(&peer);
    assert_int_equal(count_words(record, "\"initialize\""), 2);
    assert_int_equal(count_words(record, "\"tools/call\""), 1);
    assert_true(peer.err.is_outcome_unknown);
    peer_assert_fails(&peer, ERR_FAILED, "forgotten the task");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_a_tool_as_a_task_where_it_must),
        cmocka_unit_test(every_request_about_a_task_is_of_the_trace_of_its_call),
        cmocka_unit_test(calls_plainly_where_it_may),
        cmocka_unit_test(makes_no_task_of_a_server_without_them),
        cmocka_unit_test(a_task_nobody_asked_for_is_a_result),
        cmocka_unit_test(a_result_instead_of_a_task_is_a_result),
        cmocka_unit_test(says_what_to_look_for_when_a_tool_can_be_called_in_no_way),
        cmocka_unit_test(a_tools_own_failure_is_a_result),
        cmocka_unit_test(tells_how_a_task_ended),
        cmocka_unit_test(waits_for_the_outcome_while_it_is_asked_something),
        cmocka_unit_test(is_asked_between_two_looks),
        cmocka_unit_test(the_time_of_a_question_is_not_the_calls),
        cmocka_unit_test(notices_may_come_early_late_and_for_others),
        cmocka_unit_test(progress_goes_on_after_the_answer),
        cmocka_unit_test(a_task_that_takes_too_long_is_cancelled),
        cmocka_unit_test(a_task_is_cancelled_even_when_its_id_comes_late),
        cmocka_unit_test(nothing_is_cancelled_where_that_is_not_offered),
        cmocka_unit_test(a_server_that_lost_its_tasks_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
