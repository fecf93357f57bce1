#include "application/tools/consent.h"
#include "application/tools/invoke.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/immediate_runtime.h"
#include <string.h>

#define TOOLS                                                                                      \
    "[{\"name\":\"look\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"path\":{\"type\":" \
    "\"string\"}},\"required\":[\"path\"]},\"outputSchema\":{\"type\":\"object\",\"required\":["   \
    "\"size\"]},\"annotations\":{\"readOnlyHint\":true}},"                                         \
    "{\"name\":\"send\",\"inputSchema\":{\"type\":\"object\"}},"                                   \
    "{\"name\":\"odd\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"pattern\":"   \
    "\"(\"}}},\"annotations\":{\"readOnlyHint\":true}}]"

struct bench {
    struct immediate_runtime runtime;
    struct fake_services services;
    struct fake_tool_server *server;
    struct toolbox *toolbox;
    struct journal journal;
    struct invoker invoker;
    struct arena arena;
    struct scope scope;
    struct invoke_outcome outcome;
    struct err err;
};

static int set_up(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    bench->runtime = immediate_runtime();
    bench->scope.deadline_ms = SCOPE_NO_DEADLINE;
    struct runtime *runtime = &bench->runtime.port;
    struct services *services = &bench->services.base;
    fake_services_init(&bench->services, runtime, SOURCE_DIR);
    bench->server = fake_services_add_server(&bench->services, "dev", TOOLS);
    bench->toolbox = toolbox_create(&bench->services.base, bench->services.server_ports, 1);
    journal_init(&bench->journal, runtime, bench->services.runs_port, services->digest,
                 services->ids, true);
    journal_begin(&bench->journal, "call", NULL, "test", NULL);
    invoker_init(&bench->invoker, services, bench->toolbox, &bench->journal, NULL);
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    invoker_finish(&bench->invoker);
    toolbox_destroy(bench->toolbox);
    arena_finish(&bench->arena);
    fake_services_finish(&bench->services);
    free(bench);
    return 0;
}

static enum err_code call(struct bench *bench, const char *tool, const char *arguments,
                          struct invoke_request request)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(arguments, strlen(arguments), JSON_OURS, &value, NULL), 0);
    request.arguments = arena_keep_json(&bench->arena, value);
    const char *name = arena_printf(&bench->arena, "dev/%s", tool);
    assert_int_equal(toolbox_find(bench->toolbox, &bench->scope, name, &request.tool, NULL, NULL),
                     0);
    return invoke(&bench->invoker, &bench->scope, &bench->arena, &request, &bench->outcome,
                  &bench->err);
}

static const struct invoke_request by_user = { .named_by_user = true };

static void refuses_arguments_that_break_the_schema(void **state)
{
    struct bench *bench = *state;

    assert_int_equal(call(bench, "look", "{\"path\":5}", by_user), ERR_INVALID);

    assert_non_null(strstr(bench->err.message, "/path"));
    assert_int_equal(bench->server->n_calls, 0);
}

static void a_server_may_ask_somebody_only_where_somebody_is(void **state)
{
    struct bench *bench = *state;

    assert_int_equal(call(bench, "look", "{\"path\":\"a\"}", by_user), ERR_NONE);
    assert_false(bench->server->offers_person);
    bench->services.user.present = true;
    assert_int_equal(call(bench, "look", "{\"path\":\"a\"}", by_user), ERR_NONE);

    assert_true(bench->server->offers_person);
}

static void names_the_argument_that_was_meant(void **state)
{
    struct bench *bench = *state;

    assert_int_equal(call(bench, "look", "{\"pth\":\"a\"}", by_user), ERR_INVALID);

    assert_string_equal(bench->err.hint, "did you mean path instead of pth?");
}

static void repeats_a_call_of_a_built_in_tool_that_reads(void **state)
{
    struct bench *bench = *state;
    bench->server->is_builtin = true;
    fake_tool_server_reply(bench->server,
                           (struct fake_tool_reply){ .tool = "look", .fails = ERR_UNAVAILABLE });

    assert_int_equal(call(bench, "look", "{\"path\":\"a\"}", by_user), ERR_NONE);

    assert_int_equal(bench->outcome.attempts, 2);
    assert_true(bench->outcome.duration_ms >= 250);
}

