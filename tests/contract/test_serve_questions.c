/* A tool that asks in the middle of a call, served to clients of both eras. */
#include "tests/contract/serve_conversation.h"

#define CAPABLE(capabilities)                                                                      \
    "\"_meta\":{\"progressToken\":\"p\",\"io.modelcontextprotocol/protocolVersion\":"              \
    "\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":" capabilities "}"
#define ASKED(id, name, more)                                                                      \
    "{\"id\":" #id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" name                       \
    "\"," more CAPABLE("{\"elicitation\":{\"form\":{},\"url\":{}},\"sampling\":{}}") "}}"
#define HELLO(capabilities)                                                                        \
    PLAIN(0, "initialize", "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":" capabilities "}")
#define CALL(id, name) PLAIN(id, "tools/call", "{\"name\":\"" name "\"}")
#define EVERYTHING "{\"elicitation\":{\"form\":{},\"url\":{}},\"sampling\":{}}"

static const char asking[] =
    "{\"tools\":[{\"name\":\"form\",\"replies\":[{\"elicit\":{\"message\":\"Who are you?\","
    "\"schema\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}},"
    "\"required\":[\"name\"]}},\"text\":\"hello {elicited.name}\"}]},"
    "{\"name\":\"page\",\"replies\":[{\"elicit\":{\"message\":\"Pay\",\"url\":\"https://h/x\"},"
    "\"text\":\"thanks\"}]},"
    "{\"name\":\"both\",\"replies\":[{\"elicit\":{\"message\":\"Of what?\","
    "\"schema\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}}}},"
    "\"sample\":{\"prompt\":\"a poem on {elicited.name}\",\"maxTokens\":9},"
    "\"text\":\"it said: {sampled}\"}]},"
    "{\"name\":\"twice\",\"replies\":[{\"elicit\":[{\"key\":\"who\",\"message\":\"Who?\","
    "\"schema\":{\"type\":\"object\"}},{\"key\":\"who\",\"message\":\"And?\","
    "\"schema\":{\"type\":\"object\"}},{\"message\":\"Pay\",\"url\":\"https://h/x\","
    "\"optional\":true}],\"text\":\"{elicited.a} and {elicited.b}\"}]}],"
    "\"prompts\":[{\"name\":\"asks\",\"elicit\":{\"message\":\"Of what?\",\"schema\":"
    "{\"type\":\"object\"}},\"messages\":[{\"text\":\"a poem on {elicited.a}\"}]}]}";

static int set_up(void **state)
{
    struct conversation *c = calloc(1, sizeof *c);
    *state = c;
    begin_with(c, asking);
    c->rpc.gone_at_ms = 5000;
    return 0;
}

static int tear_down(void **state)
{
    end(*state);
    free(*state);
    return 0;
}

static const char *text_of(struct conversation *c, int id)
{
    return json_string_value(at(fake_rpc_answer(&c->rpc, id), "result content 0 text"));
}

static const json_t *question(struct conversation *c, const char *method, size_t n)
{
    return fake_rpc_notification(&c->rpc, method, n);
}

static void asks_a_legacy_client_by_a_request_of_its_own(void **state)
{
    struct conversation *c = *state;
    say(c, 0, HELLO(EVERYTHING));
    say(c, 1, CALL(7, "form"));
    say(c, 20, "{\"id\":1,\"result\":{\"action\":\"accept\",\"content\":{\"name\":\"Ada\"}}}");
    run(c);
    const json_t *asked = question(c, "elicitation/create", 0);
    assert_int_equal(json_get_int(asked, "id", 0), 1);
    assert_string_equal(json_get_string(at(asked, "params"), "message"), "Who are you?");
    assert_non_null(at(asked, "params requestedSchema properties name"));
    assert_string_equal(text_of(c, 7), "hello Ada");
}

