/* Legacy servers that refuse a request until somebody was at a URL (-32042). */

#include "tests/support/cmocka.h"
#include "tests/support/full/asked_person.h"
#include "tests/support/full/outcomes.h"
#include <stdio.h>
#include <string.h>

#define PAGE(id)                                                                                   \
    "{\"mode\":\"url\",\"elicitationId\":\"" id "\",\"url\":\"https://h/" id "\",\"message\":"     \
    "\"go\"}"
#define NEEDED(pages)                                                                              \
    REFUSE("{\"code\":-32042,\"message\":\"URL needed\",\"data\":{\"elicitations\":" pages "}}")

static void the_call_is_made_again_when_the_person_was_at_each(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call#1=" NEEDED("[" PAGE("a") "," PAGE("b") "]"));
    const char *record = asked_person_call(&peer, (struct asked_person){ 0 });
    assert_int_equal(asked_person.n_asked, 2);
    assert_int_equal(asked_person.max_standing, 1);
    assert_string_equal(asked_person.url, "https://h/b");
    assert_true(asked_person.must_finish);
    assert_non_null(strstr(record, "\"id\":4,\"method\":\"tools/call\""));
    assert_null(strstr(record, "inputResponses"));
    assert_int_equal(peer.code, ERR_NONE);
    assert_string_equal(peer.err.message, "");
    peer_finish(&peer);
}

static void the_server_may_say_before_the_person_that_they_are_done(void **state)
{
    static const char notice[] = "tools/call#1=" NEEDED("[" PAGE(
        "a") "]") "$PAUSE100;{\"jsonrpc\":\"2.0\",\"method\":"
                  "\"notifications/elicitation/complete\",\"params\":{\"elicitationId\":\"b\"}}\n{"
                  "\"jsonrpc\":\"2.0\",\"method\":\"notifications/elicitation/"
                  "complete\",\"params\":{"
                  "\"elicitationId\":\"a\"}}\n";
    struct peer peer;
    (void)state;
    PEER(&peer, notice);
    (void)asked_person_call(&peer, (struct asked_person){ .thinks_ms = 60000 });
    assert_int_equal(asked_person.ended_with, ERR_CANCELLED);
    assert_string_equal(peer.err.message, "");
    assert_int_equal(peer.code, ERR_NONE);
    peer_finish(&peer);
}

static void a_no_ends_the_call_and_nobody_is_sent_to_the_next(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" NEEDED("[" PAGE("a") "," PAGE("b") "]"));
    const char *record =
        asked_person_call(&peer, (struct asked_person){ .action = ELICITATION_DECLINE });
    assert_int_equal(asked_person.n_asked, 1);
    assert_null(strstr(record, "\"id\":4"));
    peer_assert_fails(&peer, ERR_DENIED, "which was declined");
}

static void where_nobody_is_present_it_is_an_error_like_others(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" NEEDED("[" PAGE("a") "]"));
    peer_run(&peer, peer_call);
    assert_int_equal(peer.err.origin, -32042);
    peer_assert_fails(&peer, ERR_FAILED, "URL needed");
}

static void a_server_that_does_not_say_where_is_not_followed(void **state)
{
    static const char *const rules[] = {
        "tools/call=" NEEDED("[]"),
        "tools/call=" REFUSE("{\"code\":-32042,\"message\":\"x\"}"),
        "tools/call=" NEEDED("[7]"),
        "tools/call=" NEEDED("[{\"mode\":\"form\",\"message\":\"m\",\"requestedSchema\":{}}]"),
        "tools/call=" NEEDED("[{\"mode\":\"url\",\"message\":\"m\"}]"),
        "tools/call=" NEEDED("[{\"mode\":\"url\",\"message\":\"m\",\"url\":\"https://h\\u0000\"}]"),
    };
    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        struct peer peer;
        PEER(&peer, rules[i]);
        (void)asked_person_call(&peer, (struct asked_person){ 0 });
        assert_int_equal(asked_person.n_asked, 0);
        peer_assert_fails(&peer, ERR_PROTOCOL,
                          i < 2   ? "but does not say which"
                          : i < 4 ? "more than a visit"
                                  : "the server's question");
    }
}

static void ten_times_are_enough(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call#11=" ANSWER(TEXT_RESULT("eleventh")),
         "tools/call=" NEEDED("[" PAGE("a") "]"));
    (void)asked_person_call(&peer, (struct asked_person){ 0 });
    assert_int_equal(asked_person.n_asked, 10);
    assert_int_equal(peer.code, ERR_NONE);
    peer_finish(&peer);
    PEER(&peer, "tools/call=" NEEDED("[" PAGE("a") "]"));
    (void)asked_person_call(&peer, (struct asked_person){ 0 });
    assert_int_equal(asked_person.n_asked, 10);
    peer_assert_fails(&peer, ERR_LIMIT, "asked for input 10 times");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_call_is_made_again_when_the_person_was_at_each),
        cmocka_unit_test(the_server_may_say_before_the_person_that_they_are_done),
        cmocka_unit_test(a_no_ends_the_call_and_nobody_is_sent_to_the_next),
        cmocka_unit_test(where_nobody_is_present_it_is_an_error_like_others),
        cmocka_unit_test(a_server_that_does_not_say_where_is_not_followed),
        cmocka_unit_test(ten_times_are_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
