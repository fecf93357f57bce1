/* Who listens to what a server logs, and when the server hears of it. */

#include "tests/support/cmocka.h"
#include "tests/support/full/peer.h"
#include <string.h>

#define HELLO(logging)                                                                             \
    "initialize=" ANSWER(                                                                          \
        "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}" logging               \
        "},\"serverInfo\":{\"name\":\"peer\"}}")
#define LOGS HELLO(",\"logging\":{}")
#define SET_LEVEL "\"method\":\"logging/setLevel\",\"params\":{\"level\":\"info\"}}"

static size_t n_logs;

static void on_log(void *context, struct tool_server *server, const char *level, const char *text)
{
    (void)context;
    (void)server;
    n_logs += strcmp(level, "info") == 0 && strcmp(text, "hello") == 0;
}

static const struct tool_server_listener listener = { .on_log = on_log };

/* Two calls that nobody listens to, and two that somebody does. */
static enum err_code listen_later(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct peer *peer = argument;
    n_logs = 0;
    tool_server_listen(peer->server, NULL);
    (void)!peer_call(runtime, scope, peer);
    (void)!peer_call(runtime, scope, peer);
    tool_server_listen(peer->server, &listener);
    (void)!peer_call(runtime, scope, peer);
    tool_server_listen(peer->server, NULL);
    tool_server_listen(peer->server, &listener);
    return peer_call(runtime, scope, peer);
}

static size_t count(const char *text, const char *words)
{
    size_t n = 0;
    while ((text = strstr(text, words))) {
        text += strlen(words);
        n++;
    }
    return n;
}

static const char *record_of(struct peer *peer)
{
    peer_keep_record(peer);
    peer_run(peer, listen_later);
    assert_string_equal(peer->err.message, "");
    return peer_record(peer);
}

static void a_server_hears_once_that_somebody_began_to_listen(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, LOGS,
         "logging/setLevel=" ANSWER("{}") "{\"jsonrpc\":\"2.0\",\"method\":"
                                          "\"notifications/message\",\"params\":{\"level\":"
                                          "\"info\",\"data\":\"hello\"}}\n");
    const char *record = record_of(&peer), *set = strstr(record, SET_LEVEL);
    assert_int_equal(count(record, SET_LEVEL), 1);
    assert_non_null(set);
    assert_int_equal(count(set, "\"tools/call\""), 2);
    assert_int_equal(n_logs, 1);
    peer_finish(&peer);
}

static void a_server_that_does_not_answer_is_called_all_the_same(void **state)
{
    static const char *const rules[] = {
        "logging/setLevel=",
        "logging/setLevel=" REFUSE("{\"code\":-32603,\"message\":\"no\"}"),
    };
    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        struct peer peer;
        PEER(&peer, LOGS, rules[i]);
        assert_int_equal(count(record_of(&peer), SET_LEVEL), 1);
        peer_finish(&peer);
    }
}

static void a_server_without_logs_is_not_asked_for_any(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, HELLO(""));
    assert_int_equal(count(record_of(&peer), "setLevel"), 0);
    peer_finish(&peer);
}

static void a_modern_server_hears_it_with_each_request(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern");
    const char *record = record_of(&peer);
    assert_int_equal(count(record, "setLevel"), 0);
    assert_int_equal(count(record, "\"io.modelcontextprotocol/logLevel\":\"info\""), 2);
    peer_finish(&peer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_server_hears_once_that_somebody_began_to_listen),
        cmocka_unit_test(a_server_that_does_not_answer_is_called_all_the_same),
        cmocka_unit_test(a_server_without_logs_is_not_asked_for_any),
        cmocka_unit_test(a_modern_server_hears_it_with_each_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
