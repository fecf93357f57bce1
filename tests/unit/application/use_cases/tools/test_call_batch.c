#include "application/use_cases/tools/call_batch.h"
#include "application/use_cases/tools/call_tool.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "tests/support/cmocka.h"
#include "tests/support/service_bench.h"
#include <string.h>

#define TOOLS                                                                                      \
    "[{\"name\":\"look\",\"description\":\"Looks at a path\",\"inputSchema\":{\"type\":"           \
    "\"object\",\"properties\":{\"path\":{\"type\":\"string\"},\"n\":{\"type\":\"integer\"}},"     \
    "\"required\":[\"path\"]},\"annotations\":{\"readOnlyHint\":true}},"                           \
    "{\"name\":\"send\",\"inputSchema\":{\"type\":\"object\"}}]"

static int set_up(void **state)
{
    *state = service_bench_create("dev", TOOLS);
    return 0;
}

struct lines {
    const char *const *input;
    size_t n_input, at;
    struct buf output;
    size_t n_printed, stops_after; /* 0: never */
};

static enum err_code read_line(void *context, struct scope *scope, char **out_line,
                               size_t *out_length, struct err *err)
{
    (void)scope;
    (void)err;
    struct lines *lines = context;
    *out_line = NULL;
    *out_length = 0;
    if (lines->at == lines->n_input)
        return ERR_NONE;
    *out_line = strdup(lines->input[lines->at++]);
    *out_length = strlen(*out_line);
    return ERR_NONE;
}

static bool print_lines(void *context, const char *text, size_t length)
{
    struct lines *lines = context;
    if (lines->stops_after && lines->n_printed >= lines->stops_after)
        return false;
    for (size_t i = 0; i < length; i++)
        lines->n_printed += text[i] == '\n';
    return buf_append(&lines->output, text, length);
}

static enum err_code batch(struct service_bench *bench, struct lines *lines, const char *tool,
                           unsigned in_flight, struct batch_outcome *out)
{
    buf_init(&lines->output, 1 << 20);
    const struct batch_request request = { .tool = tool,
                                           .in_flight = in_flight,
                                           .read_line = read_line,
                                           .print_lines = print_lines,
                                           .context = lines };
    return call_batch(&bench->services.base, &bench->scope, &request, out, &bench->err);
}

static void answers_every_line_in_order(void **state)
{
    struct service_bench *bench = *state;
    static const char *const input[] = { "{\"path\":\"a\"}", "no json", "{\"path\":5}", "[]",
                                         "{\"path\":\"b\"}" };
    struct lines lines = { .input = input, .n_input = 5 };
    struct batch_outcome outcome;

    assert_int_equal(batch(bench, &lines, "dev/look", 4, &outcome), ERR_NONE);

    const char *text = buf_string(&lines.output);
    assert_int_equal(lines.n_printed, 5);
    assert_true(text_starts_with(text, "{\"line\":1,\"ok\":true,\"result\":{"));
    assert_non_null(strstr(text, "\n{\"line\":2,\"ok\":false,\"error\":{\"code\":\"invalid\""));
    assert_non_null(strstr(text, "\n{\"line\":5,\"ok\":true,"));
    assert_int_equal(outcome.n_lines, 5);
    assert_int_equal(outcome.n_failed, 3);
    assert_int_equal(bench->server->n_calls, 2);
    buf_finish(&lines.output);
}

static void a_call_that_succeeds_when_it_is_tried_again_is_no_failure(void **state)
{
    struct service_bench *bench = *state;
    static const char *const input[] = { "{\"path\":\"a\"}" };
    struct lines lines = { .input = input, .n_input = 1 };
    struct batch_outcome outcome;
    fake_tool_server_reply(bench->server,
                           (struct fake_tool_reply){ .tool = "look", .fails = ERR_UNAVAILABLE });
    bench->server->is_builtin = true;

    assert_int_equal(batch(bench, &lines, "dev/look", 1, &outcome), ERR_NONE);

    assert_int_equal(bench->server->n_calls, 2);
    assert_int_equal(outcome.n_failed, 0);
    assert_true(text_starts_with(buf_string(&lines.output), "{\"line\":1,\"ok\":true,"));
    buf_finish(&lines.output);
}

static void a_denied_line_ends_the_batch_and_those_before_it_are_printed(void **state)
{
    struct service_bench *bench = *state;
    static const char *const input[] = { "{\"to\":\"a\"}", "{\"to\":\"b\"}", "{\"to\":\"c\"}" };
    static const struct policy_argument to_b = { .name = "to", .pattern = "b" };
    static const struct policy_rule deny = { .effect = POLICY_DENY,
                                             .arguments = &to_b,
                                             .n_arguments = 1 };
    struct lines lines = { .input = input, .n_input = 3 };
    struct batch_outcome outcome;
    bench->services.settings.policy = &deny;
    bench->services.settings.n_policy = 1;

    assert_int_equal(batch(bench, &lines, "dev/send", 1, &outcome), ERR_DENIED);

    assert_int_equal(bench->server->n_calls, 1);
    assert_int_equal(lines.n_printed, 1);
    assert_true(text_starts_with(buf_string(&lines.output), "{\"line\":1,\"ok\":true,"));
    buf_finish(&lines.output);
}

