/* The agent asks the person behind its host: what is missing, what needs approval, and what servers
 * want to know. Both eras, on virtual time. */
#include "application/agent_tools/agent_tools.h"
#include "domain/base/json.h"
#include "infrastructure/config/config.h"
#include "infrastructure/mock/mock_server.h"
#include "presentation/mcp/serve_tools.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_rpc.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/full/virtual_runtime.h"
#include <stdlib.h>
#include <string.h>

#define META                                                                                       \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                       \
    "\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{\"form\":{}}}}"
#define MODERN(id, tool, arguments, more)                                                          \
    "{\"id\":" #id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" tool                       \
    "\",\"arguments\":" arguments "," more META "}}"
#define AGAIN(state, key, response)                                                                \
    "\"requestState\":\"" state "\",\"inputResponses\":{\"" key "\":" response "},"
#define LEGACY(id, tool, arguments)                                                                \
    "{\"id\":" #id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" tool                       \
    "\",\"arguments\":" arguments "}}"
#define HELLO                                                                                      \
    "{\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\","          \
    "\"capabilities\":{\"elicitation\":{}}}}"
#define ACCEPT(content) "{\"action\":\"accept\",\"content\":" content "}"
#define ANSWER(id, result) "{\"id\":" #id ",\"result\":" result "}"
#define VAGUE "{\"request\":\"read the file\",\"session_id\":\"new:s\"}"
#define WRITES "{\"plan\":[{\"tool\":\"files/write\",\"args\":{\"path\":\"a\"}}]}"
#define ORDERS "{\"plan\":[{\"tool\":\"shop/order\",\"args\":{}}]}"

static const char tools[] =
    "[{\"name\":\"read\",\"description\":\"Reads a file\",\"inputSchema\":{\"type\":\"object\","
    "\"properties\":{\"path\":{\"type\":\"string\"}},\"required\":[\"path\"]},"
    "\"annotations\":{\"readOnlyHint\":true}},"
    "{\"name\":\"write\",\"description\":\"Writes a file\",\"inputSchema\":{\"type\":\"object\"}}]";
static const char shop[] =
    "{\"tools\":[{\"name\":\"order\",\"replies\":[{\"elicit\":{\"message\":\"How many?\","
    "\"schema\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}},"
    "\"required\":[\"n\"]}},\"text\":\"{elicited.n} ordered\"}]}]}";

struct bench {
    struct virtual_runtime *runtime;
    struct fake_services services;
    struct fake_tool_server *files;
    struct tool_server *shop, *agent;
    struct fake_rpc rpc;
    struct scope scope;
    struct err err;
};

static int add_shop(struct bench *bench, struct runtime *runtime)
{
    json_t *fixture = NULL;
    enum err_code r = json_parse(shop, strlen(shop), JSON_OURS, &fixture, &bench->err);
    if (!r)
        r = mock_server_create(runtime, "shop", fixture, &bench->shop, &bench->err);
    json_decref(fixture);
    bench->services.server_ports[bench->services.n_servers++] = bench->shop;
    return r ? -1 : 0;
}

static int set_up(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    bench->runtime = virtual_runtime_create(7);
    struct runtime *runtime = virtual_runtime_port(bench->runtime);
    fake_services_init(&bench->services, runtime, SOURCE_DIR);
    bench->services.choice = MODEL_CHOICE_LEXICAL;
    bench->services.base.documents = yaml_documents();
    bench->files = fake_services_add_server(&bench->services, "files", tools);
    bench->files->is_builtin = true;
    fake_rpc_init(&bench->rpc, runtime);
    bench->rpc.gone_at_ms = 1000;
    bench->scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    *state = bench;
    return agent_tools_create(&bench->services.base, &bench->agent, NULL) ||
                   add_shop(bench, runtime)
               ? -1
               : 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    fake_rpc_finish(&bench->rpc);
    tool_server_destroy(bench->agent);
    tool_server_destroy(bench->shop);
    bench->services.n_servers--;
    fake_services_finish(&bench->services);
    virtual_runtime_destroy(bench->runtime);
    free(bench);
    return 0;
}

static void say(struct bench *bench, int64_t at_ms, const char *line)
{
    fake_rpc_send(&bench->rpc, at_ms, line);
}

static void fresh(struct ids *ids, char out_id[static ID_SIZE])
{
    (void)ids;
    strcpy(out_id, "state");
}

static enum err_code serve(struct runtime *runtime, struct scope *scope, void *argument)
{
    static const struct ids_ops ids_ops = { .fresh = fresh };
    static struct ids ids = { &ids_ops };
    struct bench *bench = argument;
    const struct serve_options options = {
        .name = "agent", .version = "1", .max_in_flight = 64, .ids = &ids
    };
    return serve_tools(runtime, scope, &bench->rpc.port, bench->agent, &options, &bench->err);
}

