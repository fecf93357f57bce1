/* Servers that ask the model in the middle of a call, of both eras. */

#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/asked_person.h"
#include "tests/support/full/outcomes.h"
#include <string.h>

#define PROMPT                                                                                     \
    "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"2+2?\"}}],"       \
    "\"maxTokens\":9}"
#define ASK                                                                                        \
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"sampling/createMessage\",\"params\":" PROMPT "}\n"
#define FORM                                                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"elicitation/create\",\"params\":{\"message\":"     \
    "\"Who?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}}\n"
#define TO_CALL(result) "{\"jsonrpc\":\"2.0\",\"id\":$CALL,\"result\":" result "}\n"
#define NEEDS(members) ANSWER("{\"resultType\":\"input_required\"," members "}")
#define LLM "\"llm\":{\"method\":\"sampling/createMessage\",\"params\":" PROMPT "}"
#define FOUR "{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":\"four\"}}"

static struct {
    enum err_code fails;
    unsigned n_asked;
    int64_t max_tokens;
} model;

static enum err_code on_sampling(void *context, struct scope *scope, const json_t *params,
                                 struct arena *arena, json_t **out_result, struct err *err)
{
    (void)context;
    (void)scope;
    model.n_asked++;
    model.max_tokens = json_get_int(params, "maxTokens", 0);
    if (model.fails)
        return err_set(err, model.fails, 0, "no such luck at http://127.0.0.1:11434");
    json_t *result = json_pack("{s:s, s:{s:s, s:s}}", "role", "assistant", "content", "type",
                               "text", "text", "four");
    *out_result = arena_keep_json(arena, result);
    return ERR_NONE;
}

/* Calls with this outcome of the model; the record of what the peer was told. */
static const char *call(struct peer *peer, enum err_code fails)
{
    memset(&model, 0, sizeof model);
    model.fails = fails;
    peer->on_sampling = on_sampling;
    peer_keep_record(peer);
    peer_run(peer, peer_call);
    return peer_record(peer);
}

static void a_legacy_server_gets_the_models_answer(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" ASK, "answer=" TO_CALL(TEXT_RESULT("done")));
    const char *record = call(&peer, ERR_NONE);
    assert_non_null(strstr(record, "\"capabilities\":{\"sampling\":{}},"));
    assert_non_null(strstr(record, "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":" FOUR "}\n"));
    assert_int_equal(model.max_tokens, 9);
    peer_assert_text(&peer, "done");
}

static void a_legacy_server_hears_of_a_refusal_but_not_why_a_model_failed(void **state)
{
    static const struct {
        enum err_code fails;
        const char *error;
    } cases[] = {
        { ERR_DENIED, "{\"code\":-1,\"message\":\"User rejected sampling request\"}" },
        { ERR_INVALID, "{\"code\":-32602,\"message\":\"no such luck" },
        { ERR_UNAVAILABLE, "{\"code\":-32603,\"message\":\"the model did not answer\"}" },
        { ERR_TIMEOUT, "{\"code\":-32603,\"message\":\"the model did not answer\"}" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct peer peer;
        PEER(&peer, "tools/call=" ASK, "answer=" TO_CALL(TEXT_RESULT("done")));
        const char *record = call(&peer, cases[i].fails);
        if (!strstr(record, cases[i].error))
            fail_msg("%s", record);
        peer_assert_text(&peer, "done");
    }
}

static void a_legacy_server_without_a_call_is_turned_down(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/list=" ASK "{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"tools\":[]}}\n");
    memset(&model, 0, sizeof model);
    peer.on_sampling = on_sampling;
    peer_keep_record(&peer);
    peer_run(&peer, peer_list);
    assert_non_null(strstr(peer_record(&peer), "\"id\":0,\"error\":{\"code\":-1,"));
    assert_int_equal(model.n_asked, 0);
    peer_finish(&peer);
}

static void params_that_are_none_reach_nobody(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer,
         "tools/call={\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"sampling/createMessage\","
         "\"params\":{\"messages\":7}}\n",
         "answer=" TO_CALL(TEXT_RESULT("done")));
    const char *record = call(&peer, ERR_NONE);
    assert_non_null(strstr(record, "\"id\":0,\"error\":{\"code\":-32602,"));
    assert_int_equal(model.n_asked, 0);
    peer_assert_text(&peer, "done");
}

static void where_only_a_model_answers_a_form_is_no_method(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" FORM, "answer=" TO_CALL(TEXT_RESULT("done")));
    const char *record = call(&peer, ERR_NONE);
    assert_non_null(strstr(record, "\"id\":1,\"error\":{\"code\":-32601,"));
    peer_assert_text(&peer, "done");
}

static void where_only_a_person_answers_a_prompt_is_no_method(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" ASK, "answer=" TO_CALL(TEXT_RESULT("done")));
    const char *record = asked_person_call(&peer, (struct asked_person){ 0 });
    assert_non_null(strstr(record, "\"id\":0,\"error\":{\"code\":-32601,"));
    assert_null(strstr(record, "\"sampling\""));
    peer_assert_text(&peer, "done");
}

static void questions_for_both_are_answered_in_their_order(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "tools/call=" ASK FORM, "answer#2=" TO_CALL(TEXT_RESULT("done")));
    peer.on_question = asked_person_react;
    asked_person = (struct asked_person){ 0 };
    const char *record = call(&peer, ERR_NONE);
    const char *first = strstr(record, "\"id\":0,\"result\":" FOUR);
    assert_non_null(first);
    assert_non_null(strstr(first, "\"id\":1,\"result\":{\"action\":\"accept\""));
    peer_assert_text(&peer, "done");
}

