
#include "application/runs/run_stats.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include <string.h>

static void attempt(struct run_stats *stats, const char *contract, const char *model,
                    const char *rung, const char *class, const char *saved_by)
{
    json_auto_t *data =
        json_pack("{s:s, s:s*, s:s, s:s, s:s*, s:i, s:i, s:i, s:i, s:i}", "contract", contract,
                  "model", model, "rung", rung, "class", class, "saved_by", saved_by, "attempt",
                  strcmp(rung, "generate") == 0 ? 1 : 2, "requests",
                  strcmp(rung, "last") == 0 ? 0 : 1, "prompt_tokens", 100, "tokens", 10, "ms", 7);
    const struct event event = { .kind = EVENT_ATTEMPT, .data = data };
    run_stats_event(stats, &event);
}

static void tool_result(struct run_stats *stats, const char *tool, bool is_error)
{
    json_auto_t *data = json_pack("{s:s, s:b}", "tool", tool, "is_error", is_error);
    const struct event event = { .kind = EVENT_TOOL_RESULT, .data = data };
    run_stats_event(stats, &event);
}

static const json_t *contract_at(struct run_stats *stats, size_t i)
{
    return json_array_get(json_object_get(run_stats_json(stats), "contracts"), i);
}

static int64_t of_rung(const json_t *contract, const char *rung, const char *key)
{
    return json_get_int(json_object_get(json_object_get(contract, "rungs"), rung), key, -1);
}

static void an_answer_counts_for_the_rung_that_gave_it(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct run_stats stats;
    run_stats_init(&stats, &arena);
    attempt(&stats, "plan", "m", "generate", "ok", NULL);
    attempt(&stats, "plan", "m", "generate", "ok", "extract");
    attempt(&stats, "plan", "m", "generate", "ok", "synonym");
    attempt(&stats, "plan", "m", "generate", "invalid_json", NULL);
    attempt(&stats, "plan", "m", "reminder", "wrong_type", NULL);
    attempt(&stats, "plan", "m", "reminder", "ok", NULL);
    attempt(&stats, "plan", "m", "generate", "truncated", NULL);
    attempt(&stats, "plan", "m", "budget", "ok", "repair");
    const json_t *plan = contract_at(&stats, 0);
    assert_int_equal(json_get_int(plan, "asked", 0), 5);
    assert_int_equal(json_get_int(plan, "answered", 0), 5);
    assert_int_equal(of_rung(plan, "generate", "answers"), 1);
    assert_int_equal(of_rung(plan, "extract", "answers"), 1);
    assert_int_equal(of_rung(plan, "repair", "answers"), 2);
    assert_int_equal(of_rung(plan, "reminder", "answers"), 1);
    assert_int_equal(of_rung(plan, "budget", "answers"), 0);
    assert_int_equal(of_rung(plan, "compaction", "answers"), -1);
}

static void requests_tokens_and_time_count_for_the_rung_that_asked(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct run_stats stats;
    run_stats_init(&stats, &arena);
    attempt(&stats, "plan", "m", "generate", "ok", "extract");
    attempt(&stats, "plan", "m", "generate", "empty", NULL);
    attempt(&stats, "plan", "m", "last", "ok", NULL);
    const json_t *plan = contract_at(&stats, 0);
    assert_int_equal(of_rung(plan, "generate", "requests"), 2);
    assert_int_equal(of_rung(plan, "generate", "prompt_tokens"), 200);
    assert_int_equal(of_rung(plan, "generate", "tokens"), 20);
    assert_int_equal(of_rung(plan, "generate", "ms"), 14);
    assert_int_equal(of_rung(plan, "extract", "requests"), 0);
    assert_int_equal(of_rung(plan, "last", "requests"), 0);
    assert_int_equal(of_rung(plan, "last", "answers"), 1);
}

static void contracts_and_models_are_apart(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct run_stats stats;
    run_stats_init(&stats, &arena);
    attempt(&stats, "plan", "small", "generate", "ok", NULL);
    attempt(&stats, "plan", "large", "generate", "ok", NULL);
    attempt(&stats, "intent", "small", "generate", "ok", NULL);
    attempt(&stats, "plan", NULL, "generate", "transport", NULL);
    assert_int_equal(json_array_size(json_object_get(run_stats_json(&stats), "contracts")), 4);
    assert_string_equal(json_get_string(contract_at(&stats, 1), "model"), "large");
    assert_string_equal(json_get_string(contract_at(&stats, 3), "model"), "");
    assert_int_equal(json_get_int(contract_at(&stats, 3), "answered", -1), 0);
    const json_t *classes = json_object_get(run_stats_json(&stats), "attempts");
    assert_int_equal(json_get_int(classes, "ok", 0), 3);
    assert_int_equal(json_get_int(classes, "transport", 0), 1);
}

