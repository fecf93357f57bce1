/* What serve_tools owes an MCP client in both eras, over a scripted server on virtual time. */
#include "domain/base/json.h"
#include "infrastructure/mock/mock_rpc.h"
#include "infrastructure/mock/mock_server.h"
#include "presentation/mcp/serve_tools.h"
#include "tests/support/fake_rpc.h"
#include "tests/support/full/virtual_runtime.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define META                                                                                       \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                       \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define MODERN(id, method, more)                                                                   \
    "{\"id\":" #id ",\"method\":\"" method "\",\"params\":{" more META "}}"
#define PLAIN(id, method, params) "{\"id\":" #id ",\"method\":\"" method "\",\"params\":" params "}"
#define INITIALIZE(id, version) PLAIN(id, "initialize", "{\"protocolVersion\":\"" version "\"}")
#define CANCEL(id) "{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":" #id "}}"

static const char tools[] =
    "{\"tools\":[{\"name\":\"add\",\"replies\":[{\"structured\":{\"sum\":3}}]},"
    "{\"name\":\"slow\",\"replies\":[{\"delay_ms\":500,\"progress\":[{\"progress\":1,\"total\":3},"
    "{\"progress\":1},{\"progress\":2.5,\"message\":\"half\"}],"
    "\"logs\":[{\"level\":\"debug\",\"text\":\"fine\"},{\"level\":\"error\",\"text\":\"oops\"}]}]},"
    "{\"name\":\"long\",\"replies\":[{\"delay_ms\":5000}]},"
    "{\"name\":\"more\",\"replies\":[{\"reveals\":[\"new\"],\"result\":{}}]},"
    "{\"name\":\"refuse\",\"replies\":[{\"error\":{\"code\":-32050,\"message\":\"no\"}}]},"
    "{\"name\":\"silent\",\"replies\":[{\"fault\":\"silence\"}]},"
    "{\"name\":\"close\",\"replies\":[{\"fault\":\"close\"}]},"
    "{\"name\":\"junk\",\"replies\":[{\"fault\":\"junk\"}]},"
    "{\"name\":\"new\",\"hidden\":true}]}";

struct conversation {
    struct virtual_runtime *runtime;
    struct tool_server *mock;
    struct fake_rpc rpc;
    struct rpc *port;
    struct serve_options options;
    struct scope scope;
    struct err err;
    enum err_code result;
    int64_t ended_ms;
};

static void begin(struct conversation *c)
{
    memset(c, 0, sizeof *c);
    c->runtime = virtual_runtime_create(11);
    json_t *fixture = NULL;
    assert_int_equal(json_parse(tools, strlen(tools), JSON_OURS, &fixture, &c->err), 0);
    struct runtime *runtime = virtual_runtime_port(c->runtime);
    assert_int_equal(mock_server_create(runtime, "m", fixture, &c->mock, &c->err), 0);
    json_decref(fixture);
    fake_rpc_init(&c->rpc, runtime);
    c->port = &c->rpc.port;
    c->options = (struct serve_options){ .name = "m", .version = "1", .max_in_flight = 4 };
    c->scope = scope_child(NULL, SCOPE_NO_DEADLINE);
}

static void say(struct conversation *c, int64_t at_ms, const char *line)
{
    fake_rpc_send(&c->rpc, at_ms, line);
}

static enum err_code serve(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct conversation *c = argument;
    c->result = serve_tools(runtime, scope, c->port, c->mock, &c->options, &c->err);
    c->ended_ms = runtime_now_ms(runtime);
    return ERR_NONE;
}

static void run(struct conversation *c)
{
    virtual_runtime_run(c->runtime, &c->scope, serve, c);
    assert_int_equal(virtual_runtime_tasks(c->runtime), 0);
}

static void end(struct conversation *c)
{
    fake_rpc_finish(&c->rpc);
    tool_server_destroy(c->mock);
    virtual_runtime_destroy(c->runtime);
}

static const json_t *at(const json_t *value, const char *path)
{
    char text[200];
    snprintf(text, sizeof text, "%s", path);
    char *rest = text;
    for (char *part; value && (part = strsep(&rest, " "));)
        value = json_is_array(value) ? json_array_get(value, (size_t)atoi(part))
                                     : json_object_get(value, part);
    return value;
}

static int error_of(struct conversation *c, int id)
{
    return (int)json_integer_value(at(fake_rpc_answer(&c->rpc, id), "error code"));
}

