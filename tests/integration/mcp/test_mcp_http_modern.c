
#include "tests/support/cmocka.h"
#include "tests/support/full/outcomes.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void call_answered(struct remote *remote, struct mock_answer answer)
{
    remote_init_modern(remote);
    remote_answers(remote, "tools/call", answer);
    peer_run(&remote->peer, peer_call);
}

static void says_in_headers_what_the_body_says(void **state)
{
    struct remote remote;
    (void)state;
    static const char *const headers[] = { "X-Team: red", "X-Empty: ", "Accept: nothing" };
    remote_init_modern(&remote);
    remote.peer.config.headers = headers;
    remote.peer.config.n_headers = 3;
    remote_answers(&remote, "tools/call", (struct mock_answer){ .body = REMOTE_TEXT("2", "ok") });
    peer_run(&remote.peer, peer_call);
    const char *probe = remote_head_of(&remote, "server/discover");
    assert_non_null(strstr(probe, "\r\nMCP-Protocol-Version: 2026-07-28\r\n"));
    assert_non_null(strstr(probe, "\r\nMcp-Method: server/discover\r\n"));
    const char *head = remote_head_of(&remote, "tools/call");
    assert_non_null(strstr(head, "POST /mcp "));
    assert_non_null(strstr(head, "\r\nContent-Type: application/json\r\n"));
    assert_non_null(strstr(head, "\r\nAccept: application/json, text/event-stream\r\n"));
    assert_non_null(strstr(head, "\r\nMcp-Method: tools/call\r\n"));
    assert_non_null(strstr(head, "\r\nMcp-Name: echo\r\n"));
    assert_non_null(strstr(head, "\r\nX-Team: red\r\n"));
    assert_non_null(strstr(head, "\r\nX-Empty:"));
    assert_null(strstr(head, "nothing"));
    assert_null(strstr(head, "Mcp-Session-Id"));
    assert_int_equal(remote_count(&remote, "GET /"), 0);
    assert_int_equal(remote_count(&remote, "DELETE /"), 0);
    assert_string_equal(remote.peer.status.era, "modern");
    assert_string_equal(remote.peer.status.transport, "http");
    remote_assert_text(&remote, "ok");
}

static void encodes_a_name_that_no_header_can_hold(void **state)
{
    struct remote remote;
    (void)state;
    remote_init_modern(&remote);
    remote.peer.tool = "caf\xC3\xA9";
    remote_answers(&remote, "tools/call", (struct mock_answer){ .body = REMOTE_TEXT("2", "ok") });
    peer_run(&remote.peer, peer_call);
    assert_non_null(
        strstr(remote_head_of(&remote, "tools/call"), "\r\nMcp-Name: =?base64?Y2Fmw6k=?=\r\n"));
    remote_assert_text(&remote, "ok");
}

static void takes_progress_and_answer_from_one_stream(void **state)
{
    struct remote remote;
    (void)state;
    call_answered(&remote,
                  (struct mock_answer){
                      .type = REMOTE_EVENTS,
                      .piece = 7,
                      .body = ": hello\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                              "progress\",\"params\":{\"progressToken\":\"2\",\"progress\":1}}\n\n"
                              "event: other\ndata: junk\n\n"
                              "event: message\ndata: " REMOTE_TEXT("2", "streamed") "\n\n" });
    assert_int_equal(remote.peer.n_progress, 1);
    remote_assert_text(&remote, "streamed");
}

static void does_not_wait_for_the_end_of_a_stream_after_its_answer(void **state)
{
    struct remote remote;
    (void)state;
    call_answered(&remote,
                  (struct mock_answer){ .type = REMOTE_EVENTS,
                                        .silent = true,
                                        .body = "data: " REMOTE_TEXT("2", "done") "\n\n" });
    remote_assert_text(&remote, "done");
}

static void takes_messages_line_by_line(void **state)
{
    struct remote remote;
    (void)state;
    call_answered(
        &remote,
        (struct mock_answer){
            .piece = 11,
            .body = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
                    "{\"progressToken\":\"2\",\"progress\":1}}\n" REMOTE_TEXT("2", "lines") });
    assert_int_equal(remote.peer.n_progress, 1);
    remote_assert_text(&remote, "lines");
}

