/* What servers announce, well or badly: subscriptions that are granted, refused, broken off and
 * opened again, and resources that are watched, in both eras. */

#include "infrastructure/mcp/client/client_internal.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/outcomes.h"
#include <stdio.h>
#include <string.h>

#define LISTEN "subscriptions/listen"
#define HELLO                                                                                      \
    "server/discover=" ANSWER(                                                                     \
        "{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],"                     \
        "\"capabilities\":{\"tools\":{\"listChanged\":true},\"prompts\":{\"listChanged\":"         \
        "true},\"resources\":{\"listChanged\":true,\"subscribe\":true}}}")
#define LEGACY_HELLO                                                                               \
    "initialize=" ANSWER("{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{},"     \
                         "\"resources\":{\"subscribe\":true}}}")
#define ABOUT(id) "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":" id "}"
#define GRANTED_TO(id, what)                                                                       \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/"                               \
    "acknowledged\",\"params\":{" ABOUT(id) ",\"notifications\":{" what "}}}\n"
#define GRANTED(what) GRANTED_TO("$ID", what)
#define URI(uri) "\"resourceSubscriptions\":[\"" uri "\"]"
#define UPDATED(id, uri)                                                                           \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{" ABOUT(      \
        id) ",\"uri\":\"" uri "\"}}\n"
#define BROKEN_OFF                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"                                             \
    "cancelled\",\"params\":{\"requestId\":$ID}}\n"
#define ENDED ANSWER("{\"resultType\":\"complete\"}")

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

static void asks_for_everything_that_is_advertised_and_for_nothing_else(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", HELLO);
    peer_keep_record(&peer);
    peer_run(&peer, peer_list);
    assert_non_null(strstr(peer_record(&peer),
                           "\"notifications\":{\"toolsListChanged\":true,\"promptsListChanged\":"
                           "true,\"resourcesListChanged\":true}"));
    peer_finish(&peer);
    PEER(&peer, "--modern",
         "server/discover=" ANSWER("{\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{"
                                   "\"tools\":{},\"prompts\":{\"listChanged\":true}}}"));
    peer_keep_record(&peer);
    peer_run(&peer, peer_list);
    assert_non_null(strstr(peer_record(&peer), "\"notifications\":{\"promptsListChanged\":true}"));
    peer_finish(&peer);
    PEER(&peer, "--modern",
         "server/discover=" ANSWER("{\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{"
                                   "\"tools\":{},\"resources\":{\"subscribe\":true}}}"));
    peer_keep_record(&peer);
    peer_run(&peer, peer_list);
    assert_null(strstr(peer_record(&peer), LISTEN));
    peer_finish(&peer);
}

static void hears_of_a_watched_resource_and_of_what_is_below_it(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", HELLO, LISTEN "=" GRANTED(URI("a:1")) UPDATED("$ID", "a:1/b"));
    peer_keep_record(&peer);
    peer_run(&peer, watch_and_hear);
    assert_int_equal(peer.code, ERR_NONE);
    assert_int_equal(peer.n_updates, 1);
    assert_string_equal(peer.last_update, "a:1/b");
    assert_non_null(strstr(peer_record(&peer), URI("a:1")));
    peer_finish(&peer);
}

static void says_so_when_a_resource_cannot_be_watched(void **state)
{
    static const struct {
        const char *answer;
        enum err_code code;
    } answers[] = {
        { LISTEN "=" GRANTED("\"toolsListChanged\":true"), ERR_NOT_FOUND },
        { LISTEN "=" GRANTED(URI("a:2")), ERR_NOT_FOUND },
        { LISTEN "=" GRANTED("\"resourceSubscriptions\":7"), ERR_NOT_FOUND },
        { LISTEN "=" REFUSE("{\"code\":-32602,\"message\":\"no\"}"), ERR_INVALID },
        { LISTEN "=" BROKEN_OFF, ERR_UNAVAILABLE },
        { LISTEN "=" ENDED, ERR_UNAVAILABLE },
        { LISTEN "=$EXIT3;", ERR_UNAVAILABLE },
        { LISTEN "=" GRANTED_TO("99", URI("a:1")), ERR_TIMEOUT },
        { LISTEN "=", ERR_TIMEOUT },
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(answers); i++) {
        struct peer peer;
        PEER(&peer, "--modern", HELLO, answers[i].answer);
        peer.config.timeout_ms = 100;
        peer.settings.mcp_list_changed_delay_ms = 10000;
        peer_run(&peer, watch_one);
        assert_int_equal(peer.code, answers[i].code);
        assert_int_equal(peer.err.code, answers[i].code);
        peer_finish(&peer);
    }
}

