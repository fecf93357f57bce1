/* What serve_tools says by itself - changes and logs - and how conversations end, faults of the
 * scripted server included. */
#include "tests/contract/serve_conversation.h"
#include "tests/support/full/in_child.h"

static void lets_calls_end_for_a_moment_when_the_client_goes(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    say(&c, 0, MODERN(1, "tools/call", "\"name\":\"slow\","));
    say(&c, 0, MODERN(2, "tools/call", "\"name\":\"long\","));
    run(&c);
    assert_non_null(at(fake_rpc_answer(&c.rpc, 1), "result"));
    assert_int_equal(error_of(&c, 2), -32603);
    assert_int_equal(c.ended_ms, SERVE_GRACE_MS);
    assert_int_equal(c.rpc.flushes, 1);
    end(&c);
}

static void ends_at_once_when_it_is_cancelled(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    c.rpc.gone_at_ms = 100000;
    say(&c, 0, MODERN(1, "tools/call", "\"name\":\"long\","));
    virtual_runtime_cancel_at(c.runtime, &c.scope, 70);
    run(&c);
    assert_int_equal(c.result, ERR_CANCELLED);
    assert_int_equal(c.ended_ms, 70);
    end(&c);
}

static void tells_legacy_clients_that_the_list_changed(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    say(&c, 0, INITIALIZE(1, "2025-11-25"));
    say(&c, 0, "{\"method\":\"notifications/initialized\"}");
    say(&c, 0, PLAIN(2, "tools/call", "{\"name\":\"more\"}"));
    run(&c);
    assert_non_null(fake_rpc_notification(&c.rpc, "notifications/tools/list_changed", 0));
    assert_string_equal(json_get_string(fake_rpc_answer(&c.rpc, 2), "text"), "{}");
    end(&c);
}

static void tells_modern_clients_only_on_their_subscription(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    say(&c, 0,
        MODERN(1, "subscriptions/listen",
               "\"notifications\":{\"toolsListChanged\":true,\"promptsListChanged\":true},"));
    say(&c, 0, MODERN(2, "subscriptions/listen", "\"notifications\":{},"));
    say(&c, 0, MODERN(3, "subscriptions/listen", ""));
    say(&c, 10, CANCEL(2));
    say(&c, 10, MODERN(4, "tools/call", "\"name\":\"more\","));
    run(&c);
    const json_t *ack =
        fake_rpc_notification(&c.rpc, "notifications/subscriptions/acknowledged", 0);
    const json_t *change = fake_rpc_notification(&c.rpc, "notifications/tools/list_changed", 0);
    assert_int_equal(json_object_size(at(ack, "params notifications")), 1);
    assert_int_equal(
        json_integer_value(at(change, "params _meta io.modelcontextprotocol/subscriptionId")), 1);
    assert_null(fake_rpc_notification(&c.rpc, "notifications/tools/list_changed", 1));
    assert_int_equal(error_of(&c, 3), -32602);
    assert_string_equal(json_get_string(fake_rpc_answer(&c.rpc, 4), "text"),
                        "{\"resultType\":\"complete\"}");
    /* ended in order, with a result */
    assert_non_null(at(fake_rpc_answer(&c.rpc, 1), "result resultType"));
    assert_null(fake_rpc_answer(&c.rpc, 2));
    end(&c);
}

static void bounds_the_number_of_subscriptions(void **state)
{
    (void)state;
    static char lines[SERVE_MAX_SUBSCRIPTIONS + 1][300];
    struct conversation c;
    begin(&c);
    for (int i = 0; i <= SERVE_MAX_SUBSCRIPTIONS; i++) {
        snprintf(lines[i], sizeof lines[i],
                 "{\"id\":%d,\"method\":\"subscriptions/listen\",\"params\":{"
                 "\"notifications\":{}," META "}}",
                 i + 1);
        say(&c, 0, lines[i]);
    }
    run(&c);
    assert_non_null(at(fake_rpc_answer(&c.rpc, SERVE_MAX_SUBSCRIPTIONS), "result"));
    assert_int_equal(error_of(&c, SERVE_MAX_SUBSCRIPTIONS + 1), -32000);
    assert_non_null(
        strstr(json_string_value(
                   at(fake_rpc_answer(&c.rpc, SERVE_MAX_SUBSCRIPTIONS + 1), "error data hint")),
               "16 are open"));
    end(&c);
}

