
#include "tests/support/cmocka.h"
#include "tests/support/full/known_era.h"
#include "tests/support/full/outcomes.h"
#include <stdio.h>
#include <string.h>

#define UNSUPPORTED(id, list)                                                                      \
    "{\"jsonrpc\":\"2.0\",\"id\":\"" id                                                            \
    "\",\"error\":{\"code\":-32022,\"message\":\"no\",\"data\":"                                   \
    "{\"supported\":" list "}}}"

static void probe_answered(struct remote *remote, struct mock_answer answer)
{
    remote_init(remote);
    remote_answers(remote, "server/discover", answer);
    remote_answers(remote, "initialize",
                   (struct mock_answer){ .body = REMOTE_INITIALIZED("2025-06-18") });
    remote_answers(remote, "tools/call", (struct mock_answer){ .body = REMOTE_TEXT("3", "ok") });
    peer_run(&remote->peer, peer_call);
}

static void takes_what_is_no_modern_answer_for_legacy(void **state)
{
    static const struct mock_answer answers[] = {
        { .status = 404, .type = "text/html", .body = "<p>not found" },
        { .status = 405, .body = "" },
        { .status = 400,
          .body =
              "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32000,\"message\":\"Server "
              "not initialized\"}}" },
        { .body = "{\"jsonrpc\":\"2.0\",\"id\":\"era-1\",\"result\":{}}" },
        { .body = "{\"jsonrpc\":\"2.0\",\"id\":\"era-1\",\"error\":{\"code\":-32602,\"message\":\"?"
                  "\"}}" },
        { .status = 501, .body = "" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct remote remote;
        probe_answered(&remote, answers[i]);
        assert_string_equal(remote.peer.status.era, "legacy");
        remote_assert_fails(&remote, ERR_NONE, "");
    }
}

static void asks_again_when_the_revision_is_listed(void **state)
{
    struct remote remote;
    (void)state;
    remote_init(&remote);
    remote_answers(
        &remote, "server/discover",
        (struct mock_answer){ .status = 400, .body = UNSUPPORTED("era-1", "[\"2026-07-28\"]") });
    remote_answers(&remote, "server/discover",
                   (struct mock_answer){
                       .body = "{\"jsonrpc\":\"2.0\",\"id\":\"era-2\",\"result\":{"
                               "\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{}}}" });
    remote_answers(&remote, "tools/call", (struct mock_answer){ .body = REMOTE_TEXT("3", "ok") });
    peer_run(&remote.peer, peer_call);
    assert_string_equal(remote.peer.status.era, "modern");
    remote_assert_fails(&remote, ERR_NONE, "");
}

static void turns_modern_when_initialize_is_refused_for_that(void **state)
{
    struct remote remote;
    (void)state;
    remote_init(&remote);
    remote_answers(&remote, "server/discover",
                   (struct mock_answer){ .status = 500, .body = "not yet" });
    remote_answers(
        &remote, "initialize",
        (struct mock_answer){ .status = 400, .body = UNSUPPORTED("era-2", "[\"2026-07-28\"]") });
    remote_answers(&remote, "server/discover",
                   (struct mock_answer){
                       .body = "{\"jsonrpc\":\"2.0\",\"id\":\"era-3\",\"result\":{"
                               "\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{}}}" });
    remote_answers(&remote, "tools/call", (struct mock_answer){ .body = REMOTE_TEXT("4", "ok") });
    peer_run(&remote.peer, peer_call);
    assert_string_equal(remote.peer.status.era, "modern");
    assert_null(strstr(remote_head_of(&remote, "initialize"), "MCP-Protocol-Version"));
    remote_assert_fails(&remote, ERR_NONE, "");
}

static void shows_what_a_modern_server_minds_about_the_probe(void **state)
{
    struct remote remote;
    (void)state;
    remote_init(&remote);
    remote_answers(
        &remote, "server/discover",
        (struct mock_answer){ .status = 400,
                              .body = "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32020,"
                                      "\"message\":\"Mcp-Method is missing\"}}" });
    remote_answers(&remote, "initialize", (struct mock_answer){ .status = 400 });
    peer_run(&remote.peer, peer_call);
    assert_non_null(strstr(remote.peer.err.message, "server/discover: "));
    assert_non_null(strstr(remote.peer.err.hint, "proxy"));
    assert_int_equal(remote_count(&remote, "\"initialize\""), 1);
    assert_int_not_equal(remote.peer.code, ERR_NONE);
    remote_assert_fails(&remote, remote.peer.code, "Mcp-Method is missing");
}

static void keeps_to_the_configured_era(void **state)
{
    struct remote remote;
    (void)state;
    remote_init(&remote);
    remote.peer.config.era = ERA_LEGACY;
    remote_answers(
        &remote, "initialize",
        (struct mock_answer){ .body = "{\"jsonrpc\":\"2.0\",\"id\":\"era-1\",\"result\":{"
                                      "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{}}}" });
    remote_answers(&remote, "tools/call", (struct mock_answer){ .body = REMOTE_TEXT("2", "ok") });
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote_count(&remote, "server/discover"), 0);
    remote_assert_fails(&remote, ERR_NONE, "");
    remote_init(&remote);
    remote.peer.config.era = ERA_MODERN;
    remote_answers(&remote, "server/discover", (struct mock_answer){ .status = 404 });
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote_count(&remote, "\"initialize\""), 0);
    assert_non_null(strstr(remote.peer.err.hint, "that of an MCP endpoint"));
    remote_assert_fails(&remote, ERR_PROTOCOL, "HTTP 404");
}

