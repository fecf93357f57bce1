
#include "tests/support/cmocka.h"
#include "tests/support/full/outcomes.h"
#include <string.h>

#define TOOL(name, annotation)                                                                     \
    "{\"name\":\"" name "\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":" \
    "\"integer\"" annotation "},\"b\":{\"type\":\"string\"}}}}"
#define LISTED(n, tools) "{\"jsonrpc\":\"2.0\",\"id\":" n ",\"result\":{\"tools\":[" tools "]}}"
#define MISMATCH(n)                                                                                \
    "{\"jsonrpc\":\"2.0\",\"id\":" n ",\"error\":{\"code\":-32020,\"message\":\"wrong header\"}}"

static void init(struct remote *remote)
{
    remote_init(remote);
    remote_answers(remote, "server/discover",
                   (struct mock_answer){ .body = REMOTE_DISCOVERED_WITH("\"tools\":{}") });
}

static void list(struct remote *remote, const char *body)
{
    remote_answers(remote, "tools/list", (struct mock_answer){ .body = body });
}

static void call(struct remote *remote, int status, const char *body)
{
    remote_answers(remote, "tools/call", (struct mock_answer){ .status = status, .body = body });
}

static void says_a_parameter_in_a_header_where_its_tool_wants_that(void **state)
{
    struct remote remote;
    (void)state;
    init(&remote);
    list(&remote, LISTED("2", TOOL("echo", ",\"x-mcp-header\":\"Number\"")));
    call(&remote, 200, REMOTE_TEXT("3", "ok"));
    peer_run(&remote.peer, peer_call);
    assert_non_null(strstr(remote_head_of(&remote, "tools/call"), "\r\nMcp-Param-Number: 1\r\n"));
    assert_null(strstr(remote_head_of(&remote, "tools/list"), "Mcp-Param"));
    remote_assert_text(&remote, "ok");
}

static void asks_for_the_list_once_for_several_calls(void **state)
{
    struct remote remote;
    (void)state;
    init(&remote);
    list(&remote, LISTED("2", TOOL("echo", ",\"x-mcp-header\":\"Number\"")));
    call(&remote, 200, REMOTE_TEXT("3", "one"));
    call(&remote, 200, REMOTE_TEXT("4", "two"));
    peer_run(&remote.peer, peer_call_then_call);
    assert_int_equal(remote_count(&remote, "\"tools/list\""), 1);
    assert_int_equal(remote_count(&remote, "Mcp-Param-Number: 1"), 2);
    remote_assert_text(&remote, "two");
}

static void calls_without_headers_where_there_is_no_list(void **state)
{
    struct remote remote;
    (void)state;
    init(&remote);
    list(&remote, "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32603,\"message\":\"no\"}}");
    call(&remote, 200, REMOTE_TEXT("3", "ok"));
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote_count(&remote, "Mcp-Param"), 0);
    remote_assert_text(&remote, "ok");
}

static void leaves_out_a_tool_that_wants_what_no_header_can_be(void **state)
{
    struct remote remote;
    (void)state;
    init(&remote);
    list(&remote,
         LISTED("2", TOOL("good", ",\"x-mcp-header\":\"Number\"") "," TOOL(
                         "evil", ",\"x-mcp-header\":\"two words\"") "," TOOL("plain", "")));
    peer_run(&remote.peer, peer_list);
    assert_int_equal(remote.peer.n_tools, 2);
    assert_string_equal(remote.peer.last_log,
                        "warning: a tool is left out: tool \"evil\": "
                        "x-mcp-header \"two words\" is not a name for a header");
    remote_finish(&remote);
}

static void calls_once_more_with_the_headers_of_a_new_list(void **state)
{
    struct remote remote;
    (void)state;
    init(&remote);
    list(&remote, LISTED("2", TOOL("echo", "")));
    list(&remote, LISTED("4", TOOL("echo", ",\"x-mcp-header\":\"New\"")));
    call(&remote, 400, MISMATCH("3"));
    call(&remote, 200, REMOTE_TEXT("5", "ok"));
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote_count(&remote, "\"tools/call\""), 2);
    assert_int_equal(remote_count(&remote, "Mcp-Param-New: 1"), 1);
    remote_assert_text(&remote, "ok");
}

static void gives_up_when_the_new_headers_are_refused_too(void **state)
{
    struct remote remote;
    (void)state;
    init(&remote);
    list(&remote, LISTED("2", TOOL("echo", "")));
    list(&remote, LISTED("4", TOOL("echo", "")));
    call(&remote, 400, MISMATCH("3"));
    call(&remote, 400, MISMATCH("5"));
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote.peer.code, ERR_FAILED);
    assert_non_null(strstr(remote.peer.err.message, "wrong header"));
    assert_non_null(strstr(remote.peer.err.hint, "proxy"));
    assert_int_equal(remote_count(&remote, "\"tools/call\""), 2);
    remote_finish(&remote);
}

static void says_nothing_in_headers_to_a_legacy_server(void **state)
{
    struct remote remote;
    (void)state;
    remote_init_legacy(&remote, REMOTE_INITIALIZED("2025-11-25"));
    list(&remote, LISTED("3", TOOL("echo", ",\"x-mcp-header\":\"two words\"")));
    peer_run(&remote.peer, peer_list);
    assert_int_equal(remote.peer.n_tools, 1);
    remote_finish(&remote);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_a_parameter_in_a_header_where_its_tool_wants_that),
        cmocka_unit_test(asks_for_the_list_once_for_several_calls),
        cmocka_unit_test(calls_without_headers_where_there_is_no_list),
        cmocka_unit_test(leaves_out_a_tool_that_wants_what_no_header_can_be),
        cmocka_unit_test(calls_once_more_with_the_headers_of_a_new_list),
        cmocka_unit_test(gives_up_when_the_new_headers_are_refused_too),
        cmocka_unit_test(says_nothing_in_headers_to_a_legacy_server),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