static void takes_an_answer_printed_over_several_lines(void **state)
{
    struct remote remote;
    (void)state;
    call_answered(&remote, (struct mock_answer){ .body = "{\n \"jsonrpc\": \"2.0\",\n \"id\": 2,\n"
                                                         " \"result\": {\"content\": []}\n}\n" });
    remote_assert_text(&remote, "");
}

static void is_not_misled_by_a_first_line_that_looks_whole(void **state)
{
    struct remote remote;
    (void)state;
    call_answered(
        &remote, (struct mock_answer){
                     .piece = 30,
                     .body = "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[],\"_meta\":{}"
                             "\n}}\n" });
    remote_assert_text(&remote, "");
}

static void hears_an_error_whatever_the_status_is(void **state)
{
    struct remote remote;
    (void)state;
    call_answered(
        &remote,
        (struct mock_answer){ .status = 400,
                              .body = "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32603,"
                                      "\"message\":\"no luck\"}}" });
    remote_assert_fails(&remote, ERR_FAILED, "no luck");
    call_answered(&remote, (struct mock_answer){
                               .status = 404,
                               .body = "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32601,"
                                       "\"message\":\"no such method\"}}" });
    assert_non_null(strstr(remote.peer.err.message, "no such method"));
    remote_finish(&remote);
}

static void closes_the_stream_of_a_call_that_takes_too_long(void **state)
{
    struct remote remote;
    (void)state;
    remote_init_modern(&remote);
    remote.peer.silence_ms = 50;
    remote_answers(
        &remote, "tools/call",
        (struct mock_answer){ .type = REMOTE_EVENTS, .silent = true, .body = ": wait\n\n" });
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote_count(&remote, "notifications/cancelled"), 0);
    remote_assert_fails(&remote, ERR_TIMEOUT, "no answer for 0.05 s");
}

static void says_when_a_stream_ends_without_an_answer(void **state)
{
    struct remote remote;
    (void)state;
    call_answered(&remote, (struct mock_answer){ .type = REMOTE_EVENTS,
                                                 .body = "id: 1\nretry: 1\ndata: \n\n" });
    assert_int_equal(remote_count(&remote, "GET /"), 0);
    remote_assert_fails(&remote, ERR_UNAVAILABLE, "its stream ended without an answer");
    call_answered(&remote, (struct mock_answer){ .type = REMOTE_EVENTS,
                                                 .body = "data: " REMOTE_TEXT("2", "half") });
    remote_assert_fails(&remote, ERR_UNAVAILABLE, "its stream ended without an answer");
}

static void refuses_what_is_no_message(void **state)
{
    struct remote remote;
    (void)state;
    call_answered(&remote, (struct mock_answer){ .type = "text/html", .body = "<p>hello" });
    assert_non_null(strstr(remote.peer.err.hint, "that of an MCP endpoint"));
    remote_assert_fails(&remote, ERR_PROTOCOL, "something other than an MCP message");
    call_answered(&remote, (struct mock_answer){ .status = 202 });
    remote_assert_fails(&remote, ERR_PROTOCOL, "it did not answer (HTTP 202)");
}

/* The handshake's messages are shorter than the bound. */
static void call_with_answer_of(struct remote *remote, size_t length, struct mock_answer answer)
{
    static char text[4096];
    static const char begin[] = "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[],\"x\":\"";
    memset(text, 'x', sizeof text);
    memcpy(text, begin, strlen(begin));
    strcpy(text + length - 3, "\"}}");
    remote_init_modern(remote);
    remote->peer.settings.mcp_max_message_bytes = 2048;
    answer.body = text;
    remote_answers(remote, "tools/call", answer);
    peer_run(&remote->peer, peer_call);
}

static void bounds_a_message(void **state)
{
    struct remote remote;
    (void)state;
    call_with_answer_of(&remote, 2048, (struct mock_answer){ 0 });
    remote_assert_text(&remote, "");
    call_with_answer_of(&remote, 2049, (struct mock_answer){ 0 });
    assert_non_null(strstr(remote.peer.err.hint, "mcp.max_message_bytes"));
    remote_assert_fails(&remote, ERR_LIMIT, "a message is longer than 2048 bytes");
}

static void call_after_redirects(struct remote *remote, unsigned n, int status)
{
    remote_init_modern(remote);
    remote_answers(
        remote, "tools/call",
        (struct mock_answer){ .status = status, .header = "Location: /mcp/next\r\n", .times = n });
    remote_answers(remote, "tools/call", (struct mock_answer){ .body = REMOTE_TEXT("2", "ok") });
    peer_run(&remote->peer, peer_call);
}