static void discovers_and_calls_in_the_modern_era(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    c.options.instructions = "be kind";
    say(&c, 0, MODERN(1, "server/discover", ""));
    say(&c, 0, MODERN(2, "tools/list", ""));
    say(&c, 0, MODERN(3, "tools/call", "\"name\":\"add\",\"arguments\":{},"));
    run(&c);
    const json_t *discover = at(fake_rpc_answer(&c.rpc, 1), "result");
    assert_string_equal(json_string_value(at(discover, "supportedVersions 0")), "2026-07-28");
    assert_string_equal(json_get_string(discover, "instructions"), "be kind");
    assert_string_equal(json_get_string(discover, "resultType"), "complete");
    assert_non_null(at(discover, "_meta io.modelcontextprotocol/serverInfo"));
    const json_t *list = at(fake_rpc_answer(&c.rpc, 2), "result");
    assert_int_equal(json_array_size(json_object_get(list, "tools")), 8);
    assert_non_null(json_object_get(list, "ttlMs"));
    assert_non_null(json_object_get(list, "cacheScope"));
    assert_null(json_object_get(list, "nextCursor"));
    assert_string_equal(json_get_string(fake_rpc_answer(&c.rpc, 3), "text"),
                        "{\"resultType\":\"complete\",\"content\":[{\"type\":\"text\",\"text\":"
                        "\"{\\\"sum\\\":3}\"}],\"structuredContent\":{\"sum\":3}}");
    assert_int_equal(c.result, ERR_NONE);
    end(&c);
}

static void initializes_and_calls_in_the_legacy_era(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    say(&c, 0, PLAIN(9, "ping", "{}"));
    say(&c, 0, MODERN(1, "server/discover", ""));
    say(&c, 0, INITIALIZE(2, "2025-06-18"));
    say(&c, 0, "{\"method\":\"notifications/initialized\"}");
    say(&c, 0, PLAIN(3, "ping", "{}"));
    say(&c, 0, PLAIN(4, "tools/list", "{}"));
    say(&c, 0, PLAIN(5, "tools/call", "{\"name\":\"add\"}"));
    say(&c, 0, PLAIN(6, "logging/setLevel", "{\"level\":\"warning\"}"));
    say(&c, 0, PLAIN(7, "logging/setLevel", "{\"level\":\"loud\"}"));
    say(&c, 0, MODERN(8, "server/discover", ""));
    run(&c);
    assert_non_null(at(fake_rpc_answer(&c.rpc, 9), "result"));
    const json_t *result = at(fake_rpc_answer(&c.rpc, 2), "result");
    assert_string_equal(json_get_string(result, "protocolVersion"), "2025-06-18");
    assert_true(json_is_true(at(result, "capabilities tools listChanged")));
    assert_string_equal(json_string_value(at(result, "serverInfo name")), "m");
    assert_non_null(at(fake_rpc_answer(&c.rpc, 3), "result"));
    assert_null(at(fake_rpc_answer(&c.rpc, 4), "result ttlMs"));
    assert_null(at(fake_rpc_answer(&c.rpc, 5), "result resultType"));
    assert_int_equal(
        json_integer_value(at(fake_rpc_answer(&c.rpc, 5), "result structuredContent sum")), 3);
    assert_non_null(at(fake_rpc_answer(&c.rpc, 6), "result"));
    assert_int_equal(error_of(&c, 7), -32602);
    assert_int_equal(error_of(&c, 8), -32601);
    end(&c);
}

static void answers_an_unknown_legacy_version_with_the_newest_one(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    say(&c, 0, INITIALIZE(1, "1999-01-01"));
    run(&c);
    assert_string_equal(json_string_value(at(fake_rpc_answer(&c.rpc, 1), "result protocolVersion")),
                        "2025-11-25");
    end(&c);
}

static void refuses_what_breaks_the_rules(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    say(&c, 0, PLAIN(1, "tools/list", "{}"));
    say(&c, 0,
        PLAIN(2, "tools/list",
              "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2099-01-01\"}}"));
    say(&c, 0,
        PLAIN(3, "tools/list",
              "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}"));
    say(&c, 0, MODERN(4, "tools/call", "\"name\":\"zzz\","));
    say(&c, 0, MODERN(5, "tools/call", "\"name\":7,"));
    say(&c, 0, MODERN(6, "tools/call", "\"name\":\"add\",\"arguments\":[],"));
    say(&c, 0, MODERN(7, "tools/list", "\"cursor\":\"nonsense\","));
    say(&c, 0, MODERN(8, "resources/list", ""));
    say(&c, 0, MODERN(9, "ping", ""));
    say(&c, 0, INITIALIZE(10, "2025-11-25"));
    say(&c, 0, MODERN(11, "tools/call", "\"name\":\"refuse\","));
    run(&c);
    assert_int_equal(error_of(&c, 1), -32602);
    assert_int_equal(error_of(&c, 2), -32022);
    const json_t *data = at(fake_rpc_answer(&c.rpc, 2), "error data");
    assert_string_equal(json_string_value(at(data, "supported 0")), "2026-07-28");
    assert_string_equal(json_get_string(data, "requested"), "2099-01-01");
    assert_int_equal(error_of(&c, 3), -32602);
    assert_int_equal(error_of(&c, 4), -32602);
    assert_int_equal(error_of(&c, 5), -32602);
    assert_int_equal(error_of(&c, 6), -32602);
    assert_int_equal(error_of(&c, 7), -32602);
    assert_int_equal(error_of(&c, 8), -32601);
    assert_int_equal(error_of(&c, 9), -32601);
    assert_int_equal(error_of(&c, 10), -32022);
    assert_int_equal(error_of(&c, 11), -32050);
    end(&c);
}

