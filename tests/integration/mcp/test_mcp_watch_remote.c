/* What servers behind a URL announce: modern ones on the stream that answers subscriptions/listen,
 * legacy ones on the one that belongs to no request. */

#include "infrastructure/mcp/client/client_internal.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/remote.h"
#include <string.h>

#define LISTEN "subscriptions/listen"
#define CAPABILITIES "\"tools\":{},\"resources\":{\"subscribe\":true}"
#define EVENT(message) "data: " message "\n\n"
#define ABOUT(id) "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":" id "}"
#define GRANTED_WITH(id, what)                                                                     \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/"                               \
    "acknowledged\",\"params\":{" ABOUT(id) ",\"notifications\":{" what "}}}"
#define URIS(list) "\"resourceSubscriptions\":[" list "]"
#define GRANTED(id) GRANTED_WITH(id, URIS("\"a:1\""))
#define UPDATED(id)                                                                                \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{" ABOUT(      \
        id) ",\"uri\":\"a:1\"}}"
#define ENDED(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"resultType\":\"complete\"}}"
#define REFUSED(id, code)                                                                          \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":" code ",\"message\":\"no\"}}"

static void watch(struct peer *peer, struct scope *scope, const char *uri)
{
    peer->err = (struct err){ 0 };
    peer->code = tool_server_watch_resource(peer->server, scope, uri, &peer->err);
}

static enum err_code watch_one(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    watch(argument, scope, "a:1");
    return ERR_NONE;
}

static enum err_code watch_and_hear(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct peer *peer = argument;
    watch(peer, scope, "a:1");
    peer_await(peer, runtime, scope, &peer->n_updates, 1);
    return ERR_NONE;
}

static void init_modern(struct remote *remote)
{
    remote_init(remote);
    remote_answers(remote, "server/discover",
                   (struct mock_answer){ .body = REMOTE_DISCOVERED_WITH(CAPABILITIES) });
}

/* A stream that stays open. */
static void listened(struct remote *remote, const char *events)
{
    remote_answers(remote, LISTEN,
                   (struct mock_answer){ .type = REMOTE_EVENTS, .silent = true, .body = events });
}

/* One that ends. */
static void listened_briefly(struct remote *remote, const char *events)
{
    remote_answers(remote, LISTEN, (struct mock_answer){ .type = REMOTE_EVENTS, .body = events });
}

static void run_and_expect(struct remote *remote, task_fn *fn, enum err_code code)
{
    peer_run(&remote->peer, fn);
    if (remote->peer.code != code)
        fail_msg("%d: %s", (int)remote->peer.code, remote->peer.err.message);
}

static void hears_of_a_resource_on_the_stream_of_the_request(void **state)
{
    struct remote remote;
    (void)state;
    init_modern(&remote);
    listened(&remote, EVENT(GRANTED("2")) ": keepalive\n\n" EVENT(UPDATED("2")));
    run_and_expect(&remote, watch_and_hear, ERR_NONE);
    assert_string_equal(remote.peer.last_update, "a:1");
    const char *head = remote_head_of(&remote, LISTEN);
    assert_non_null(strstr(head, "\r\nMcp-Method: subscriptions/listen\r\n"));
    assert_non_null(strstr(head, "text/event-stream"));
    assert_int_equal(remote_count(&remote, "GET /mcp"), 0);
    remote_finish(&remote);
}

static void hears_of_a_resource_also_line_by_line(void **state)
{
    struct remote remote;
    (void)state;
    init_modern(&remote);
    remote_answers(
        &remote, LISTEN,
        (struct mock_answer){ .silent = true, .body = GRANTED("2") "\n" UPDATED("2") "\n" });
    run_and_expect(&remote, watch_and_hear, ERR_NONE);
    assert_string_equal(remote.peer.last_update, "a:1");
    remote_finish(&remote);
}

static void hangs_up_at_the_end_and_says_nothing(void **state)
{
    struct remote remote;
    (void)state;
    init_modern(&remote);
    listened(&remote, EVENT(GRANTED("2")));
    run_and_expect(&remote, watch_one, ERR_NONE);
    assert_int_equal(remote_count(&remote, "notifications/cancelled"), 0);
    remote_finish(&remote);
}