static void a_modern_server_gets_the_answer_beside_others(void **state)
{
    static const char *const roots[] = { "/srv" };
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern",
         "tools/call#1=" NEEDS("\"inputRequests\":{" LLM ",\"page\":{\"method\":"
                               "\"elicitation/create\",\"params\":{\"mode\":\"url\",\"message\":"
                               "\"m\",\"url\":\"https://h/x\"}},\"dirs\":{\"method\":\"roots/"
                               "list\"}},\"requestState\":\"s\""));
    peer.config.roots = roots;
    peer.config.n_roots = 1;
    peer.on_question = asked_person_react;
    asked_person = (struct asked_person){ 0 };
    const char *record = call(&peer, ERR_NONE);
    assert_non_null(strstr(record, "\"sampling\":{}"));
    assert_non_null(strstr(record, "\"inputResponses\":{\"llm\":" FOUR ",\"page\":{\"action\":"
                                   "\"accept\"},\"dirs\":{\"roots\":[{\"uri\":\"file:///srv\","
                                   "\"name\":\"srv\"}]}},\"requestState\":\"s\""));
    assert_true(asked_person.must_finish);
    peer_assert_text(&peer, "ok");
}

static void a_refusal_ends_a_modern_call_here(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", "tools/call=" NEEDS("\"inputRequests\":{" LLM "}"));
    const char *record = call(&peer, ERR_DENIED);
    assert_null(strstr(record, "inputResponses"));
    peer_assert_fails(&peer, ERR_DENIED, "sampling: no such luck");
    PEER(&peer, "--modern", "tools/call=" NEEDS("\"inputRequests\":{" LLM "}"));
    (void)call(&peer, ERR_INVALID);
    peer_assert_fails(&peer, ERR_PROTOCOL, "the server's question");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_legacy_server_gets_the_models_answer),
        cmocka_unit_test(a_legacy_server_hears_of_a_refusal_but_not_why_a_model_failed),
        cmocka_unit_test(a_legacy_server_without_a_call_is_turned_down),
        cmocka_unit_test(params_that_are_none_reach_nobody),
        cmocka_unit_test(where_only_a_model_answers_a_form_is_no_method),
        cmocka_unit_test(where_only_a_person_answers_a_prompt_is_no_method),
        cmocka_unit_test(questions_for_both_are_answered_in_their_order),
        cmocka_unit_test(a_modern_server_gets_the_answer_beside_others),
        cmocka_unit_test(a_refusal_ends_a_modern_call_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
