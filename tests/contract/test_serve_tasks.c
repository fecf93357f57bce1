/* Calls that become tasks, in the forms of both eras. */
#include "tests/contract/serve_conversation.h"

#define CAPABLE                                                                                    \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                       \
    "\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{},"                          \
    "\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}}"
#define KNOWING(id, method, more)                                                                  \
    "{\"id\":" #id ",\"method\":\"" method "\",\"params\":{" more CAPABLE "}}"
#define HELLO                                                                                      \
    PLAIN(0, "initialize",                                                                         \
          "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"elicitation\":{}}}")
#define AS_TASK(id, name, more)                                                                    \
    PLAIN(id, "tools/call", "{\"name\":\"" name "\",\"task\":{" more "}}")
#define ABOUT(id, method, task) PLAIN(id, method, "{\"taskId\":\"" task "\"}")

static const char working[] =
    "{\"tools\":[{\"name\":\"must\",\"task\":\"required\",\"replies\":[{\"delay_ms\":500,"
    "\"text\":\"done\"}]},"
    "{\"name\":\"may\",\"task\":\"optional\",\"replies\":[{\"text\":\"quick\"}]},"
    "{\"name\":\"plain\",\"replies\":[{\"text\":\"plain\"}]},"
    "{\"name\":\"fails\",\"task\":\"optional\",\"replies\":[{\"error\":{\"code\":-32050,"
    "\"message\":\"no\"}}]},"
    "{\"name\":\"asks\",\"task\":\"optional\",\"replies\":[{\"elicit\":{\"message\":\"Who?\","
    "\"schema\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}}}},"
    "\"text\":\"hello {elicited.name}\"}]}]}";

static int set_up(void **state)
{
    struct conversation *c = calloc(1, sizeof *c);
    *state = c;
    begin_with(c, working);
    c->options.runs_tasks = true;
    c->options.max_in_flight = SERVE_MAX_IN_FLIGHT;
    c->rpc.gone_at_ms = 5000;
    return 0;
}

static int tear_down(void **state)
{
    end(*state);
    free(*state);
    return 0;
}

static const json_t *result(struct conversation *c, int id, const char *path)
{
    const json_t *whole = at(fake_rpc_answer(&c->rpc, id), "result");
    return *path ? at(whole, path) : whole;
}

static const char *text(struct conversation *c, int id, const char *path)
{
    const char *found = json_string_value(result(c, id, path));
    return found ? found : "(none)";
}

static void tells_each_era_that_there_are_tasks(void **state)
{
    struct conversation *c = *state;
    say(c, 0, MODERN(1, "server/discover", ""));
    say(c, 1, HELLO);
    run(c);
    assert_non_null(result(c, 1, "capabilities extensions io.modelcontextprotocol/tasks"));
    assert_non_null(result(c, 0, "capabilities tasks requests tools call"));
}

static void makes_a_legacy_task_and_keeps_its_result(void **state)
{
    struct conversation *c = *state;
    say(c, 0, HELLO);
    say(c, 1, AS_TASK(1, "must", "\"ttl\":2000"));
    say(c, 10, ABOUT(2, "tasks/get", "id1"));
    say(c, 20, ABOUT(3, "tasks/result", "id1"));
    say(c, 900, ABOUT(4, "tasks/get", "id1"));
    say(c, 950, ABOUT(5, "tasks/result", "id1"));
    say(c, 960, PLAIN(6, "tasks/list", "{}"));
    say(c, 3000, ABOUT(7, "tasks/get", "id1"));
    run(c);
    assert_string_equal(text(c, 1, "task taskId"), "id1");
    assert_string_equal(text(c, 1, "task status"), "working");
    assert_int_equal(json_integer_value(result(c, 1, "task ttl")), 2000);
    assert_string_equal(text(c, 2, "status"), "working");
    assert_string_equal(text(c, 3, "content 0 text"), "done");
    assert_string_equal(text(c, 3, "_meta io.modelcontextprotocol/related-task taskId"), "id1");
    assert_string_equal(text(c, 4, "status"), "completed");
    assert_string_equal(text(c, 5, "content 0 text"), "done");
    assert_int_equal(json_array_size(result(c, 6, "tasks")), 1);
    assert_int_equal(error_of(c, 7), -32602);
}

static void calls_a_legacy_tool_as_it_says_and_not_otherwise(void **state)
{
    struct conversation *c = *state;
    say(c, 0, HELLO);
    say(c, 1, PLAIN(1, "tools/call", "{\"name\":\"must\"}"));
    say(c, 2, AS_TASK(2, "plain", ""));
    say(c, 3, PLAIN(3, "tools/call", "{\"name\":\"may\"}"));
    run(c);
    assert_int_equal(error_of(c, 1), -32601);
    assert_int_equal(error_of(c, 2), -32601);
    assert_string_equal(text(c, 3, "content 0 text"), "quick");
}

