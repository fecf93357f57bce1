/* What an argument could be, from servers that say it well or badly. */

#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/remote.h"
#include <string.h>

#define LEGACY_HELLO(version, capabilities)                                                        \
    "initialize=" ANSWER("{\"protocolVersion\":\"" version                                         \
                         "\",\"capabilities\":{\"prompts\":{}" capabilities                        \
                         "},\"serverInfo\":{\"name\":\"peer\",\"version\":\"7\"}}")
#define HELLO LEGACY_HELLO("2025-11-25", ",\"completions\":{}")
#define MODERN_HELLO                                                                               \
    "server/discover=" ANSWER(                                                                     \
        "{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{"   \
        "\"prompts\":{},\"completions\":{}}}")
#define VALUES(members) "completion/complete=" ANSWER("{\"completion\":{" members "}}")
#define SOME VALUES("\"values\":[\"plum\",\"pear\"]")

struct client {
    struct peer peer;
    const char *typed;
    struct completion_values values;
};

/* peer_run hands the peer to the task; it is the client's first member. */
static enum err_code complete(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct client *c = argument;
    struct peer *peer = &c->peer;
    (void)runtime;
    const struct completion_request wanted = {
        .kind = OFFERING_PROMPT,
        .key = "p",
        .argument = "fruit",
        .typed = c->typed ? c->typed : "p",
        .others = arena_keep_json(&peer->arena, json_pack("{s:s}", "who", "Ada")),
    };
    peer->code =
        tool_server_complete(peer->server, scope, &wanted, &peer->arena, &c->values, &peer->err);
    return ERR_NONE;
}

#define CLIENT(c, ...)                                                                             \
    memset((c), 0, sizeof *(c));                                                                   \
    PEER(&(c)->peer, __VA_ARGS__)

static void run_and_expect(struct client *c, enum err_code code, size_t n_values)
{
    peer_run(&c->peer, complete);
    assert_int_equal(c->peer.code, code);
    assert_int_equal(c->values.n, n_values);
}

static void asks_in_the_words_of_either_era(void **state)
{
    struct client c;
    (void)state;
    CLIENT(&c, HELLO, SOME);
    peer_keep_record(&c.peer);
    run_and_expect(&c, ERR_NONE, 2);
    assert_string_equal(c.values.list[1], "pear");
    assert_false(c.values.has_more);
    assert_non_null(strstr(peer_record(&c.peer),
                           "\"params\":{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"p\"},"
                           "\"argument\":{\"name\":\"fruit\",\"value\":\"p\"},"
                           "\"context\":{\"arguments\":{\"who\":\"Ada\"}}}"));
    peer_finish(&c.peer);
    CLIENT(&c, "--modern", MODERN_HELLO, SOME);
    peer_keep_record(&c.peer);
    run_and_expect(&c, ERR_NONE, 2);
    assert_non_null(strstr(peer_record(&c.peer), "{\"who\":\"Ada\"}},\"_meta\":{"));
    peer_finish(&c.peer);
}

static void old_servers_are_not_told_what_is_known_already(void **state)
{
    struct client c;
    (void)state;
    CLIENT(&c, LEGACY_HELLO("2025-03-26", ",\"completions\":{}"), SOME);
    peer_keep_record(&c.peer);
    run_and_expect(&c, ERR_NONE, 2);
    assert_null(strstr(peer_record(&c.peer), "\"context\""));
    peer_finish(&c.peer);
}

static void a_server_that_does_not_complete_is_not_asked(void **state)
{
    struct client c;
    (void)state;
    CLIENT(&c, LEGACY_HELLO("2025-03-26", ""), SOME);
    peer_keep_record(&c.peer);
    run_and_expect(&c, ERR_NONE, 0);
    assert_null(strstr(peer_record(&c.peer), "completion/complete"));
    peer_finish(&c.peer);
}

static void a_server_of_2024_11_05_is_asked_because_it_could_not_say_so(void **state)
{
    static const char refusal[] =
        "completion/complete=" REFUSE("{\"code\":-32601,\"message\":\"no such method\"}");
    struct client c;
    (void)state;
    CLIENT(&c, LEGACY_HELLO("2024-11-05", ""), SOME);
    run_and_expect(&c, ERR_NONE, 2);
    peer_finish(&c.peer);
    CLIENT(&c, LEGACY_HELLO("2024-11-05", ""), refusal);
    run_and_expect(&c, ERR_NONE, 0);
    peer_finish(&c.peer);
    CLIENT(&c, HELLO, refusal);
    run_and_expect(&c, ERR_PROTOCOL, 0);
    peer_finish(&c.peer);
}

