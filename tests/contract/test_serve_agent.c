/* mistro as a server of its own tools, as a client of either era meets it: served over the handler,
 * on virtual time, with turns side by side. */
#include "application/agent_tools/agent_tools.h"
#include "domain/base/json.h"
#include "infrastructure/config/config.h"
#include "presentation/mcp/serve_tools.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_rpc.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/full/virtual_runtime.h"
#include <stdlib.h>
#include <string.h>

#define META                                                                                       \
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                                  \
    "\"io.modelcontextprotocol/clientCapabilities\":{}"
#define MODERN(id, tool, arguments)                                                                \
    "{\"id\":" #id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" tool                       \
    "\",\"arguments\":" arguments ",\"_meta\":{\"progressToken\":\"t" #id "\"," META "}}}"
#define LEGACY(id, tool, arguments)                                                                \
    "{\"id\":" #id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" tool                       \
    "\",\"arguments\":" arguments ",\"_meta\":{\"progressToken\":\"t" #id "\"}}}"
#define READ_PLAN "{\"plan\":[{\"tool\":\"files/read\",\"args\":{\"path\":\"a\"}}]}"

static const char tools[] =
    "[{\"name\":\"read\",\"description\":\"Reads a file\",\"inputSchema\":{\"type\":\"object\","
    "\"properties\":{\"path\":{\"type\":\"string\"}},\"required\":[\"path\"]},"
    "\"annotations\":{\"readOnlyHint\":true}}]";

struct bench {
    struct virtual_runtime *runtime;
    struct fake_services services;
    struct fake_tool_server *files;
    struct tool_server *agent;
    struct fake_rpc rpc;
    struct scope scope;
    struct err err;
    enum err_code result;
};

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
    bench->scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    *state = bench;
    return agent_tools_create(&bench->services.base, &bench->agent, NULL) ? -1 : 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    fake_rpc_finish(&bench->rpc);
    tool_server_destroy(bench->agent);
    fake_services_finish(&bench->services);
    virtual_runtime_destroy(bench->runtime);
    free(bench);
    return 0;
}

static void say(struct bench *bench, int64_t at_ms, const char *line)
{
    fake_rpc_send(&bench->rpc, at_ms, line);
}

static enum err_code serve(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct bench *bench = argument;
    const struct serve_options options = { .name = "agent", .version = "1", .max_in_flight = 64 };
    bench->result =
        serve_tools(runtime, scope, &bench->rpc.port, bench->agent, &options, &bench->err);
    return ERR_NONE;
}

static void run(struct bench *bench)
{
    (void)virtual_runtime_run(bench->runtime, &bench->scope, serve, bench);
    assert_int_equal(virtual_runtime_tasks(bench->runtime), 0);
}

static const char *status_of(struct bench *bench, int id)
{
    const json_t *answer = fake_rpc_answer(&bench->rpc, id);
    const json_t *status = json_path_find(answer, "/result/structuredContent/status");
    return status ? json_string_value(status) : "no result";
}

static const json_t *progress(struct bench *bench, size_t n)
{
    const json_t *note = fake_rpc_notification(&bench->rpc, "notifications/progress", n);
    return json_object_get(note, "params");
}

static void assert_reads_with_progress(struct bench *bench, int id, const char *token)
{
    static const char *const expected[] = { "plan of 1 step", "s1 files/read: started",
                                            "s1 files/read: half", "s1 files/read: ok" };
    assert_string_equal(status_of(bench, id), "completed");
    for (size_t i = 0; i < ARRAY_LENGTH(expected); i++) {
        assert_string_equal(json_get_string(progress(bench, i), "progressToken"), token);
        assert_string_equal(json_get_string(progress(bench, i), "message"), expected[i]);
        assert_int_equal(json_get_int(progress(bench, i), "progress", 0), (int64_t)i + 1);
    }
    assert_null(progress(bench, ARRAY_LENGTH(expected)));
}

static void runs_a_plan_for_a_modern_client_with_progress(void **state)
{
    struct bench *bench = *state;
    say(bench, 0, MODERN(1, "run_plan", READ_PLAN));

    run(bench);

    const json_t *answer = fake_rpc_answer(&bench->rpc, 1);
    assert_reads_with_progress(bench, 1, "t1");
    assert_string_equal(json_string_value(json_path_find(answer, "/result/resultType")),
                        "complete");
    assert_int_equal(bench->result, ERR_NONE);
}

static void runs_a_plan_for_a_legacy_client_with_progress(void **state)
{
    struct bench *bench = *state;
    say(bench, 0,
        "{\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\"}}");
    say(bench, 0, "{\"method\":\"notifications/initialized\"}");
    say(bench, 0, LEGACY(2, "run_plan", READ_PLAN));

    run(bench);

    const json_t *answer = fake_rpc_answer(&bench->rpc, 2);
    assert_reads_with_progress(bench, 2, "t2");
    assert_null(json_path_find(answer, "/result/resultType"));
}