static void serves_only_the_eras_it_was_told_to(void **state)
{
    (void)state;
    struct conversation modern, legacy;
    begin(&modern);
    modern.options.eras = SERVE_MODERN;
    say(&modern, 0, INITIALIZE(1, "2025-11-25"));
    say(&modern, 0, PLAIN(2, "ping", "{}"));
    run(&modern);
    begin(&legacy);
    legacy.options.eras = SERVE_LEGACY;
    say(&legacy, 0, MODERN(1, "server/discover", ""));
    say(&legacy, 0, PLAIN(2, "tools/list", "{}"));
    run(&legacy);
    assert_int_equal(error_of(&modern, 1), -32022);
    assert_int_equal(error_of(&modern, 2), -32601);
    assert_int_equal(error_of(&legacy, 1), -32601);
    assert_int_equal(error_of(&legacy, 2), -32600);
    end(&modern);
    end(&legacy);
}

static void lists_tools_page_by_page(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    c.options.page_size = 5;
    say(&c, 0, MODERN(1, "tools/list", ""));
    say(&c, 0, MODERN(2, "tools/list", "\"cursor\":\"from-5\","));
    say(&c, 0, MODERN(3, "tools/list", "\"cursor\":\"from-7\","));
    say(&c, 0, MODERN(4, "tools/list", "\"cursor\":\"from-8\","));
    run(&c);
    assert_int_equal(json_array_size(at(fake_rpc_answer(&c.rpc, 1), "result tools")), 5);
    assert_string_equal(json_string_value(at(fake_rpc_answer(&c.rpc, 1), "result nextCursor")),
                        "from-5");
    assert_int_equal(json_array_size(at(fake_rpc_answer(&c.rpc, 2), "result tools")), 3);
    assert_null(at(fake_rpc_answer(&c.rpc, 2), "result nextCursor"));
    assert_int_equal(json_array_size(at(fake_rpc_answer(&c.rpc, 3), "result tools")), 1);
    assert_int_equal(error_of(&c, 4), -32602);
    end(&c);
}

static void runs_calls_side_by_side_up_to_the_bound(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    c.options.max_in_flight = 2;
    c.rpc.gone_at_ms = 2000;
    say(&c, 0, MODERN(1, "tools/call", "\"name\":\"slow\","));
    say(&c, 0, MODERN(2, "tools/call", "\"name\":\"slow\","));
    say(&c, 0, MODERN(3, "tools/call", "\"name\":\"add\","));
    say(&c, 0, MODERN(4, "server/discover", ""));
    run(&c);
    const json_t *third = fake_rpc_answer(&c.rpc, 3), *fourth = fake_rpc_answer(&c.rpc, 4);
    assert_non_null(fake_rpc_answer(&c.rpc, 1));
    assert_non_null(fake_rpc_answer(&c.rpc, 2));
    assert_non_null(third);
    assert_int_equal(fake_rpc_position(&c.rpc, fourth), 0);
    assert_true(fake_rpc_position(&c.rpc, third) > 1);
    end(&c);
}

static void refuses_a_request_beyond_those_that_may_wait(void **state)
{
    (void)state;
    enum { N = 1 + SERVE_MAX_WAITING + 1 };
    static char lines[N][300];
    struct conversation c;
    begin(&c);
    c.options.max_in_flight = 1;
    for (int i = 0; i < N; i++) {
        snprintf(lines[i], sizeof lines[i],
                 "{\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"long\"," META "}}",
                 i + 1);
        say(&c, 0, lines[i]);
    }
    run(&c);
    assert_int_equal(error_of(&c, N - 1), -32603);
    assert_int_equal(error_of(&c, N), -32000);
    end(&c);
}

