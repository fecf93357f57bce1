
#include "tests/support/cmocka.h"
#include "tests/support/full/outcomes.h"
#include <string.h>

#define TOOL(name) "{\"name\":\"" name "\",\"inputSchema\":{\"type\":\"object\"}}"
#define CHANGED "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n"

static void assert_tools(struct peer *peer, size_t n)
{
    assert_string_equal(peer->err.message, "");
    assert_int_equal(peer->code, ERR_NONE);
    assert_int_equal(peer->n_tools, n);
}

static void follows_cursors_to_the_end_and_takes_an_empty_one_for_one(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/list#1=" ANSWER("{\"tools\":[" TOOL("a") "],\"nextCursor\":\"\"}"),
         "tools/list#2=" ANSWER("{\"tools\":[],\"nextCursor\":\"p\\u0000\\\"3\"}"),
         "tools/list#3=" ANSWER("{\"tools\":[" TOOL("b") "],\"nextCursor\":null}"));
    peer_keep_record(&peer);
    peer_run(&peer, peer_list);
    assert_tools(&peer, 2);
    const char *record = peer_record(&peer);
    assert_non_null(strstr(record, "\"params\":{\"cursor\":\"\"}"));
    assert_non_null(strstr(record, "\"params\":{\"cursor\":\"p\\u0000\\\"3\"}"));
    peer_finish(&peer);
}

static void stops_at_a_cursor_that_comes_twice(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/list#1=" ANSWER("{\"tools\":[" TOOL("a") "],\"nextCursor\":\"x\"}"),
         "tools/list=" ANSWER("{\"tools\":[" TOOL("b") "],\"nextCursor\":\"x\"}"));
    peer_run(&peer, peer_list);
    assert_tools(&peer, 2);
    assert_non_null(strstr(peer.status.last_error.message, "a cursor came twice"));
    peer_finish(&peer);
}

static void asks_for_as_many_pages_as_allowed_and_no_more(void **state)
{
    static const char first[] =
        "tools/list#1=" ANSWER("{\"tools\":[" TOOL("a") "],\"nextCursor\":\"1\"}");
    static const char second[] =
        "tools/list#2=" ANSWER("{\"tools\":[" TOOL("b") "],\"nextCursor\":\"2\"}");
    static const char third[] = "tools/list#3=" ANSWER("{\"tools\":[" TOOL("c") "]}");
    struct peer peer;
    (void)state;
    PEER(&peer, first, second, third);
    peer.settings.mcp_max_pages = 3;
    peer_run(&peer, peer_list);
    assert_tools(&peer, 3);
    assert_int_equal(peer.status.last_error.code, ERR_NONE);
    peer_finish(&peer);
    PEER(&peer, first, second, third);
    peer.settings.mcp_max_pages = 2;
    peer_run(&peer, peer_list);
    assert_tools(&peer, 2);
    assert_int_equal(peer.status.last_error.code, ERR_LIMIT);
    peer_finish(&peer);
}

static void takes_as_many_tools_as_allowed_and_no_more(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "x=");
    peer.settings.tools_max_per_server = 2;
    peer_run(&peer, peer_list);
    assert_tools(&peer, 2);
    assert_int_equal(peer.status.last_error.code, ERR_NONE);
    peer_finish(&peer);
    PEER(&peer, "x=");
    peer.settings.tools_max_per_server = 1;
    peer_run(&peer, peer_list);
    assert_tools(&peer, 1);
    assert_int_equal(peer.status.last_error.code, ERR_LIMIT);
    peer_finish(&peer);
}

static void takes_a_definition_as_long_as_allowed_and_none_longer(void **state)
{
    static const char rule[] =
        "tools/list=" ANSWER("{\"tools\":[{\"name\":\"x\",\"inputSchema\":{\"type\":\"object\"},\"_"
                             "meta\":{\"y\":\"z\"}}]}");
    struct peer peer;
    (void)state;
    PEER(&peer, rule);
    peer.settings.tools_max_definition_bytes = 20;
    peer_run(&peer, peer_list);
    assert_tools(&peer, 1);
    assert_int_equal(peer.status.last_error.code, ERR_NONE);
    peer_finish(&peer);
    PEER(&peer, rule);
    peer.settings.tools_max_definition_bytes = 19;
    peer_run(&peer, peer_list);
    assert_tools(&peer, 0);
    assert_int_equal(peer.status.last_error.code, ERR_LIMIT);
    assert_non_null(strstr(peer.status.last_error.message, "tools.max_definition_bytes"));
    peer_finish(&peer);
}

static void one_bad_definition_does_not_hide_the_others(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/list=" ANSWER("{\"tools\":[7,{\"name\":\"x\",\"inputSchema\":[]}," TOOL(
                    "a") "," TOOL("a") ",{}," TOOL("b") "]}"));
    peer_run(&peer, peer_list);
    assert_tools(&peer, 2);
    assert_int_equal(peer.n_logs, 4);
    assert_non_null(strstr(peer.status.last_error.message, "a tool is left out"));
    peer_finish(&peer);
}