static void asks_for_a_token_and_takes_it_for_no_verdict(void **state)
{
    struct remote remote;
    (void)state;
    probe_answered(&remote, (struct mock_answer){ .status = 401,
                                                  .header = "WWW-Authenticate: Bearer\r\n",
                                                  .body = UNSUPPORTED("era-1", "[]") });
    assert_int_equal(remote_count(&remote, "\"initialize\""), 0);
    assert_non_null(strstr(remote.peer.err.hint, "\"Authorization\": \"Bearer ${TOKEN}\""));
    remote_assert_fails(&remote, ERR_AUTH, "it wants to know who asks (HTTP 401)");
    probe_answered(&remote, (struct mock_answer){ .status = 403 });
    remote_assert_fails(&remote, ERR_AUTH, "it denies access (HTTP 403)");
}

static void tells_nobody_the_token(void **state)
{
    static const char *const headers[] = { "Authorization: Bearer topsecret" };
    struct remote remote;
    (void)state;
    remote_init(&remote);
    remote.peer.config.headers = headers;
    remote.peer.config.n_headers = 1;
    snprintf(remote.url, sizeof remote.url, "%s/mcp?key=topsecret",
             mock_endpoint_url(remote.endpoint));
    remote_answers(&remote, "server/discover",
                   (struct mock_answer){ .status = 401, .body = "topsecret is wrong" });
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote_count(&remote, "Authorization: Bearer topsecret"), 1);
    assert_null(strstr(remote.peer.err.message, "topsecret"));
    assert_null(strstr(remote.peer.err.hint, "topsecret"));
    assert_null(strstr(remote.peer.status.command, "topsecret"));
    assert_non_null(strstr(remote.peer.err.hint, "does not take the Authorization header"));
    remote_assert_fails(&remote, ERR_AUTH, "HTTP 401");
}

static void takes_an_outage_for_no_verdict(void **state)
{
    static const int statuses[] = { 429, 502, 503, 504 };
    struct remote remote;
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        probe_answered(&remote, (struct mock_answer){ .status = statuses[i] });
        assert_int_equal(remote_count(&remote, "\"initialize\""), 0);
        remote_assert_fails(&remote, ERR_UNAVAILABLE, "server/discover: it ");
    }
    probe_answered(&remote, (struct mock_answer){ .reset = true });
    assert_int_equal(remote_count(&remote, "\"initialize\""), 0);
    remote_assert_fails(&remote, ERR_UNAVAILABLE, "the connection was lost");
}

