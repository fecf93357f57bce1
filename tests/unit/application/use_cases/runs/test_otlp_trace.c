/* Runs as traces, from events as the log has them. */
#include "application/trace.h"
#include "application/use_cases/runs/otlp_trace.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/service_bench.h"
#include <string.h>

#define AT_MS INT64_C(1700000000000)
#define CALL(attempt, span)                                                                        \
    "{\"step\":\"a\",\"tool\":\"dev/add\",\"args\":{\"x\":1},\"attempt\":" #attempt                \
    ",\"span_id\":\"" span "\"}"
#define RESULT "{\"step\":\"a\",\"tool\":\"dev/add\",\"duration_ms\":1,\"is_error\":false}"
#define PROMPT(purpose) "{\"purpose\":\"" purpose "\",\"user\":{\"text\":\"secret words\"}}"
#define REPLY(purpose)                                                                             \
    "{\"purpose\":\"" purpose "\",\"reply\":{\"text\":\"said\"},\"stop\":\"end\",\"model\":\"m\"," \
    "\"prompt_tokens\":7,\"cached_tokens\":-1,\"completion_tokens\":5,\"ms\":20}"

struct told {
    enum event_kind kind;
    const char *data;
};

static int set_up(void **state)
{
    *state = service_bench_create("dev", "[]");
    return 0;
}

static const json_t *parsed(struct service_bench *bench, const char *text)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), ERR_NONE);
    return arena_keep_json(&bench->arena, value);
}

static int64_t time_of(const json_t *span, const char *key)
{
    return (int64_t)strtoll(json_get_string(span, key), NULL, 10);
}

/* Whatever happened: one root, unique ids, each span within its parent. */
static void check_tree(const json_t *spans)
{
    json_auto_t *seen = json_object();
    for (size_t i = 0; i < json_array_size(spans); i++) {
        const json_t *span = json_array_get(spans, i);
        const char *id = json_get_string(span, "spanId");
        const json_t *parent =
            i ? json_object_get(seen, json_get_string(span, "parentSpanId")) : span;
        assert_null(json_object_get(seen, id));
        assert_non_null(parent);
        assert_true(time_of(span, "startTimeUnixNano") <= time_of(span, "endTimeUnixNano"));
        assert_true(time_of(parent, "startTimeUnixNano") <= time_of(span, "startTimeUnixNano"));
        assert_true(time_of(parent, "endTimeUnixNano") >= time_of(span, "endTimeUnixNano"));
        json_object_set_new(seen, id, json_share(span));
    }
}

/* The spans of a run with these events, a millisecond apart. */
static const json_t *traced(struct service_bench *bench, struct run run, const struct told *told,
                            size_t n, bool with_texts)
{
    struct event *events = arena_array(&bench->arena, struct event, n + 1);
    for (size_t i = 0; i < n; i++)
        events[i] = (struct event){ .run_id = "r",
                                    .number = i + 1,
                                    .time_ms = AT_MS + (int64_t)i + 1,
                                    .kind = told[i].kind,
                                    .data = parsed(bench, told[i].data) };
    run.id = "r";
    run.kind = "run";
    run.started_at_ms = AT_MS;
    const struct recorded_run recorded = { &run, events, n };
    const json_t *trace =
        otlp_trace(&bench->arena, bench->services.base.digest, &recorded, with_texts);
    const json_t *resource = json_array_get(json_object_get(trace, "resourceSpans"), 0);
    const json_t *scope = json_array_get(json_object_get(resource, "scopeSpans"), 0);
    const json_t *spans = json_object_get(scope, "spans");
    check_tree(spans);
    return spans;
}
#define TRACED(run, told, texts) traced(bench, run, told, sizeof told / sizeof *told, texts)

static const struct run complete = { .status = RUN_COMPLETED, .finished_at_ms = AT_MS + 100 };

static const char *attribute(const json_t *span, const char *key)
{
    const json_t *list = json_object_get(span, "attributes");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *each = json_array_get(list, i), *value = json_object_get(each, "value");
        const char *number = json_get_string(value, "intValue");
        if (strcmp(json_get_string(each, "key"), key) == 0)
            return number ? number : json_get_string(value, "stringValue");
    }
    return NULL;
}