static void run(struct bench *bench)
{
    (void)virtual_runtime_run(bench->runtime, &bench->scope, serve, bench);
    assert_int_equal(virtual_runtime_tasks(bench->runtime), 0);
}

static const json_t *result_at(struct bench *bench, int id, const char *pointer)
{
    return json_path_find(json_object_get(fake_rpc_answer(&bench->rpc, id), "result"), pointer);
}

static const char *status_of(struct bench *bench, int id)
{
    const json_t *status = result_at(bench, id, "/structuredContent/status");
    return status ? json_string_value(status) : "no result";
}

static const json_t *asked(struct bench *bench, size_t n, const char *pointer)
{
    return json_path_find(fake_rpc_notification(&bench->rpc, "elicitation/create", n), pointer);
}

static void asks_a_legacy_host_what_is_missing_and_goes_on(void **state)
{
    struct bench *bench = *state;
    say(bench, 0, HELLO);
    say(bench, 1, LEGACY(1, "ask", VAGUE));
    say(bench, 50, ANSWER(1, ACCEPT("{\"path\":\"a.md\"}")));

    run(bench);

    assert_non_null(asked(bench, 0, "/params/requestedSchema/properties/path"));
    assert_string_equal(status_of(bench, 1), "completed");
    assert_string_equal(bench->files->calls[0].arguments, "{\"path\":\"a.md\"}");
}

static void asks_a_modern_host_what_is_missing_and_goes_on(void **state)
{
    struct bench *bench = *state;
    say(bench, 0, MODERN(1, "ask", VAGUE, ""));
    say(bench, 50, MODERN(2, "ask", VAGUE, AGAIN("state.1", "q1", ACCEPT("{\"path\":\"b.md\"}"))));

    run(bench);

    assert_string_equal(json_string_value(result_at(bench, 1, "/resultType")), "input_required");
    assert_non_null(
        result_at(bench, 1, "/inputRequests/q1/params/requestedSchema/properties/path"));
    assert_string_equal(status_of(bench, 2), "completed");
    assert_string_equal(bench->files->calls[0].arguments, "{\"path\":\"b.md\"}");
}

static void gives_the_questions_back_where_the_person_declines_or_leaves(void **state)
{
    struct bench *bench = *state;
    say(bench, 0, HELLO);
    say(bench, 1, LEGACY(1, "ask", VAGUE));
    say(bench, 50, ANSWER(1, "{\"action\":\"decline\"}"));
    say(bench, 100, LEGACY(2, "plan", "{\"request\":\"read the file\",\"session_id\":\"new:t\"}"));
    say(bench, 150, ANSWER(2, "{\"action\":\"cancel\"}"));

    run(bench);

    assert_string_equal(status_of(bench, 1), "needs_answer");
    assert_string_equal(status_of(bench, 2), "needs_answer");
    assert_string_equal(
        json_string_value(result_at(bench, 1, "/structuredContent/questions/0/key")), "path");
    assert_int_equal(bench->files->n_calls, 0);
}

static void plans_with_what_the_person_said(void **state)
{
    struct bench *bench = *state;
    say(bench, 0, HELLO);
    say(bench, 1, LEGACY(1, "plan", VAGUE));
    say(bench, 50, ANSWER(1, ACCEPT("{\"path\":\"a.md\"}")));

    run(bench);

    assert_string_equal(status_of(bench, 1), "completed");
    assert_int_equal(bench->files->n_calls, 0);
    assert_non_null(strstr(json_string_value(result_at(bench, 1, "/content/0/text")), "a.md"));
}

static void calls_what_the_person_approves(void **state)
{
    struct bench *bench = *state;
    say(bench, 0, HELLO);
    say(bench, 1, LEGACY(1, "run_plan", WRITES));
    say(bench, 50, ANSWER(1, ACCEPT("{\"approve\":\"once\"}")));

    run(bench);

    const char *message = json_string_value(asked(bench, 0, "/params/message"));
    assert_non_null(strstr(message, "mistro wants to call files/write {\"path\":\"a\"}"));
    assert_string_equal(status_of(bench, 1), "completed");
    assert_int_equal(bench->files->n_calls, 1);
}

