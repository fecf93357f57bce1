/* Resources and prompts of servers that do it well or badly: pages, bounds, errors, odd answers. */

#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/asked_person.h"
#include <string.h>

#define HELLO                                                                                      \
    "initialize=" ANSWER(                                                                          \
        "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"resources\":{},\"prompts\":{}},"  \
        "\"serverInfo\":{\"name\":\"peer\",\"version\":\"7\"}}")
#define MODERN_HELLO                                                                               \
    "server/discover=" ANSWER(                                                                     \
        "{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{"   \
        "\"resources\":{},\"prompts\":{}}}")
#define RESOURCE(uri) "{\"uri\":\"" uri "\",\"name\":\"n\"}"
#define LIST "resources/list"

struct client {
    struct peer peer;
    enum offering_kind kind;
    const char *key;
    struct offerings found;
    struct offering_result result;
};

static enum err_code list(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct client *c = argument;
    (void)runtime;
    c->found.arena = &c->peer.arena;
    c->peer.code = tool_server_offerings(c->peer.server, scope, c->kind, &c->found, &c->peer.err);
    return ERR_NONE;
}

static enum err_code ask(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct client *c = argument;
    struct peer *peer = &c->peer;
    (void)runtime;
    json_t *arguments = arena_keep_json(&peer->arena, json_pack("{s:s}", "who", "A\"da"));
    const struct prompt_request request = { c->key, arguments, peer_answerer(peer) };
    peer->code = c->kind == OFFERING_PROMPT
                     ? tool_server_get_prompt(peer->server, scope, &request, &peer->arena,
                                              &c->result, &peer->err)
                     : tool_server_read_resource(peer->server, scope, c->key, peer_answerer(peer),
                                                 &peer->arena, &c->result, &peer->err);
    return ERR_NONE;
}

/* peer_run hands the peer to the task; it is the client's first member. */
#define CLIENT(c, ...)                                                                             \
    memset((c), 0, sizeof *(c));                                                                   \
    PEER(&(c)->peer, __VA_ARGS__)

static void run_and_expect(struct client *c, task_fn *fn, enum err_code code)
{
    peer_run(&c->peer, fn);
    assert_int_equal(c->peer.code, code);
}

static void follows_cursors_to_the_end(void **state)
{
    struct client c;
    (void)state;
    CLIENT(&c, HELLO,
           LIST "#1=" ANSWER("{\"resources\":[" RESOURCE("a:1") "],\"nextCursor\":\"\"}"),
           LIST "#2=" ANSWER("{\"resources\":[" RESOURCE("a:2") "],\"nextCursor\":null}"));
    peer_keep_record(&c.peer);
    run_and_expect(&c, list, ERR_NONE);
    assert_int_equal(c.found.n, 2);
    assert_string_equal(c.found.list[1].key, "a:2");
    assert_non_null(strstr(peer_record(&c.peer), "\"params\":{\"cursor\":\"\"}"));
    peer_finish(&c.peer);
}

static void asks_for_as_many_pages_as_allowed_and_no_more(void **state)
{
    static const char first[] =
        LIST "#1=" ANSWER("{\"resources\":[" RESOURCE("a:1") "],\"nextCursor\":\"1\"}");
    static const char second[] = LIST "#2=" ANSWER("{\"resources\":[" RESOURCE("a:2") "]}");
    struct client c;
    (void)state;
    for (int64_t most = 1; most <= 2; most++) {
        CLIENT(&c, HELLO, first, second);
        c.peer.settings.mcp_max_pages = most;
        run_and_expect(&c, list, ERR_NONE);
        assert_int_equal(c.found.n, most);
        assert_int_equal(c.peer.status.last_error.code, most == 1 ? ERR_LIMIT : ERR_NONE);
        peer_finish(&c.peer);
    }
}

static void keeps_as_many_entries_as_allowed_and_says_that_there_are_more(void **state)
{
    static const char two[] =
        LIST "=" ANSWER("{\"resources\":[" RESOURCE("a:1") "," RESOURCE("a:2") "]}");
    struct client c;
    (void)state;
    for (int64_t most = 1; most <= 2; most++) {
        CLIENT(&c, HELLO, two);
        c.peer.settings.tools_max_per_server = most;
        run_and_expect(&c, list, ERR_NONE);
        assert_int_equal(c.found.n, most);
        assert_int_equal(c.peer.status.last_error.code, most == 1 ? ERR_LIMIT : ERR_NONE);
        peer_finish(&c.peer);
    }
}