static void a_nul_in_a_name_hides_no_tool_but_its_own(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/list=" ANSWER("{\"tools\":[" TOOL(
                    "a") ",{\"name\":\"x\",\"inputSchema\":{"
                         "\"type\":\"object\",\"properties\":{\"p\\u0000\":{}}}}]}"));
    peer_run(&peer, peer_list);
    assert_tools(&peer, 1);
    assert_string_equal(peer.last_log, "warning: a tool is left out: tool \"x\": a name in its "
                                       "definition holds U+0000 or U+FFFD, or is not UTF-8");
    peer_finish(&peer);
}

static void refuses_an_answer_without_a_list(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/list=" ANSWER("{\"tools\":{}}"));
    peer_run(&peer, peer_list);
    assert_int_equal(peer.code, ERR_PROTOCOL);
    assert_string_equal(peer.err.message, "tools/list: the answer has no array of tools");
    peer_finish(&peer);
}

static void does_not_ask_a_server_without_tools(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "initialize=" ANSWER("{\"protocolVersion\":\"2024-11-05\",\"capabilities\":{}}"));
    peer_keep_record(&peer);
    peer_run(&peer, peer_list);
    assert_tools(&peer, 0);
    assert_null(strstr(peer_record(&peer), "tools/list"));
    peer_finish(&peer);
}

static void keeps_the_list_of_a_legacy_server(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "x=");
    peer_keep_record(&peer);
    peer_run(&peer, peer_list_then_list);
    assert_tools(&peer, 2);
    assert_int_equal(count_words(peer_record(&peer), "tools/list"), 1);
    peer_finish(&peer);
}

static enum err_code list_wait_list(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)!peer_list(runtime, scope, argument);
    (void)!runtime_sleep(runtime, scope, 200, NULL);
    return peer_list(runtime, scope, argument);
}

static void tells_a_burst_of_changes_once_and_asks_again(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer,
         "tools/list#1=" ANSWER("{\"tools\":[" TOOL("a") "]}") "$PAUSE20;" CHANGED CHANGED CHANGED
                                                               "$PAUSE20;" CHANGED CHANGED);
    peer.settings.mcp_list_changed_delay_ms = 60;
    peer_keep_record(&peer);
    peer_run(&peer, list_wait_list);
    assert_tools(&peer, 2);
    assert_int_equal(peer.n_changes, 1);
    assert_int_equal(count_words(peer_record(&peer), "tools/list"), 2);
    peer_finish(&peer);
}

static void goes_on_with_the_old_list_when_the_new_one_cannot_be_had(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/list#1=" ANSWER("{\"tools\":[" TOOL("a") "]}") CHANGED,
         "tools/list#2=" REFUSE("{\"code\":-32603,\"message\":\"busy\"}"));
    peer.settings.mcp_list_changed_delay_ms = 0;
    peer_keep_record(&peer);
    peer_run(&peer, list_wait_list);
    assert_tools(&peer, 1);
    assert_int_equal(count_words(peer_record(&peer), "tools/list"), 2);
    assert_non_null(strstr(peer.last_log, "warning: the list of tools may be out of date"));
    assert_non_null(strstr(peer.last_log, "busy"));
    assert_int_equal(peer.status.state, SERVER_READY);
    peer_finish(&peer);
}

static void fails_when_the_first_list_cannot_be_had(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/list=" REFUSE("{\"code\":-32602,\"message\":\"busy\"}"));
    peer_keep_record(&peer);
    peer_run(&peer, peer_list);
    assert_int_equal(peer.code, ERR_INVALID);
    assert_non_null(strstr(peer.err.message, "tools/list: "));
    assert_int_equal(count_words(peer_record(&peer), "tools/list"), 1);
    peer_finish(&peer);
}

#define BAD_CURSOR REFUSE("{\"code\":-32602,\"message\":\"Invalid cursor\"}")

static void begins_again_once_when_a_cursor_is_worth_nothing_any_more(void **state)
{
    static const char first[] =
        "tools/list#1=" ANSWER("{\"tools\":[" TOOL("a") "],\"nextCursor\":\"1\"}");
    static const char third[] =
        "tools/list#3=" ANSWER("{\"tools\":[" TOOL("b") "],\"nextCursor\":\"2\"}");
    struct peer peer;
    (void)state;
    PEER(&peer, first, "tools/list#2=" BAD_CURSOR, third,
         "tools/list#4=" ANSWER("{\"tools\":[" TOOL("c") "]}"));
    peer_run(&peer, peer_list);
    assert_tools(&peer, 2);
    peer_finish(&peer);
    PEER(&peer, first, "tools/list#2=" BAD_CURSOR, third, "tools/list#4=" BAD_CURSOR);
    peer_keep_record(&peer);
    peer_run(&peer, peer_list);
    assert_int_equal(peer.code, ERR_INVALID);
    assert_int_equal(count_words(peer_record(&peer), "tools/list"), 4);
    peer_finish(&peer);
}

