
#include "tests/support/cmocka.h"
#include "tests/support/full/known_era.h"
#include "tests/support/full/outcomes.h"
#include <stdio.h>
#include <string.h>

#define EVENT(message) "event: message\ndata: " message "\n\n"
#define INITIALIZED(n)                                                                             \
    EVENT("{\"jsonrpc\":\"2.0\",\"id\":\"era-" n "\",\"result\":{\"protocolVersion\":"             \
          "\"2024-11-05\",\"capabilities\":{}}}")

/* A server that takes messages at /post only, and says so on its stream. */
static void init(struct remote *remote, const char *endpoint)
{
    remote_init(remote);
    mock_endpoint_add(remote->endpoint, (struct mock_answer){ .path = "/mcp",
                                                              .with = "GET /mcp",
                                                              .type = REMOTE_EVENTS,
                                                              .silent = true,
                                                              .body = endpoint });
}

static void posted(struct remote *remote, const char *method, struct mock_answer answer)
{
    answer.path = "/post";
    answer.status = answer.status ? answer.status : 202;
    answer.body = "Accepted";
    remote_answers(remote, method, answer);
}

/* After the probe and an initialize that was posted to the URL itself. */
static void init_ready(struct remote *remote)
{
    init(remote, "event: endpoint\ndata: /post?session=1\n\n");
    posted(remote, "initialize", (struct mock_answer){ .elsewhere = INITIALIZED("3") });
    posted(remote, "notifications/initialized", (struct mock_answer){ 0 });
}

static void posts_where_the_stream_says_and_hears_on_the_stream(void **state)
{
    struct remote remote;
    (void)state;
    init_ready(&remote);
    posted(&remote, "tools/call",
           (struct mock_answer){ .elsewhere = EVENT(REMOTE_TEXT("4", "by stream")) });
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote_count(&remote, "POST /post?session=1 "), 3);
    assert_int_equal(remote_count(&remote, "GET /mcp "), 1);
    assert_int_equal(remote_count(&remote, "DELETE "), 0);
    assert_int_equal(remote_count(&remote, "Accept: text/event-stream\r\n"), 1);
    assert_string_equal(remote.peer.status.era, "legacy");
    assert_string_equal(remote.peer.status.protocol_version, "2024-11-05");
    assert_string_equal(remote.peer.status.transport, "sse");
    remote_assert_text(&remote, "by stream");
}

static void hears_progress_on_the_stream(void **state)
{
    struct remote remote;
    (void)state;
    init_ready(&remote);
    posted(&remote, "tools/call",
           (struct mock_answer){
               .elsewhere = EVENT("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                                  "progress\","
                                  "\"params\":{\"progressToken\":\"4\",\"progress\":1}"
                                  "}") ": keepalive\n\n" EVENT(REMOTE_TEXT("4", "done")) });
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote.peer.n_progress, 1);
    remote_assert_text(&remote, "done");
}

static void posts_to_no_other_origin(void **state)
{
    struct remote remote;
    (void)state;
    init(&remote, "event: endpoint\ndata: http://127.0.0.1:1/post\n\n");
    remote.peer.config.era = ERA_SSE;
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote_count(&remote, "POST "), 0);
    remote_assert_fails(&remote, ERR_DENIED, "messages sent to another origin");
}

static void ends_the_session_with_the_stream(void **state)
{
    struct remote remote;
    (void)state;
    init_ready(&remote);
    posted(&remote, "tools/call",
           (struct mock_answer){ .elsewhere = ": bye\n\n", .ends_elsewhere = true });
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote_count(&remote, "\"tools/call\""), 1);
    remote_assert_fails(&remote, ERR_UNAVAILABLE, "its stream of events ended");
}

