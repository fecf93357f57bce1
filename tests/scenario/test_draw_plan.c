/* The plan of a recorded run as a picture, with the real styles and a renderer that keeps what it
 * was asked. */
#include "application/use_cases/draw_plan.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/figure_job.h"
#include <string.h>

enum { MAX_EVENTS = 8 };

struct log {
    struct arena *arena;
    struct event events[MAX_EVENTS];
    struct recorded_run recorded;
};

static void log_event(struct log *log, enum event_kind kind, const char *data)
{
    json_t *value = json_loads(data, 0, NULL);
    assert_non_null(value);
    log->events[log->recorded.n_events++] =
        (struct event){ .kind = kind, .data = arena_keep_json(log->arena, value) };
    log->recorded.events = log->events;
}

static const char *plan_of(struct arena *arena, unsigned n_steps)
{
    const char *text = "";
    for (unsigned i = 1; i <= n_steps; i++)
        text = arena_printf(arena, "%s%s{\"id\":\"s%u\",\"tool\":\"a/b\",\"args\":{}}", text,
                            i > 1 ? "," : "", i);
    return arena_printf(arena, "{\"plan\":{\"steps\":[%s]}}", text);
}

static struct plan_picture drawn(struct figure_job *job, struct log *log)
{
    struct plan_picture picture;
    const struct plan *plan = recorded_plan(&job->arena, &log->recorded);
    assert_non_null(plan);
    draw_plan(&job->services.base, &job->scope, &job->arena, plan, &log->recorded, &picture);
    return picture;
}

static void steps_are_nodes_and_what_they_need_are_arrows(void **state)
{
    struct figure_job *job = *state;
    struct log log = { .arena = &job->arena };
    log_event(&log, EVENT_PLAN,
              "{\"plan\":{\"steps\":[{\"id\":\"find\",\"tool\":\"a/find\",\"args\":{}},"
              "{\"id\":\"read\",\"tool\":\"a/read\",\"args\":{\"path\":\"{find.path}\"}},"
              "{\"id\":\"last\",\"tool\":\"a/\\\"x\\\"\",\"args\":{},\"needs\":[\"read\"]}]}}");
    log_event(&log, EVENT_STEP_FINISHED, "{\"step\":\"find\",\"status\":\"ok\"}");
    log_event(&log, EVENT_STEP_FINISHED, "{\"step\":\"read\",\"status\":\"error\"}");

    struct plan_picture picture = drawn(job, &log);

    assert_non_null(picture.light);
    assert_non_null(picture.dark);
    assert_int_equal(job->renderer.n_calls, 2);
    assert_non_null(strstr(job->renderer.dot, "a/find"));
    assert_non_null(strstr(job->renderer.dot, "read ✗"));
    assert_non_null(strstr(job->renderer.dot, "a/\\\"x\\\""));
    assert_non_null(strstr(job->renderer.dot, "->"));
}

static void the_last_plan_counts_and_one_that_was_not_kept_is_none(void **state)
{
    struct figure_job *job = *state;
    struct log log = { .arena = &job->arena };
    assert_null(recorded_plan(&job->arena, &log.recorded));
    log_event(&log, EVENT_PLAN, "{\"plan\":{\"sha256\":\"00\",\"bytes\":7}}");
    assert_null(recorded_plan(&job->arena, &log.recorded));
    log_event(&log, EVENT_PLAN, plan_of(&job->arena, 2));
    log_event(&log, EVENT_PLAN, plan_of(&job->arena, 3));

    assert_int_equal(recorded_plan(&job->arena, &log.recorded)->n_steps, 3);
}

static void more_steps_than_a_person_reads_are_not_drawn(void **state)
{
    struct figure_job *job = *state;
    for (unsigned beyond = 0; beyond <= 1; beyond++) {
        struct log log = { .arena = &job->arena };
        log_event(&log, EVENT_PLAN, plan_of(&job->arena, DRAW_PLAN_MAX_STEPS + beyond));
        assert_int_equal(drawn(job, &log).light == NULL, beyond);
    }
}

static void a_picture_that_is_too_large_is_left_out(void **state)
{
    struct figure_job *job = *state;
    struct log log = { .arena = &job->arena };
    log_event(&log, EVENT_PLAN, plan_of(&job->arena, 1));
    job->renderer.svg = "<svg/>";
    for (unsigned beyond = 0; beyond <= 1; beyond++) {
        job->renderer.svg_length = DRAW_PLAN_MAX_BYTES + beyond;
        assert_int_equal(drawn(job, &log).light == NULL, beyond);
    }
}

static void nothing_is_drawn_without_graphviz(void **state)
{
    struct figure_job *job = *state;
    struct log log = { .arena = &job->arena };
    log_event(&log, EVENT_PLAN, plan_of(&job->arena, 1));
    job->renderer.available = ERR_NOT_FOUND;
    assert_null(drawn(job, &log).light);
    job->renderer.available = ERR_NONE;
    job->renderer.base.takes_plots = true; /* a program of the settings */
    assert_null(drawn(job, &log).light);
    job->services.renderer_port = NULL;
    assert_null(drawn(job, &log).light);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, figure_job_set_up, figure_job_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(steps_are_nodes_and_what_they_need_are_arrows),
        TEST(the_last_plan_counts_and_one_that_was_not_kept_is_none),
        TEST(more_steps_than_a_person_reads_are_not_drawn),
        TEST(a_picture_that_is_too_large_is_left_out),
        TEST(nothing_is_drawn_without_graphviz),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