/* Calls the tool, whose first answer is lost: whether it was called again. */
static bool is_repeated(struct bench *bench, const char *tool, struct invoke_request request)
{
    size_t before = bench->server->n_calls;
    fake_tool_server_reply(bench->server,
                           (struct fake_tool_reply){ .tool = tool, .fails = ERR_TIMEOUT });
    enum err_code r = call(bench, tool, "{\"path\":\"a\"}", request);
    size_t n = bench->server->n_calls - before;
    assert_int_equal(r, n == 1 ? ERR_TIMEOUT : ERR_NONE);
    return n > 1;
}

static void a_servers_own_hints_repeat_nothing(void **state)
{
    struct bench *bench = *state;
    fake_tool_server_redefine(bench->server,
                              "[{\"name\":\"charge\",\"inputSchema\":{\"type\":\"object\"},"
                              "\"annotations\":{\"readOnlyHint\":true,\"idempotentHint\":true}}]");
    struct invoke_request request = by_user;
    request.attempts = 3;

    assert_false(is_repeated(bench, "charge", request));
    bench->services.base.approve_all = true;
    assert_false(is_repeated(bench, "charge", (struct invoke_request){ 0 }));
}

static void repeats_what_a_rule_says(void **state)
{
    struct bench *bench = *state;
    struct policy_rule rule = { .effect = POLICY_UNSAID, .repeat = HINT_YES, .tool = "s*" };
    bench->services.settings.policy = &rule;
    bench->services.settings.n_policy = 1;

    assert_true(is_repeated(bench, "send", by_user));
    assert_false(is_repeated(bench, "look", by_user));
    bench->server->is_builtin = true;
    rule = (struct policy_rule){ .effect = POLICY_UNSAID, .repeat = HINT_NO };
    assert_false(is_repeated(bench, "look", by_user));
}

static void repeats_what_a_person_approved_for_good_as_reading(void **state)
{
    struct bench *bench = *state;
    const struct invoke_request request = { 0 };
    bench->services.user.present = true;
    bench->services.user.answer = APPROVAL_SESSION;
    assert_false(is_repeated(bench, "look", request));
    assert_non_null(strstr(bench->services.user.always, "it only reads"));

    json_object_clear(bench->invoker.session_approvals);
    bench->services.user.answer = APPROVAL_ALWAYS;
    assert_true(is_repeated(bench, "look", request));
    assert_true(is_repeated(bench, "look", by_user));

    assert_false(is_repeated(bench, "send", request));
    assert_string_equal(bench->services.user.always, "");
}

static void an_approval_to_repeat_is_looked_for_until_it_is_found(void **state)
{
    struct bench *bench = *state;
    bench->services.user.present = true;
    bench->services.user.answer = APPROVAL_ALWAYS;
    assert_false(is_repeated(bench, "look", by_user));
    assert_true(is_repeated(bench, "look", (struct invoke_request){ 0 }));

    bench->services.approvals.next = ERR_UNAVAILABLE;
    assert_true(is_repeated(bench, "look", by_user));
    assert_int_equal(bench->services.approvals.next, ERR_UNAVAILABLE);
}

static void an_approval_from_before_the_folder_counted_is_asked_for_again_with_the_reason(
    void **state)
{
    struct bench *bench = *state;
    const struct invoke_request request = { 0 };
    bench->services.user.present = true;
    bench->services.user.answer = APPROVAL_ALWAYS;
    assert_int_equal(call(bench, "look", "{\"path\":\"a\"}", request), ERR_NONE);
    json_object_clear(bench->invoker.session_approvals);
    bench->services.user.present = false;
    assert_int_equal(call(bench, "look", "{\"path\":\"a\"}", request), ERR_NONE);

    bench->server->identity_without_folder = "fake-config";
    bench->server->identity = "fake-config in a folder";
    assert_int_equal(call(bench, "look", "{\"path\":\"a\"}", request), ERR_DENIED);
    assert_non_null(strstr(bench->err.message, "so it is approved folder by folder"));
    assert_int_equal(call(bench, "send", "{}", request), ERR_DENIED);
    assert_null(strstr(bench->err.message, "folder"));
}