static void starts_over_after_the_stream_was_lost(void **state)
{
    struct remote remote;
    (void)state;
    init_ready(&remote);
    posted(&remote, "tools/call",
           (struct mock_answer){ .elsewhere = ": bye\n\n", .ends_elsewhere = true });
    posted(&remote, "initialize", (struct mock_answer){ .elsewhere = INITIALIZED("5") });
    posted(&remote, "tools/call",
           (struct mock_answer){ .elsewhere = EVENT(REMOTE_TEXT("6", "again")) });
    peer_run(&remote.peer, peer_call_then_call);
    assert_int_equal(remote_count(&remote, "GET /mcp "), 2);
    assert_int_equal(remote_count(&remote, "server/discover"), 1);
    assert_int_equal(remote.peer.code, ERR_NONE);
    assert_string_equal(step_result_text(&remote.peer.arena, &remote.peer.result), "again");
    remote_finish(&remote);
}

static void fails_a_call_that_could_not_be_posted(void **state)
{
    struct remote remote;
    (void)state;
    init_ready(&remote);
    posted(&remote, "tools/call", (struct mock_answer){ .status = 500 });
    peer_run(&remote.peer, peer_call);
    remote_assert_fails(&remote, ERR_PROTOCOL, "HTTP 500 instead of an answer");
}

static void explains_a_server_that_speaks_neither_by_its_first_word(void **state)
{
    struct remote remote;
    (void)state;
    remote_init(&remote);
    mock_endpoint_add(remote.endpoint, (struct mock_answer){ .path = "/mcp",
                                                             .with = "GET /mcp",
                                                             .type = "text/html",
                                                             .body = "<p>hello" });
    mock_endpoint_add(remote.endpoint,
                      (struct mock_answer){ .path = "/mcp", .status = 405, .body = "" });
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote_count(&remote, "GET /mcp "), 1);
    remote_assert_fails(&remote, ERR_PROTOCOL, "initialize: HTTP 405 instead of an answer");
}

#define REFUSES(n, error) "{\"jsonrpc\":\"2.0\",\"id\":\"era-" n "\",\"error\":" error "}"

static void an_error_beside_the_status_does_not_hide_the_old_way(void **state)
{
    static const int statuses[] = { 400, 404, 405 };
    (void)state;
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        struct remote remote;
        init_ready(&remote);
        remote_answers(&remote, "initialize",
                       (struct mock_answer){
                           .status = statuses[i],
                           .body = REFUSES("2", "{\"code\":-32000,\"message\":\"not here\"}") });
        posted(&remote, "tools/call",
               (struct mock_answer){ .elsewhere = EVENT(REMOTE_TEXT("4", "by stream")) });
        peer_run(&remote.peer, peer_call);
        assert_string_equal(remote.peer.status.transport, "sse");
        remote_assert_text(&remote, "by stream");
    }
}

/* The probe is refused, and initialize in these words. */
static void init_refusing(struct remote *remote, int status, const char *refusal)
{
    init(remote, "event: endpoint\ndata: /post\n\n");
    remote_answers(remote, "server/discover", (struct mock_answer){ .status = 404 });
    remote_answers(remote, "initialize", (struct mock_answer){ .status = status, .body = refusal });
}

