/* Which runs of the log count as interrupted, and are found as such. */
#include "application/use_cases/runs/runs.h"
#include "tests/support/resume_bench.h"
#include <stdio.h>

static void a_run_without_an_owner_is_interrupted(void **state)
{
    struct service_bench *bench = *state;
    struct run *runs = NULL;
    struct run_claim *claim = NULL;
    size_t n = 0;
    const struct run running = { .id = "dead1", .kind = "run", .title = "" };
    run_repository_begin(&bench->services.runs.base, &running);
    assert_int_equal(run_states_claim(&states.base, &bench->scope, "dead1", &claim, NULL),
                     ERR_NONE);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(list_runs(&bench->services.base, &bench->scope, &bench->arena, 0, &runs,
                                   &n, &bench->err),
                         ERR_NONE);
        assert_int_equal(runs[0].status, i ? RUN_INTERRUPTED : RUN_RUNNING);
        if (!i)
            run_states_release(&states.base, claim);
    }
}

static struct service_bench *read_by;

/* The process that works at the run logs its end and lets go of it while somebody reads. */
static enum err_code ends_now(struct run_states *s, struct scope *sc, const char *run_id, bool *out,
                              struct err *err)
{
    const struct run ended = { .id = run_id, .status = RUN_COMPLETED, .finished_at_ms = 1 };
    run_repository_finish(&read_by->services.runs.base, &ended);
    (void)s;
    (void)sc;
    (void)err;
    *out = false;
    return ERR_NONE;
}

static void a_run_that_ends_while_it_is_read_is_not_interrupted(void **state)
{
    struct service_bench *bench = *state;
    struct run *runs = NULL;
    struct recorded_run recorded = { 0 };
    size_t n = 0;
    const struct run running[] = { { .id = "run1", .kind = "run", .title = "" },
                                   { .id = "run2", .kind = "run", .title = "" } };
    struct run_states_ops ops = *states.base.ops;
    ops.is_owned = ends_now;
    read_by = bench;
    states.base.ops = &ops;
    run_repository_begin(&bench->services.runs.base, &running[0]);
    assert_int_equal(
        list_runs(&bench->services.base, &bench->scope, &bench->arena, 0, &runs, &n, &bench->err),
        ERR_NONE);
    assert_int_equal(runs[0].status, RUN_COMPLETED);
    run_repository_begin(&bench->services.runs.base, &running[1]);
    assert_int_equal(show_run(&bench->services.base, &bench->scope, &bench->arena, "run2",
                              &recorded, &bench->err),
                     ERR_NONE);
    assert_int_equal(recorded.run->status, RUN_COMPLETED);
}

static void a_list_fails_where_nobody_can_tell_whether_a_run_is_interrupted(void **state)
{
    struct service_bench *bench = *state;
    struct run *runs = NULL;
    size_t n = 0;
    const struct run running = { .id = "dead1", .kind = "run", .title = "" };
    run_repository_begin(&bench->services.runs.base, &running);
    states.owner_fails = ERR_UNAVAILABLE;
    assert_int_equal(
        list_runs(&bench->services.base, &bench->scope, &bench->arena, 0, &runs, &n, &bench->err),
        ERR_UNAVAILABLE);
}

static void interrupted_runs_are_found_however_long_the_log_is(void **state)
{
    struct service_bench *bench = *state;
    struct run *runs = NULL;
    size_t n = 0;
    char id[16];
    for (int i = 0; i < 2 * RUNS_LIST_MAX; i++) {
        struct run run = { .id = id, .kind = "run", .title = "", .started_at_ms = i };
        snprintf(id, sizeof id, "run%05d", i);
        run_repository_begin(&bench->services.runs.base, &run);
        run.status = RUN_COMPLETED;
        if (i > 1)
            run_repository_finish(&bench->services.runs.base, &run);
    }
    assert_int_equal(list_interrupted_runs(&bench->services.base, &bench->scope, &bench->arena,
                                           &runs, &n, &bench->err),
                     ERR_NONE);
    assert_int_equal(n, 2);
    assert_string_equal(runs[0].id, "run00001");
    assert_string_equal(runs[1].id, "run00000");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_run_without_an_owner_is_interrupted),
        TEST(a_run_that_ends_while_it_is_read_is_not_interrupted),
        TEST(a_list_fails_where_nobody_can_tell_whether_a_run_is_interrupted),
        TEST(interrupted_runs_are_found_however_long_the_log_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