static void takes_silence_for_no_verdict(void **state)
{
    struct remote remote;
    (void)state;
    remote_init(&remote);
    remote.peer.settings.mcp_start_timeout_ms = 100;
    remote_answers(&remote, "server/discover",
                   (struct mock_answer){ .type = REMOTE_EVENTS, .silent = true, .body = ":\n" });
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote_count(&remote, "\"initialize\""), 0);
    assert_non_null(strstr(remote.peer.err.hint, "start_timeout_ms"));
    remote_assert_fails(&remote, ERR_TIMEOUT, "not ready within 0.1 s");
}

static void says_that_an_address_is_none(void **state)
{
    struct remote remote;
    (void)state;
    remote_init(&remote);
    remote.peer.config.url = "http://127.0.0.1:99999/mcp";
    peer_run(&remote.peer, peer_call);
    assert_non_null(strstr(remote.peer.err.hint, "PORT at most 65535"));
    remote_assert_fails(&remote, ERR_INVALID, "not an http or https URL");
}

static void says_that_nobody_listens_at_the_address(void **state)
{
    struct remote remote;
    (void)state;
    remote_init(&remote);
    remote.peer.config.url = "http://127.0.0.1:1/mcp";
    peer_run(&remote.peer, peer_call);
    assert_non_null(strstr(remote.peer.err.hint, "is the server running"));
    remote_assert_fails(&remote, ERR_UNAVAILABLE, "connection refused");
}

static void says_that_it_is_no_endpoint(void **state)
{
    struct remote remote;
    (void)state;
    remote_init(&remote);
    peer_run(&remote.peer, peer_call);
    assert_non_null(strstr(remote.peer.err.hint, "that of an MCP endpoint"));
    remote_assert_fails(&remote, ERR_PROTOCOL, "initialize: HTTP 404 instead of an answer");
}

static void remembers_that_a_server_is_legacy(void **state)
{
    struct known_era known = { .base = { &known_era_ops } };
    struct remote remote;
    (void)state;
    remote_init_legacy(&remote, REMOTE_INITIALIZED("2025-06-18"));
    remote.peer.eras = &known.base;
    remote_answers(&remote, "tools/call", (struct mock_answer){ .body = REMOTE_TEXT("3", "ok") });
    peer_run(&remote.peer, peer_call);
    remote_assert_fails(&remote, ERR_NONE, "");
    assert_int_equal(known.era, ERA_LEGACY);
    remote_init_legacy(&remote, "{\"jsonrpc\":\"2.0\",\"id\":\"era-1\",\"result\":{"
                                "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{}}}");
    remote.peer.eras = &known.base;
    remote_answers(&remote, "tools/call", (struct mock_answer){ .body = REMOTE_TEXT("2", "ok") });
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote_count(&remote, "server/discover"), 0);
    assert_int_equal(known.n_kept, 1);
    remote_assert_fails(&remote, ERR_NONE, "");
}

static void forgets_nothing_because_of_an_outage(void **state)
{
    struct known_era known = { .base = { &known_era_ops }, .era = ERA_LEGACY };
    struct remote remote;
    (void)state;
    remote_init(&remote);
    remote.peer.eras = &known.base;
    remote_answers(&remote, "initialize", (struct mock_answer){ .status = 503 });
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote_count(&remote, "server/discover"), 0);
    assert_int_equal(known.n_kept, 0);
    remote_assert_fails(&remote, ERR_UNAVAILABLE, "HTTP 503");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_what_is_no_modern_answer_for_legacy),
        cmocka_unit_test(asks_again_when_the_revision_is_listed),
        cmocka_unit_test(turns_modern_when_initialize_is_refused_for_that),
        cmocka_unit_test(shows_what_a_modern_server_minds_about_the_probe),
        cmocka_unit_test(keeps_to_the_configured_era),
        cmocka_unit_test(asks_for_a_token_and_takes_it_for_no_verdict),
        cmocka_unit_test(tells_nobody_the_token),
        cmocka_unit_test(takes_an_outage_for_no_verdict),
        cmocka_unit_test(takes_silence_for_no_verdict),
        cmocka_unit_test(says_that_an_address_is_none),
        cmocka_unit_test(says_that_nobody_listens_at_the_address),
        cmocka_unit_test(says_that_it_is_no_endpoint),
        cmocka_unit_test(remembers_that_a_server_is_legacy),
        cmocka_unit_test(forgets_nothing_because_of_an_outage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
