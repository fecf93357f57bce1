
#include "infrastructure/mcp/http/http_transport.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/outcomes.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void call_answered(struct remote *remote, struct mock_answer answer)
{
    remote_init_legacy(remote, REMOTE_INITIALIZED("2025-11-25"));
    remote_answers(remote, "tools/call", answer);
    peer_run(&remote->peer, peer_call);
}

static void keeps_to_the_session_and_ends_it(void **state)
{
    struct remote remote;
    (void)state;
    call_answered(&remote, (struct mock_answer){ .body = REMOTE_TEXT("3", "ok") });
    const char *begin = remote_head_of(&remote, "initialize");
    assert_null(strstr(begin, "Mcp-"));
    assert_null(strcasestr(begin, "MCP-Protocol-Version"));
    const char *head = remote_head_of(&remote, "tools/call");
    assert_non_null(strstr(head, "\r\nMcp-Session-Id: s1\r\n"));
    assert_non_null(strstr(head, "\r\nMCP-Protocol-Version: 2025-11-25\r\n"));
    assert_null(strstr(head, "Mcp-Method"));
    assert_int_equal(remote_count(&remote, "GET /mcp"), 1);
    assert_int_equal(remote_count(&remote, "DELETE /mcp"), 1);
    assert_int_equal(remote_count(&remote, "Mcp-Session-Id: s1"), 4);
    assert_string_equal(remote.peer.status.era, "legacy");
    remote_assert_text(&remote, "ok");
}

static void names_no_revision_before_that_was_asked_for(void **state)
{
    struct remote remote;
    (void)state;
    remote_init_legacy(&remote, REMOTE_INITIALIZED("2025-03-26"));
    remote_answers(&remote, "tools/call", (struct mock_answer){ .body = REMOTE_TEXT("3", "ok") });
    peer_run(&remote.peer, peer_call);
    assert_null(strcasestr(remote_head_of(&remote, "tools/call"), "MCP-Protocol-Version"));
    remote_assert_text(&remote, "ok");
}

static void does_without_a_session(void **state)
{
    struct remote remote;
    (void)state;
    remote_init(&remote);
    remote_answers(
        &remote, "initialize",
        (struct mock_answer){ .type = REMOTE_EVENTS,
                              .body = "data: " REMOTE_INITIALIZED("2025-06-18") "\n\n" });
    remote_answers(&remote, "tools/call", (struct mock_answer){ .body = REMOTE_TEXT("3", "ok") });
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote_count(&remote, "DELETE /mcp"), 0);
    remote_assert_text(&remote, "ok");
}

static void answers_what_the_server_asks_on_a_stream(void **state)
{
    struct remote remote;
    (void)state;
    remote_init_legacy(&remote, REMOTE_INITIALIZED("2025-11-25"));
    mock_endpoint_add(
        remote.endpoint,
        (struct mock_answer){ .path = "/mcp", .when = "\"id\":0", .status = 202, .body = "" });
    remote_answers(&remote, "tools/call",
                   (struct mock_answer){ .type = REMOTE_EVENTS,
                                         .piece = 60,
                                         .every_ms = 10,
                                         .body = "data: {\"jsonrpc\":\"2.0\",\"id\":0,\"method\":"
                                                 "\"ping\"}\n\n"
                                                 "data: " REMOTE_TEXT("3", "asked") "\n\n" });
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote_count(&remote, "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}"), 1);
    remote_assert_text(&remote, "asked");
}

static void hears_what_belongs_to_no_request(void **state)
{
    struct remote remote;
    (void)state;
    remote_init_legacy(&remote, REMOTE_INITIALIZED("2025-11-25"));
    remote.peer.settings.mcp_list_changed_delay_ms = 0;
    mock_endpoint_add(remote.endpoint,
                      (struct mock_answer){ .path = "/mcp",
                                            .with = "GET /mcp",
                                            .type = REMOTE_EVENTS,
                                            .silent = true,
                                            .body = "data: {\"jsonrpc\":\"2.0\",\"method\":"
                                                    "\"notifications/tools/list_changed\"}\n\n" });
    remote_answers(
        &remote, "tools/call",
        (struct mock_answer){ .piece = 40, .every_ms = 20, .body = REMOTE_TEXT("3", "ok") });
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote.peer.n_changes, 1);
    remote_assert_text(&remote, "ok");
}

static size_t place_of(const struct remote *remote, const char *words)
{
    const struct mock_request *requests;
    size_t n = mock_endpoint_requests(remote->endpoint, &requests);
    for (size_t i = 0; i < n; i++)
        if (strstr(requests[i].head, words) || strstr(requests[i].body, words))
            return i;
    return n;
}