static void who_says_what_is_wrong_is_not_asked_the_old_way(void **state)
{
    static const struct {
        int status;
        const char *refusal, *words;
    } cases[] = {
        { 200, REFUSES("2", "{\"code\":-32000,\"message\":\"not you\"}"), "refused: \"not you\"" },
        { 400, REFUSES("2", "{\"code\":-32021,\"message\":\"roots\"}"), "refused: \"roots\"" },
        { 400, REFUSES("2", "{\"code\":-32602,\"message\":\"x\",\"data\":{\"supported\":[\"1\"]}}"),
          "1" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct remote remote;
        init_refusing(&remote, cases[i].status, cases[i].refusal);
        peer_run(&remote.peer, peer_call);
        assert_int_equal(remote_count(&remote, "GET /mcp "), 0);
        remote_assert_fails(&remote, ERR_PROTOCOL, cases[i].words);
    }
}

static void both_the_status_and_the_error_explain_a_server_that_speaks_neither(void **state)
{
    struct remote remote;
    (void)state;
    remote_init(&remote);
    mock_endpoint_add(
        remote.endpoint,
        (struct mock_answer){ .path = "/mcp", .with = "GET /mcp", .status = 405, .body = "" });
    remote_answers(&remote, "server/discover", (struct mock_answer){ .status = 404 });
    remote_answers(
        &remote, "initialize",
        (struct mock_answer){ .status = 404,
                              .body = REFUSES("2", "{\"code\":-32601,\"message\":\"what?\"}") });
    peer_run(&remote.peer, peer_call);
    remote_assert_fails(&remote, ERR_PROTOCOL, "initialize: HTTP 404, error -32601: \"what?\"");
}

static void does_not_wait_for_ever_for_an_endpoint(void **state)
{
    struct remote remote;
    (void)state;
    init(&remote, ": nothing\n\n");
    remote.peer.config.era = ERA_SSE;
    remote.peer.settings.mcp_start_timeout_ms = 100;
    peer_run(&remote.peer, peer_call);
    remote_assert_fails(&remote, ERR_TIMEOUT, "not ready within 0.1 s");
}

static void goes_there_at_once_the_next_time(void **state)
{
    struct known_era known = { .base = { &known_era_ops } };
    struct remote remote;
    (void)state;
    init_ready(&remote);
    remote.peer.eras = &known.base;
    posted(&remote, "tools/call",
           (struct mock_answer){ .elsewhere = EVENT(REMOTE_TEXT("4", "1")) });
    peer_run(&remote.peer, peer_call);
    remote_assert_text(&remote, "1");
    assert_int_equal(known.era, ERA_SSE);
    init(&remote, "event: endpoint\ndata: post\n\n");
    remote.peer.eras = &known.base;
    posted(&remote, "initialize", (struct mock_answer){ .elsewhere = INITIALIZED("1") });
    posted(&remote, "notifications/initialized", (struct mock_answer){ 0 });
    posted(&remote, "tools/call",
           (struct mock_answer){ .elsewhere = EVENT(REMOTE_TEXT("2", "2")) });
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote_count(&remote, "server/discover"), 0);
    assert_int_equal(remote_count(&remote, "POST /mcp"), 0);
    remote_assert_text(&remote, "2");
}

static void asks_anew_when_the_server_is_not_as_it_was(void **state)
{
    struct known_era known = { .base = { &known_era_ops }, .era = ERA_SSE };
    struct remote remote;
    (void)state;
    remote_init(&remote);
    remote.peer.eras = &known.base;
    remote_answers(&remote, "server/discover",
                   (struct mock_answer){ .body =
                                             "{\"jsonrpc\":\"2.0\",\"id\":\"era-2\",\"result\":{"
                                             "\"supportedVersions\":[\"2026-07-28\"],"
                                             "\"capabilities\":{}}}" });
    remote_answers(&remote, "tools/call", (struct mock_answer){ .body = REMOTE_TEXT("3", "new") });
    peer_run(&remote.peer, peer_call);
    assert_int_equal(known.era, ERA_MODERN);
    assert_string_equal(remote.peer.status.transport, "http");
    remote_assert_text(&remote, "new");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(posts_where_the_stream_says_and_hears_on_the_stream),
        cmocka_unit_test(hears_progress_on_the_stream),
        cmocka_unit_test(posts_to_no_other_origin),
        cmocka_unit_test(ends_the_session_with_the_stream),
        cmocka_unit_test(starts_over_after_the_stream_was_lost),
        cmocka_unit_test(fails_a_call_that_could_not_be_posted),
        cmocka_unit_test(explains_a_server_that_speaks_neither_by_its_first_word),
        cmocka_unit_test(an_error_beside_the_status_does_not_hide_the_old_way),
        cmocka_unit_test(who_says_what_is_wrong_is_not_asked_the_old_way),
        cmocka_unit_test(both_the_status_and_the_error_explain_a_server_that_speaks_neither),
        cmocka_unit_test(does_not_wait_for_ever_for_an_endpoint),
        cmocka_unit_test(goes_there_at_once_the_next_time),
        cmocka_unit_test(asks_anew_when_the_server_is_not_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