static void opens_a_stream_again_that_broke_off(void **state)
{
    static const char *const streams[] = { EVENT(GRANTED("2")), EVENT(GRANTED("2")) "data: {\"js",
                                           EVENT(GRANTED("2")) EVENT(ENDED("2")) };
    (void)state;
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        struct remote remote;
        init_modern(&remote);
        remote.peer.settings.mcp_list_changed_delay_ms = 1;
        listened_briefly(&remote, streams[i]);
        listened(&remote, EVENT(GRANTED("3")));
        run_and_expect(&remote, watch_and_hear, ERR_NONE);
        assert_string_equal(remote.peer.last_update, "any");
        assert_int_equal(remote_count(&remote, "\"" LISTEN "\""), 2);
        remote_finish(&remote);
    }
}

static void a_server_that_was_away_is_asked_again_when_it_is_back(void **state)
{
    struct remote remote;
    (void)state;
    init_modern(&remote);
    remote.peer.settings.mcp_list_changed_delay_ms = 1;
    listened_briefly(&remote, EVENT(GRANTED("2")));
    remote_answers(&remote, LISTEN, (struct mock_answer){ .reset = true });
    remote_answers(&remote, LISTEN, (struct mock_answer){ .status = 503 });
    listened(&remote, EVENT(GRANTED("5")));
    run_and_expect(&remote, watch_and_hear, ERR_NONE);
    assert_string_equal(remote.peer.last_update, "any");
    assert_int_equal(remote_count(&remote, "\"" LISTEN "\""), 4);
    remote_finish(&remote);
}

static int64_t took_ms;

static enum err_code watch_until_given_up(struct runtime *runtime, struct scope *scope,
                                          void *argument)
{
    struct peer *peer = argument;
    int64_t began_ms = runtime_now_ms(runtime);
    watch(peer, scope, "a:1");
    peer_await(peer, runtime, scope, &peer->n_logs, 1);
    took_ms = runtime_now_ms(runtime) - began_ms;
    watch(peer, scope, "a:1");
    return ERR_NONE;
}

/* 1 + 2 + 4 + … + 128 ms. */
static void asks_later_and_later_and_gives_up_at_last(void **state)
{
    struct remote remote;
    (void)state;
    init_modern(&remote);
    remote.peer.settings.mcp_list_changed_delay_ms = 1;
    listened_briefly(&remote, EVENT(GRANTED("2")));
    for (int i = 0; i < WATCH_MAX_REOPENINGS; i++)
        listened_briefly(&remote, "");
    run_and_expect(&remote, watch_until_given_up, ERR_UNAVAILABLE);
    assert_true(took_ms >= 255);
    assert_int_equal(remote_count(&remote, "\"" LISTEN "\""), WATCH_MAX_REOPENINGS + 1);
    assert_string_equal(remote.peer.err.message, "subscriptions/listen: it broke off 9 times");
    remote_finish(&remote);
}

static void says_so_when_a_resource_cannot_be_watched(void **state)
{
    static const struct {
        struct mock_answer answer;
        enum err_code code;
    } cases[] = {
        { { .status = 404, .body = REFUSED("2", "-32601") }, ERR_PROTOCOL },
        { { .status = 400, .body = REFUSED("2", "-32602") }, ERR_INVALID },
        { { .status = 405, .type = "text/html", .body = "<p>no" }, ERR_PROTOCOL },
        { { .status = 403, .body = "" }, ERR_AUTH },
        { { .body = ENDED("2") }, ERR_UNAVAILABLE },
        { { .type = REMOTE_EVENTS, .body = "" }, ERR_UNAVAILABLE },
        { { .type = REMOTE_EVENTS, .silent = true, .body = "" }, ERR_TIMEOUT },
        { { .type = REMOTE_EVENTS, .silent = true, .body = EVENT(GRANTED("9")) }, ERR_TIMEOUT },
        { { .type = REMOTE_EVENTS, .silent = true, .body = EVENT(GRANTED_WITH("2", "")) },
          ERR_NOT_FOUND },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct remote remote;
        init_modern(&remote);
        remote.peer.config.timeout_ms = 150;
        remote.peer.settings.mcp_list_changed_delay_ms = 10000;
        remote_answers(&remote, LISTEN, cases[i].answer);
        run_and_expect(&remote, watch_one, cases[i].code);
        remote_finish(&remote);
    }
}

static size_t hung_up;

static enum err_code watch_two(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct remote *remote = argument;
    struct peer *peer = &remote->peer;
    watch(peer, scope, "a:1");
    watch(peer, scope, "a:2");
    peer_await(peer, runtime, scope, &peer->n_updates, 1);
    hung_up = mock_endpoint_hung_up(remote->endpoint);
    return ERR_NONE;
}

