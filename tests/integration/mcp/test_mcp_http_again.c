
#include "infrastructure/mcp/http/http_transport.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/known_era.h"
#include "tests/support/full/outcomes.h"
#include <string.h>

/* What is sent again, and what is not. */

#define REFUSED(n, list)                                                                           \
    "{\"jsonrpc\":\"2.0\",\"id\":" n ",\"error\":{\"code\":-32022,\"message\":\"another one\","    \
    "\"data\":{\"supported\":" list "}}}"

static void answers_call(struct remote *remote, struct mock_answer answer)
{
    remote_answers(remote, "tools/call", answer);
}

static const struct mock_answer busy = { .status = 429, .header = "Retry-After: 0\r\n" };

static void comes_back_to_a_server_that_has_too_much_to_do(void **state)
{
    struct remote remote;
    (void)state;
    remote_init_modern(&remote);
    for (int i = 0; i < HTTP_MAX_WAITS; i++)
        answers_call(&remote, busy);
    answers_call(&remote, (struct mock_answer){ .body = REMOTE_TEXT("2", "now") });
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote_count(&remote, "\"tools/call\""), HTTP_MAX_WAITS + 1);
    remote_assert_text(&remote, "now");
}

static void comes_back_only_so_often(void **state)
{
    struct remote remote;
    (void)state;
    remote_init_modern(&remote);
    answers_call(&remote, busy);
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote_count(&remote, "\"tools/call\""), HTTP_MAX_WAITS + 1);
    remote_assert_fails(&remote, ERR_UNAVAILABLE, "it has too much to do (HTTP 429)");
}

static void does_not_wait_for_what_is_too_late(void **state)
{
    struct remote remote;
    (void)state;
    remote_init_modern(&remote);
    answers_call(&remote, (struct mock_answer){ .status = 429, .header = "Retry-After: 31\r\n" });
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote_count(&remote, "\"tools/call\""), 1);
    assert_string_equal(remote.peer.err.hint, "the server asks to be left alone for 31 s");
    remote_assert_fails(&remote, ERR_UNAVAILABLE, "HTTP 429");
}

static void says_nothing_of_a_time_that_the_server_did_not_name(void **state)
{
    struct remote remote;
    (void)state;
    remote_init_modern(&remote);
    answers_call(&remote, (struct mock_answer){ .status = 429 });
    peer_run(&remote.peer, peer_call);
    assert_string_equal(remote.peer.err.hint, "");
    remote_assert_fails(&remote, ERR_UNAVAILABLE, "HTTP 429");
}

/* libcurl would send it again by itself. */
static void repeats_no_call_on_another_connection(void **state)
{
    struct remote remote;
    (void)state;
    remote_init(&remote);
    remote_answers(&remote, "server/discover",
                   (struct mock_answer){ .body = REMOTE_DISCOVERED, .keeps = true });
    answers_call(&remote, (struct mock_answer){ .reset = true });
    answers_call(&remote, (struct mock_answer){ .body = REMOTE_TEXT("2", "twice") });
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote_count(&remote, "\"tools/call\""), 1);
    remote_assert_fails(&remote, ERR_UNAVAILABLE, "the connection was lost");
}

static void repeats_no_call_that_may_have_begun(void **state)
{
    struct remote remote;
    (void)state;
    remote_init(&remote);
    remote_answers(&remote, "server/discover",
                   (struct mock_answer){ .status = 503, .header = "Retry-After: 0\r\n" });
    remote_answers(&remote, "server/discover", (struct mock_answer){ .body = REMOTE_DISCOVERED });
    answers_call(&remote, (struct mock_answer){ .status = 503, .header = "Retry-After: 0\r\n" });
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote_count(&remote, "Mcp-Method: server/discover"), 2);
    assert_int_equal(remote_count(&remote, "\"tools/call\""), 1);
    remote_assert_fails(&remote, ERR_UNAVAILABLE, "HTTP 503");
}