static void passes_logs_on_at_the_level_asked_for(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    c.rpc.gone_at_ms = 1000;
    say(&c, 0, INITIALIZE(1, "2025-11-25"));
    say(&c, 0, "{\"method\":\"notifications/initialized\"}");
    say(&c, 0, PLAIN(2, "logging/setLevel", "{\"level\":\"warning\"}"));
    say(&c, 0, PLAIN(3, "tools/call", "{\"name\":\"slow\"}"));
    run(&c);
    const json_t *log = fake_rpc_notification(&c.rpc, "notifications/message", 0);
    assert_string_equal(json_string_value(at(log, "params data")), "oops");
    assert_null(fake_rpc_notification(&c.rpc, "notifications/message", 1));
    end(&c);
}

static void says_nothing_more_after_the_fault_silence(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    c.port = mock_rpc_create(virtual_runtime_port(c.runtime), c.mock, &c.rpc.port, -1);
    say(&c, 0, MODERN(1, "tools/call", "\"name\":\"silent\","));
    say(&c, 10, MODERN(2, "server/discover", ""));
    run(&c);
    rpc_destroy(c.port);
    assert_int_equal(json_array_size(c.rpc.sent), 0);
    end(&c);
}

static void hangs_up_with_the_fault_close(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    c.port = mock_rpc_create(virtual_runtime_port(c.runtime), c.mock, &c.rpc.port, -1);
    c.rpc.gone_at_ms = 100000;
    say(&c, 0, MODERN(1, "tools/call", "\"name\":\"close\","));
    run(&c);
    rpc_destroy(c.port);
    assert_int_equal(c.result, ERR_NONE);
    assert_int_equal(c.ended_ms, SERVE_GRACE_MS);
    end(&c);
}

static void writes_a_line_that_is_no_message_with_the_fault_junk(void **state)
{
    (void)state;
    struct conversation c;
    int pipe_fds[2];
    char line[200] = "";
    begin(&c);
    assert_int_equal(pipe(pipe_fds), 0);
    c.port = mock_rpc_create(virtual_runtime_port(c.runtime), c.mock, &c.rpc.port, pipe_fds[1]);
    say(&c, 0, MODERN(1, "tools/call", "\"name\":\"junk\","));
    run(&c);
    rpc_destroy(c.port);
    assert_true(read(pipe_fds[0], line, sizeof line - 1) > 0);
    assert_non_null(strchr(line, '\n'));
    assert_non_null(at(fake_rpc_answer(&c.rpc, 1), "result"));
    close(pipe_fds[0]);
    close(pipe_fds[1]);
    end(&c);
}

static void die(void)
{
    struct conversation c;
    begin(&c);
    c.port = mock_rpc_create(virtual_runtime_port(c.runtime), c.mock, &c.rpc.port, -1);
    say(&c, 0, MODERN(1, "tools/call", "\"name\":\"exit\","));
    run(&c);
}

static void dies_with_the_fault_exit(void **state)
{
    (void)state;
    struct child_end child = in_child(die);
    assert_int_equal(child.signal, 0);
    assert_int_equal(child.status, MOCK_EXIT_STATUS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lets_calls_end_for_a_moment_when_the_client_goes),
        cmocka_unit_test(ends_at_once_when_it_is_cancelled),
        cmocka_unit_test(tells_legacy_clients_that_the_list_changed),
        cmocka_unit_test(tells_modern_clients_only_on_their_subscription),
        cmocka_unit_test(bounds_the_number_of_subscriptions),
        cmocka_unit_test(passes_logs_on_at_the_level_asked_for),
        cmocka_unit_test(says_nothing_more_after_the_fault_silence),
        cmocka_unit_test(hangs_up_with_the_fault_close),
        cmocka_unit_test(writes_a_line_that_is_no_message_with_the_fault_junk),
        cmocka_unit_test(dies_with_the_fault_exit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