/* Names, and classes of errors behind a colon, each ended by a semicolon. */
static const char *outline(struct service_bench *bench, const json_t *spans)
{
    const char *text = "";
    for (size_t i = 0; i < json_array_size(spans); i++) {
        const json_t *span = json_array_get(spans, i);
        const char *error = attribute(span, "error.type");
        assert_int_equal(json_get_int(json_object_get(span, "status"), "code", 0), error ? 2 : 0);
        text = arena_printf(&bench->arena, "%s%s%s%s;", text, json_get_string(span, "name"),
                            error ? ":" : "", error ? error : "");
    }
    return text;
}

static void a_turn_has_its_requests_below_what_they_were_for(void **state)
{
    struct service_bench *bench = *state;
    static const struct told told[] = {
        { EVENT_PROMPT_SENT, PROMPT("intent") },
        { EVENT_MODEL_REPLIED, REPLY("intent") },
        { EVENT_INTENT, "{}" },
        { EVENT_PROMPT_SENT, PROMPT("plan") },
        { EVENT_MODEL_REPLIED, REPLY("plan") },
        { EVENT_PLAN, "{}" },
        { EVENT_TOOL_CALL, CALL(1, "000000000000000a") },
        { EVENT_TOOL_RESULT, RESULT },
        { EVENT_PROMPT_SENT, PROMPT("answer") },
        { EVENT_MODEL_REPLIED, REPLY("answer") },
    };

    const json_t *spans = TRACED(complete, told, false);

    assert_string_equal(outline(bench, spans),
                        "invoke_workflow run;plan;chat;chat;execute_tool dev/add;tools/call add;"
                        "chat;");
    const json_t *plan = json_array_get(spans, 1), *chat = json_array_get(spans, 2);
    assert_string_equal(json_get_string(chat, "parentSpanId"), json_get_string(plan, "spanId"));
    assert_string_equal(json_get_string(json_array_get(spans, 6), "parentSpanId"),
                        json_get_string(json_array_get(spans, 0), "spanId"));
    assert_string_equal(json_get_string(json_array_get(spans, 5), "spanId"), "000000000000000a");
    assert_string_equal(attribute(chat, "gen_ai.usage.input_tokens"), "7");
    assert_string_equal(attribute(chat, "gen_ai.usage.output_tokens"), "5");
    assert_null(attribute(chat, "gen_ai.usage.cache_read.input_tokens"));
    assert_int_equal(time_of(plan, "endTimeUnixNano"), (AT_MS + 6) * 1000000);
}

static void texts_are_in_it_only_where_they_are_wanted(void **state)
{
    struct service_bench *bench = *state;
    static const struct told told[] = {
        { EVENT_PROMPT_SENT, PROMPT("answer") },
        { EVENT_MODEL_REPLIED, REPLY("answer") },
        { EVENT_TOOL_CALL, CALL(1, "000000000000000a") },
    };
    const char *messages = "[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"secret "
                           "words\"}]}]";

    const json_t *bare = TRACED(complete, told, false), *full = TRACED(complete, told, true);

    assert_null(strstr(json_print_in(&bench->arena, bare), "secret words"));
    assert_null(attribute(json_array_get(bare, 2), "gen_ai.tool.call.arguments"));
    assert_string_equal(attribute(json_array_get(full, 1), "gen_ai.input.messages"), messages);
    assert_string_equal(attribute(json_array_get(full, 2), "gen_ai.tool.call.arguments"),
                        "{\"x\":1}");
}

static void a_request_that_got_no_reply_says_why(void **state)
{
    struct service_bench *bench = *state;
    static const struct told told[] = {
        { EVENT_PROMPT_SENT, PROMPT("answer") },
        { EVENT_ATTEMPT, "{\"contract\":\"answer\",\"class\":\"timeout\"}" },
        { EVENT_PROMPT_SENT, PROMPT("answer") },
        { EVENT_RUN_FINISHED, "{\"status\":\"cancelled\",\"error\":{\"code\":\"cancelled\"}}" },
    };
    const struct run run = { .status = RUN_CANCELLED, .finished_at_ms = AT_MS + 9 };

    assert_string_equal(outline(bench, TRACED(run, told, false)),
                        "invoke_workflow run:cancelled;chat:timeout;chat:cancelled;");
}

