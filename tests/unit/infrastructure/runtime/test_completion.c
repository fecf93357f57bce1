#include "infrastructure/runtime/completion.h"
#include "infrastructure/runtime/fiber.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "tests/support/cmocka.h"
#include <uv.h>

/* One await, what completes it, and what came of it. */
struct operation {
    struct uv_runtime *runtime;
    struct completion completion;
    uv_timer_t timer;
    uint64_t complete_after_ms; /* 0: nobody completes it */
    int64_t until_ms;           /* of the clock; 0: awaited without */
    int64_t move_until_by_ms;   /* when the timer fires, instead of completing */
    enum err_code result, second_result;
    struct err err;
    int64_t took_ms;
};

static void on_timer(uv_timer_t *timer)
{
    struct operation *operation = timer->data;
    if (operation->move_until_by_ms)
        operation->until_ms += operation->move_until_by_ms;
    else
        completion_complete(&operation->completion);
}

static void ignore_close(uv_handle_t *handle)
{
    (void)handle;
}

static enum err_code await_it(struct operation *operation, struct scope *scope)
{
    if (operation->until_ms)
        return completion_await_until(&operation->completion, scope, &operation->until_ms,
                                      &operation->err);
    return completion_await(&operation->completion, scope, &operation->err);
}

static enum err_code perform(struct runtime *port, struct scope *scope, void *argument)
{
    struct operation *operation = argument;
    int64_t began = runtime_now_ms(port);
    if (operation->until_ms)
        operation->until_ms += began;
    uv_timer_init(uv_runtime_loop(operation->runtime), &operation->timer);
    operation->timer.data = operation;
    if (operation->complete_after_ms)
        uv_timer_start(&operation->timer, on_timer, operation->complete_after_ms, 0);
    operation->result = await_it(operation, scope);
    operation->took_ms = runtime_now_ms(port) - began;
    if (operation->complete_after_ms && !operation->move_until_by_ms)
        completion_await_end(&operation->completion);
    operation->second_result = completion_await(&operation->completion, scope, NULL);
    uv_close((uv_handle_t *)&operation->timer, ignore_close);
    return ERR_NONE;
}

static int setup(void **state)
{
    static struct operation operation;
    operation = (struct operation){ .runtime = uv_runtime_create() };
    operation.completion = completion_of(operation.runtime);
    *state = &operation;
    return 0;
}

static int teardown(void **state)
{
    struct operation *operation = *state;
    uv_runtime_destroy(operation->runtime);
    return fiber_count() == 0 ? 0 : -1;
}

static struct scope for_ms(struct operation *operation, int64_t ms)
{
    return runtime_scope(uv_runtime_port(operation->runtime), NULL, ms);
}

static void returns_at_once_when_it_was_done_before(void **state)
{
    struct operation *o = *state;
    struct scope scope = { .deadline_ms = 0, .cancelled = true };
    completion_complete(&o->completion);
    completion_complete(&o->completion);

    (void)uv_runtime_run(o->runtime, &scope, perform, o);

    assert_int_equal(o->result, ERR_NONE);
}

static void wakes_the_task_that_awaits_it(void **state)
{
    struct operation *o = *state;
    struct scope scope = for_ms(o, 60000);
    o->complete_after_ms = 3;

    (void)uv_runtime_run(o->runtime, &scope, perform, o);

    assert_int_equal(o->result, ERR_NONE);
    assert_in_range(o->took_ms, 2, 30000);
}

static void ends_with_the_deadline_of_the_scope(void **state)
{
    struct operation *o = *state;
    struct scope scope = for_ms(o, 3);
    o->complete_after_ms = 30;

    (void)uv_runtime_run(o->runtime, &scope, perform, o);

    assert_int_equal(o->result, ERR_TIMEOUT);
    assert_string_equal(o->err.message, "out of time");
    assert_int_equal(o->second_result, ERR_NONE);
}

static void ends_at_the_moment_it_was_given(void **state)
{
    struct operation *o = *state;
    struct scope scope = for_ms(o, 60000);
    o->until_ms = 3;
    o->complete_after_ms = 500;

    (void)uv_runtime_run(o->runtime, &scope, perform, o);

    assert_int_equal(o->result, ERR_TIMEOUT);
    assert_in_range(o->took_ms, 3, 499);
}