#define ACKNOWLEDGED                                                                               \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{"    \
    "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":$ID},\"notifications\":{"               \
    "\"toolsListChanged\":true}}}\n"
#define CHANGED_FOR(id)                                                                            \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\",\"params\":{\"_meta\":{" \
    "\"io.modelcontextprotocol/subscriptionId\":" id "}}}\n"

static void a_subscription_keeps_the_list_of_a_modern_server(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern");
    peer_keep_record(&peer);
    peer_run(&peer, peer_list_then_list);
    assert_tools(&peer, 2);
    assert_int_equal(count_words(peer_record(&peer), "subscriptions/listen"), 1);
    assert_int_equal(count_words(peer_record(&peer), "tools/list\""), 1);
    peer_finish(&peer);
}

static void hears_changes_of_its_own_subscription_only(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", "subscriptions/listen=" ACKNOWLEDGED "$LATER60;" CHANGED_FOR("99"));
    peer.settings.mcp_list_changed_delay_ms = 10;
    peer_run(&peer, list_wait_list);
    assert_int_equal(peer.n_changes, 0);
    peer_finish(&peer);
    PEER(&peer, "--modern", "subscriptions/listen=" ACKNOWLEDGED "$LATER60;" CHANGED_FOR("\"2\""));
    peer.settings.mcp_list_changed_delay_ms = 10;
    peer_keep_record(&peer);
    peer_run(&peer, list_wait_list);
    assert_int_equal(peer.n_changes, 1);
    assert_int_equal(count_words(peer_record(&peer), "tools/list\""), 2);
    peer_finish(&peer);
}

static void subscribes_again_when_a_subscription_breaks_off(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern",
         "subscriptions/listen#1=" ACKNOWLEDGED "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
         "cancelled\",\"params\":{\"requestId\":$ID}}"
         "\n");
    peer_keep_record(&peer);
    peer_run(&peer, list_wait_list);
    assert_tools(&peer, 2);
    assert_int_equal(count_words(peer_record(&peer), "subscriptions/listen"), 2);
    peer_finish(&peer);
}

static void asks_every_time_when_lists_do_not_last_and_changes_are_not_told(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", "subscriptions/listen=" REFUSE("{\"code\":-32601,\"message\":\"no\"}"));
    peer_keep_record(&peer);
    peer_run(&peer, list_wait_list);
    assert_tools(&peer, 2);
    assert_int_equal(count_words(peer_record(&peer), "subscriptions/listen"), 1);
    assert_int_equal(count_words(peer_record(&peer), "tools/list\""), 2);
    peer_finish(&peer);
}

static void keeps_a_modern_list_as_long_as_it_says(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", "subscriptions/listen=" REFUSE("{\"code\":-32601,\"message\":\"no\"}"),
         "tools/list=" ANSWER("{\"tools\":[" TOOL("a") "],\"ttlMs\":60000}"));
    peer_keep_record(&peer);
    peer_run(&peer, list_wait_list);
    assert_tools(&peer, 1);
    assert_int_equal(count_words(peer_record(&peer), "tools/list\""), 1);
    peer_finish(&peer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_cursors_to_the_end_and_takes_an_empty_one_for_one),
        cmocka_unit_test(stops_at_a_cursor_that_comes_twice),
        cmocka_unit_test(asks_for_as_many_pages_as_allowed_and_no_more),
        cmocka_unit_test(takes_as_many_tools_as_allowed_and_no_more),
        cmocka_unit_test(takes_a_definition_as_long_as_allowed_and_none_longer),
        cmocka_unit_test(one_bad_definition_does_not_hide_the_others),
        cmocka_unit_test(a_nul_in_a_name_hides_no_tool_but_its_own),
        cmocka_unit_test(refuses_an_answer_without_a_list),
        cmocka_unit_test(does_not_ask_a_server_without_tools),
        cmocka_unit_test(keeps_the_list_of_a_legacy_server),
        cmocka_unit_test(tells_a_burst_of_changes_once_and_asks_again),
        cmocka_unit_test(goes_on_with_the_old_list_when_the_new_one_cannot_be_had),
        cmocka_unit_test(fails_when_the_first_list_cannot_be_had),
        cmocka_unit_test(begins_again_once_when_a_cursor_is_worth_nothing_any_more),
        cmocka_unit_test(a_subscription_keeps_the_list_of_a_modern_server),
        cmocka_unit_test(hears_changes_of_its_own_subscription_only),
        cmocka_unit_test(subscribes_again_when_a_subscription_breaks_off),
        cmocka_unit_test(asks_every_time_when_lists_do_not_last_and_changes_are_not_told),
        cmocka_unit_test(keeps_a_modern_list_as_long_as_it_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
