/* What the tests of the page of a run share: a run, the events that it is told, and its page. */
#ifndef TESTS_UNIT_PRESENTATION_PAGE_PAGE_BENCH_H
#define TESTS_UNIT_PRESENTATION_PAGE_PAGE_BENCH_H

#include "presentation/page/run_page.h"
#include "tests/support/cmocka.h"
#include <string.h>

#define STARTED_MS 1700000000000
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

struct page_bench {
    struct arena arena;
    struct run run;
    struct event *events;
    size_t n_events, capacity;
    struct plan_picture picture;
};

static inline int set_up(void **state)
{
    struct page_bench *bench = calloc(1, sizeof *bench);
    assert_non_null(bench);
    bench->run = (struct run){ .id = "r1",
                               .kind = "run",
                               .title = "what was asked",
                               .started_at_ms = STARTED_MS,
                               .finished_at_ms = STARTED_MS + 1000,
                               .status = RUN_COMPLETED };
    *state = bench;
    return 0;
}

static inline int tear_down(void **state)
{
    struct page_bench *bench = *state;
    arena_finish(&bench->arena);
    free(bench);
    return 0;
}

static inline void tell_value(struct page_bench *bench, enum event_kind kind, json_t *data)
{
    assert_non_null(data);
    size_t number = bench->n_events + 1;
    *arena_push(&bench->arena, bench->events, bench->n_events, bench->capacity) =
        (struct event){ .run_id = "r1",
                        .number = number,
                        .time_ms = STARTED_MS + (int64_t)number * 10,
                        .kind = kind,
                        .data = arena_keep_json(&bench->arena, data) };
}

static inline void tell(struct page_bench *bench, enum event_kind kind, const char *data)
{
    tell_value(bench, kind, json_loads(data, 0, NULL));
}

static inline void tell_call(struct page_bench *bench, const char *step, const char *text)
{
    tell_value(bench, EVENT_TOOL_CALL,
               json_pack("{s:s, s:s, s:{s:s}, s:i}", "step", step, "tool", "a/b", "args", "text",
                         text, "attempt", 1));
    tell_value(bench, EVENT_TOOL_RESULT,
               json_pack("{s:s, s:s, s:i, s:b, s:i, s:{s:[{s:s, s:s}]}}", "step", step, "tool",
                         "a/b", "duration_ms", 3, "is_error", 0, "bytes", 42, "result", "content",
                         "type", "text", "text", text));
    tell_value(bench, EVENT_STEP_FINISHED,
               json_pack("{s:s, s:s, s:s, s:i}", "step", step, "tool", "a/b", "status", "ok",
                         "duration_ms", 3));
}

static inline const char *page_of(struct page_bench *bench)
{
    struct recorded_run recorded = { &bench->run, bench->events, bench->n_events };
    const struct run_page_input input = { .recorded = &recorded,
                                          .plan = recorded_plan(&bench->arena, &recorded),
                                          .picture = bench->picture };
    return run_page(&bench->arena, &input);
}

static inline unsigned times(const char *page, const char *words)
{
    unsigned n = 0;
    for (const char *at = strstr(page, words); at; at = strstr(at + 1, words))
        n++;
    return n;
}

static inline void has(const char *page, const char *words)
{
    if (!strstr(page, words))
        fail_msg("the page has no \"%s\"", words);
}

#endif