static void a_resumed_run_goes_on_with_its_calls(void **state)
{
    struct service_bench *bench = *state;
    static const struct told told[] = {
        { EVENT_TOOL_CALL, CALL(1, "000000000000000a") },
        { EVENT_RUN_RESUMED, "{}" },
        { EVENT_CALL_SETTLED, "{\"step\":\"a\",\"tool\":\"dev/add\",\"as\":\"repeat\"}" },
        { EVENT_TOOL_CALL, CALL(2, "000000000000000b") },
        { EVENT_TOOL_RESULT, RESULT },
    };

    const json_t *spans = TRACED(complete, told, false);

    assert_string_equal(outline(bench, spans), "invoke_workflow run;execute_tool dev/add;"
                                               "tools/call add:outcome_unknown;tools/call add;");
    assert_int_equal(time_of(json_array_get(spans, 2), "endTimeUnixNano"), (AT_MS + 1) * 1000000);
}

static void what_a_person_settles_ends_a_call(void **state)
{
    struct service_bench *bench = *state;
    static const struct told told[] = {
        { EVENT_TOOL_CALL, CALL(1, "000000000000000a") },
        { EVENT_RUN_RESUMED, "{}" },
        { EVENT_CALL_SETTLED, "{\"step\":\"a\",\"tool\":\"dev/add\",\"as\":\"done\"}" },
    };

    assert_string_equal(outline(bench, TRACED(complete, told, false)),
                        "invoke_workflow run;execute_tool dev/add;tools/call add:outcome_unknown;");
}

/* Neither a call from before the run's time in the log, nor an id that was told twice, nor a clock
 * that was set back, makes a trace that no viewer takes (traced checks it). */
static void odd_logs_are_traces_all_the_same(void **state)
{
    struct service_bench *bench = *state;
    static const struct told told[] = {
        { EVENT_TOOL_RESULT, RESULT },
        { EVENT_MODEL_REPLIED, REPLY("answer") },
        { EVENT_TOOL_CALL,
          "{\"step\":\"a\",\"tool\":\"dev/add\",\"attempt\":1,\"recovered\":true,"
          "\"span_id\":\"000000000000000a\",\"sent_at\":\"2001-01-01T00:00:00Z\"}" },
        { EVENT_TOOL_CALL, CALL(2, "000000000000000a") },
        { EVENT_TOOL_CALL, "{\"tool\":\"add\"}" },
        { EVENT_SERVER_STATE, "{\"state\":\"ready\"}" },
    };
    const struct run run = { .status = RUN_INTERRUPTED };
    const struct run set_back = { .status = RUN_COMPLETED, .finished_at_ms = 1 };

    const char *text = outline(bench, TRACED(run, told, false));

    assert_string_equal(text, "invoke_workflow run:interrupted;chat m;"
                              "execute_tool dev/add:outcome_unknown;tools/call "
                              "add:outcome_unknown;tools/call add:outcome_unknown;"
                              "execute_tool add:outcome_unknown;tools/call add:outcome_unknown;");
    (void)TRACED(set_back, told, true);
}

static void a_caller_is_the_parent_of_the_run(void **state)
{
    struct service_bench *bench = *state;
    static const struct told told[] = { { EVENT_WARNING, "{}" } };
    struct run run = complete;
    run.meta = parsed(bench, "{\"traceparent\":\"00-4bf92f3577b34da6a3ce929d0e0e4736-"
                             "00f067aa0ba902b7-00\",\"tracestate\":\"a=b\"}");
    struct arena *arena = &bench->arena;
    struct event event = { .kind = told[0].kind, .data = parsed(bench, told[0].data) };
    run.id = "r";
    run.kind = "run";
    const struct recorded_run recorded = { &run, &event, 1 };

    const char *text =
        json_print_in(arena, otlp_trace(arena, bench->services.base.digest, &recorded, false));

    assert_non_null(strstr(text, "\"traceId\":\"4bf92f3577b34da6a3ce929d0e0e4736\""));
    assert_non_null(strstr(text, "\"parentSpanId\":\"00f067aa0ba902b7\",\"traceState\":\"a=b\""));
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, service_bench_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_turn_has_its_requests_below_what_they_were_for),
        TEST(texts_are_in_it_only_where_they_are_wanted),
        TEST(a_request_that_got_no_reply_says_why),
        TEST(a_resumed_run_goes_on_with_its_calls),
        TEST(what_a_person_settles_ends_a_call),
        TEST(odd_logs_are_traces_all_the_same),
        TEST(a_caller_is_the_parent_of_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
