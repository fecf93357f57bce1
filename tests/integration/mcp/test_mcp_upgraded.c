/* A modern server refuses the revision that it spoke before (-32022): whatever was asked for is
 * asked for once more, in the revision that it lists. */

#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/outcomes.h"
#include <string.h>

#define CAPABILITIES "\"resources\":{},\"prompts\":{},\"completions\":{}"
#define MODERN_HELLO                                                                               \
    "server/discover#1=" ANSWER(                                                                   \
        "{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":"    \
        "{" CAPABILITIES "}}")
#define ANOTHER(list)                                                                              \
    REFUSE("{\"code\":-32022,\"message\":\"another one\",\"data\":{\"supported\":" list "}}")
#define MADE                                                                                       \
    "{\"resultType\":\"task\",\"taskId\":\"t1\",\"status\":\"working\",\"pollIntervalMs\":1}"
#define DONE "{\"taskId\":\"t1\",\"status\":\"completed\",\"result\":" TEXT_RESULT("done") "}"

static enum err_code read_one(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct peer *peer = argument;
    struct offering_result result;
    (void)runtime;
    peer->code = tool_server_read_resource(peer->server, scope, "a:1", NULL, &peer->arena, &result,
                                           &peer->err);
    return ERR_NONE;
}

static enum err_code get_prompt(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct peer *peer = argument;
    struct offering_result result;
    const struct prompt_request request = { .name = "p" };
    (void)runtime;
    peer->code =
        tool_server_get_prompt(peer->server, scope, &request, &peer->arena, &result, &peer->err);
    return ERR_NONE;
}

static enum err_code complete(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct peer *peer = argument;
    struct completion_values values;
    const struct completion_request wanted = {
        .kind = OFFERING_PROMPT, .key = "p", .argument = "a", .typed = ""
    };
    (void)runtime;
    peer->code =
        tool_server_complete(peer->server, scope, &wanted, &peer->arena, &values, &peer->err);
    return ERR_NONE;
}

static enum err_code list_prompts(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct peer *peer = argument;
    struct offerings found = { .arena = &peer->arena };
    (void)runtime;
    peer->code = tool_server_offerings(peer->server, scope, OFFERING_PROMPT, &found, &peer->err);
    return ERR_NONE;
}

static const struct {
    task_fn *ask;
    const char *method, *answer;
} requests[] = {
    { read_one, "resources/read", "{\"contents\":[]}" },
    { get_prompt, "prompts/get", "{\"messages\":[]}" },
    { complete, "completion/complete", "{\"completion\":{\"values\":[]}}" },
    { list_prompts, "prompts/list", "{\"prompts\":[]}" },
};

enum { N_REQUESTS = sizeof requests / sizeof *requests };

static const char *rule(struct arena *arena, const char *method, const char *nth,
                        const char *member, const char *value)
{
    return arena_printf(arena, "%s%s={\"jsonrpc\":\"2.0\",\"id\":$ID,\"%s\":%s}\n", method, nth,
                        member, value);
}

#define UNSUPPORTED(list)                                                                          \
    "{\"code\":-32022,\"message\":\"another one\",\"data\":{\"supported\":" list "}}"

static void asks_once_more_where_the_revision_is_listed_all_the_same(void **state)
{
    AUTO(arena) arena = { 0 };
    (void)state;
    for (size_t i = 0; i < N_REQUESTS; i++) {
        struct peer peer;
        const char *method = requests[i].method;
        PEER(&peer, "--modern", MODERN_HELLO,
             rule(&arena, method, "#1", "error", UNSUPPORTED("[\"2026-07-28\"]")),
             rule(&arena, method, "", "result", requests[i].answer));
        peer_keep_record(&peer);
        peer_run(&peer, requests[i].ask);
        assert_string_equal(peer.err.message, "");
        assert_int_equal(peer.code, ERR_NONE);
        assert_int_equal(count_words(peer_record(&peer), "\"server/discover\""), 1);
        peer_finish(&peer);
    }
}

static void asks_only_once_more(void **state)
{
    AUTO(arena) arena = { 0 };
    (void)state;
    for (size_t i = 0; i < N_REQUESTS; i++) {
        struct peer peer;
        const char *method = requests[i].method;
        PEER(&peer, "--modern", MODERN_HELLO,
             rule(&arena, method, "", "error", UNSUPPORTED("[\"2026-07-28\"]")));
        peer_keep_record(&peer);
        peer_run(&peer, requests[i].ask);
        assert_int_equal(peer.code, ERR_PROTOCOL);
        assert_int_equal(count_words(peer_record(&peer), arena_printf(&arena, "\"%s\"", method)),
                         2);
        peer_finish(&peer);
    }
}