static void an_approval_from_before_repeats_nothing(void **state)
{
    struct bench *bench = *state;
    const struct invoke_request request = { 0 };
    json_t *approved = bench->services.approvals.approved, *value;
    const char *key;
    void *next;
    bench->services.user.present = true;
    bench->services.user.answer = APPROVAL_ALWAYS;
    assert_int_equal(call(bench, "look", "{\"path\":\"a\"}", request), ERR_NONE);
    json_object_foreach_safe(
        approved, next, key,
        value) if (strncmp(key, APPROVAL_OF_REPEATING " ", strlen(APPROVAL_OF_REPEATING " ")) == 0)
        json_object_del(approved, key);
    bench->services.user.present = false;

    assert_false(is_repeated(bench, "look", request));
    bench->services.approvals.next = ERR_UNAVAILABLE;
    assert_false(is_repeated(bench, "look", by_user));
}

static void never_repeats_a_call_that_may_have_changed_something(void **state)
{
    struct bench *bench = *state;
    fake_tool_server_reply(bench->server,
                           (struct fake_tool_reply){ .tool = "send", .fails = ERR_UNAVAILABLE });

    assert_int_equal(call(bench, "send", "{}", by_user), ERR_UNAVAILABLE);

    assert_int_equal(bench->server->n_calls, 1);
}

static void what_cannot_be_repeated_is_on_disk_before_it_is_sent(void **state)
{
    struct bench *bench = *state;
    bench->services.runs.next_sync = ERR_UNAVAILABLE;

    assert_int_equal(call(bench, "send", "{}", by_user), ERR_UNAVAILABLE);
    assert_int_equal(bench->server->n_calls, 0);
    assert_null(strstr(bench->err.message, "run log: run log"));
    assert_non_null(strstr(bench->err.hint, "it was not called"));

    assert_int_equal(call(bench, "send", "{}", by_user), ERR_NONE);
    const struct event *event =
        fake_run_repository_event(&bench->services.runs, EVENT_TOOL_CALL, 1);
    assert_true(event->number <= bench->services.runs.n_synced);
}

static struct invoke_request logged_request(struct bench *bench, const char *tool, size_t line)
{
    struct invoke_request request = { .named_by_user = true, .line = line };
    const char *name = arena_printf(&bench->arena, "dev/%s", tool);
    request.arguments = arena_keep_json(&bench->arena, json_object());
    assert_int_equal(toolbox_find(bench->toolbox, &bench->scope, name, &request.tool, NULL, NULL),
                     0);
    return request;
}

static void calls_that_are_logged_as_a_group_reach_the_disk_together(void **state)
{
    struct bench *bench = *state;
    struct invoke_request first = logged_request(bench, "send", 1),
                          second = logged_request(bench, "send", 2);
    struct invoke_request *group[] = { &first, &second };

    assert_int_equal(invoke_log(&bench->invoker, &bench->scope, group, 2, &bench->err), ERR_NONE);
    assert_int_equal(bench->services.runs.n_syncs, 1);
    assert_int_equal(bench->server->n_calls, 0);
    const struct event *event =
        fake_run_repository_event(&bench->services.runs, EVENT_TOOL_CALL, 1);
    assert_true(event->number <= bench->services.runs.n_synced);

    assert_int_equal(invoke_send(&bench->invoker, &bench->scope, &bench->arena, &second,
                                 &bench->outcome, &bench->err),
                     ERR_NONE);
    assert_int_equal(bench->services.runs.n_syncs, 1);
    assert_int_equal(fake_services_count(&bench->services, EVENT_TOOL_CALL), 2);
    event = fake_run_repository_event(&bench->services.runs, EVENT_TOOL_RESULT, 0);
    assert_int_equal(json_get_int(event->data, "line", 0), 2);
}

static void nothing_of_a_group_that_cannot_be_logged_is_left_open(void **state)
{
    struct bench *bench = *state;
    struct invoke_request first = logged_request(bench, "send", 1),
                          second = logged_request(bench, "send", 2);
    struct invoke_request *group[] = { &first, &second };
    bench->services.runs.next_sync = ERR_UNAVAILABLE;

    assert_int_equal(invoke_log(&bench->invoker, &bench->scope, group, 2, &bench->err),
                     ERR_UNAVAILABLE);

    assert_non_null(strstr(bench->err.hint, "it was not called"));
    assert_int_equal(fake_services_count(&bench->services, EVENT_TOOL_RESULT), 2);
    const json_t *data =
        fake_run_repository_event(&bench->services.runs, EVENT_TOOL_RESULT, 1)->data;
    auto_str error = json_print(json_object_get(data, "error"));
    assert_string_equal(error, "{\"code\":\"unavailable\",\"message\":"
                               "\"not sent: run log: refused by the test\"}");
    assert_int_equal(json_get_int(data, "line", 0), 2);
}