static void a_wider_subscription_hangs_up_the_one_before(void **state)
{
    struct remote remote;
    (void)state;
    init_modern(&remote);
    listened(&remote, EVENT(GRANTED("2")));
    remote_answers(&remote, LISTEN,
                   (struct mock_answer){ .type = REMOTE_EVENTS,
                                         .silent = true,
                                         .piece = 150,
                                         .every_ms = 30,
                                         .body = EVENT(GRANTED_WITH("3", URIS("\"a:1\",\"a:2\"")))
                                             EVENT(UPDATED("3")) });
    run_and_expect(&remote, watch_two, ERR_NONE);
    assert_int_equal(hung_up, 1);
    assert_int_equal(remote_count(&remote, "notifications/cancelled"), 0);
    assert_string_equal(remote.peer.last_update, "a:1");
    remote_finish(&remote);
}

#define INITIALIZED(n)                                                                             \
    "{\"jsonrpc\":\"2.0\",\"id\":\"era-" n "\",\"result\":{\"protocolVersion\":\"2025-11-25\","    \
    "\"capabilities\":{" CAPABILITIES "}}}"
#define TOLD                                                                                       \
    EVENT("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{"       \
          "\"uri\":\"a:1\"}}")
#define DONE(n) "{\"jsonrpc\":\"2.0\",\"id\":" n ",\"result\":{}}"

static void init_legacy(struct remote *remote)
{
    remote_init_legacy(remote, INITIALIZED("2"));
    mock_endpoint_add(remote->endpoint, (struct mock_answer){ .path = "/mcp",
                                                              .with = "GET /mcp",
                                                              .type = REMOTE_EVENTS,
                                                              .silent = true,
                                                              .body = ": welcome\n\n" });
}

static void a_legacy_server_tells_it_on_the_stream_that_belongs_to_no_request(void **state)
{
    struct remote remote;
    (void)state;
    init_legacy(&remote);
    remote_answers(&remote, "resources/subscribe",
                   (struct mock_answer){ .body = DONE("3"), .elsewhere = TOLD });
    run_and_expect(&remote, watch_and_hear, ERR_NONE);
    assert_string_equal(remote.peer.last_update, "a:1");
    assert_int_equal(remote_count(&remote, "GET /mcp"), 1);
    assert_non_null(strstr(remote_head_of(&remote, "resources/subscribe"), "Mcp-Session-Id: s1"));
    remote_finish(&remote);
}

static enum err_code watch_and_call(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct peer *peer = argument;
    watch(peer, scope, "a:1");
    return peer_call(runtime, scope, peer);
}

static void a_legacy_server_is_asked_again_in_its_next_session(void **state)
{
    struct remote remote;
    (void)state;
    init_legacy(&remote);
    remote_answers(
        &remote, "initialize",
        (struct mock_answer){ .header = "Mcp-Session-Id: s2\r\n", .body = INITIALIZED("5") });
    remote_answers(&remote, "resources/subscribe", (struct mock_answer){ .body = DONE("3") });
    remote_answers(&remote, "resources/subscribe", (struct mock_answer){ .body = DONE("6") });
    remote_answers(&remote, "tools/call", (struct mock_answer){ .status = 404, .body = "gone" });
    remote_answers(&remote, "tools/call", (struct mock_answer){ .body = REMOTE_TEXT("7", "ok") });
    run_and_expect(&remote, watch_and_call, ERR_NONE);
    assert_int_equal(remote_count(&remote, "resources/subscribe"), 2);
    assert_string_equal(remote.peer.last_update, "any");
    remote_finish(&remote);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hears_of_a_resource_on_the_stream_of_the_request),
        cmocka_unit_test(hears_of_a_resource_also_line_by_line),
        cmocka_unit_test(hangs_up_at_the_end_and_says_nothing),
        cmocka_unit_test(opens_a_stream_again_that_broke_off),
        cmocka_unit_test(a_server_that_was_away_is_asked_again_when_it_is_back),
        cmocka_unit_test(asks_later_and_later_and_gives_up_at_last),
        cmocka_unit_test(says_so_when_a_resource_cannot_be_watched),
        cmocka_unit_test(a_wider_subscription_hangs_up_the_one_before),
        cmocka_unit_test(a_legacy_server_tells_it_on_the_stream_that_belongs_to_no_request),
        cmocka_unit_test(a_legacy_server_is_asked_again_in_its_next_session),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
