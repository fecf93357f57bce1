/* Calls of the agent side by side in one conversation, some of them cancelled, on virtual time:
 * another interleaving with every seed. Every call that was not cancelled gets one answer, its own;
 * a cancelled one at most one; and every run in the log has an end. */
#include "application/agent_tools/agent_tools.h"
#include "domain/base/json.h"
#include "presentation/mcp/serve_tools.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_rpc.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/full/virtual_runtime.h"
#include <stdio.h>
#include <stdlib.h>

enum { SEEDS = 50, CALLS = 12, SPREAD_MS = 300 };

#define CALL                                                                                       \
    "{\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"ask\",\"arguments\":{"            \
    "\"request\":\"read the file \\\"f%d\\\"\",\"session_id\":\"s\"},\"_meta\":{"                  \
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                                  \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}}}"
#define CANCEL "{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":%d}}"

static const char tools[] =
    "[{\"name\":\"read\",\"description\":\"Reads a file\",\"inputSchema\":{\"type\":\"object\","
    "\"properties\":{\"path\":{\"type\":\"string\"}},\"required\":[\"path\"]},"
    "\"annotations\":{\"readOnlyHint\":true}}]";

struct bench {
    struct virtual_runtime *runtime;
    struct fake_services services;
    struct tool_server *agent;
    struct fake_rpc rpc;
    struct scope scope;
    struct arena arena;
    bool cancelled[CALLS + 1]; /* by id, from 1 */
    struct err err;
    enum err_code result;
};

static enum err_code serve(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct bench *bench = argument;
    const struct serve_options options = { .name = "agent", .version = "1", .max_in_flight = 64 };
    bench->result =
        serve_tools(runtime, scope, &bench->rpc.port, bench->agent, &options, &bench->err);
    return ERR_NONE;
}

/* Each call 10 ms after the one before; every third is cancelled soon after it began. */
static void script(struct bench *bench)
{
    struct fake_tool_server *files = &bench->services.servers[0];
    for (int i = 1; i <= CALLS; i++) {
        int64_t delay_ms = 1 + (int64_t)virtual_runtime_random(bench->runtime, SPREAD_MS);
        fake_tool_server_reply(
            files, (struct fake_tool_reply){ .tool = "read", .text = "ok", .delay_ms = delay_ms });
        fake_rpc_send(&bench->rpc, (int64_t)i * 10, arena_printf(&bench->arena, CALL, i, i));
        bench->cancelled[i] = i % 3 == 0;
        if (bench->cancelled[i])
            fake_rpc_send(&bench->rpc, (int64_t)i * 10 + 5, arena_printf(&bench->arena, CANCEL, i));
    }
    bench->rpc.gone_at_ms = 100 * SPREAD_MS;
}

static struct bench *create(uint64_t seed)
{
    struct bench *bench = calloc(1, sizeof *bench);
    bench->scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    bench->runtime = virtual_runtime_create(seed);
    struct runtime *runtime = virtual_runtime_port(bench->runtime);
    fake_services_init(&bench->services, runtime, SOURCE_DIR);
    bench->services.choice = MODEL_CHOICE_LEXICAL;
    fake_services_add_server(&bench->services, "files", tools)->is_builtin = true;
    assert_int_equal(conversation_repository_save(bench->services.conversations_port, &bench->scope,
                                                  conversation_create(&bench->arena, "s", 1), 0,
                                                  NULL),
                     ERR_NONE);
    fake_rpc_init(&bench->rpc, runtime);
    assert_int_equal(agent_tools_create(&bench->services.base, &bench->agent, NULL), ERR_NONE);
    return bench;
}

static void destroy(struct bench *bench)
{
    fake_rpc_finish(&bench->rpc);
    tool_server_destroy(bench->agent);
    fake_services_finish(&bench->services);
    virtual_runtime_destroy(bench->runtime);
    arena_finish(&bench->arena);
    free(bench);
}

static size_t answers_to(const struct bench *bench, int id)
{
    size_t n = 0, i;
    const json_t *message;
    json_array_foreach (bench->rpc.sent, i, message)
        n += json_get_int(message, "id", 0) == id ? 1 : 0;
    return n;
}

static void assert_is_its_own(const struct bench *bench, int id)
{
    const json_t *answer = fake_rpc_answer(&bench->rpc, id);
    const json_t *result = json_path_find(answer, "/result/structuredContent");
    const json_t *path = json_path_find(result, "/steps/0/args/path");
    char expected[16];
    snprintf(expected, sizeof expected, "f%d", id);
    assert_string_equal(json_get_string(result, "status"), "completed");
    assert_string_equal(json_string_value(path), expected);
}

static void answers_every_call_once_whatever_is_cancelled(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct bench *bench = create(seed);
        script(bench);

        (void)virtual_runtime_run(bench->runtime, &bench->scope, serve, bench);

        assert_int_equal(bench->result, ERR_NONE);
        assert_int_equal(virtual_runtime_tasks(bench->runtime), 0);
        for (int id = 1; id <= CALLS; id++) {
            assert_true(answers_to(bench, id) <= 1);
            if (!bench->cancelled[id])
                assert_is_its_own(bench, id);
        }
        assert_int_equal(fake_services_count(&bench->services, EVENT_RUN_FINISHED),
                         fake_services_count(&bench->services, EVENT_RUN_STARTED));
        destroy(bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_every_call_once_whatever_is_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