static void says_whether_a_call_may_have_taken_effect(void **state)
{
    static const struct {
        struct mock_answer answer;
        bool is_unknown;
    } cases[] = {
        { { .reset = true }, true },
        { { .status = 500, .body = "oops" }, true },
        { { .status = 504 }, true },
        { { .status = 303, .header = "Location: /done\r\n" }, true },
        { { .body = "" }, true },
        { { .type = "text/event-stream", .body = ": bye\n\n" }, true },
        { { .body = "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":" }, true },
        { { .status = 307, .header = "Location: http://elsewhere.invalid/\r\n" }, false },
        { { .status = 400, .body = "no" }, false },
        { { .status = 403 }, false },
        { { .status = 429 }, false },
        { { .body =
                "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32603,\"message\":\"no\"}}" },
          false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct remote remote;
        remote_init_modern(&remote);
        answers_call(&remote, cases[i].answer);
        peer_run(&remote.peer, peer_call);
        const struct err *err = &remote.peer.err;
        bool says_so = strstr(err->message, "sent, no answer: it may have taken effect (") != NULL;
        if (says_so != cases[i].is_unknown || err->is_outcome_unknown != says_so)
            fail_msg("case %zu: %s", i, err->message);
        assert_int_equal(remote_count(&remote, "\"tools/call\""), 1);
        remote_finish(&remote);
    }
}

static void calls_once_more_when_the_revision_is_listed_all_the_same(void **state)
{
    struct remote remote;
    (void)state;
    remote_init_modern(&remote);
    answers_call(&remote,
                 (struct mock_answer){ .status = 400, .body = REFUSED("2", "[\"2026-07-28\"]") });
    answers_call(&remote, (struct mock_answer){ .body = REMOTE_TEXT("3", "ok") });
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote_count(&remote, "Mcp-Method: server/discover"), 1);
    remote_assert_text(&remote, "ok");
}

static void gives_up_when_the_revision_is_refused_again(void **state)
{
    struct remote remote;
    (void)state;
    remote_init_modern(&remote);
    answers_call(&remote,
                 (struct mock_answer){ .status = 400, .body = REFUSED("2", "[\"2026-07-28\"]") });
    answers_call(&remote,
                 (struct mock_answer){ .status = 400, .body = REFUSED("3", "[\"2026-07-28\"]") });
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote_count(&remote, "\"tools/call\""), 2);
    remote_assert_fails(&remote, ERR_PROTOCOL, "another one");
}

static void asks_what_it_speaks_when_that_has_changed(void **state)
{
    struct remote remote;
    (void)state;
    remote_init_modern(&remote);
    answers_call(&remote,
                 (struct mock_answer){ .status = 400, .body = REFUSED("2", "[\"2025-11-25\"]") });
    remote_answers(
        &remote, "server/discover",
        (struct mock_answer){ .status = 400, .body = REFUSED("\"era-3\"", "[\"2025-11-25\"]") });
    remote_answers(
        &remote, "initialize",
        (struct mock_answer){ .body = "{\"jsonrpc\":\"2.0\",\"id\":\"era-4\",\"result\":{"
                                      "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}}" });
    answers_call(&remote, (struct mock_answer){ .body = REMOTE_TEXT("5", "older") });
    peer_run(&remote.peer, peer_call);
    assert_string_equal(remote.peer.status.era, "legacy");
    remote_assert_text(&remote, "older");
}

static enum err_code call_then_call_both(struct runtime *runtime, struct scope *scope,
                                         void *argument)
{
    (void)!peer_call(runtime, scope, argument);
    return peer_call_both(runtime, scope, argument);
}

static void answers_name(struct remote *remote, const char *name, struct mock_answer answer)
{
    answer.path = "/mcp";
    answer.when = name;
    answer.type = REMOTE_JSON;
    mock_endpoint_add(remote->endpoint, answer);
}

static void makes_all_calls_again_that_a_lost_session_turned_away(void **state)
{
    struct remote remote;
    (void)state;
    remote_init_legacy(&remote, REMOTE_INITIALIZED("2025-11-25"));
    remote_answers(
        &remote, "initialize",
        (struct mock_answer){ .header = "Mcp-Session-Id: s2\r\n",
                              .body = "{\"jsonrpc\":\"2.0\",\"id\":\"era-6\",\"result\":{"
                                      "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}}" });
    answers_name(&remote, "\"echo\"", (struct mock_answer){ .body = REMOTE_TEXT("3", "first") });
    answers_name(&remote, "\"echo\"", (struct mock_answer){ .status = 404, .body = "gone" });
    answers_name(&remote, "\"echo\"", (struct mock_answer){ .body = REMOTE_TEXT("7", "echo") });
    answers_name(&remote, "\"other\"", (struct mock_answer){ .status = 404, .body = "gone" });
    answers_name(&remote, "\"other\"", (struct mock_answer){ .body = REMOTE_TEXT("8", "other") });
    peer_run(&remote.peer, call_then_call_both);
    assert_int_equal(remote_count(&remote, "\"initialize\""), 2);
    assert_int_equal(remote.peer.other_code, ERR_NONE);
    assert_string_equal(step_result_text(&remote.peer.arena, &remote.peer.other_result), "other");
    remote_assert_text(&remote, "echo");
}

static void corrects_what_it_remembers_of_a_server_that_became_modern(void **state)
{
    struct known_era known = { .base = { &known_era_ops }, .era = ERA_LEGACY };
    struct remote remote;
    (void)state;
    remote_init(&remote);
    remote.peer.eras = &known.base;
    remote_answers(
        &remote, "initialize",
        (struct mock_answer){ .status = 400, .body = REFUSED("\"era-1\"", "[\"2026-07-28\"]") });
    remote_answers(&remote, "server/discover",
                   (struct mock_answer){
                       .body = "{\"jsonrpc\":\"2.0\",\"id\":\"era-2\",\"result\":{"
                               "\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{}}}" });
    answers_call(&remote, (struct mock_answer){ .body = REMOTE_TEXT("3", "new") });
    peer_run(&remote.peer, peer_call);
    assert_string_equal(remote.peer.status.era, "modern");
    assert_int_equal(known.era, ERA_MODERN);
    remote_assert_text(&remote, "new");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back_to_a_server_that_has_too_much_to_do),
        cmocka_unit_test(comes_back_only_so_often),
        cmocka_unit_test(does_not_wait_for_what_is_too_late),
        cmocka_unit_test(says_nothing_of_a_time_that_the_server_did_not_name),
        cmocka_unit_test(repeats_no_call_on_another_connection),
        cmocka_unit_test(repeats_no_call_that_may_have_begun),
        cmocka_unit_test(says_whether_a_call_may_have_taken_effect),
        cmocka_unit_test(calls_once_more_when_the_revision_is_listed_all_the_same),
        cmocka_unit_test(gives_up_when_the_revision_is_refused_again),
        cmocka_unit_test(asks_what_it_speaks_when_that_has_changed),
        cmocka_unit_test(makes_all_calls_again_that_a_lost_session_turned_away),
        cmocka_unit_test(corrects_what_it_remembers_of_a_server_that_became_modern),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