static void sends_a_legacy_client_to_a_page_and_names_the_question(void **state)
{
    struct conversation *c = *state;
    say(c, 0, HELLO(EVERYTHING));
    say(c, 1, CALL(7, "page"));
    say(c, 20, "{\"id\":1,\"result\":{\"action\":\"accept\"}}");
    run(c);
    const json_t *params = at(question(c, "elicitation/create", 0), "params");
    assert_string_equal(json_get_string(params, "mode"), "url");
    assert_string_equal(json_get_string(params, "url"), "https://h/x");
    assert_string_equal(json_get_string(params, "elicitationId"), "e1");
    assert_string_equal(text_of(c, 7), "thanks");
}

static void asks_the_model_of_a_legacy_client(void **state)
{
    struct conversation *c = *state;
    say(c, 0, HELLO(EVERYTHING));
    say(c, 1, CALL(7, "both"));
    say(c, 20, "{\"id\":1,\"result\":{\"action\":\"accept\",\"content\":{\"name\":\"plums\"}}}");
    say(c, 40,
        "{\"id\":2,\"result\":{\"role\":\"assistant\",\"model\":\"m\","
        "\"content\":{\"type\":\"text\",\"text\":\"blue\"}}}");
    run(c);
    const json_t *params = at(question(c, "sampling/createMessage", 0), "params");
    assert_string_equal(json_string_value(at(params, "messages 0 content text")),
                        "a poem on plums");
    assert_int_equal(json_get_int(params, "maxTokens", 0), 9);
    assert_string_equal(text_of(c, 7), "it said: blue");
}

static void takes_no_for_an_answer(void **state)
{
    struct conversation *c = *state;
    say(c, 0, HELLO(EVERYTHING));
    say(c, 1, CALL(7, "form"));
    say(c, 2, CALL(8, "form"));
    say(c, 3, CALL(9, "form"));
    say(c, 20, "{\"id\":2,\"result\":{\"action\":\"cancel\"}}");
    say(c, 21, "{\"id\":1,\"result\":{\"action\":\"decline\"}}");
    say(c, 22, "{\"id\":3,\"error\":{\"code\":-32602,\"message\":\"no forms here\"}}");
    run(c);
    assert_string_equal(text_of(c, 7), "the person declined");
    assert_string_equal(text_of(c, 8), "the person left the question");
    assert_string_equal(text_of(c, 9), "the client answered with error -32602: \"no forms here\"");
    assert_true(json_is_true(at(fake_rpc_answer(&c->rpc, 7), "result isError")));
}

static void does_not_take_what_does_not_fit_the_form(void **state)
{
    struct conversation *c = *state;
    say(c, 0, HELLO(EVERYTHING));
    say(c, 1, CALL(7, "form"));
    say(c, 2, "{\"id\":99,\"result\":{\"action\":\"accept\",\"content\":{\"name\":\"Eve\"}}}");
    say(c, 3, "{\"id\":\"1\",\"result\":{\"action\":\"accept\",\"content\":{\"name\":\"Eve\"}}}");
    say(c, 20, "{\"id\":1,\"result\":{\"action\":\"accept\",\"content\":{\"name\":5}}}");
    say(c, 30, "{\"id\":1,\"result\":{\"action\":\"accept\",\"content\":{\"name\":\"Eve\"}}}");
    run(c);
    assert_non_null(strstr(text_of(c, 7), "does not fit the form"));
}

static void asks_nothing_that_was_not_declared(void **state)
{
    struct conversation *c = *state;
    say(c, 0, HELLO("{\"elicitation\":{}}"));
    say(c, 1, CALL(7, "page"));
    say(c, 2, CALL(8, "form"));
    say(c, 9, "{\"id\":1,\"result\":{\"action\":\"accept\",\"content\":{\"name\":\"Ada\"}}}");
    run(c);
    assert_int_equal(error_of(c, 7), -32600);
    assert_non_null(
        at(fake_rpc_answer(&c->rpc, 7), "error data requiredCapabilities elicitation url"));
    assert_string_equal(text_of(c, 8), "hello Ada");
}

