#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/full/peer.h"
#include <stdio.h>
#include <string.h>

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
    assert_non_null(strstr(peer->err.message, words));
    peer_finish(peer);
}

static void logs_junk_and_goes_on(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=debug: $FILL1000;\n7\n{\"a\":1}\n" ANSWER(TEXT_RESULT("ok")));
    peer_run(&peer, peer_call);
    assert_int_equal(peer.n_logs, 3);
    assert_string_equal(peer.last_log, "stdout: {\"a\":1}");
    assert_text(&peer, "ok");
}

static void bears_as_much_junk_as_allowed_and_no_more(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=a\nb\nc\n" ANSWER(TEXT_RESULT("ok")));
    peer.settings.mcp_max_junk_lines = 3;
    peer_run(&peer, peer_call);
    assert_text(&peer, "ok");
    PEER(&peer, "tools/call=a\nb\nc\n" ANSWER(TEXT_RESULT("ok")));
    peer.settings.mcp_max_junk_lines = 2;
    peer_run(&peer, peer_call);
    assert_int_equal(peer.status.state, SERVER_FAILED);
    assert_fails(&peer, ERR_PROTOCOL, "more than 2 lines on its stdout are no messages");
}

/* `{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"…"}]}}` is 73 bytes and the
 * text. */
static void passes_a_message_at_the_bound_and_refuses_one_byte_more(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" ANSWER(TEXT_RESULT("$FILL927;")));
    peer.settings.mcp_max_message_bytes = 1000;
    peer_run(&peer, peer_call);
    assert_string_equal(peer.err.message, "");
    assert_int_equal(peer.code, ERR_NONE);
    peer_finish(&peer);
    PEER(&peer, "tools/call=" ANSWER(TEXT_RESULT("$FILL928;")));
    peer.settings.mcp_max_message_bytes = 1000;
    peer_run(&peer, peer_call);
    assert_non_null(strstr(peer.err.hint, "mcp.max_message_bytes"));
    assert_fails(&peer, ERR_PROTOCOL, "a message is longer than 1000 bytes");
}

static void does_not_wait_for_the_end_of_an_endless_line(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--stubborn", "tools/call=$FILL100000;$PAUSE10000;");
    peer.settings.mcp_max_message_bytes = 65536;
    peer_run(&peer, peer_call);
    assert_true(peer.close_ms < 150);
    assert_fails(&peer, ERR_PROTOCOL, "longer than 65536 bytes");
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
    assert_fails(&peer, ERR_LIMIT, "longer than mcp.max_message_bytes");
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

static void gets_through_a_flood_of_notifications(void **state)
{
    struct peer peer;
    (void)state;
    PEER(
        &peer,
        "tools/call#1=" ANSWER(TEXT_RESULT("ok")) "$REPEAT20000;"
                                                  "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                                                  "message\",\"params\":{\"level\":"
                                                  "\"info\",\"data\":{\"n\":1}}}\n",
        "tools/call#2=" ANSWER(TEXT_RESULT("second")));
    peer_run(&peer, peer_call_then_call);
    assert_int_equal(peer.n_logs, 20000);
    assert_string_equal(peer.last_log, "info: {\"n\":1}");
    assert_text(&peer, "second");
}

static void fails_the_call_during_which_a_server_dies(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer,
         "tools/call={\"jsonrpc\":\"2.0\",\"id\":$ID,\"res$ERRpanic: out of cheese;$SIGNAL15;");
    peer_run(&peer, peer_call);
    assert_int_equal(peer.status.state, SERVER_FAILED);
    assert_fails(&peer, ERR_UNAVAILABLE,
                 "it was ended by signal 15 (Terminated); its stderr says: "
                 "\"panic: out of cheese\"");
}

static void takes_an_answer_written_just_before_the_end(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" ANSWER(TEXT_RESULT("last")) "$EXIT0;");
    peer_run(&peer, peer_call);
    assert_text(&peer, "last");
}

static void fails_a_call_when_the_server_closes_its_stdout(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call={\"jsonrpc\"$CLOSE;$PAUSE5000;");
    peer_run(&peer, peer_call);
    assert_fails(&peer, ERR_UNAVAILABLE, "it closed its standard output");
}

static void does_not_wait_for_a_grandchild_that_holds_the_pipe(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=$HOLD;$EXIT4;");
    peer.silence_ms = 2000;
    peer_run(&peer, peer_call);
    assert_true(peer.close_ms < 1000);
    assert_fails(&peer, ERR_UNAVAILABLE, "it exited with status 4");
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
    assert_fails(&peer, ERR_UNAVAILABLE, "it exited with status 1");
    PEER(&peer, "tools/call=$EXIT1;");
    peer.settings.mcp_max_restarts = 2;
    peer_run(&peer, call_four_times);
    assert_int_equal(peer.status.restarts, 2);
    assert_fails(&peer, ERR_UNAVAILABLE,
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
    assert_text(&peer, "ok");
}

static void never_hangs_on_a_server_that_never_answers(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=");
    peer.config.timeout_ms = 150;
    peer_run(&peer, peer_call);
    assert_fails(&peer, ERR_TIMEOUT, "no answer for 0.15 s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logs_junk_and_goes_on),
        cmocka_unit_test(bears_as_much_junk_as_allowed_and_no_more),
        cmocka_unit_test(passes_a_message_at_the_bound_and_refuses_one_byte_more),
        cmocka_unit_test(does_not_wait_for_the_end_of_an_endless_line),
        cmocka_unit_test(does_not_send_more_than_the_bound),
        cmocka_unit_test(reads_a_large_answer),
        cmocka_unit_test(gets_through_a_flood_of_notifications),
        cmocka_unit_test(fails_the_call_during_which_a_server_dies),
        cmocka_unit_test(takes_an_answer_written_just_before_the_end),
        cmocka_unit_test(fails_a_call_when_the_server_closes_its_stdout),
        cmocka_unit_test(does_not_wait_for_a_grandchild_that_holds_the_pipe),
        cmocka_unit_test(starts_a_server_again_as_often_as_allowed_and_no_more),
        cmocka_unit_test(ends_a_server_that_refuses_to),
        cmocka_unit_test(never_hangs_on_a_server_that_never_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