static void does_not_ask_a_server_that_announces_no_updates(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern");
    peer_keep_record(&peer);
    peer_run(&peer, watch_one);
    assert_int_equal(peer.code, ERR_NOT_FOUND);
    assert_null(strstr(peer_record(&peer), LISTEN));
    peer_finish(&peer);
}

static enum err_code watch_two(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct peer *peer = argument;
    watch(peer, scope, "a:1");
    watch(peer, scope, "a:2");
    watch(peer, scope, "a:2");
    peer_await(peer, runtime, scope, &peer->n_updates, 1);
    (void)!peer_list(runtime, scope, argument); /* what was said before is in the record by then */
    return ERR_NONE;
}

static void a_further_resource_widens_the_subscription_and_ends_the_old_one(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", HELLO, LISTEN "#1=" GRANTED(URI("a:1")) GRANTED(""),
         LISTEN "#2=" GRANTED("\"resourceSubscriptions\":[\"a:1\",\"a:2\"]") UPDATED("2", "a:1")
             UPDATED("99", "a:1") UPDATED("\"$ID\"", "a:2"));
    peer_keep_record(&peer);
    peer_run(&peer, watch_two);
    const char *record = peer_record(&peer);
    assert_int_equal(peer.code, ERR_NONE);
    assert_int_equal(count_words(record, LISTEN), 2);
    assert_non_null(strstr(record, "\"resourceSubscriptions\":[\"a:1\",\"a:2\"]"));
    const char *cancelled = strstr(record, "notifications/cancelled");
    assert_non_null(cancelled);
    assert_int_equal(count_words(record, "notifications/cancelled"), 1);
    assert_non_null(strstr(cancelled, "\"requestId\":2"));
    assert_int_equal(peer.n_updates, 1);
    assert_string_equal(peer.last_update, "a:2");
    peer_finish(&peer);
}

static void opens_again_what_broke_off_and_says_that_something_may_have_been_missed(void **state)
{
    static const char *const ends[] = { LISTEN "#1=" GRANTED(URI("a:1")) BROKEN_OFF,
                                        LISTEN "#1=" GRANTED(URI("a:1")) ENDED };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(ends); i++) {
        struct peer peer;
        PEER(&peer, "--modern", HELLO, ends[i], LISTEN "=" GRANTED(URI("a:1")));
        peer.settings.mcp_list_changed_delay_ms = 1;
        peer_keep_record(&peer);
        peer_run(&peer, watch_and_hear);
        assert_int_equal(peer.n_updates, 1);
        assert_string_equal(peer.last_update, "any");
        assert_int_equal(count_words(peer_record(&peer), LISTEN), 2);
        peer_finish(&peer);
    }
}

static enum err_code watch_until_given_up(struct runtime *runtime, struct scope *scope,
                                          void *argument)
{
    struct peer *peer = argument;
    watch(peer, scope, "a:1");
    peer_await(peer, runtime, scope, &peer->n_logs, 1);
    watch(peer, scope, "a:1");
    return ERR_NONE;
}

static void gives_up_on_a_subscription_that_always_breaks_off(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", HELLO, LISTEN "=" GRANTED(URI("a:1")) BROKEN_OFF);
    peer.settings.mcp_list_changed_delay_ms = 0;
    peer_keep_record(&peer);
    peer_run(&peer, watch_until_given_up);
    assert_int_equal(peer.code, ERR_UNAVAILABLE);
    assert_string_equal(peer.err.message, "subscriptions/listen: it broke off 9 times");
    assert_non_null(strstr(peer.last_log, "broke off 9 times; changes are not heard any more"));
    assert_int_equal(count_words(peer_record(&peer), LISTEN), WATCH_MAX_REOPENINGS + 1);
    assert_string_equal(peer.last_update, "any");
    peer_finish(&peer);
}

static enum err_code watch_die_and_list(struct runtime *runtime, struct scope *scope,
                                        void *argument)
{
    struct peer *peer = argument;
    watch(peer, scope, "a:1");
    (void)!peer_call(runtime, scope, argument);
    (void)!peer_list(runtime, scope, argument);
    return peer_list(runtime, scope, argument);
}