/* A remote one that is modern at first. */
static void init_remote(struct remote *remote)
{
    remote_init(remote);
    remote_answers(remote, "server/discover",
                   (struct mock_answer){ .body = REMOTE_DISCOVERED_WITH(CAPABILITIES) });
}

static const char *answer_to(struct remote *remote, const char *id, const char *member,
                             const char *value)
{
    return arena_printf(&remote->peer.arena, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"%s\":%s}", id,
                        member, value);
}

/* From request n on it speaks 2025-11-25 only. */
static void becomes_older(struct remote *remote, const char *method, int n)
{
    const char *id = arena_printf(&remote->peer.arena, "%d", n);
    const char *probe = arena_printf(&remote->peer.arena, "\"era-%d\"", n + 1);
    const char *initialize = arena_printf(&remote->peer.arena, "\"era-%d\"", n + 2);
    static const char older[] = UNSUPPORTED("[\"2025-11-25\"]");
    remote_answers(
        remote, method,
        (struct mock_answer){ .status = 400, .body = answer_to(remote, id, "error", older) });
    remote_answers(
        remote, "server/discover",
        (struct mock_answer){ .status = 400, .body = answer_to(remote, probe, "error", older) });
    remote_answers(
        remote, "initialize",
        (struct mock_answer){ .body = answer_to(remote, initialize, "result",
                                                "{\"protocolVersion\":\"2025-11-25\","
                                                "\"capabilities\":{" CAPABILITIES "}}") });
}

static void asks_in_the_older_revision_that_the_server_speaks_now(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_REQUESTS; i++) {
        struct remote remote;
        init_remote(&remote);
        becomes_older(&remote, requests[i].method, 2);
        remote_answers(
            &remote, requests[i].method,
            (struct mock_answer){ .body = answer_to(&remote, "5", "result", requests[i].answer) });
        peer_run(&remote.peer, requests[i].ask);
        assert_string_equal(remote.peer.err.message, "");
        assert_int_equal(remote.peer.code, ERR_NONE);
        assert_string_equal(remote.peer.status.era, "legacy");
        remote_finish(&remote);
    }
}

static void a_task_is_looked_at_once_more(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", "tools/call=" ANSWER(MADE), "tasks/get#1=" ANOTHER("[\"2026-07-28\"]"),
         "tasks/get=" ANSWER(DONE));
    peer_run(&peer, peer_call);
    assert_string_equal(peer.err.message, "");
    assert_string_equal(step_result_text(&peer.arena, &peer.result), "done");
    peer_finish(&peer);
}

static void a_task_that_is_refused_again_is_given_up(void **state)
{
    struct peer peer;
    (void)state;
    PEER(&peer, "--modern", "tools/call=" ANSWER(MADE), "tasks/get=" ANOTHER("[\"2026-07-28\"]"),
         "tasks/cancel=" ANSWER("{}"));
    peer_keep_record(&peer);
    peer_run(&peer, peer_call);
    assert_int_equal(peer.code, ERR_PROTOCOL);
    assert_int_equal(count_words(peer_record(&peer), "\"tasks/get\""), 2);
    assert_int_equal(count_words(peer_record(&peer), "\"tasks/cancel\""), 1);
    peer_finish(&peer);
}

static void a_task_of_a_server_that_became_older_is_lost(void **state)
{
    struct remote remote;
    (void)state;
    init_remote(&remote);
    remote_answers(&remote, "tools/call",
                   (struct mock_answer){ .body = answer_to(&remote, "2", "result", MADE) });
    becomes_older(&remote, "tasks/get", 3);
    peer_run(&remote.peer, peer_call);
    assert_int_equal(remote.peer.code, ERR_UNAVAILABLE);
    assert_string_equal(remote.peer.err.message,
                        "sent, no answer: it may have taken effect (the server was started again "
                        "as another one)");
    remote_finish(&remote);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asks_once_more_where_the_revision_is_listed_all_the_same),
        cmocka_unit_test(asks_only_once_more),
        cmocka_unit_test(asks_in_the_older_revision_that_the_server_speaks_now),
        cmocka_unit_test(a_task_is_looked_at_once_more),
        cmocka_unit_test(a_task_that_is_refused_again_is_given_up),
        cmocka_unit_test(a_task_of_a_server_that_became_older_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