static void looks_again_at_a_moment_that_was_moved(void **state)
{
    struct operation *o = *state;
    struct scope scope = for_ms(o, 100);
    o->until_ms = 20;
    o->complete_after_ms = 5;
    o->move_until_by_ms = 30;

    (void)uv_runtime_run(o->runtime, &scope, perform, o);

    assert_int_equal(o->result, ERR_TIMEOUT);
    assert_true(o->took_ms >= 50);
    assert_int_equal(o->second_result, ERR_TIMEOUT);
}

static enum err_code perform_late(struct runtime *port, struct scope *scope, void *argument)
{
    struct operation *operation = argument;
    uv_timer_init(uv_runtime_loop(operation->runtime), &operation->timer);
    operation->timer.data = operation;
    uv_timer_start(&operation->timer, on_timer, 3, 0);
    int64_t due = runtime_now_ms(port) + 5;
    while (runtime_now_ms(port) < due)
        continue;
    operation->result = completion_await(&operation->completion, scope, &operation->err);
    operation->took_ms = runtime_now_ms(port) - due;
    uv_close((uv_handle_t *)&operation->timer, ignore_close);
    return ERR_NONE;
}

static void wakes_for_a_timer_that_was_due_before_the_loop_polled(void **state)
{
    struct operation *o = *state;
    struct scope scope = for_ms(o, 1000);

    (void)uv_runtime_run(o->runtime, &scope, perform_late, o);

    assert_int_equal(o->result, ERR_NONE);
    assert_in_range(o->took_ms, 0, 500);
}

struct cancelling {
    struct operation *operation;
    struct scope inner;
};

static enum err_code run_operation(struct runtime *port, struct scope *scope, void *argument)
{
    return perform(port, scope, argument);
}

static enum err_code cancel_it(struct runtime *port, struct scope *scope, void *argument)
{
    struct cancelling *c = argument;
    c->inner = scope_child(scope, SCOPE_NO_DEADLINE);
    struct task *task = runtime_spawn(port, &c->inner, run_operation, c->operation);
    enum err_code slept = runtime_sleep(port, scope, 2, NULL);
    runtime_cancel(port, &c->inner);
    (void)runtime_wait(port, task);
    return slept;
}

static void ends_when_the_scope_is_cancelled(void **state)
{
    struct operation *o = *state;
    struct scope scope = for_ms(o, 60000);
    struct cancelling cancelling = { .operation = o };
    o->complete_after_ms = 20;

    (void)uv_runtime_run(o->runtime, &scope, cancel_it, &cancelling);

    assert_int_equal(o->result, ERR_CANCELLED);
    assert_int_equal(o->second_result, ERR_NONE);
}

struct slice {
    int64_t ms;
};

static void on_long_slice(void *context, int64_t ms)
{
    ((struct slice *)context)->ms = ms;
}

static enum err_code compute_for_60_ms(struct runtime *port, struct scope *scope, void *argument)
{
    (void)scope;
    (void)argument;
    int64_t end = runtime_now_ms(port) + 60;
    while (runtime_now_ms(port) < end)
        continue;
    return ERR_NONE;
}

static void reports_a_task_that_keeps_others_from_running(void **state)
{
    struct operation *o = *state;
    struct scope scope = for_ms(o, 0);
    struct slice slice = { 0 };
    uv_runtime_on_long_slice(o->runtime, on_long_slice, &slice);

    (void)uv_runtime_run(o->runtime, &scope, compute_for_60_ms, NULL);

    assert_in_range(slice.ms, 59, 10000);
}

#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(returns_at_once_when_it_was_done_before),
        T(wakes_the_task_that_awaits_it),
        T(ends_with_the_deadline_of_the_scope),
        T(ends_at_the_moment_it_was_given),
        T(wakes_for_a_timer_that_was_due_before_the_loop_polled),
        T(looks_again_at_a_moment_that_was_moved),
        T(ends_when_the_scope_is_cancelled),
        T(reports_a_task_that_keeps_others_from_running),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