/* A call while the stream that listens is answered in this way; returns how long it took. */
static int64_t call_while_it_listens(struct remote *remote, struct mock_answer listening)
{
    struct runtime *runtime;
    remote_init_legacy(remote, REMOTE_INITIALIZED("2025-11-25"));
    listening.path = "/mcp";
    listening.with = "GET /mcp";
    mock_endpoint_add(remote->endpoint, listening);
    remote_answers(remote, "tools/call", (struct mock_answer){ .body = REMOTE_TEXT("3", "ok") });
    runtime = uv_runtime_port(remote->peer.runtime);
    int64_t began_ms = runtime_now_ms(runtime);
    peer_run(&remote->peer, peer_call);
    return runtime_now_ms(runtime) - began_ms;
}

static void asks_nothing_before_it_can_hear_what_the_server_asks(void **state)
{
    static const char head[] =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
    struct remote remote;
    (void)state;
    int64_t ms = call_while_it_listens(
        &remote, (struct mock_answer){
                     .raw = true, .silent = true, .body = head, .piece = 20, .every_ms = 40 });
    assert_true(ms >= 120);
    assert_true(ms < HTTP_LISTEN_MS);
    assert_true(place_of(&remote, "GET /mcp") < place_of(&remote, "tools/call"));
    remote_assert_text(&remote, "ok");
}

static void waits_for_a_stream_that_is_silent_only_so_long(void **state)
{
    struct remote remote;
    (void)state;
    int64_t ms = call_while_it_listens(
        &remote, (struct mock_answer){ .raw = true, .silent = true, .body = "" });
    assert_true(ms >= HTTP_LISTEN_MS);
    remote_assert_text(&remote, "ok");
}

static void resumes_a_stream_where_it_broke_off(void **state)
{
    struct remote remote;
    (void)state;
    remote_init_legacy(&remote, REMOTE_INITIALIZED("2025-11-25"));
    remote_answers(
        &remote, "tools/call",
        (struct mock_answer){ .type = REMOTE_EVENTS,
                              .body = "id: e7\nretry: 10\ndata: \n\nid: e8\ndata: cut" });
    mock_endpoint_add(remote.endpoint,
                      (struct mock_answer){ .path = "/mcp",
                                            .with = "Last-Event-ID: e7\r\n",
                                            .type = REMOTE_EVENTS,
                                            .body = "data: " REMOTE_TEXT("3", "later") "\n\n" });
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote_count(&remote, "Last-Event-ID"), 1);
    assert_int_equal(remote_count(&remote, "\"tools/call\""), 1);
    remote_assert_text(&remote, "later");
}

static void gives_up_a_stream_that_brings_nothing(void **state)
{
    struct remote remote;
    (void)state;
    remote_init_legacy(&remote, REMOTE_INITIALIZED("2025-11-25"));
    remote_answers(
        &remote, "tools/call",
        (struct mock_answer){ .type = REMOTE_EVENTS, .body = "id: e7\nretry: 1\ndata: \n\n" });
    mock_endpoint_add(remote.endpoint, (struct mock_answer){ .path = "/mcp",
                                                             .with = "Last-Event-ID: e7\r\n",
                                                             .type = REMOTE_EVENTS,
                                                             .body = ": nothing\n\n" });
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote_count(&remote, "Last-Event-ID"), 5);
    remote_assert_fails(&remote, ERR_UNAVAILABLE, "its stream ended without an answer");
}

static void fails_a_request_whose_stream_is_not_resumed(void **state)
{
    struct remote remote;
    (void)state;
    remote_init_legacy(&remote, REMOTE_INITIALIZED("2025-11-25"));
    remote_answers(
        &remote, "tools/call",
        (struct mock_answer){ .type = REMOTE_EVENTS, .body = "id: e7\nretry: 1\ndata: \n\n" });
    mock_endpoint_add(remote.endpoint, (struct mock_answer){ .path = "/mcp",
                                                             .with = "Last-Event-ID: e7\r\n",
                                                             .status = 405,
                                                             .body = "no" });
    peer_run(&remote.peer, peer_call);
    remote_assert_fails(&remote, ERR_PROTOCOL, "HTTP 405 instead of an answer");
}

/* The first session is over when the call comes; the second one takes it. */
static void call_in_lost_session(struct remote *remote, struct mock_answer refusal)
{
    remote_init_legacy(remote, REMOTE_INITIALIZED("2025-11-25"));
    remote_answers(
        remote, "initialize",
        (struct mock_answer){ .header = "Mcp-Session-Id: s2\r\n",
                              .body = "{\"jsonrpc\":\"2.0\",\"id\":\"era-4\",\"result\":{"
                                      "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}}" });
    mock_endpoint_add(remote->endpoint, (struct mock_answer){ .path = "/mcp",
                                                              .when = "tools/call",
                                                              .with = "Mcp-Session-Id: s2",
                                                              .type = REMOTE_JSON,
                                                              .body = REMOTE_TEXT("5", "again") });
    refusal.times = 9;
    remote_answers(remote, "tools/call", refusal);
    peer_run(&remote->peer, peer_call);
}