static void withdraws_the_question_of_a_call_that_is_cancelled(void **state)
{
    struct conversation *c = *state;
    say(c, 0, HELLO(EVERYTHING));
    say(c, 1, CALL(7, "form"));
    say(c, 20, CANCEL(7));
    run(c);
    const json_t *notice = question(c, "notifications/cancelled", 0);
    assert_int_equal(json_get_int(at(notice, "params"), "requestId", 0), 1);
    assert_null(fake_rpc_answer(&c->rpc, 7));
}

static void waits_for_an_answer_as_long_as_it_says_and_not_longer(void **state)
{
    struct conversation *c = *state;
    say(c, 0, HELLO(EVERYTHING));
    say(c, 0, CALL(7, "form"));
    say(c, 0, CALL(8, "form"));
    say(c, SERVE_QUESTION_MS - 1,
        "{\"id\":1,\"result\":{\"action\":\"accept\",\"content\":{\"name\":\"Ada\"}}}");
    c->rpc.gone_at_ms = SERVE_QUESTION_MS + 1000;
    run(c);
    assert_string_equal(text_of(c, 7), "hello Ada");
    assert_string_equal(text_of(c, 8), "the client did not answer for 600 s");
}

static void ends_at_once_when_a_client_that_was_asked_hangs_up(void **state)
{
    struct conversation *c = *state;
    say(c, 0, HELLO(EVERYTHING));
    say(c, 1, CALL(7, "form"));
    c->rpc.gone_at_ms = 50;
    run(c);
    assert_int_equal(c->result, ERR_NONE);
    assert_int_equal(c->ended_ms, 50);
}

static const json_t *round_of(struct conversation *c, int id)
{
    const json_t *result = at(fake_rpc_answer(&c->rpc, id), "result");
    assert_string_equal(json_get_string(result, "resultType"), "input_required");
    return result;
}

static void asks_a_modern_client_by_its_result_and_goes_on_with_the_next_request(void **state)
{
    struct conversation *c = *state;
    say(c, 0, ASKED(7, "form", ""));
    say(c, 20,
        ASKED(8, "form",
              "\"requestState\":\"id1.1\",\"inputResponses\":{\"q1\":"
              "{\"action\":\"accept\",\"content\":{\"name\":\"Ada\"}}},"));
    run(c);
    const json_t *round = round_of(c, 7);
    assert_string_equal(json_get_string(round, "requestState"), "id1.1");
    assert_string_equal(json_string_value(at(round, "inputRequests q1 method")),
                        "elicitation/create");
    assert_non_null(at(round, "inputRequests q1 params requestedSchema"));
    assert_null(question(c, "elicitation/create", 0));
    assert_string_equal(text_of(c, 8), "hello Ada");
    assert_string_equal(json_string_value(at(fake_rpc_answer(&c->rpc, 8), "result resultType")),
                        "complete");
}

static void asks_a_modern_client_as_often_as_there_is_something_to_ask(void **state)
{
    struct conversation *c = *state;
    say(c, 0, ASKED(7, "both", ""));
    say(c, 20,
        ASKED(8, "both",
              "\"requestState\":\"id1.1\",\"inputResponses\":{\"q1\":"
              "{\"action\":\"accept\",\"content\":{\"name\":\"plums\"}}},"));
    say(c, 40,
        ASKED(9, "both",
              "\"requestState\":\"id2.2\",\"inputResponses\":{\"q2\":"
              "{\"role\":\"assistant\",\"model\":\"m\","
              "\"content\":[{\"type\":\"text\",\"text\":\"blue\"}]}},"));
    run(c);
    assert_string_equal(json_string_value(at(round_of(c, 8), "inputRequests q2 method")),
                        "sampling/createMessage");
    assert_string_equal(text_of(c, 9), "it said: blue");
}

static void asks_again_for_what_was_not_answered(void **state)
{
    struct conversation *c = *state;
    say(c, 0, ASKED(7, "form", ""));
    say(c, 20, ASKED(8, "form", "\"requestState\":\"id1.1\","));
    say(c, 40,
        ASKED(9, "form",
              "\"requestState\":\"id2.2\",\"inputResponses\":{\"q1\":"
              "{\"action\":\"decline\"}},"));
    run(c);
    assert_non_null(at(round_of(c, 8), "inputRequests q1"));
    assert_string_equal(text_of(c, 9), "the person declined");
}

