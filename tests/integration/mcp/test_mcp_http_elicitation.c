
#include "tests/support/cmocka.h"
#include "tests/support/full/outcomes.h"
#include <string.h>

#define QUESTION                                                                                   \
    "\"method\":\"elicitation/create\",\"params\":{\"message\":\"Who?\",\"requestedSchema\":{"     \
    "\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}}}}"
#define ACCEPTED "{\"action\":\"accept\",\"content\":{\"name\":\"Ada\"}}"

static enum err_code answer_ada(void *context, struct scope *scope,
                                const struct elicitation *question, struct arena *arena,
                                struct elicitation_answer *out, struct err *err)
{
    (void)context;
    (void)scope;
    (void)question;
    (void)err;
    json_t *content = json_pack("{s:s}", "name", "Ada");
    *out = (struct elicitation_answer){ .action = ELICITATION_ACCEPT,
                                        .content = arena_keep_json(arena, content) };
    return ERR_NONE;
}

static void a_modern_call_is_posted_again_with_what_the_server_wanted(void **state)
{
    struct remote remote;
    (void)state;
    remote_init_modern(&remote);
    remote.peer.on_question = answer_ada;
    remote_answers(
        &remote, "tools/call",
        (struct mock_answer){ .body = "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"resultType\":"
                                      "\"input_required\",\"inputRequests\":{\"q\":{" QUESTION "}},"
                                      "\"requestState\":\"s\\u0074\"}}" });
    remote_answers(&remote, "tools/call", (struct mock_answer){ .body = REMOTE_TEXT("3", "ok") });
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote_count(&remote, "\"elicitation\":{\"form\":{},\"url\":{}}"), 3);
    assert_int_equal(remote_count(&remote, "\"inputResponses\":{\"q\":" ACCEPTED
                                           "},\"requestState\":\"s\\u0074\""),
                     1);
    assert_int_equal(remote_count(&remote, "Mcp-Name: echo"), 2);
    remote_assert_text(&remote, "ok");
}

static void a_legacy_question_comes_in_the_calls_stream_and_is_answered_by_a_post(void **state)
{
    static const char question[] = "data: {\"jsonrpc\":\"2.0\",\"id\":\"e\"," QUESTION "}\n\n";
    struct remote remote;
    (void)state;
    remote_init_legacy(&remote, REMOTE_INITIALIZED("2025-11-25"));
    remote.peer.on_question = answer_ada;
    remote_answers(&remote, "tools/call",
                   (struct mock_answer){ .type = REMOTE_EVENTS,
                                         .piece = sizeof question - 1,
                                         .every_ms = 100,
                                         .body = "data: {\"jsonrpc\":\"2.0\",\"id\":\"e\"," QUESTION
                                                 "}\n\ndata: " REMOTE_TEXT("3", "ok") "\n\n" });
    mock_endpoint_add(
        remote.endpoint,
        (struct mock_answer){
            .path = "/mcp", .when = "\"action\"", .status = 202, .type = REMOTE_JSON, .body = "" });
    peer_run(&remote.peer, peer_call);
    assert_int_equal(
        remote_count(&remote, "{\"jsonrpc\":\"2.0\",\"id\":\"e\",\"result\":" ACCEPTED "}"), 1);
    remote_assert_text(&remote, "ok");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_modern_call_is_posted_again_with_what_the_server_wanted),
        cmocka_unit_test(a_legacy_question_comes_in_the_calls_stream_and_is_answered_by_a_post),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