static void makes_a_modern_task_and_shows_its_result(void **state)
{
    struct conversation *c = *state;
    say(c, 0, KNOWING(1, "tools/call", "\"name\":\"must\","));
    say(c, 10, KNOWING(2, "tasks/get", "\"taskId\":\"id1\","));
    say(c, 900, KNOWING(3, "tasks/get", "\"taskId\":\"id1\","));
    say(c, 901, KNOWING(4, "tasks/result", "\"taskId\":\"id1\","));
    run(c);
    assert_string_equal(text(c, 1, "resultType"), "task");
    assert_string_equal(text(c, 1, "taskId"), "id1");
    assert_non_null(result(c, 1, "ttlMs"));
    assert_string_equal(text(c, 2, "status"), "working");
    assert_string_equal(text(c, 2, "resultType"), "complete");
    assert_string_equal(text(c, 3, "result content 0 text"), "done");
    assert_int_equal(error_of(c, 4), -32601);
}

static void makes_no_task_for_a_modern_client_that_knows_none(void **state)
{
    struct conversation *c = *state;
    say(c, 0, MODERN(1, "tools/call", "\"name\":\"may\","));
    say(c, 1, MODERN(2, "tools/call", "\"name\":\"must\","));
    say(c, 2, MODERN(3, "tasks/get", "\"taskId\":\"id1\","));
    run(c);
    assert_string_equal(text(c, 1, "content 0 text"), "quick");
    assert_int_equal(error_of(c, 2), -32021);
    assert_non_null(at(fake_rpc_answer(&c->rpc, 2),
                       "error data requiredCapabilities extensions io.modelcontextprotocol/tasks"));
    assert_int_equal(error_of(c, 3), -32021);
}

static void shows_how_a_task_failed(void **state)
{
    struct conversation *c = *state;
    say(c, 0, KNOWING(1, "tools/call", "\"name\":\"fails\","));
    say(c, 10, KNOWING(2, "tasks/get", "\"taskId\":\"id1\","));
    run(c);
    assert_string_equal(text(c, 2, "status"), "failed");
    assert_int_equal(json_integer_value(result(c, 2, "error code")), -32050);
}

static void gives_the_error_of_a_legacy_task_as_its_outcome(void **state)
{
    struct conversation *c = *state;
    say(c, 0, HELLO);
    say(c, 1, AS_TASK(1, "fails", ""));
    say(c, 10, ABOUT(2, "tasks/result", "id1"));
    run(c);
    assert_int_equal(error_of(c, 2), -32050);
}

static void asks_in_a_legacy_task_while_its_outcome_is_waited_for(void **state)
{
    struct conversation *c = *state;
    say(c, 0, HELLO);
    say(c, 1, AS_TASK(1, "asks", ""));
    say(c, 10, ABOUT(2, "tasks/get", "id1"));
    say(c, 20, ABOUT(3, "tasks/result", "id1"));
    say(c, 30, "{\"id\":1,\"result\":{\"action\":\"accept\",\"content\":{\"name\":\"Ada\"}}}");
    run(c);
    const json_t *asked = fake_rpc_notification(&c->rpc, "elicitation/create", 0);
    assert_string_equal(text(c, 2, "status"), "input_required");
    assert_string_equal(
        json_string_value(at(asked, "params _meta io.modelcontextprotocol/related-task taskId")),
        "id1");
    assert_true(fake_rpc_position(&c->rpc, asked) >
                fake_rpc_position(&c->rpc, fake_rpc_answer(&c->rpc, 2)));
    assert_string_equal(text(c, 3, "content 0 text"), "hello Ada");
}

static void shows_what_a_modern_task_asks_and_takes_the_answer(void **state)
{
    struct conversation *c = *state;
    say(c, 0, KNOWING(1, "tools/call", "\"name\":\"asks\","));
    say(c, 10, KNOWING(2, "tasks/get", "\"taskId\":\"id1\","));
    say(c, 15, KNOWING(3, "tasks/update", "\"taskId\":\"id1\","));
    say(c, 20,
        KNOWING(4, "tasks/update",
                "\"taskId\":\"id1\",\"inputResponses\":{\"q1\":"
                "{\"action\":\"accept\",\"content\":{\"name\":"
                "\"Ada\"}}},"));
    say(c, 30, KNOWING(5, "tasks/get", "\"taskId\":\"id1\","));
    run(c);
    assert_string_equal(text(c, 2, "inputRequests q1 method"), "elicitation/create");
    assert_int_equal(error_of(c, 3), -32602);
    assert_string_equal(text(c, 4, "resultType"), "complete");
    assert_string_equal(text(c, 5, "result content 0 text"), "hello Ada");
}