static void a_hundred_pairs_are_told_apart_and_no_more(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct run_stats stats;
    run_stats_init(&stats, &arena);
    for (int i = 0; i < RUN_STATS_MAX_GROUPS + 5; i++)
        attempt(&stats, "plan", arena_printf(&arena, "m%d", i), "generate", "ok", NULL);
    assert_int_equal(json_array_size(json_object_get(run_stats_json(&stats), "contracts")),
                     RUN_STATS_MAX_GROUPS + 1);
    const json_t *others = contract_at(&stats, RUN_STATS_MAX_GROUPS);
    assert_string_equal(json_get_string(others, "contract"), RUN_STATS_OTHERS);
    assert_int_equal(json_get_int(others, "answered", 0), 5);
}

static void a_thousand_tools_are_told_apart_and_no_more(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct run_stats stats;
    run_stats_init(&stats, &arena);
    for (int i = 0; i < RUN_STATS_MAX_TOOLS + 2; i++)
        tool_result(&stats, arena_printf(&arena, "s/t%d", i), i % 2);
    const json_t *tools = json_object_get(run_stats_json(&stats), "tools");
    assert_int_equal(json_object_size(tools), RUN_STATS_MAX_TOOLS + 1);
    const json_t *others = json_object_get(tools, RUN_STATS_OTHERS);
    assert_int_equal(json_get_int(others, "calls", 0), 2);
    assert_int_equal(json_get_int(others, "errors", 0), 1);
}

static void events_that_lack_something_are_passed_over(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct run_stats stats;
    run_stats_init(&stats, &arena);
    json_auto_t *empty = json_object();
    const struct event events[] = { { .kind = EVENT_ATTEMPT, .data = empty },
                                    { .kind = EVENT_TOOL_RESULT, .data = empty },
                                    { .kind = EVENT_ANSWER, .data = empty } };
    for (size_t i = 0; i < ARRAY_LENGTH(events); i++)
        run_stats_event(&stats, &events[i]);
    run_stats_run(&stats, RUN_COMPLETED);
    auto_str text = json_print(run_stats_json(&stats));
    assert_string_equal(text, "{\"runs\":1,\"status\":{\"completed\":1},\"attempts\":{},"
                              "\"tools\":{},\"contracts\":[]}");
}

static void count_all(struct run_stats *stats, const char *model)
{
    attempt(stats, "plan", model, "generate", "ok", "extract");
    attempt(stats, "plan", model, "generate", "invalid_json", NULL);
    attempt(stats, "answer", model, "reminder", "ok", NULL);
    tool_result(stats, "s/a", false);
    tool_result(stats, "s/a", true);
    tool_result(stats, model, false);
}

static void the_sums_of_runs_add_up_to_those_of_all_their_events(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct run_stats whole, sum;
    run_stats_init(&whole, &arena);
    run_stats_init(&sum, &arena);
    for (int i = 0; i < 5; i++) {
        const char *model = arena_printf(&arena, "m%d", i % 3);
        struct run_stats one;
        run_stats_init(&one, &arena);
        count_all(&one, model);
        count_all(&whole, model);
        run_stats_run(&whole, RUN_FAILED);
        run_stats_run(&sum, RUN_FAILED);
        run_stats_add(&sum, run_stats_json(&one));
    }
    assert_true(json_equal(run_stats_json(&sum), run_stats_json(&whole)));
}

static void sums_that_lack_something_add_nothing(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    static const char *const odd[] = {
        "{}",
        "[1]",
        "{\"attempts\":7,\"tools\":[],\"contracts\":{}}",
        "{\"contracts\":[1,{},{\"contract\":\"plan\"}]}",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(odd); i++) {
        struct run_stats stats;
        json_auto_t *of_run = NULL;
        run_stats_init(&stats, &arena);
        assert_int_equal(json_parse(odd[i], strlen(odd[i]), JSON_OURS, &of_run, NULL), ERR_NONE);
        run_stats_add(&stats, of_run);
        auto_str text = json_print(run_stats_json(&stats));
        assert_string_equal(text, "{\"runs\":0,\"status\":{},\"attempts\":{},\"tools\":{},"
                                  "\"contracts\":[]}");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_counts_for_the_rung_that_gave_it),
        cmocka_unit_test(requests_tokens_and_time_count_for_the_rung_that_asked),
        cmocka_unit_test(contracts_and_models_are_apart),
        cmocka_unit_test(a_hundred_pairs_are_told_apart_and_no_more),
        cmocka_unit_test(a_thousand_tools_are_told_apart_and_no_more),
        cmocka_unit_test(the_sums_of_runs_add_up_to_those_of_all_their_events),
        cmocka_unit_test(sums_that_lack_something_add_nothing),
        cmocka_unit_test(events_that_lack_something_are_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