static void leaves_out_a_bad_definition_and_keeps_the_others(void **state)
{
    struct client c;
    (void)state;
    CLIENT(&c, HELLO, LIST "=" ANSWER("{\"resources\":[{},7," RESOURCE("a:1") "]}"));
    run_and_expect(&c, list, ERR_NONE);
    assert_int_equal(c.found.n, 1);
    assert_string_equal(c.peer.status.last_error.message,
                        "resources/list: left out: a resource without a uri");
    peer_finish(&c.peer);
}

static void begins_anew_once_when_a_cursor_is_worth_nothing_any_more(void **state)
{
    struct client c;
    (void)state;
    CLIENT(&c, HELLO,
           LIST "#1=" ANSWER("{\"resources\":[" RESOURCE("a:1") "],\"nextCursor\":\"1\"}"),
           LIST "#2=" REFUSE("{\"code\":-32602,\"message\":\"bad cursor\"}"),
           LIST "#3=" ANSWER("{\"resources\":[" RESOURCE("a:3") "]}"));
    run_and_expect(&c, list, ERR_NONE);
    assert_int_equal(c.found.n, 1);
    assert_string_equal(c.found.list[0].key, "a:3");
    peer_finish(&c.peer);
    CLIENT(&c, HELLO,
           LIST "#1=" ANSWER("{\"resources\":[" RESOURCE("a:1") "],\"nextCursor\":\"1\"}"),
           LIST "#2=" REFUSE("{\"code\":-32602,\"message\":\"bad cursor\"}"),
           LIST "#3=" ANSWER("{\"resources\":[],\"nextCursor\":\"2\"}"),
           LIST "#4=" REFUSE("{\"code\":-32602,\"message\":\"bad cursor\"}"));
    run_and_expect(&c, list, ERR_INVALID);
    assert_int_equal(c.found.n, 0);
    peer_finish(&c.peer);
}

static void takes_a_server_that_never_heard_of_templates_for_one_without(void **state)
{
    struct client c;
    (void)state;
    CLIENT(&c, HELLO,
           "resources/templates/list=" REFUSE("{\"code\":-32601,\"message\":\"no such method\"}"));
    c.kind = OFFERING_TEMPLATE;
    run_and_expect(&c, list, ERR_NONE);
    assert_int_equal(c.found.n, 0);
    peer_finish(&c.peer);
    CLIENT(&c, HELLO, LIST "=" REFUSE("{\"code\":-32601,\"message\":\"no such method\"}"));
    run_and_expect(&c, list, ERR_PROTOCOL);
    assert_non_null(strstr(c.peer.err.message, "resources/list: error -32601"));
    peer_finish(&c.peer);
}

static void asks_a_server_for_nothing_that_it_does_not_claim_to_have(void **state)
{
    struct client c;
    (void)state;
    for (int kind = 0; kind < OFFERING_KINDS; kind++) {
        CLIENT(&c, "--modern");
        peer_keep_record(&c.peer);
        c.kind = (enum offering_kind)kind;
        c.key = "x:1";
        run_and_expect(&c, list, ERR_NOT_FOUND);
        assert_null(strstr(peer_record(&c.peer), "/list"));
        peer_finish(&c.peer);
    }
    CLIENT(&c, "--modern");
    peer_keep_record(&c.peer);
    c.kind = OFFERING_PROMPT;
    c.key = "p";
    run_and_expect(&c, ask, ERR_NOT_FOUND);
    assert_string_equal(c.peer.err.message, "the server offers no prompts");
    assert_null(strstr(peer_record(&c.peer), "prompts/get"));
    peer_finish(&c.peer);
}

static void describes_itself_in_every_modern_request(void **state)
{
    struct client c;
    (void)state;
    CLIENT(&c, "--modern", MODERN_HELLO,
           "prompts/get=" ANSWER("{\"resultType\":\"complete\",\"messages\":[]}"));
    peer_keep_record(&c.peer);
    c.kind = OFFERING_PROMPT;
    c.key = "p\"q";
    run_and_expect(&c, ask, ERR_NONE);
    const char *sent = strstr(peer_record(&c.peer), "prompts/get");
    assert_non_null(sent);
    assert_non_null(strstr(sent, "\"name\":\"p\\\"q\",\"arguments\":{\"who\":\"A\\\"da\"},"
                                 "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\""));
    assert_non_null(strstr(sent, "\"io.modelcontextprotocol/logLevel\":\"info\""));
    peer_finish(&c.peer);
}

