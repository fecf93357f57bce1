/* Mistakes that must end the program, loudly and at once. */
#include "infrastructure/runtime/completion.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/in_child.h"
#include "tests/support/full/virtual_runtime.h"
#include <signal.h>
#include <string.h>

static __attribute__((noinline)) int use_stack(int frames, const volatile char *above)
{
    volatile char bytes[4096];
    bytes[0] = bytes[4095] = (char)frames;
    return frames == 0 ? above[0] : use_stack(frames - 1, bytes) + bytes[0];
}

static enum err_code overflow(struct runtime *port, struct scope *scope, void *argument)
{
    (void)port;
    (void)scope;
    *(int *)argument = use_stack(1000, "");
    return ERR_NONE;
}

static void overflow_a_stack(void)
{
    int sum;
    struct uv_runtime *runtime = uv_runtime_create();
    (void)uv_runtime_run(runtime, NULL, overflow, &sum);
}

static void a_task_that_overflows_its_stack_is_named(void **state)
{
    (void)state;

    struct child_end end = in_child(overflow_a_stack);

    assert_int_equal(end.signal, SIGABRT);
    assert_non_null(strstr(end.stderr_text, "mistro: a task overflowed its stack"));
}

static enum err_code await_nothing(struct runtime *port, struct scope *scope, void *argument)
{
    struct completion completion = completion_of(argument);
    (void)port;
    return completion_await(&completion, scope, NULL);
}

static void wait_for_ever(void)
{
    struct uv_runtime *runtime = uv_runtime_create();
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    (void)uv_runtime_run(runtime, &scope, await_nothing, runtime);
}

static void a_deadlock_is_reported(void **state)
{
    (void)state;

    struct child_end end = in_child(wait_for_ever);

    assert_int_equal(end.signal, SIGABRT);
    assert_non_null(strstr(end.stderr_text, "every task waits"));
}

static enum err_code wait_for_myself(struct runtime *port, struct scope *scope, void *argument)
{
    (void)scope;
    struct task **own = argument;
    return runtime_wait(port, *own);
}

static enum err_code spawn_and_wait(struct runtime *port, struct scope *scope, void *argument)
{
    struct task **task = argument;
    *task = runtime_spawn(port, scope, wait_for_myself, task);
    return runtime_sleep(port, scope, INT64_MAX, NULL);
}

static void wait_for_ever_in_virtual_time(void)
{
    struct task *task;
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    struct virtual_runtime *runtime = virtual_runtime_create(42);
    (void)virtual_runtime_run(runtime, &scope, spawn_and_wait, &task);
}

static void a_deadlock_in_virtual_time_is_reported_with_its_seed(void **state)
{
    (void)state;

    struct child_end end = in_child(wait_for_ever_in_virtual_time);

    assert_int_equal(end.signal, SIGABRT);
    assert_non_null(strstr(end.stderr_text, "every task waits for ever (seed 42)"));
}

static void wait_outside_a_task(void)
{
    struct uv_runtime *runtime = uv_runtime_create();
    struct completion completion = completion_of(runtime);
    completion_await_end(&completion);
}

static void waiting_on_the_loops_stack_is_refused(void **state)
{
    (void)state;

    struct child_end end = in_child(wait_outside_a_task);

    assert_int_equal(end.signal, SIGABRT);
    assert_non_null(strstr(end.stderr_text, "waiting in a callback"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_that_overflows_its_stack_is_named),
        cmocka_unit_test(a_deadlock_is_reported),
        cmocka_unit_test(a_deadlock_in_virtual_time_is_reported_with_its_seed),
        cmocka_unit_test(waiting_on_the_loops_stack_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