static void begins_a_new_session_when_the_old_one_is_gone(void **state)
{
    struct remote remote;
    (void)state;
    call_in_lost_session(&remote, (struct mock_answer){ .status = 404, .body = "gone" });
    assert_int_equal(remote_count(&remote, "\"initialize\""), 2);
    assert_null(strstr(remote_head_of(&remote, "initialize"), "s1"));
    remote_assert_text(&remote, "again");
    call_in_lost_session(
        &remote, (struct mock_answer){ .status = 400,
                                       .body = "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{"
                                               "\"code\":-32000,\"message\":\"Bad Request: No "
                                               "valid session ID provided\"}}" });
    remote_assert_text(&remote, "again");
}

static void lists_in_a_new_session_when_the_old_one_is_gone(void **state)
{
    struct remote remote;
    (void)state;
    remote_init_legacy(&remote, REMOTE_INITIALIZED("2025-11-25"));
    remote_answers(
        &remote, "initialize",
        (struct mock_answer){
            .header = "Mcp-Session-Id: s2\r\n",
            .body = "{\"jsonrpc\":\"2.0\",\"id\":\"era-4\",\"result\":{"
                    "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}}}}" });
    remote_answers(&remote, "tools/list", (struct mock_answer){ .status = 404 });
    remote_answers(&remote, "tools/list",
                   (struct mock_answer){
                       .body = "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"tools\":[{\"name\":"
                               "\"echo\",\"inputSchema\":{\"type\":\"object\"}}]}}" });
    peer_run(&remote.peer, peer_list);
    assert_string_equal(remote.peer.err.message, "");
    assert_int_equal(remote.peer.n_tools, 1);
    remote_finish(&remote);
}

static void gives_up_when_the_new_session_is_gone_too(void **state)
{
    struct remote remote;
    (void)state;
    remote_init_legacy(&remote, REMOTE_INITIALIZED("2025-11-25"));
    remote_answers(
        &remote, "initialize",
        (struct mock_answer){ .header = "Mcp-Session-Id: s2\r\n",
                              .body = "{\"jsonrpc\":\"2.0\",\"id\":\"era-4\",\"result\":{"
                                      "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}}" });
    remote_answers(&remote, "tools/call", (struct mock_answer){ .status = 404 });
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote_count(&remote, "\"tools/call\""), 2);
    remote_assert_fails(&remote, ERR_UNAVAILABLE, "it gave up the session");
}

static void call_with_session_id(struct remote *remote, size_t length)
{
    static char header[2000];
    size_t n = (size_t)snprintf(header, sizeof header, "Mcp-Session-Id: ");
    memset(header + n, 'x', length);
    strcpy(header + n + length, "\r\n");
    remote_init(remote);
    remote_answers(
        remote, "initialize",
        (struct mock_answer){ .header = header, .body = REMOTE_INITIALIZED("2025-11-25") });
    remote_answers(remote, "notifications/initialized", (struct mock_answer){ .status = 202 });
    remote_answers(remote, "tools/call", (struct mock_answer){ .body = REMOTE_TEXT("3", "ok") });
    peer_run(&remote->peer, peer_call);
}

static void bounds_the_id_of_a_session(void **state)
{
    struct remote remote;
    (void)state;
    call_with_session_id(&remote, 1024);
    remote_assert_text(&remote, "ok");
    call_with_session_id(&remote, 1025);
    remote_assert_fails(&remote, ERR_PROTOCOL, "its Mcp-Session-Id cannot be used");
}

static void says_when_a_call_is_not_waited_for_any_more(void **state)
{
    struct remote remote;
    (void)state;
    remote_init_legacy(&remote, REMOTE_INITIALIZED("2025-11-25"));
    remote.peer.silence_ms = 50;
    remote_answers(&remote, "tools/call",
                   (struct mock_answer){ .type = REMOTE_EVENTS, .silent = true, .body = ":\n\n" });
    peer_run(&remote.peer, peer_call);
    remote_assert_fails(&remote, ERR_TIMEOUT, "no answer for 0.05 s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_to_the_session_and_ends_it),
        cmocka_unit_test(names_no_revision_before_that_was_asked_for),
        cmocka_unit_test(does_without_a_session),
        cmocka_unit_test(answers_what_the_server_asks_on_a_stream),
        cmocka_unit_test(hears_what_belongs_to_no_request),
        cmocka_unit_test(asks_nothing_before_it_can_hear_what_the_server_asks),
        cmocka_unit_test(waits_for_a_stream_that_is_silent_only_so_long),
        cmocka_unit_test(resumes_a_stream_where_it_broke_off),
        cmocka_unit_test(gives_up_a_stream_that_brings_nothing),
        cmocka_unit_test(fails_a_request_whose_stream_is_not_resumed),
        cmocka_unit_test(begins_a_new_session_when_the_old_one_is_gone),
        cmocka_unit_test(lists_in_a_new_session_when_the_old_one_is_gone),
        cmocka_unit_test(gives_up_when_the_new_session_is_gone_too),
        cmocka_unit_test(bounds_the_id_of_a_session),
        cmocka_unit_test(says_when_a_call_is_not_waited_for_any_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