static void cancels_a_task_in_either_era(void **state)
{
    struct conversation *c = *state;
    say(c, 0, KNOWING(1, "tools/call", "\"name\":\"must\","));
    say(c, 10, KNOWING(2, "tasks/cancel", "\"taskId\":\"id1\","));
    say(c, 20, KNOWING(3, "tasks/get", "\"taskId\":\"id1\","));
    say(c, 30, KNOWING(4, "tasks/cancel", "\"taskId\":\"id1\","));
    run(c);
    assert_non_null(result(c, 2, ""));
    assert_string_equal(text(c, 3, "status"), "cancelled");
    assert_non_null(result(c, 4, ""));
}

static void wakes_who_waits_for_a_legacy_task_that_is_cancelled(void **state)
{
    struct conversation *c = *state;
    say(c, 0, HELLO);
    say(c, 1, AS_TASK(1, "must", ""));
    say(c, 5, ABOUT(2, "tasks/result", "id1"));
    say(c, 10, ABOUT(3, "tasks/cancel", "id1"));
    say(c, 20, ABOUT(4, "tasks/cancel", "id1"));
    run(c);
    assert_string_equal(text(c, 3, "status"), "cancelled");
    assert_int_equal(error_of(c, 2), -32602);
    assert_int_equal(error_of(c, 4), -32602);
}

static void keeps_so_many_tasks_and_drops_the_oldest_that_is_over(void **state)
{
    struct conversation *c = *state;
    struct arena arena = { 0 };
    for (int i = 1; i <= SERVE_MAX_TASKS + 1; i++)
        say(c, i, arena_printf(&arena, KNOWING(% d, "tools/call", "\"name\":\"may\","), i));
    say(c, 100, KNOWING(51, "tasks/get", "\"taskId\":\"id1\","));
    say(c, 101, KNOWING(52, "tasks/get", "\"taskId\":\"id2\","));
    run(c);
    assert_int_equal(error_of(c, 51), -32602);
    assert_string_equal(text(c, 52, "status"), "completed");
    arena_finish(&arena);
}

static void refuses_one_more_while_all_tasks_run(void **state)
{
    struct conversation *c = *state;
    struct arena arena = { 0 };
    for (int i = 1; i <= SERVE_MAX_TASKS + 1; i++)
        say(c, i, arena_printf(&arena, KNOWING(% d, "tools/call", "\"name\":\"must\","), i));
    run(c);
    assert_string_equal(text(c, SERVE_MAX_TASKS, "resultType"), "task");
    assert_int_equal(error_of(c, SERVE_MAX_TASKS + 1), -32000);
    arena_finish(&arena);
}

static void ends_its_tasks_when_the_client_hangs_up(void **state)
{
    struct conversation *c = *state;
    c->rpc.gone_at_ms = 50;
    say(c, 0, KNOWING(1, "tools/call", "\"name\":\"must\","));
    run(c);
    assert_int_equal(c->ended_ms, 50);
}

#define WITH_CONVERSATION(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONVERSATION(tells_each_era_that_there_are_tasks),
        WITH_CONVERSATION(makes_a_legacy_task_and_keeps_its_result),
        WITH_CONVERSATION(calls_a_legacy_tool_as_it_says_and_not_otherwise),
        WITH_CONVERSATION(makes_a_modern_task_and_shows_its_result),
        WITH_CONVERSATION(makes_no_task_for_a_modern_client_that_knows_none),
        WITH_CONVERSATION(shows_how_a_task_failed),
        WITH_CONVERSATION(gives_the_error_of_a_legacy_task_as_its_outcome),
        WITH_CONVERSATION(asks_in_a_legacy_task_while_its_outcome_is_waited_for),
        WITH_CONVERSATION(shows_what_a_modern_task_asks_and_takes_the_answer),
        WITH_CONVERSATION(cancels_a_task_in_either_era),
        WITH_CONVERSATION(wakes_who_waits_for_a_legacy_task_that_is_cancelled),
        WITH_CONVERSATION(keeps_so_many_tasks_and_drops_the_oldest_that_is_over),
        WITH_CONVERSATION(refuses_one_more_while_all_tasks_run),
        WITH_CONVERSATION(ends_its_tasks_when_the_client_hangs_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
