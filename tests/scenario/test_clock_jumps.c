/* Somebody sets the wall clock, hours forward or back, while a run goes on: bounds of time count
 * from the other clock, and what is kept of the run makes sense. */
#include "application/runs/run_session.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/full/virtual_runtime.h"
#include <stdlib.h>

enum { HOUR_MS = 60 * 60 * 1000, BOUND_SECONDS = 10, STEP_MS = 3000 };

struct bench {
    struct virtual_runtime *runtime;
    struct fake_services services;
    struct scope scope;
    struct arena arena;
    int64_t jump_ms;
    unsigned n_steps; /* of STEP_MS each; the clock is set after the first */
    enum err_code code;
    struct err err;
};

static enum err_code work(struct run_session *session, void *context, struct err *err)
{
    struct bench *bench = context;
    enum err_code r = ERR_NONE;
    for (unsigned i = 0; !r && i < bench->n_steps; i++) {
        r = runtime_sleep(bench->services.base.runtime, &session->scope, STEP_MS, err);
        virtual_runtime_set_wall(bench->runtime, bench->jump_ms);
    }
    return r;
}

static enum err_code run(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct bench *bench = argument;
    const struct run_options options = { .kind = "ask" };
    (void)runtime;
    bench->code = run_session_do(&bench->services.base, scope, &bench->arena, &options, work, bench,
                                 &bench->err);
    return ERR_NONE;
}

/* *out_end: the data of run_finished. */
static struct bench *play(int64_t jump_ms, unsigned n_steps, const json_t **out_end)
{
    struct bench *bench = calloc(1, sizeof *bench);
    bench->jump_ms = jump_ms;
    bench->n_steps = n_steps;
    bench->scope.deadline_ms = SCOPE_NO_DEADLINE;
    bench->runtime = virtual_runtime_create(1);
    fake_services_init(&bench->services, virtual_runtime_port(bench->runtime), SOURCE_DIR);
    bench->services.settings.limits_run_seconds = BOUND_SECONDS;
    (void)virtual_runtime_run(bench->runtime, &bench->scope, run, bench);
    const struct event *end =
        fake_run_repository_event(&bench->services.runs, EVENT_RUN_FINISHED, 0);
    assert_non_null(end);
    *out_end = end->data;
    return bench;
}

static void finish(struct bench *bench)
{
    arena_finish(&bench->arena);
    fake_services_finish(&bench->services);
    virtual_runtime_destroy(bench->runtime);
    free(bench);
}

static const int64_t jumps_ms[] = { -5 * HOUR_MS, -1000, 0, 1000, 5 * HOUR_MS, 240 * HOUR_MS };

static void a_run_takes_as_long_as_it_took(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(jumps_ms); i++) {
        const json_t *end;
        struct bench *bench = play(jumps_ms[i], 2, &end);
        assert_int_equal(bench->code, ERR_NONE);
        assert_int_equal(json_get_int(end, "duration_ms", -1), 2 * STEP_MS);
        finish(bench);
    }
}

static void a_bound_of_time_is_neither_reached_early_nor_late(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(jumps_ms); i++) {
        const json_t *end;
        struct bench *bench = play(jumps_ms[i], 5, &end);
        assert_int_equal(bench->code, ERR_LIMIT);
        assert_int_equal(json_get_int(end, "duration_ms", -1), BOUND_SECONDS * 1000);
        finish(bench);
    }
}

static void no_run_ends_before_it_began(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(jumps_ms); i++) {
        const json_t *end;
        struct bench *bench = play(jumps_ms[i], 2, &end);
        const struct run *kept = &bench->services.runs.runs[0];
        assert_in_range(kept->finished_at_ms - kept->started_at_ms,
                        jumps_ms[i] < 0 ? 2 * STEP_MS : 0, INT64_MAX);
        finish(bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_takes_as_long_as_it_took),
        cmocka_unit_test(a_bound_of_time_is_neither_reached_early_nor_late),
        cmocka_unit_test(no_run_ends_before_it_began),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