static void takes_a_state_once_and_only_for_the_request_it_was_given_to(void **state)
{
    struct conversation *c = *state;
    say(c, 0, ASKED(7, "form", ""));
    say(c, 10, ASKED(8, "page", "\"requestState\":\"id1.1\","));
    say(c, 11, ASKED(9, "form", "\"requestState\":\"id1.1\",\"arguments\":{\"a\":1},"));
    say(c, 12, ASKED(10, "form", "\"requestState\":\"id1.9\","));
    say(c, 13, ASKED(11, "form", "\"requestState\":7,"));
    say(c, 20,
        ASKED(12, "form",
              "\"requestState\":\"id1.1\",\"inputResponses\":{\"q1\":"
              "{\"action\":\"decline\"}},"));
    say(c, 30,
        ASKED(13, "form",
              "\"requestState\":\"id1.1\",\"inputResponses\":{\"q1\":"
              "{\"action\":\"accept\",\"content\":{\"name\":\"Eve\"}}},"));
    run(c);
    for (int id = 8; id <= 11; id++)
        assert_int_equal(error_of(c, id), -32602);
    assert_string_equal(text_of(c, 12), "the person declined");
    assert_int_equal(error_of(c, 13), -32602);
}

static void tells_a_modern_client_which_capability_is_missing(void **state)
{
    struct conversation *c = *state;
    say(c, 0, MODERN(7, "tools/call", "\"name\":\"form\","));
    say(c, 0, MODERN(8, "tools/call", "\"name\":\"page\","));
    say(c, 0,
        "{\"id\":9,\"method\":\"tools/call\",\"params\":{\"name\":\"both\"," CAPABLE(
            "{\"sampling\":{}}") "}}");
    run(c);
    assert_int_equal(error_of(c, 7), -32021);
    assert_non_null(
        at(fake_rpc_answer(&c->rpc, 7), "error data requiredCapabilities elicitation form"));
    assert_non_null(
        at(fake_rpc_answer(&c->rpc, 8), "error data requiredCapabilities elicitation url"));
    assert_int_equal(error_of(c, 9), -32021);
}

static void forgets_a_call_whose_client_does_not_come_back_in_time(void **state)
{
    struct conversation *c = *state;
    say(c, 0, ASKED(7, "form", ""));
    say(c, SERVE_QUESTION_MS + 1,
        ASKED(8, "form",
              "\"requestState\":\"id1.1\",\"inputResponses\":{\"q1\":"
              "{\"action\":\"decline\"}},"));
    c->rpc.gone_at_ms = SERVE_QUESTION_MS + 1000;
    run(c);
    assert_int_equal(error_of(c, 8), -32602);
}

static void keeps_so_many_calls_waiting_and_drops_the_oldest_for_one_more(void **state)
{
    struct conversation *c = *state;
    struct arena arena = { 0 };
    for (int i = 1; i <= SERVE_MAX_PARKED + 1; i++)
        say(c, i, arena_printf(&arena, ASKED(% d, "form", ""), i));
    say(c, 100,
        ASKED(51, "form",
              "\"requestState\":\"id1.1\",\"inputResponses\":{\"q1\":"
              "{\"action\":\"decline\"}},"));
    say(c, 101,
        ASKED(52, "form",
              "\"requestState\":\"id2.2\",\"inputResponses\":{\"q2\":"
              "{\"action\":\"decline\"}},"));
    run(c);
    assert_int_equal(error_of(c, 51), -32602);
    assert_non_null(strstr(json_string_value(at(fake_rpc_answer(&c->rpc, 51), "error data hint")),
                           "at most 8 calls wait"));
    assert_string_equal(text_of(c, 52), "the person declined");
    arena_finish(&arena);
}