static void a_group_of_calls_that_may_be_repeated_does_not_wait_for_the_disk(void **state)
{
    struct bench *bench = *state;
    struct policy_rule rule = { .effect = POLICY_UNSAID, .repeat = HINT_YES, .tool = "look" };
    bench->services.settings.policy = &rule;
    bench->services.settings.n_policy = 1;
    struct invoke_request request = logged_request(bench, "look", 1), *group[] = { &request };

    assert_int_equal(invoke_log(&bench->invoker, &bench->scope, group, 1, &bench->err), ERR_NONE);

    assert_int_equal(bench->services.runs.n_syncs, 0);
}

static void a_task_is_in_the_log_by_its_id(void **state)
{
    struct bench *bench = *state;
    struct invoke_request request = { .named_by_user = true, .step_id = "s1" };
    bench->server->task = "7f";

    assert_int_equal(call(bench, "send", "{}", request), ERR_NONE);

    const struct fake_run_repository *runs = &bench->services.runs;
    auto_str made = json_print(fake_run_repository_event(runs, EVENT_TASK, 0)->data);
    auto_str over = json_print(fake_run_repository_event(runs, EVENT_TASK, 1)->data);
    assert_string_equal(made, "{\"step\":\"s1\",\"tool\":\"dev/send\",\"server\":\"dev\",\"task\":"
                              "\"7f\",\"status\":\"working\",\"message\":\"half\"}");
    assert_string_equal(over, "{\"step\":\"s1\",\"tool\":\"dev/send\",\"server\":\"dev\",\"task\":"
                              "\"7f\",\"status\":\"completed\"}");
}

static void a_result_against_the_output_schema_is_a_failure_of_the_tool(void **state)
{
    struct bench *bench = *state;
    fake_tool_server_reply(bench->server,
                           (struct fake_tool_reply){ .tool = "look", .structured = "{\"a\":1}" });

    assert_int_equal(call(bench, "look", "{\"path\":\"a\"}", by_user), ERR_NONE);

    assert_true(bench->outcome.result.is_error);
    assert_non_null(strstr(step_result_text(&bench->arena, &bench->outcome.result), "schema"));
}