static void asks_a_server_that_was_started_again_once_more(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", HELLO, LISTEN "=" GRANTED(URI("a:1")), "tools/call=$EXIT3;");
    peer_keep_record(&peer);
    peer_run(&peer, watch_die_and_list);
    assert_int_equal(peer.code, ERR_NONE);
    assert_int_equal(count_words(peer_record(&peer), URI("a:1")), 2);
    assert_int_equal(peer.n_updates, 1);
    assert_string_equal(peer.last_update, "any");
    peer_finish(&peer);
    PEER(&peer, LEGACY_HELLO, "resources/subscribe=" ANSWER("{}"), "tools/call=$EXIT3;");
    peer.config.era = ERA_LEGACY;
    peer_keep_record(&peer);
    peer_run(&peer, watch_die_and_list);
    assert_int_equal(count_words(peer_record(&peer), "resources/subscribe"), 2);
    assert_string_equal(peer.last_update, "any");
    peer_finish(&peer);
}

static void does_not_ask_again_when_lists_alone_were_listened_to_and_it_ended_in_order(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", HELLO, LISTEN "=" GRANTED("\"toolsListChanged\":true") ENDED);
    peer.settings.mcp_list_changed_delay_ms = 0;
    peer_keep_record(&peer);
    peer_run(&peer, peer_list_then_list);
    assert_int_equal(count_words(peer_record(&peer), LISTEN), 1);
    assert_int_equal(count_words(peer_record(&peer), "tools/list\""), 2);
    peer_finish(&peer);
}

static void subscribes_at_a_legacy_server_once(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, LEGACY_HELLO,
         "resources/subscribe=" ANSWER("{}") "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                                             "resources/updated\",\"params\":{\"uri\":\"a:1\"}}\n");
    peer.config.era = ERA_LEGACY;
    peer_keep_record(&peer);
    peer_run(&peer, watch_and_hear);
    assert_int_equal(peer.code, ERR_NONE);
    assert_string_equal(peer.last_update, "a:1");
    assert_int_equal(count_words(peer_record(&peer), "resources/subscribe"), 1);
    peer_finish(&peer);
    PEER(&peer, LEGACY_HELLO,
         "resources/subscribe=" REFUSE("{\"code\":-32002,\"message\":\"what?\"}"));
    peer.config.era = ERA_LEGACY;
    peer_run(&peer, watch_one);
    assert_int_equal(peer.code, ERR_NOT_FOUND);
    peer_finish(&peer);
}

static enum err_code watch_many(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct peer *peer = argument;
    char uri[20];
    (void)runtime;
    peer->code = ERR_NONE;
    for (int i = 0; !peer->code && i < WATCH_MAX_RESOURCES; i++) {
        snprintf(uri, sizeof uri, "a:%d", i);
        watch(peer, scope, uri);
    }
    if (!peer->code)
        watch(peer, scope, "a:more");
    return ERR_NONE;
}

static void watches_as_many_resources_as_allowed_and_no_more(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, LEGACY_HELLO, "resources/subscribe=" ANSWER("{}"));
    peer.config.era = ERA_LEGACY;
    peer_keep_record(&peer);
    peer_run(&peer, watch_many);
    assert_int_equal(peer.code, ERR_LIMIT);
    assert_int_equal(count_words(peer_record(&peer), "resources/subscribe"), WATCH_MAX_RESOURCES);
    peer_finish(&peer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asks_for_everything_that_is_advertised_and_for_nothing_else),
        cmocka_unit_test(hears_of_a_watched_resource_and_of_what_is_below_it),
        cmocka_unit_test(says_so_when_a_resource_cannot_be_watched),
        cmocka_unit_test(does_not_ask_a_server_that_announces_no_updates),
        cmocka_unit_test(a_further_resource_widens_the_subscription_and_ends_the_old_one),
        cmocka_unit_test(opens_again_what_broke_off_and_says_that_something_may_have_been_missed),
        cmocka_unit_test(gives_up_on_a_subscription_that_always_breaks_off),
        cmocka_unit_test(asks_a_server_that_was_started_again_once_more),
        cmocka_unit_test(
            does_not_ask_again_when_lists_alone_were_listened_to_and_it_ended_in_order),
        cmocka_unit_test(subscribes_at_a_legacy_server_once),
        cmocka_unit_test(watches_as_many_resources_as_allowed_and_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
