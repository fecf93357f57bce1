/* Tasks of servers behind a URL: what may come between the call and its outcome. */

#include "tests/support/cmocka.h"
#include "tests/support/full/outcomes.h"
#include <string.h>

#define RESULT(n, result) "{\"jsonrpc\":\"2.0\",\"id\":" n ",\"result\":" result "}"
#define STATE(n, status)                                                                           \
    RESULT(n, "{\"taskId\":\"t1\",\"status\":\"" status "\",\"pollInterval\":10,"                  \
              "\"pollIntervalMs\":10}")
#define INITIALIZED(n)                                                                             \
    RESULT("\"era-" n "\"",                                                                        \
           "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{},\"tasks\":{"        \
           "\"cancel\":{},\"requests\":{\"tools\":{\"call\":{}}}}}}")
#define LISTED                                                                                     \
    RESULT("3", "{\"tools\":[{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\"},"            \
                "\"execution\":{\"taskSupport\":\"required\"}}]}")
#define LEGACY_MADE                                                                                \
    RESULT("4", "{\"task\":{\"taskId\":\"t1\",\"status\":\"working\","                             \
                "\"pollInterval\":10}}")
#define MODERN_MADE                                                                                \
    RESULT("2", "{\"resultType\":\"task\",\"taskId\":\"t1\",\"status\":\"working\","               \
                "\"pollIntervalMs\":10}")
#define MODERN_DONE(n)                                                                             \
    RESULT(n, "{\"taskId\":\"t1\",\"status\":\"completed\",\"result\":" TEXT_RESULT("done") "}")

static void answers(struct remote *remote, const char *method, const char *body)
{
    remote_answers(remote, method, (struct mock_answer){ .body = body });
}

/* Whose call has become a task. */
static void init_legacy(struct remote *remote)
{
    remote_init_legacy(remote, INITIALIZED("2"));
    answers(remote, "tools/list", LISTED);
    answers(remote, "tools/call", LEGACY_MADE);
}

static void init_modern(struct remote *remote)
{
    remote_init_modern(remote);
    answers(remote, "tools/call", MODERN_MADE);
}

static void a_legacy_server_is_looked_at_within_its_session(void **state)
{
    struct remote remote;
    (void)state;
    init_legacy(&remote);
    answers(&remote, "tasks/get", STATE("5", "working"));
    answers(&remote, "tasks/get", STATE("6", "completed"));
    answers(&remote, "tasks/result", RESULT("7", TEXT_RESULT("done")));
    peer_run(&remote.peer, peer_call);
    assert_non_null(strstr(remote_head_of(&remote, "tasks/get"), "\r\nMcp-Session-Id: s1\r\n"));
    assert_non_null(strstr(remote_head_of(&remote, "tasks/result"), "\r\nMcp-Session-Id: s1\r\n"));
    assert_string_equal(remote.peer.tasks, "t1 working\nt1 completed\n");
    remote_assert_text(&remote, "done");
}

static void a_task_outlives_the_session_in_which_it_was_made(void **state)
{
    struct remote remote;
    (void)state;
    init_legacy(&remote);
    remote_answers(
        &remote, "initialize",
        (struct mock_answer){ .header = "Mcp-Session-Id: s2\r\n", .body = INITIALIZED("6") });
    remote_answers(&remote, "tasks/get", (struct mock_answer){ .status = 404, .body = "gone" });
    answers(&remote, "tasks/get", STATE("7", "completed"));
    answers(&remote, "tasks/result", RESULT("8", TEXT_RESULT("done")));
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote_count(&remote, "\"initialize\""), 2);
    assert_int_equal(remote_count(&remote, "\"tools/call\""), 1);
    assert_non_null(strstr(remote_head_of(&remote, "tasks/result"), "\r\nMcp-Session-Id: s2\r\n"));
    remote_assert_text(&remote, "done");
}

static void a_session_may_take_its_tasks_along(void **state)
{
    struct remote remote;
    (void)state;
    init_legacy(&remote);
    answers(&remote, "initialize", INITIALIZED("6"));
    remote_answers(&remote, "tasks/get", (struct mock_answer){ .status = 404, .body = "gone" });
    answers(&remote, "tasks/get",
            "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32602,\"message\":\"no task\"}}");
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote_count(&remote, "\"tools/call\""), 1);
    remote_assert_fails(&remote, ERR_FAILED, "forgotten the task");
}

static void a_look_that_broke_off_is_repeated(void **state)
{
    struct remote remote;
    (void)state;
    init_modern(&remote);
    remote_answers(&remote, "tasks/get", (struct mock_answer){ .reset = true });
    remote_answers(&remote, "tasks/get", (struct mock_answer){ .status = 502 });
    answers(&remote, "tasks/get", MODERN_DONE("5"));
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote_count(&remote, "\"tools/call\""), 1);
    remote_assert_text(&remote, "done");
}

static void a_server_that_is_out_of_reach_for_too_long_is_given_up(void **state)
{
    struct remote remote;
    (void)state;
    init_modern(&remote);
    remote_answers(&remote, "tasks/get", (struct mock_answer){ .status = 502 });
    remote.peer.silence_ms = 60;
    peer_run(&remote.peer, peer_call);
    assert_true(remote_count(&remote, "\"tasks/get\"") > 1);
    remote_assert_fails(&remote, ERR_UNAVAILABLE, "HTTP 502");
}

static void a_server_that_wants_another_token_says_nothing_of_the_task(void **state)
{
    struct remote remote;
    (void)state;
    init_modern(&remote);
    remote_answers(&remote, "tasks/get", (struct mock_answer){ .status = 401 });
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote.peer.code, ERR_AUTH);
    assert_true(remote.peer.err.is_outcome_unknown);
    assert_int_equal(remote_count(&remote, "\"tools/call\""), 1);
    remote_finish(&remote);
}

static void whoever_gives_a_task_up_says_so_at_its_url(void **state)
{
    struct remote remote;
    (void)state;
    init_modern(&remote);
    answers(&remote, "tasks/get", "");
    answers(&remote, "tasks/cancel", RESULT("4", "{\"resultType\":\"complete\"}"));
    remote_answers(&remote, "tasks/get", (struct mock_answer){ .silent = true });
    remote.peer.max_ms = 80;
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote_count(&remote, "\"tasks/cancel\""), 1);
    assert_non_null(strstr(remote_head_of(&remote, "tasks/cancel"), "\r\nMcp-Name: t1\r\n"));
    assert_int_equal(remote_count(&remote, "notifications/cancelled"), 0);
    remote_finish(&remote);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_legacy_server_is_looked_at_within_its_session),
        cmocka_unit_test(a_task_outlives_the_session_in_which_it_was_made),
        cmocka_unit_test(a_session_may_take_its_tasks_along),
        cmocka_unit_test(a_look_that_broke_off_is_repeated),
        cmocka_unit_test(a_server_that_is_out_of_reach_for_too_long_is_given_up),
        cmocka_unit_test(a_server_that_wants_another_token_says_nothing_of_the_task),
        cmocka_unit_test(whoever_gives_a_task_up_says_so_at_its_url),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