static void reports_growing_progress_to_who_gave_a_token(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    c.rpc.gone_at_ms = 1000;
    say(&c, 0,
        "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"slow\",\"_meta\":{"
        "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"progressToken\":\"p\","
        "\"io.modelcontextprotocol/clientCapabilities\":{}}}}");
    say(&c, 0, MODERN(2, "tools/call", "\"name\":\"slow\","));
    run(&c);
    const json_t *first = fake_rpc_notification(&c.rpc, "notifications/progress", 0);
    const json_t *second = fake_rpc_notification(&c.rpc, "notifications/progress", 1);
    assert_string_equal(json_string_value(at(first, "params progressToken")), "p");
    assert_int_equal(json_integer_value(at(first, "params progress")), 1);
    assert_string_equal(json_string_value(at(second, "params message")), "half");
    assert_null(fake_rpc_notification(&c.rpc, "notifications/progress", 2));
    end(&c);
}

static void stays_silent_about_a_cancelled_call(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    c.options.max_in_flight = 1;
    c.rpc.gone_at_ms = 300;
    say(&c, 0, MODERN(1, "tools/call", "\"name\":\"long\","));
    say(&c, 0, MODERN(2, "tools/call", "\"name\":\"add\","));
    say(&c, 0, MODERN(3, "tools/call", "\"name\":\"add\","));
    say(&c, 100, CANCEL(3));
    say(&c, 200, CANCEL(1));
    say(&c, 200, CANCEL(77));
    run(&c);
    assert_null(fake_rpc_answer(&c.rpc, 1));
    assert_non_null(at(fake_rpc_answer(&c.rpc, 2), "result"));
    assert_null(fake_rpc_answer(&c.rpc, 3));
    assert_int_equal(c.ended_ms, 300);
    end(&c);
}

static void refuses_an_id_that_is_in_use(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    say(&c, 0, MODERN(1, "tools/call", "\"name\":\"slow\","));
    say(&c, 0, MODERN(1, "tools/call", "\"name\":\"add\","));
    run(&c);
    assert_int_equal(error_of(&c, 1), -32600);
    end(&c);
}

static void lets_calls_end_for_a_moment_when_the_client_goes(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    say(&c, 0, MODERN(1, "tools/call", "\"name\":\"slow\","));
    say(&c, 0, MODERN(2, "tools/call", "\"name\":\"long\","));
    run(&c);
    assert_non_null(at(fake_rpc_answer(&c.rpc, 1), "result"));
    assert_int_equal(error_of(&c, 2), -32603);
    assert_int_equal(c.ended_ms, SERVE_GRACE_MS);
    assert_int_equal(c.rpc.flushes, 1);
    end(&c);
}

static void ends_at_once_when_it_is_cancelled(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    c.rpc.gone_at_ms = 100000;
    say(&c, 0, MODERN(1, "tools/call", "\"name\":\"long\","));
    virtual_runtime_cancel_at(c.runtime, &c.scope, 70);
    run(&c);
    assert_int_equal(c.result, ERR_CANCELLED);
    assert_int_equal(c.ended_ms, 70);
    end(&c);
}

static void tells_legacy_clients_that_the_list_changed(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    say(&c, 0, INITIALIZE(1, "2025-11-25"));
    say(&c, 0, "{\"method\":\"notifications/initialized\"}");
    say(&c, 0, PLAIN(2, "tools/call", "{\"name\":\"more\"}"));
    run(&c);
    assert_non_null(fake_rpc_notification(&c.rpc, "notifications/tools/list_changed", 0));
    assert_string_equal(json_get_string(fake_rpc_answer(&c.rpc, 2), "text"), "{}");
    end(&c);
}

static void tells_modern_clients_only_on_their_subscription(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    say(&c, 0,
        MODERN(1, "subscriptions/listen",
               "\"notifications\":{\"toolsListChanged\":true,\"promptsListChanged\":true},"));
    say(&c, 0, MODERN(2, "subscriptions/listen", "\"notifications\":{},"));
    say(&c, 0, MODERN(3, "subscriptions/listen", ""));
    say(&c, 10, CANCEL(2));
    say(&c, 10, MODERN(4, "tools/call", "\"name\":\"more\","));
    run(&c);
    const json_t *ack =
        fake_rpc_notification(&c.rpc, "notifications/subscriptions/acknowledged", 0);
    const json_t *change = fake_rpc_notification(&c.rpc, "notifications/tools/list_changed", 0);
    assert_int_equal(json_object_size(at(ack, "params notifications")), 1);
    assert_int_equal(
        json_integer_value(at(change, "params _meta io.modelcontextprotocol/subscriptionId")), 1);
    assert_null(fake_rpc_notification(&c.rpc, "notifications/tools/list_changed", 1));
    assert_int_equal(error_of(&c, 3), -32602);
    assert_string_equal(json_get_string(fake_rpc_answer(&c.rpc, 4), "text"),
                        "{\"resultType\":\"complete\"}");
    /* ended in order, with a result */
    assert_non_null(at(fake_rpc_answer(&c.rpc, 1), "result resultType"));
    assert_null(fake_rpc_answer(&c.rpc, 2));
    end(&c);
}