static void expect_bound(struct bench *bench, struct invoke_request request, int64_t *bound,
                         const char *setting)
{
    char text[2000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    const struct fake_tool_reply reply = { .tool = "send", .text = text };
    fake_tool_server_reply(bench->server, reply);
    assert_int_equal(call(bench, "send", "{}", request), ERR_NONE);
    *bound = (int64_t)bench->outcome.result.length;

    fake_tool_server_reply(bench->server, reply);
    assert_int_equal(call(bench, "send", "{}", request), ERR_NONE);
    assert_false(bench->outcome.result.is_error);

    --*bound;
    fake_tool_server_reply(bench->server, reply);
    assert_int_equal(call(bench, "send", "{}", request), ERR_NONE);
    assert_true(bench->outcome.result.is_error);
    assert_non_null(strstr(step_result_text(&bench->arena, &bench->outcome.result), setting));
}

static void a_result_for_a_model_is_bounded(void **state)
{
    struct bench *bench = *state;
    struct settings *settings = &bench->services.settings;
    bench->services.base.approve_all = true;
    settings->tools_cli_result_bytes = 1024;

    expect_bound(bench, (struct invoke_request){ 0 }, &settings->tools_max_result_bytes,
                 "tools.max_result_bytes");
}

static void a_result_that_is_printed_has_a_bound_of_its_own(void **state)
{
    struct bench *bench = *state;
    struct settings *settings = &bench->services.settings;
    settings->tools_max_result_bytes = 1024;

    expect_bound(bench, by_user, &settings->tools_cli_result_bytes, "tools.cli_result_bytes");
}

static void a_schema_that_is_none_is_said_once_and_not_in_the_way(void **state)
{
    struct bench *bench = *state;

    assert_int_equal(call(bench, "odd", "{\"a\":\"b\"}", by_user), ERR_NONE);
    assert_int_equal(call(bench, "odd", "{\"a\":\"b\"}", by_user), ERR_NONE);

    assert_int_equal(fake_services_count(&bench->services, EVENT_WARNING), 1);
}

static void headless_whatever_asks_is_denied(void **state)
{
    struct bench *bench = *state;
    const struct invoke_request request = { 0 };

    assert_int_equal(call(bench, "send", "{}", request), ERR_DENIED);

    assert_non_null(strstr(bench->err.hint, "--yes"));
    assert_int_equal(fake_services_count(&bench->services, EVENT_APPROVAL_ASKED), 1);
}

static void always_is_remembered_for_this_definition(void **state)
{
    struct bench *bench = *state;
    const struct invoke_request request = { 0 };
    bench->services.user.present = true;
    bench->services.user.answer = APPROVAL_ALWAYS;
    assert_int_equal(call(bench, "send", "{}", request), ERR_NONE);
    json_object_clear(bench->invoker.session_approvals);
    bench->services.user.present = false;

    assert_int_equal(call(bench, "send", "{}", request), ERR_NONE);

    assert_int_equal(call(bench, "look", "{\"path\":\"a\"}", request), ERR_DENIED);
    assert_int_equal(bench->services.user.n_asked, 1);
}

static void an_approval_for_good_does_not_cover_what_is_risky_now(void **state)
{
    struct bench *bench = *state;
    const struct invoke_request plain = { 0 };
    const struct invoke_request risky = { .flow = "it sends data out", .is_risky = true };
    bench->services.user.present = true;
    bench->services.user.answer = APPROVAL_ALWAYS;
    assert_int_equal(call(bench, "send", "{}", plain), ERR_NONE);

    bench->services.user.answer = APPROVAL_NO;
    assert_int_equal(call(bench, "send", "{}", risky), ERR_DENIED);
    bench->services.user.present = false;
    assert_int_equal(call(bench, "send", "{}", risky), ERR_DENIED);
    assert_int_equal(call(bench, "send", "{}", plain), ERR_NONE);

    assert_int_equal(bench->services.user.n_asked, 2);
    const struct event *asked =
        fake_run_repository_event(&bench->services.runs, EVENT_APPROVAL_ASKED, 1);
    assert_string_equal(json_get_string(asked->data, "reason"),
                        "the policy asks before this tool is called; it sends data out");
}

static void what_names_the_call_and_what_says_yes_covers_it_all_the_same(void **state)
{
    struct bench *bench = *state;
    struct invoke_request risky = { .is_risky = true, .named_by_user = true };
    assert_int_equal(call(bench, "send", "{}", risky), ERR_NONE);
    risky.named_by_user = false;
    bench->services.base.approve_all = true;
    assert_int_equal(call(bench, "send", "{}", risky), ERR_NONE);
    assert_int_equal(bench->services.user.n_asked, 0);
}

static void a_no_is_a_no(void **state)
{
    struct bench *bench = *state;
    const struct invoke_request request = { 0 };
    bench->services.user.present = true;
    bench->services.user.answer = APPROVAL_NO;

    assert_int_equal(call(bench, "send", "{}", request), ERR_DENIED);

    assert_int_equal(bench->server->n_calls, 0);
}

static void yes_never_overrides_a_deny_rule(void **state)
{
    struct bench *bench = *state;
    const struct policy_rule deny = { .effect = POLICY_DENY, .tool = "send" };
    bench->services.settings.policy = &deny;
    bench->services.settings.n_policy = 1;
    bench->services.base.approve_all = true;

    assert_int_equal(call(bench, "send", "{}", by_user), ERR_DENIED);
    assert_int_equal(call(bench, "look", "{\"path\":\"a\"}", by_user), ERR_NONE);
}

static void the_approval_of_a_server_is_its_weakest_rule(void **state)
{
    struct bench *bench = *state;
    struct server_config config = { .name = "dev", .approval = SERVER_APPROVAL_ALLOW };
    const struct invoke_request request = { 0 };
    bench->services.settings.servers = &config;
    bench->services.settings.n_servers = 1;

    assert_int_equal(call(bench, "send", "{}", request), ERR_NONE);
    config.approval = SERVER_APPROVAL_DENY;
    assert_int_equal(call(bench, "send", "{}", request), ERR_DENIED);
}

static void a_dry_run_calls_nothing(void **state)
{
    struct bench *bench = *state;
    const struct invoke_request request = { .dry_run = true };

    assert_int_equal(call(bench, "send", "{\"to\":\"ann\"}", request), ERR_NONE);

    assert_int_equal(bench->server->n_calls, 0);
    assert_non_null(strstr(step_result_text(&bench->arena, &bench->outcome.result), "ann"));
}

static void each_attempt_tells_its_server_a_span_of_the_runs_trace(void **state)
{
    struct bench *bench = *state;
    const struct trace_texts caller = { .state = "a=b" };
    trace_begin(&bench->journal.trace, bench->services.base.digest, "r", &caller);
    bench->server->is_builtin = true;
    fake_tool_server_reply(bench->server,
                           (struct fake_tool_reply){ .tool = "look", .fails = ERR_UNAVAILABLE });

    assert_int_equal(call(bench, "look", "{\"path\":\"a\"}", by_user), ERR_NONE);

    struct trace told[2];
    for (size_t i = 0; i < 2; i++) {
        const struct event *event =
            fake_run_repository_event(&bench->services.runs, EVENT_TOOL_CALL, i);
        assert_true(trace_parse(bench->server->traceparents[i], &told[i]));
        assert_string_equal(told[i].id, bench->journal.trace.id);
        assert_string_equal(json_get_string(event->data, "span_id"), told[i].parent);
    }
    assert_string_not_equal(told[0].parent, told[1].parent);
    assert_null(bench->server->tracestate);
}

static void without_a_trace_a_server_is_told_none(void **state)
{
    struct bench *bench = *state;

    assert_int_equal(call(bench, "look", "{\"path\":\"a\"}", by_user), ERR_NONE);

    assert_null(bench->server->traceparents[0]);
}

static void without_store_text_the_log_has_hashes_only(void **state)
{
    struct bench *bench = *state;
    bench->journal.store_text = false;

    assert_int_equal(call(bench, "send", "{\"to\":\"ann\"}", by_user), ERR_NONE);

    const struct event *event =
        fake_run_repository_event(&bench->services.runs, EVENT_TOOL_CALL, 0);
    assert_non_null(json_get_string(json_object_get(event->data, "args"), "sha256"));
    assert_null(json_object_get(json_object_get(event->data, "args"), "to"));
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(refuses_arguments_that_break_the_schema),
        TEST(a_server_may_ask_somebody_only_where_somebody_is),
        TEST(names_the_argument_that_was_meant),
        TEST(repeats_a_call_of_a_built_in_tool_that_reads),
        TEST(a_servers_own_hints_repeat_nothing),
        TEST(repeats_what_a_rule_says),
        TEST(repeats_what_a_person_approved_for_good_as_reading),
        TEST(an_approval_to_repeat_is_looked_for_until_it_is_found),
        TEST(an_approval_from_before_the_folder_counted_is_asked_for_again_with_the_reason),
        TEST(an_approval_from_before_repeats_nothing),
        TEST(never_repeats_a_call_that_may_have_changed_something),
        TEST(what_cannot_be_repeated_is_on_disk_before_it_is_sent),
        TEST(calls_that_are_logged_as_a_group_reach_the_disk_together),
        TEST(nothing_of_a_group_that_cannot_be_logged_is_left_open),
        TEST(a_group_of_calls_that_may_be_repeated_does_not_wait_for_the_disk),
        TEST(a_task_is_in_the_log_by_its_id),
        TEST(a_result_against_the_output_schema_is_a_failure_of_the_tool),
        TEST(a_result_for_a_model_is_bounded),
        TEST(a_result_that_is_printed_has_a_bound_of_its_own),
        TEST(a_schema_that_is_none_is_said_once_and_not_in_the_way),
        TEST(headless_whatever_asks_is_denied),
        TEST(always_is_remembered_for_this_definition),
        TEST(an_approval_for_good_does_not_cover_what_is_risky_now),
        TEST(what_names_the_call_and_what_says_yes_covers_it_all_the_same),
        TEST(a_no_is_a_no),
        TEST(yes_never_overrides_a_deny_rule),
        TEST(the_approval_of_a_server_is_its_weakest_rule),
        TEST(a_dry_run_calls_nothing),
        TEST(each_attempt_tells_its_server_a_span_of_the_runs_trace),
        TEST(without_a_trace_a_server_is_told_none),
        TEST(without_store_text_the_log_has_hashes_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