static void calls_nothing_that_was_not_approved_in_so_many_words(void **state)
{
    struct bench *bench = *state;
    say(bench, 0, HELLO);
    say(bench, 1, LEGACY(1, "run_plan", WRITES));
    say(bench, 2, ANSWER(1, ACCEPT("{\"approve\":\"no\"}")));
    say(bench, 100, LEGACY(2, "run_plan", WRITES));
    say(bench, 101, ANSWER(2, ACCEPT("{}")));
    say(bench, 200, LEGACY(3, "run_plan", WRITES));
    say(bench, 201, ANSWER(3, "{\"action\":\"decline\"}"));
    say(bench, 300, LEGACY(4, "run_plan", WRITES));
    say(bench, 301, ANSWER(4, ACCEPT("{\"approve\":\"whatever\"}")));

    run(bench);

    for (int id = 1; id <= 4; id++)
        assert_string_equal(status_of(bench, id), "refused");
    assert_int_equal(bench->files->n_calls, 0);
}

static void asks_no_more_after_always(void **state)
{
    struct bench *bench = *state;
    say(bench, 0, HELLO);
    say(bench, 1, LEGACY(1, "run_plan", WRITES));
    say(bench, 50, ANSWER(1, ACCEPT("{\"approve\":\"always\"}")));
    say(bench, 100, LEGACY(2, "run_plan", WRITES));

    run(bench);

    assert_string_equal(status_of(bench, 2), "completed");
    assert_null(asked(bench, 1, ""));
}

static void passes_on_what_a_server_asks_with_its_name(void **state)
{
    struct bench *bench = *state;
    bench->services.base.approve_all = true;
    say(bench, 0, MODERN(1, "run_plan", ORDERS, ""));
    say(bench, 50, MODERN(2, "run_plan", ORDERS, AGAIN("state.1", "q1", ACCEPT("{\"n\":3}"))));

    run(bench);

    const char *message =
        json_string_value(result_at(bench, 1, "/inputRequests/q1/params/message"));
    assert_non_null(strstr(message, "the server \"shop\" asks, while shop/order runs"));
    assert_non_null(strstr(message, "How many?"));
    assert_string_equal(status_of(bench, 2), "completed");
    assert_string_equal(json_string_value(result_at(bench, 2, "/content/0/text")), "3 ordered");
}

static void keeps_the_answers_of_two_calls_apart_however_they_come(void **state)
{
    struct bench *bench = *state;
    bench->services.base.approve_all = true;
    say(bench, 0, HELLO);
    say(bench, 1, LEGACY(1, "run_plan", ORDERS));
    say(bench, 2, LEGACY(2, "run_plan", ORDERS));
    say(bench, 60, ANSWER(2, ACCEPT("{\"n\":22}")));
    say(bench, 70, LEGACY(3, "ask", VAGUE));
    say(bench, 80, ANSWER(3, ACCEPT("{\"path\":\"c\"}")));
    say(bench, 90, ANSWER(1, ACCEPT("{\"n\":11}")));

    run(bench);

    assert_string_equal(json_string_value(result_at(bench, 1, "/content/0/text")), "11 ordered");
    assert_string_equal(json_string_value(result_at(bench, 2, "/content/0/text")), "22 ordered");
    assert_string_equal(status_of(bench, 3), "completed");
}

static void asks_two_servers_of_one_plan_and_hands_each_its_answer(void **state)
{
    static const char twice[] = "{\"plan\":[{\"id\":\"a\",\"tool\":\"shop/order\",\"args\":{}},"
                                "{\"id\":\"b\",\"tool\":\"shop/order\",\"args\":{}}]}";
    struct bench *bench = *state;
    struct arena arena = { 0 };
    bench->services.base.approve_all = true;
    say(bench, 0, arena_printf(&arena, MODERN(1, "run_plan", "%s", ""), twice));
    say(bench, 50,
        arena_printf(&arena,
                     MODERN(2, "run_plan", "%s", AGAIN("state.1", "q1", ACCEPT("{\"n\":1}"))),
                     twice));
    say(bench, 90,
        arena_printf(&arena,
                     MODERN(3, "run_plan", "%s", AGAIN("state.2", "q2", ACCEPT("{\"n\":2}"))),
                     twice));

    run(bench);

    assert_non_null(result_at(bench, 1, "/inputRequests/q1"));
    assert_non_null(result_at(bench, 2, "/inputRequests/q2"));
    assert_string_equal(status_of(bench, 3), "completed");
    arena_finish(&arena);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(asks_a_legacy_host_what_is_missing_and_goes_on),
        TEST(asks_a_modern_host_what_is_missing_and_goes_on),
        TEST(gives_the_questions_back_where_the_person_declines_or_leaves),
        TEST(plans_with_what_the_person_said),
        TEST(calls_what_the_person_approves),
        TEST(calls_nothing_that_was_not_approved_in_so_many_words),
        TEST(asks_no_more_after_always),
        TEST(passes_on_what_a_server_asks_with_its_name),
        TEST(keeps_the_answers_of_two_calls_apart_however_they_come),
        TEST(asks_two_servers_of_one_plan_and_hands_each_its_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
