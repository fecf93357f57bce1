#include "infrastructure/runtime/fiber.h"
#include "tests/support/cmocka.h"
#include <stdlib.h>
#include <string.h>

struct trace {
    char text[64];
    struct fiber *inner;
};

static void note(struct trace *trace, const char *what)
{
    strcat(trace->text, what);
}

static void two_halves(void *argument)
{
    note(argument, "a");
    fiber_yield();
    note(argument, "b");
}

static void runs_until_it_yields_and_goes_on_there(void **state)
{
    (void)state;
    struct trace trace = { 0 };
    struct fiber *fiber = fiber_create(two_halves, &trace);

    fiber_resume(fiber);
    note(&trace, "-");
    bool done_early = fiber_is_done(fiber);
    fiber_resume(fiber);

    assert_string_equal(trace.text, "a-b");
    assert_false(done_early);
    assert_true(fiber_is_done(fiber));
    fiber_destroy(fiber);
}

static void resume_another(void *argument)
{
    struct trace *trace = argument;
    note(trace, "(");
    fiber_resume(trace->inner);
    note(trace, ",");
    fiber_resume(trace->inner);
    note(trace, ")");
}

static void returns_to_whoever_resumed_it(void **state)
{
    (void)state;
    struct trace trace = { 0 };
    struct fiber *outer = fiber_create(resume_another, &trace);
    trace.inner = fiber_create(two_halves, &trace);

    fiber_resume(outer);

    assert_string_equal(trace.text, "(a,b)");
    fiber_destroy(trace.inner);
    fiber_destroy(outer);
}

static void record_self(void *argument)
{
    *(struct fiber **)argument = fiber_self();
}

static void knows_which_fiber_runs(void **state)
{
    (void)state;
    struct fiber *seen = NULL;
    struct fiber *fiber = fiber_create(record_self, &seen);

    fiber_resume(fiber);

    assert_ptr_equal(seen, fiber);
    assert_null(fiber_self());
    fiber_destroy(fiber);
}

static void uses_a_stack_again(void **state)
{
    (void)state;
    struct fiber *seen = NULL, *first = fiber_create(record_self, &seen);
    fiber_resume(first);
    fiber_destroy(first);

    struct fiber *second = fiber_create(record_self, &seen);
    fiber_resume(second);

    assert_ptr_equal(second, first);
    assert_true(fiber_is_done(second));
    fiber_destroy(second);
}

static void destroys_a_fiber_that_never_ran(void **state)
{
    (void)state;
    struct trace trace = { 0 };

    fiber_destroy(fiber_create(two_halves, &trace));
    fiber_destroy(NULL);

    assert_int_equal(fiber_count(), 0);
    assert_string_equal(trace.text, "");
}

#define MANY 600 /* more than the pool keeps */

static void has_hundreds_suspended_at_once(void **state)
{
    (void)state;
    struct fiber *fibers[MANY];
    static struct trace traces[MANY];
    size_t ended = 0;
    for (size_t i = 0; i < MANY; i++) {
        fibers[i] = fiber_create(two_halves, &traces[i]);
        fiber_resume(fibers[i]);
    }
    size_t live = fiber_count();
    for (size_t i = MANY; i-- > 0;) {
        fiber_resume(fibers[i]);
        ended += fiber_is_done(fibers[i]);
        fiber_destroy(fibers[i]);
    }

    assert_int_equal(live, MANY);
    assert_int_equal(ended, MANY);
    assert_int_equal(fiber_count(), 0);
}

/* Frames of at least 4 KiB; each looks at the one above, so that no compiler makes a loop of it. */
static __attribute__((noinline)) int use_stack(int frames, const volatile char *above)
{
    volatile char bytes[4096];
    bytes[0] = bytes[4095] = (char)frames;
    return frames == 0 ? above[0] : use_stack(frames - 1, bytes) + bytes[0];
}

static void use_25_frames(void *argument)
{
    *(int *)argument = use_stack(24, "");
}

static void reports_how_deep_stacks_were_used(void **state)
{
    (void)state;
    int sum;
    fiber_paint_stacks(true);
    struct fiber *fiber = fiber_create(use_25_frames, &sum);
    fiber_resume(fiber);
    fiber_destroy(fiber);

    size_t bytes = fiber_high_water_bytes();
    fiber_paint_stacks(false);

    assert_int_equal(sum, 301);
    assert_in_range(bytes, 100 * 1024, 200 * 1024);
}

static void keep_memory_on_the_stack(void *argument)
{
    char *text = malloc(100);
    strcpy(text, "held by nothing but this frame");
    fiber_yield();
    strcpy(argument, text);
    free(text);
}

static void keeps_what_a_suspended_fiber_holds(void **state)
{
    (void)state;
    char text[100] = "";
    struct fiber *fiber = fiber_create(keep_memory_on_the_stack, text);
    fiber_resume(fiber);

    fiber_resume(fiber);

    assert_string_equal(text, "held by nothing but this frame");
    fiber_destroy(fiber);
}

static int no_fiber_is_left(void **state)
{
    (void)state;
    return fiber_count() == 0 && !fiber_self() ? 0 : -1;
}

static int drain(void **state)
{
    (void)state;
    fiber_pool_drain();
    return 0;
}

#define T(test) cmocka_unit_test_setup_teardown(test, no_fiber_is_left, no_fiber_is_left)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(runs_until_it_yields_and_goes_on_there),
        T(returns_to_whoever_resumed_it),
        T(knows_which_fiber_runs),
        T(uses_a_stack_again),
        T(destroys_a_fiber_that_never_ran),
        T(has_hundreds_suspended_at_once),
        T(reports_how_deep_stacks_were_used),
        T(keeps_what_a_suspended_fiber_holds),
    };
    return cmocka_run_group_tests(tests, NULL, drain);
}
