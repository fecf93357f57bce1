#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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
        cmocka_unit_test(reads_a_large_answer),
        cmocka_unit_test(starts_a_server_again_as_often_as_allowed_and_no_more),
        cmocka_unit_test(ends_a_server_that_refuses_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