static void keeps_the_bytes_of_the_server(void **state)
{
    struct client c;
    (void)state;
    CLIENT(&c, HELLO,
           "resources/read=" ANSWER("{ \"contents\":[ {\"text\":\"\\u0041\"}], \"x\":1.50}"));
    c.key = "a:1";
    run_and_expect(&c, ask, ERR_NONE);
    assert_string_equal(c.result.bytes, "{ \"contents\":[ {\"text\":\"\\u0041\"}], \"x\":1.50}");
    peer_finish(&c.peer);
}

static void knows_an_unknown_resource_by_the_codes_of_both_eras(void **state)
{
    static const struct {
        const char *answer;
        enum err_code code;
    } answers[] = {
        { "resources/read=" REFUSE("{\"code\":-32002,\"message\":\"gone\"}"), ERR_NOT_FOUND },
        { "resources/read=" REFUSE("{\"code\":-32602,\"message\":\"gone\"}"), ERR_NOT_FOUND },
        { "resources/read=" REFUSE("{\"code\":-32603,\"message\":\"oops\"}"), ERR_FAILED },
        { "resources/read=" REFUSE("{\"code\":-32601,\"message\":\"what\"}"), ERR_PROTOCOL },
        { "resources/read=" ANSWER("{}"), ERR_PROTOCOL },
        { "resources/read=" ANSWER("{\"contents\":[{}]}"), ERR_PROTOCOL },
        { "resources/read=" ANSWER("{\"resultType\":\"other\",\"contents\":[]}"), ERR_PROTOCOL },
        { "resources/read=$EXIT3;", ERR_UNAVAILABLE },
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(answers); i++) {
        struct client c;
        CLIENT(&c, HELLO, answers[i].answer);
        c.key = "a:1";
        run_and_expect(&c, ask, answers[i].code);
        assert_null(c.result.bytes);
        peer_finish(&c.peer);
    }
}

static void asks_again_with_what_a_modern_server_wants(void **state)
{
    static const char *const roots[] = { "/tmp" };
    struct client c;
    (void)state;
    CLIENT(&c, "--modern", MODERN_HELLO,
           "resources/read#1=" ANSWER("{\"resultType\":\"input_required\",\"inputRequests\":{"
                                      "\"dirs\":{\"method\":\"roots/list\"}},\"requestState\":"
                                      "\"s\\u00411\"}"),
           "resources/read#2=" ANSWER("{\"resultType\":\"input_required\",\"requestState\":\"2\"}"),
           "resources/read#3=" ANSWER("{\"contents\":[{\"text\":\"at last\"}]}"));
    peer_keep_record(&c.peer);
    c.peer.config.roots = roots;
    c.peer.config.n_roots = 1;
    c.key = "a:1";
    run_and_expect(&c, ask, ERR_NONE);
    assert_int_equal(json_array_size(c.result.items), 1);
    const char *sent = peer_record(&c.peer);
    assert_non_null(
        strstr(sent, "\"inputResponses\":{\"dirs\":{\"roots\":[{\"uri\":\"file:///tmp\""));
    assert_non_null(strstr(sent, "\"requestState\":\"s\\u00411\""));
    assert_non_null(strstr(sent, "\"uri\":\"a:1\",\"requestState\":\"2\""));
    peer_finish(&c.peer);
}

static void has_no_person_to_be_asked_for_a_prompt(void **state)
{
    struct client c;
    (void)state;
    CLIENT(&c, "--modern", MODERN_HELLO,
           "prompts/get=" ANSWER("{\"resultType\":\"input_required\",\"inputRequests\":{\"q\":{"
                                 "\"method\":\"elicitation/create\",\"params\":{\"message\":\"?\","
                                 "\"requestedSchema\":{}}}}}"));
    peer_keep_record(&c.peer);
    c.kind = OFFERING_PROMPT;
    c.key = "p";
    run_and_expect(&c, ask, ERR_PROTOCOL);
    assert_non_null(strstr(c.peer.err.message, "which was not offered"));
    assert_null(strstr(strstr(peer_record(&c.peer), "prompts/get"), "\"elicitation\""));
    peer_finish(&c.peer);
}