static void answers_that_are_none_are_refused(void **state)
{
    static const char *const rules[] = {
        VALUES("\"values\":\"plum\""),
        VALUES("\"values\":{\"0\":\"plum\"}"),
        VALUES("\"total\":3"),
        "completion/complete=" ANSWER("{}"),
        "completion/complete=" ANSWER("[]"),
        "completion/complete=" ANSWER("{\"resultType\":\"input_required\",\"completion\":{"
                                      "\"values\":[\"plum\"]}}"),
        "completion/complete=" REFUSE("{\"code\":-32603,\"message\":\"no\"}"),
    };
    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        struct client c;
        CLIENT(&c, HELLO, rules[i]);
        run_and_expect(&c, i == 6 ? ERR_FAILED : ERR_PROTOCOL, 0);
        assert_ptr_equal(strstr(c.peer.err.message, "completion/complete: "), c.peer.err.message);
        peer_finish(&c.peer);
    }
}

static void what_is_no_text_is_left_out(void **state)
{
    struct client c;
    (void)state;
    CLIENT(&c, HELLO, VALUES("\"values\":[7,null,\"plum\",[\"pear\"],\"a\\u0000b\",\"\"]"));
    run_and_expect(&c, ERR_NONE, 2);
    assert_string_equal(c.values.list[0], "plum");
    assert_string_equal(c.values.list[1], "");
    peer_finish(&c.peer);
}

/* `"v","v",…` in the arena. */
static const char *many(struct arena *arena, size_t n)
{
    struct buf rule;
    buf_init(&rule, 1 << 16);
    bool fits = buf_puts(&rule, "completion/complete={\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{"
                                "\"completion\":{\"values\":[");
    for (size_t i = 0; fits && i < n; i++)
        fits = buf_puts(&rule, i ? ",\"v\"" : "\"v\"");
    assert_true(fits && buf_puts(&rule, "]}}}\n"));
    const char *text = arena_strdup(arena, buf_string(&rule));
    buf_finish(&rule);
    return text;
}

static void keeps_a_hundred_and_says_that_there_are_more(void **state)
{
    AUTO(arena) arena = { 0 };
    (void)state;
    for (size_t n = COMPLETION_MAX_VALUES; n <= COMPLETION_MAX_VALUES + 1; n++) {
        struct client c;
        CLIENT(&c, HELLO, many(&arena, n));
        run_and_expect(&c, ERR_NONE, COMPLETION_MAX_VALUES);
        assert_int_equal(c.values.has_more, n > COMPLETION_MAX_VALUES);
        peer_finish(&c.peer);
    }
}

static void there_are_more_where_the_server_says_so_or_counts_more(void **state)
{
    static const struct {
        const char *rule;
        bool has_more;
    } cases[] = {
        { VALUES("\"values\":[\"plum\"],\"hasMore\":true"), true },
        { VALUES("\"values\":[\"plum\"],\"hasMore\":false,\"total\":5"), false },
        { VALUES("\"values\":[\"plum\"],\"total\":2"), true },
        { VALUES("\"values\":[\"plum\"],\"total\":1"), false },
        { VALUES("\"values\":[\"plum\"],\"total\":-1"), false },
        { VALUES("\"values\":[\"plum\"],\"total\":\"many\",\"hasMore\":\"yes\""), false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct client c;
        CLIENT(&c, HELLO, cases[i].rule);
        run_and_expect(&c, ERR_NONE, 1);
        assert_int_equal(c.values.has_more, cases[i].has_more);
        peer_finish(&c.peer);
    }
}

static void what_is_no_text_is_not_asked_about(void **state)
{
    struct client c;
    (void)state;
    CLIENT(&c, HELLO);
    c.typed = "p\xff";
    run_and_expect(&c, ERR_INVALID, 0);
    peer_finish(&c.peer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asks_in_the_words_of_either_era),
        cmocka_unit_test(old_servers_are_not_told_what_is_known_already),
        cmocka_unit_test(a_server_that_does_not_complete_is_not_asked),
        cmocka_unit_test(a_server_of_2024_11_05_is_asked_because_it_could_not_say_so),
        cmocka_unit_test(answers_that_are_none_are_refused),
        cmocka_unit_test(what_is_no_text_is_left_out),
        cmocka_unit_test(keeps_a_hundred_and_says_that_there_are_more),
        cmocka_unit_test(there_are_more_where_the_server_says_so_or_counts_more),
        cmocka_unit_test(what_is_no_text_is_not_asked_about),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
