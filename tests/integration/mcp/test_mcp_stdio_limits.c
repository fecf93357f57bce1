
#include "tests/support/cmocka.h"
#include "tests/support/full/outcomes.h"
#include <stdio.h>
#include <string.h>

static void does_not_wait_for_the_end_of_an_endless_line(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--stubborn", "tools/call=$FILL100000;$PAUSE10000;");
    peer.settings.mcp_max_message_bytes = 65536;
    peer_run(&peer, peer_call);
    assert_true(peer.close_ms < 150);
    assert_non_null(strstr(peer.err.hint, "mcp.max_message_bytes"));
    peer_assert_fails(&peer, ERR_PROTOCOL, "longer than 65536 bytes");
}

static void does_not_send_more_than_the_bound(void **state)
{
    static char name[2000];
    struct peer peer;
    (void)state;
    memset(name, 'n', sizeof name - 1);
    PEER(&peer, "x=");
    peer.settings.mcp_max_message_bytes = 1024;
    peer.tool = name;
    peer_run(&peer, peer_call);
    peer_assert_fails(&peer, ERR_LIMIT, "longer than mcp.max_message_bytes");
}

/* The result of a list of one tool has 17 values beside the n + 1 in its _meta. */
#define LIST_OF(n)                                                                                 \
    "tools/list=" ANSWER("{\"tools\":[{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\"},"      \
                         "\"_meta\":[$TIMES" #n ";0,$END;0]}]}")

static void lists_as_many_values_as_there_may_be_and_not_one_more(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, LIST_OF(982));
    peer.settings.mcp_max_values = 1000;
    peer_run(&peer, peer_list);
    assert_int_equal(peer.code, ERR_NONE);
    assert_int_equal(peer.n_tools, 1);
    peer_finish(&peer);
    PEER(&peer, LIST_OF(983));
    peer.settings.mcp_max_values = 1000;
    peer_run(&peer, peer_list);
    assert_non_null(strstr(peer.err.hint, "mcp.max_values"));
    peer_assert_fails(&peer, ERR_LIMIT, "more than 1000 JSON values (mcp.max_values)");
}

static void refuses_a_question_of_too_many_values_and_goes_on(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call={\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"elicitation/create\","
                "\"params\":[$TIMES1000;0,$END;0]}\n" ANSWER(TEXT_RESULT("ok")));
    peer.settings.mcp_max_values = 1000;
    peer_keep_record(&peer);
    peer_run(&peer, peer_call);
    assert_non_null(
        strstr(peer_record(&peer),
               "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"error\":{\"code\":-32600,\"message\":"
               "\"more than 1000 JSON values (mcp.max_values)\"}}"));
    assert_string_equal(peer.last_log, "warning: more than 1000 JSON values (mcp.max_values)");
    peer_assert_text(&peer, "ok");
}

static void reads_a_large_answer(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" ANSWER(TEXT_RESULT("$FILL3000000;")));
    peer_run(&peer, peer_call);
    assert_int_equal(peer.code, ERR_NONE);
    assert_int_equal(strlen(step_result_text(&peer.arena, &peer.result)), 3000000);
    peer_finish(&peer);
}

static enum err_code call_four_times(struct runtime *runtime, struct scope *scope, void *argument)
{
    for (int i = 0; i < 3; i++)
        (void)!peer_call(runtime, scope, argument);
    return peer_call(runtime, scope, argument);
}

static void starts_a_server_again_as_often_as_allowed_and_no_more(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=$EXIT1;");
    peer.settings.mcp_max_restarts = 3;
    peer_run(&peer, call_four_times);
    assert_int_equal(peer.status.restarts, 3);
    peer_assert_fails(&peer, ERR_UNAVAILABLE, "it exited with status 1");
    PEER(&peer, "tools/call=$EXIT1;");
    peer.settings.mcp_max_restarts = 2;
    peer_run(&peer, call_four_times);
    assert_int_equal(peer.status.restarts, 2);
    peer_assert_fails(&peer, ERR_UNAVAILABLE,
                      "started 3 times within five minutes; the last: it exited with status 1");
}

static void ends_a_server_that_refuses_to(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--stubborn");
    peer.settings.mcp_close_wait_ms = 50;
    peer_run(&peer, peer_call);
    assert_in_range(peer.close_ms, 90, 2000);
    peer_assert_text(&peer, "ok");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(does_not_wait_for_the_end_of_an_endless_line),
        cmocka_unit_test(does_not_send_more_than_the_bound),
        cmocka_unit_test(lists_as_many_values_as_there_may_be_and_not_one_more),
        cmocka_unit_test(refuses_a_question_of_too_many_values_and_goes_on),
        cmocka_unit_test(reads_a_large_answer),
        cmocka_unit_test(starts_a_server_again_as_often_as_allowed_and_no_more),
        cmocka_unit_test(ends_a_server_that_refuses_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