static void a_person_is_asked_in_the_middle_of_a_prompt(void **state)
{
    struct client c;
    (void)state;
    CLIENT(&c, "--modern", MODERN_HELLO,
           "prompts/get#1=" ANSWER("{\"resultType\":\"input_required\",\"inputRequests\":{\"q\":{"
                                   "\"method\":\"elicitation/create\",\"params\":{\"message\":"
                                   "\"?\",\"requestedSchema\":{}}}},\"requestState\":\"s\"}"),
           "prompts/get=" ANSWER("{\"messages\":[]}"));
    asked_person = (struct asked_person){ 0 };
    c.peer.on_question = asked_person_react;
    peer_keep_record(&c.peer);
    c.kind = OFFERING_PROMPT;
    c.key = "p";
    run_and_expect(&c, ask, ERR_NONE);
    assert_int_equal(asked_person.n_asked, 1);
    assert_non_null(strstr(peer_record(&c.peer),
                           "\"arguments\":{\"who\":\"A\\\"da\"},\"inputResponses\":{\"q\":{"
                           "\"action\":\"accept\",\"content\":{\"name\":\"Ada\"}}},"
                           "\"requestState\":\"s\""));
    peer_finish(&c.peer);
}

static void a_person_is_sent_to_a_url_before_a_resource_is_read(void **state)
{
    struct client c;
    (void)state;
    CLIENT(&c, HELLO,
           "resources/read#1=" REFUSE("{\"code\":-32042,\"message\":\"x\",\"data\":{"
                                      "\"elicitations\":[{\"mode\":\"url\",\"url\":\"https://h/\","
                                      "\"message\":\"m\"}]}}"),
           "resources/read=" ANSWER("{\"contents\":[]}"));
    asked_person = (struct asked_person){ 0 };
    c.peer.on_question = asked_person_react;
    c.key = "a:1";
    run_and_expect(&c, ask, ERR_NONE);
    assert_string_equal(asked_person.url, "https://h/");
    peer_finish(&c.peer);
}

static void gives_up_on_a_server_that_falls_silent(void **state)
{
    struct client c;
    (void)state;
    CLIENT(&c, HELLO, "resources/read=$PAUSE1;");
    c.peer.config.timeout_ms = 100;
    c.key = "a:1";
    run_and_expect(&c, ask, ERR_TIMEOUT);
    peer_finish(&c.peer);
}

static void refuses_a_name_that_is_no_text(void **state)
{
    struct client c;
    (void)state;
    CLIENT(&c, HELLO);
    c.key = "a:\xff";
    run_and_expect(&c, ask, ERR_INVALID);
    assert_string_equal(c.peer.err.message, "the uri is not UTF-8");
    peer_finish(&c.peer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_cursors_to_the_end),
        cmocka_unit_test(asks_for_as_many_pages_as_allowed_and_no_more),
        cmocka_unit_test(keeps_as_many_entries_as_allowed_and_says_that_there_are_more),
        cmocka_unit_test(leaves_out_a_bad_definition_and_keeps_the_others),
        cmocka_unit_test(begins_anew_once_when_a_cursor_is_worth_nothing_any_more),
        cmocka_unit_test(takes_a_server_that_never_heard_of_templates_for_one_without),
        cmocka_unit_test(asks_a_server_for_nothing_that_it_does_not_claim_to_have),
        cmocka_unit_test(describes_itself_in_every_modern_request),
        cmocka_unit_test(keeps_the_bytes_of_the_server),
        cmocka_unit_test(knows_an_unknown_resource_by_the_codes_of_both_eras),
        cmocka_unit_test(asks_again_with_what_a_modern_server_wants),
        cmocka_unit_test(has_no_person_to_be_asked_for_a_prompt),
        cmocka_unit_test(a_person_is_asked_in_the_middle_of_a_prompt),
        cmocka_unit_test(a_person_is_sent_to_a_url_before_a_resource_is_read),
        cmocka_unit_test(gives_up_on_a_server_that_falls_silent),
        cmocka_unit_test(refuses_a_name_that_is_no_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