static void follows_a_few_redirects_within_the_origin(void **state)
{
    struct remote remote;
    (void)state;
    call_after_redirects(&remote, 3, 307);
    assert_int_equal(remote_count(&remote, "POST /mcp/next"), 3);
    remote_assert_text(&remote, "ok");
    call_after_redirects(&remote, 4, 308);
    remote_assert_fails(&remote, ERR_UNAVAILABLE, "it redirects more than 3 times (HTTP 308)");
    call_after_redirects(&remote, 1, 302);
    remote_assert_fails(&remote, ERR_UNAVAILABLE, "it leads elsewhere (HTTP 302)");
}

static void carries_nothing_to_another_origin(void **state)
{
    struct remote remote;
    (void)state;
    call_answered(&remote, (struct mock_answer){
                               .status = 307, .header = "Location: http://127.0.0.1:9/mcp\r\n" });
    assert_non_null(strstr(remote.peer.err.hint, "write that url"));
    remote_assert_fails(&remote, ERR_UNAVAILABLE, "it leads elsewhere (HTTP 307)");
}

static enum err_code list_then_call_both(struct runtime *runtime, struct scope *scope,
                                         void *argument)
{
    (void)!peer_list(runtime, scope, argument);
    return peer_call_both(runtime, scope, argument);
}

static void runs_calls_side_by_side(void **state)
{
    struct remote remote;
    (void)state;
    remote_init_modern(&remote);
    mock_endpoint_add(remote.endpoint, (struct mock_answer){ .path = "/mcp",
                                                             .with = "Mcp-Name: other",
                                                             .type = REMOTE_JSON,
                                                             .piece = 10,
                                                             .every_ms = 5,
                                                             .body = REMOTE_TEXT("3", "other") });
    mock_endpoint_add(remote.endpoint, (struct mock_answer){ .path = "/mcp",
                                                             .with = "Mcp-Name: echo",
                                                             .type = REMOTE_JSON,
                                                             .body = REMOTE_TEXT("2", "echo") });
    peer_run(&remote.peer, list_then_call_both);
    assert_int_equal(mock_endpoint_most_at_once(remote.endpoint), 2);
    assert_int_equal(remote.peer.other_code, ERR_NONE);
    assert_string_equal(step_result_text(&remote.peer.arena, &remote.peer.other_result), "other");
    remote_assert_text(&remote, "echo");
}

static void uses_one_connection_for_one_after_the_other(void **state)
{
    struct remote remote;
    (void)state;
    remote_init(&remote);
    remote_answers(&remote, "server/discover",
                   (struct mock_answer){ .keeps = true, .body = REMOTE_DISCOVERED });
    remote_answers(&remote, "tools/call",
                   (struct mock_answer){ .keeps = true, .body = REMOTE_TEXT("2", "one") });
    remote_answers(&remote, "tools/call",
                   (struct mock_answer){ .keeps = true, .body = REMOTE_TEXT("3", "two") });
    peer_run(&remote.peer, peer_call_then_call);
    assert_int_equal(mock_endpoint_connections(remote.endpoint), 1);
    remote_assert_text(&remote, "two");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_in_headers_what_the_body_says),
        cmocka_unit_test(encodes_a_name_that_no_header_can_hold),
        cmocka_unit_test(takes_progress_and_answer_from_one_stream),
        cmocka_unit_test(does_not_wait_for_the_end_of_a_stream_after_its_answer),
        cmocka_unit_test(takes_messages_line_by_line),
        cmocka_unit_test(takes_an_answer_printed_over_several_lines),
        cmocka_unit_test(is_not_misled_by_a_first_line_that_looks_whole),
        cmocka_unit_test(hears_an_error_whatever_the_status_is),
        cmocka_unit_test(closes_the_stream_of_a_call_that_takes_too_long),
        cmocka_unit_test(says_when_a_stream_ends_without_an_answer),
        cmocka_unit_test(refuses_what_is_no_message),
        cmocka_unit_test(bounds_a_message),
        cmocka_unit_test(follows_a_few_redirects_within_the_origin),
        cmocka_unit_test(carries_nothing_to_another_origin),
        cmocka_unit_test(runs_calls_side_by_side),
        cmocka_unit_test(uses_one_connection_for_one_after_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
