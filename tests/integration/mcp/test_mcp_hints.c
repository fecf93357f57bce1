/* How long the answers of servers hold: what they say of it, well or badly. */

#include "tests/support/cmocka.h"
#include "tests/support/full/outcomes.h"
#include <string.h>

#define HELLO                                                                                      \
    "server/discover=" ANSWER("{\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{"         \
                              "\"resources\":{},\"prompts\":{}}}")
#define CONTENT(text, hint) "{\"contents\":[{\"text\":\"" text "\"}]" hint "}"

static void read_one(struct peer *peer, struct scope *scope)
{
    struct offering_result content;
    peer->err = (struct err){ 0 };
    peer->code = tool_server_read_resource(peer->server, scope, "a:1", NULL, &peer->arena, &content,
                                           &peer->err);
}

static enum err_code read_twice(struct runtime *runtime, struct scope *scope, void *argument)
{
    enum { LONGER_THAN_1_MS = 3 };
    read_one(argument, scope);
    (void)!runtime_sleep(runtime, scope, LONGER_THAN_1_MS, NULL);
    read_one(argument, scope);
    return ERR_NONE;
}

static enum err_code list_twice(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct peer *peer = argument;
    struct offerings found = { .arena = &peer->arena };
    (void)runtime;
    peer->code = tool_server_offerings(peer->server, scope, OFFERING_PROMPT, &found, &peer->err);
    found.n = 0;
    peer->code = tool_server_offerings(peer->server, scope, OFFERING_PROMPT, &found, &peer->err);
    peer->n_tools = found.n;
    return ERR_NONE;
}

static void reads_again_what_does_not_hold_any_more(void **state)
{
    static const struct {
        const char *answer;
        size_t n_reads;
    } answers[] = {
        { "resources/read=" ANSWER(CONTENT("x", "")), 2 },
        { "resources/read=" ANSWER(CONTENT("x", ",\"ttlMs\":0")), 2 },
        { "resources/read=" ANSWER(CONTENT("x", ",\"ttlMs\":-1")), 2 },
        { "resources/read=" ANSWER(CONTENT("x", ",\"ttlMs\":1")), 2 },
        { "resources/read=" ANSWER(CONTENT("x", ",\"ttlMs\":60000")), 1 },
        { "resources/read=" ANSWER(CONTENT("x", ",\"ttlMs\":60000.5,\"cacheScope\":\"public\"")),
          1 },
        { "resources/read=" ANSWER(CONTENT("x", ",\"ttlMs\":1e300")), 1 },
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(answers); i++) {
        struct peer peer;
        PEER(&peer, "--modern", HELLO, answers[i].answer);
        peer_keep_record(&peer);
        peer_run(&peer, read_twice);
        assert_int_equal(peer.code, ERR_NONE);
        assert_int_equal(count_words(peer_record(&peer), "resources/read\""), answers[i].n_reads);
        peer_finish(&peer);
    }
}

static void keeps_nothing_that_took_a_round_of_input(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", HELLO,
         "resources/read#1=" ANSWER("{\"resultType\":\"input_required\",\"requestState\":\"1\"}"),
         "resources/read=" ANSWER(CONTENT("x", ",\"ttlMs\":60000")));
    peer_keep_record(&peer);
    peer_run(&peer, read_twice);
    assert_int_equal(peer.code, ERR_NONE);
    assert_int_equal(count_words(peer_record(&peer), "resources/read\""), 3);
    peer_finish(&peer);
}

static void uses_what_is_old_when_nothing_new_can_be_had_and_says_so(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", HELLO, "resources/read#1=" ANSWER(CONTENT("x", ",\"ttlMs\":1")),
         "resources/read#2=" REFUSE("{\"code\":-32603,\"message\":\"busy\"}"));
    peer_run(&peer, read_twice);
    assert_int_equal(peer.code, ERR_NONE);
    assert_non_null(strstr(peer.last_log, "may be out of date"));
    peer_finish(&peer);
    PEER(&peer, "--modern", HELLO, "resources/read#1=" ANSWER(CONTENT("x", ",\"ttlMs\":1")),
         "resources/read#2=" REFUSE("{\"code\":-32602,\"message\":\"gone\"}"));
    peer_run(&peer, read_twice);
    assert_int_equal(peer.code, ERR_NOT_FOUND);
    peer_finish(&peer);
}

static void keeps_nothing_of_a_legacy_server(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer,
         "initialize=" ANSWER("{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{"
                              "\"resources\":{}}}"),
         "resources/read=" ANSWER(CONTENT("x", ",\"ttlMs\":60000")));
    peer_keep_record(&peer);
    peer_run(&peer, read_twice);
    assert_int_equal(count_words(peer_record(&peer), "resources/read\""), 2);
    peer_finish(&peer);
}

static void pages_age_each_for_itself(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", HELLO,
         "prompts/list#1=" ANSWER(
             "{\"prompts\":[{\"name\":\"a\"}],\"nextCursor\":\"2\",\"ttlMs\":60000}"),
         "prompts/list=" ANSWER("{\"prompts\":[{\"name\":\"b\"}],\"ttlMs\":0}"));
    peer_keep_record(&peer);
    peer_run(&peer, list_twice);
    assert_int_equal(peer.code, ERR_NONE);
    assert_int_equal(peer.n_tools, 2);
    assert_int_equal(count_words(peer_record(&peer), "prompts/list\""), 3);
    assert_int_equal(count_words(peer_record(&peer), "\"cursor\":\"2\""), 2);
    peer_finish(&peer);
}

static void a_notice_drops_what_it_is_about(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", HELLO,
         "prompts/list={\"jsonrpc\":\"2.0\",\"method\":\"notifications/prompts/"
         "list_changed\"}\n" ANSWER("{\"prompts\":[{\"name\":\"a\"}],\"ttlMs\":60000}"));
    peer_keep_record(&peer);
    peer_run(&peer, list_twice);
    assert_int_equal(count_words(peer_record(&peer), "prompts/list\""), 2);
    peer_finish(&peer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_again_what_does_not_hold_any_more),
        cmocka_unit_test(keeps_nothing_that_took_a_round_of_input),
        cmocka_unit_test(uses_what_is_old_when_nothing_new_can_be_had_and_says_so),
        cmocka_unit_test(keeps_nothing_of_a_legacy_server),
        cmocka_unit_test(pages_age_each_for_itself),
        cmocka_unit_test(a_notice_drops_what_it_is_about),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