static void passes_logs_on_at_the_level_asked_for(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    c.rpc.gone_at_ms = 1000;
    say(&c, 0, INITIALIZE(1, "2025-11-25"));
    say(&c, 0, "{\"method\":\"notifications/initialized\"}");
    say(&c, 0, PLAIN(2, "logging/setLevel", "{\"level\":\"warning\"}"));
    say(&c, 0, PLAIN(3, "tools/call", "{\"name\":\"slow\"}"));
    run(&c);
    const json_t *log = fake_rpc_notification(&c.rpc, "notifications/message", 0);
    assert_string_equal(json_string_value(at(log, "params data")), "oops");
    assert_null(fake_rpc_notification(&c.rpc, "notifications/message", 1));
    end(&c);
}

static void says_nothing_more_after_the_fault_silence(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    c.port = mock_rpc_create(virtual_runtime_port(c.runtime), c.mock, &c.rpc.port, -1);
    say(&c, 0, MODERN(1, "tools/call", "\"name\":\"silent\","));
    say(&c, 10, MODERN(2, "server/discover", ""));
    run(&c);
    rpc_destroy(c.port);
    assert_int_equal(json_array_size(c.rpc.sent), 0);
    end(&c);
}

static void hangs_up_with_the_fault_close(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    c.port = mock_rpc_create(virtual_runtime_port(c.runtime), c.mock, &c.rpc.port, -1);
    c.rpc.gone_at_ms = 100000;
    say(&c, 0, MODERN(1, "tools/call", "\"name\":\"close\","));
    run(&c);
    rpc_destroy(c.port);
    assert_int_equal(c.result, ERR_NONE);
    assert_int_equal(c.ended_ms, SERVE_GRACE_MS);
    end(&c);
}

static void writes_a_line_that_is_no_message_with_the_fault_junk(void **state)
{
    (void)state;
    struct conversation c;
    int pipe_fds[2];
    char line[200] = "";
    begin(&c);
    assert_int_equal(pipe(pipe_fds), 0);
    c.port = mock_rpc_create(virtual_runtime_port(c.runtime), c.mock, &c.rpc.port, pipe_fds[1]);
    say(&c, 0, MODERN(1, "tools/call", "\"name\":\"junk\","));
    run(&c);
    rpc_destroy(c.port);
    assert_true(read(pipe_fds[0], line, sizeof line - 1) > 0);
    assert_non_null(strchr(line, '\n'));
    assert_non_null(at(fake_rpc_answer(&c.rpc, 1), "result"));
    close(pipe_fds[0]);
    close(pipe_fds[1]);
    end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(discovers_and_calls_in_the_modern_era),
        cmocka_unit_test(initializes_and_calls_in_the_legacy_era),
        cmocka_unit_test(answers_an_unknown_legacy_version_with_the_newest_one),
        cmocka_unit_test(refuses_what_breaks_the_rules),
        cmocka_unit_test(serves_only_the_eras_it_was_told_to),
        cmocka_unit_test(lists_tools_page_by_page),
        cmocka_unit_test(runs_calls_side_by_side_up_to_the_bound),
        cmocka_unit_test(refuses_a_request_beyond_those_that_may_wait),
        cmocka_unit_test(reports_growing_progress_to_who_gave_a_token),
        cmocka_unit_test(stays_silent_about_a_cancelled_call),
        cmocka_unit_test(refuses_an_id_that_is_in_use),
        cmocka_unit_test(lets_calls_end_for_a_moment_when_the_client_goes),
        cmocka_unit_test(ends_at_once_when_it_is_cancelled),
        cmocka_unit_test(tells_legacy_clients_that_the_list_changed),
        cmocka_unit_test(tells_modern_clients_only_on_their_subscription),
        cmocka_unit_test(passes_logs_on_at_the_level_asked_for),
        cmocka_unit_test(says_nothing_more_after_the_fault_silence),
        cmocka_unit_test(hangs_up_with_the_fault_close),
        cmocka_unit_test(writes_a_line_that_is_no_message_with_the_fault_junk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