static void prints_a_line_only_when_its_events_are_on_disk(void **state)
{
    struct service_bench *bench = *state;
    static const char *const input[] = { "{}" };
    struct lines lines = { .input = input, .n_input = 1 };
    struct batch_outcome outcome;
    bench->services.runs.next_sync = ERR_UNAVAILABLE;

    assert_int_equal(batch(bench, &lines, "dev/send", 1, &outcome), ERR_UNAVAILABLE);

    assert_int_equal(lines.n_printed, 0);
    buf_finish(&lines.output);
}

static void stops_quietly_when_nobody_reads(void **state)
{
    struct service_bench *bench = *state;
    static const char *const input[] = { "{}", "{}", "{}", "{}", "{}", "{}" };
    struct lines lines = { .input = input, .n_input = 6, .stops_after = 1 };
    struct batch_outcome outcome;

    assert_int_equal(batch(bench, &lines, "dev/send", 1, &outcome), ERR_NONE);

    assert_true(bench->server->n_calls < 6);
    assert_int_equal(bench->runtime.tasks, 0);
    buf_finish(&lines.output);
}

static void refuses_too_many_in_flight(void **state)
{
    struct service_bench *bench = *state;
    struct lines lines = { .n_input = 0 };
    struct batch_outcome outcome;

    assert_int_equal(batch(bench, &lines, "dev/send", BATCH_MAX_IN_FLIGHT, &outcome), ERR_NONE);
    assert_int_equal(batch(bench, &lines, "dev/send", BATCH_MAX_IN_FLIGHT + 1, &outcome),
                     ERR_INVALID);
    assert_int_equal(batch(bench, &lines, "dev/send", 0, &outcome), ERR_INVALID);
}

static void a_batch_for_no_tool_is_an_error(void **state)
{
    struct service_bench *bench = *state;
    struct lines lines = { .n_input = 0 };
    struct batch_outcome outcome;

    assert_int_equal(batch(bench, &lines, "dev/lok", 1, &outcome), ERR_NOT_FOUND);

    assert_string_equal(bench->err.hint, "did you mean dev/look?");
}

static enum err_code call(struct service_bench *bench, const struct call_request *request,
                          struct call_outcome *out)
{
    return call_tool(&bench->services.base, &bench->scope, &bench->arena, request, out,
                     &bench->err);
}

static void calls_one_tool_without_asking(void **state)
{
    struct service_bench *bench = *state;
    struct call_outcome outcome;
    const struct call_request request = { .tool = "dev/send" };

    assert_int_equal(call(bench, &request, &outcome), ERR_NONE);

    assert_string_equal(step_result_text(&bench->arena, &outcome.result), "ok");
    assert_int_equal(bench->services.user.n_asked, 0);
    assert_int_equal(fake_services_count(&bench->services, EVENT_RUN_FINISHED), 1);
}

static void a_failure_of_the_tool_is_a_result_and_a_failed_run(void **state)
{
    struct service_bench *bench = *state;
    struct call_outcome outcome;
    const struct call_request request = { .tool = "dev/send" };
    fake_tool_server_reply(
        bench->server, (struct fake_tool_reply){ .tool = "send", .text = "no", .is_error = true });

    assert_int_equal(call(bench, &request, &outcome), ERR_NONE);

    assert_true(outcome.result.is_error);
    const struct event *event =
        fake_run_repository_event(&bench->services.runs, EVENT_RUN_FINISHED, 0);
    assert_string_equal(json_get_string(event->data, "status"), "failed");
}

static void refuses_a_tool_that_is_another_than_expected(void **state)
{
    struct service_bench *bench = *state;
    struct call_outcome outcome;
    json_auto_t *expected = json_pack("{s:s, s:[s]}", "type", "object", "required", "path");
    const struct call_request request = { .tool = "dev/send", .expected_definition = expected };

    assert_int_equal(call(bench, &request, &outcome), ERR_MISMATCH);

    assert_int_equal(bench->server->n_calls, 0);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, service_bench_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(answers_every_line_in_order),
        TEST(a_call_that_succeeds_when_it_is_tried_again_is_no_failure),
        TEST(a_denied_line_ends_the_batch_and_those_before_it_are_printed),
        TEST(prints_a_line_only_when_its_events_are_on_disk),
        TEST(stops_quietly_when_nobody_reads),
        TEST(refuses_too_many_in_flight),
        TEST(a_batch_for_no_tool_is_an_error),
        TEST(calls_one_tool_without_asking),
        TEST(a_failure_of_the_tool_is_a_result_and_a_failed_run),
        TEST(refuses_a_tool_that_is_another_than_expected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