static void asks_back_as_a_result_and_goes_on_with_the_answer(void **state)
{
    struct bench *bench = *state;
    say(bench, 0, MODERN(1, "ask", "{\"request\":\"read the file\",\"session_id\":\"new:s\"}"));
    say(bench, 100, MODERN(2, "ask", "{\"session_id\":\"s\",\"answers\":{\"path\":\"a\"}}"));

    run(bench);

    const json_t *first = fake_rpc_answer(&bench->rpc, 1);
    assert_string_equal(status_of(bench, 1), "needs_answer");
    assert_false(json_is_true(json_path_find(first, "/result/isError")));
    assert_string_equal(
        json_string_value(json_path_find(first, "/result/structuredContent/questions/0/key")),
        "path");
    assert_string_equal(status_of(bench, 2), "completed");
}

static void takes_a_plan_as_text(void **state)
{
    struct bench *bench = *state;
    say(bench, 0,
        MODERN(1, "run_plan",
               "{\"plan\":\"steps:\\n  - {tool: files/read, args: {path: '{vars.p}'}}\\n\","
               "\"vars\":{\"p\":\"a\"}}"));
    say(bench, 0, MODERN(2, "run_plan", "{\"plan\":\"steps: [\"}"));

    run(bench);

    const json_t *second = fake_rpc_answer(&bench->rpc, 2);
    const char *text = json_string_value(json_path_find(second, "/result/content/0/text"));
    assert_string_equal(status_of(bench, 1), "completed");
    assert_string_equal(bench->files->calls[0].arguments, "{\"path\":\"a\"}");
    assert_string_equal(status_of(bench, 2), "failed");
    assert_int_equal(strncmp(text, "/plan: line ", strlen("/plan: line ")), 0);
}

struct long_plan {
    struct bench *bench;
    size_t length;
    const char *status; /* one of the result's; in the arena */
    struct arena arena;
};

static enum err_code send_long_plan(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct long_plan *plan = argument;
    char *text = arena_alloc(&plan->arena, plan->length + 1);
    memset(text, ' ', plan->length);
    memcpy(text, "[]", 2);
    const struct tool_call call = {
        .name = "run_plan",
        .arguments = arena_keep_json(&plan->arena, json_pack("{s:s}", "plan", text)),
    };
    struct step_result result = { 0 };
    enum err_code r =
        tool_server_call(plan->bench->agent, scope, &call, &plan->arena, &result, NULL);
    plan->status = json_get_string(step_result_structured(&result), "status");
    return r;
}

static void bounds_a_plan_that_is_text(void **state)
{
    struct bench *bench = *state;
    struct long_plan fits = { .bench = bench, .length = AGENT_TOOLS_MAX_PLAN_BYTES };
    struct long_plan exceeds = { .bench = bench, .length = AGENT_TOOLS_MAX_PLAN_BYTES + 1 };

    (void)virtual_runtime_run(bench->runtime, &bench->scope, send_long_plan, &fits);
    (void)virtual_runtime_run(bench->runtime, &bench->scope, send_long_plan, &exceeds);

    assert_string_not_equal(fits.status, "limit");
    assert_string_equal(exceeds.status, "limit");
    arena_finish(&fits.arena);
    arena_finish(&exceeds.arena);
}

static void runs_so_many_turns_side_by_side_and_sends_the_next_one_away(void **state)
{
    struct bench *bench = *state;
    struct arena arena = { 0 };
    bench->files->delay_ms = 1000;
    for (int i = 1; i <= AGENT_TOOLS_MAX_CALLS + 1; i++)
        say(bench, i,
            arena_printf(&arena,
                         "{\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"ask\","
                         "\"arguments\":{\"request\":\"read the file \\\"f%d\\\"\"},"
                         "\"_meta\":{" META "}}}",
                         i, i));

    run(bench);

    for (int i = 1; i <= AGENT_TOOLS_MAX_CALLS; i++)
        assert_string_equal(status_of(bench, i), "completed");
    assert_string_equal(status_of(bench, AGENT_TOOLS_MAX_CALLS + 1), "limit");
    assert_int_equal(bench->files->n_calls, AGENT_TOOLS_MAX_CALLS);
    assert_int_equal(bench->files->max_in_flight, AGENT_TOOLS_MAX_CALLS);
    arena_finish(&arena);
}

static void ends_a_turn_when_its_call_is_cancelled(void **state)
{
    struct bench *bench = *state;
    bench->files->delay_ms = 60000;
    say(bench, 0, MODERN(1, "run_plan", READ_PLAN));
    say(bench, 500, "{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}");
    say(bench, 600, MODERN(2, "plan", "{\"request\":\"read the file \\\"a\\\"\"}"));

    run(bench);

    const struct event *end =
        fake_run_repository_event(&bench->services.runs, EVENT_RUN_FINISHED, 0);
    assert_null(fake_rpc_answer(&bench->rpc, 1));
    assert_string_equal(json_get_string(end->data, "status"), "cancelled");
    assert_string_equal(status_of(bench, 2), "completed");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(runs_a_plan_for_a_modern_client_with_progress),
        TEST(runs_a_plan_for_a_legacy_client_with_progress),
        TEST(asks_back_as_a_result_and_goes_on_with_the_answer),
        TEST(takes_a_plan_as_text),
        TEST(bounds_a_plan_that_is_text),
        TEST(runs_so_many_turns_side_by_side_and_sends_the_next_one_away),
        TEST(ends_a_turn_when_its_call_is_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