static void a_parked_call_holds_no_place_and_no_id(void **state)
{
    struct conversation *c = *state;
    c->options.max_in_flight = 1;
    say(c, 0, ASKED(7, "form", ""));
    say(c, 10, ASKED(7, "form", ""));
    say(c, 20, CANCEL(7));
    say(c, 30,
        ASKED(8, "form",
              "\"requestState\":\"id1.1\",\"inputResponses\":{\"q1\":"
              "{\"action\":\"decline\"}},"));
    run(c);
    assert_string_equal(text_of(c, 8), "the person declined");
}

#define FORMS CAPABLE("{\"elicitation\":{}}")

static void takes_the_answer_that_came_with_the_request_once(void **state)
{
    struct conversation *c = *state;
    say(c, 0,
        "{\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"twice\","
        "\"inputResponses\":{\"who\":{\"action\":\"accept\",\"content\":{\"a\":\"Ada\"}},"
        "\"other\":{\"action\":\"decline\"}}," FORMS "}}");
    say(c, 20,
        "{\"id\":8,\"method\":\"tools/"
        "call\",\"params\":{\"name\":\"twice\",\"requestState\":\"id1.1\","
        "\"inputResponses\":{\"who\":{\"action\":\"accept\",\"content\":{\"b\":\"Bob\"}}}," FORMS
        "}}");
    run(c);
    assert_string_equal(json_string_value(at(round_of(c, 7), "inputRequests who params message")),
                        "And?");
    assert_string_equal(text_of(c, 8), "Ada and Bob");
}

static void a_prompt_asks_as_a_tool_does(void **state)
{
    struct conversation *c = *state;
    say(c, 0, HELLO(EVERYTHING));
    say(c, 1, PLAIN(7, "prompts/get", "{\"name\":\"asks\"}"));
    say(c, 2, PLAIN(8, "prompts/get", "{\"name\":\"asks\"}"));
    say(c, 20, "{\"id\":1,\"result\":{\"action\":\"accept\",\"content\":{\"a\":\"plums\"}}}");
    say(c, 21, "{\"id\":2,\"result\":{\"action\":\"decline\"}}");
    run(c);
    assert_string_equal(
        json_string_value(at(fake_rpc_answer(&c->rpc, 7), "result messages 0 content text")),
        "a poem on plums");
    assert_string_equal(json_string_value(at(fake_rpc_answer(&c->rpc, 8), "error message")),
                        "the person declined");
}

#define WITH_CONVERSATION(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONVERSATION(asks_a_legacy_client_by_a_request_of_its_own),
        WITH_CONVERSATION(sends_a_legacy_client_to_a_page_and_names_the_question),
        WITH_CONVERSATION(asks_the_model_of_a_legacy_client),
        WITH_CONVERSATION(takes_no_for_an_answer),
        WITH_CONVERSATION(does_not_take_what_does_not_fit_the_form),
        WITH_CONVERSATION(asks_nothing_that_was_not_declared),
        WITH_CONVERSATION(withdraws_the_question_of_a_call_that_is_cancelled),
        WITH_CONVERSATION(waits_for_an_answer_as_long_as_it_says_and_not_longer),
        WITH_CONVERSATION(ends_at_once_when_a_client_that_was_asked_hangs_up),
        WITH_CONVERSATION(asks_a_modern_client_by_its_result_and_goes_on_with_the_next_request),
        WITH_CONVERSATION(asks_a_modern_client_as_often_as_there_is_something_to_ask),
        WITH_CONVERSATION(asks_again_for_what_was_not_answered),
        WITH_CONVERSATION(takes_a_state_once_and_only_for_the_request_it_was_given_to),
        WITH_CONVERSATION(tells_a_modern_client_which_capability_is_missing),
        WITH_CONVERSATION(forgets_a_call_whose_client_does_not_come_back_in_time),
        WITH_CONVERSATION(keeps_so_many_calls_waiting_and_drops_the_oldest_for_one_more),
        WITH_CONVERSATION(a_parked_call_holds_no_place_and_no_id),
        WITH_CONVERSATION(takes_the_answer_that_came_with_the_request_once),
        WITH_CONVERSATION(a_prompt_asks_as_a_tool_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
