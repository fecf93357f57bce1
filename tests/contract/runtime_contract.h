/* What every adapter of application/ports/runtime.h promises. test_runtime.c runs these on all
 * three. A case runs a task that records, and asserts afterwards on the test's own stack. */
#ifndef TESTS_CONTRACT_RUNTIME_CONTRACT_H
#define TESTS_CONTRACT_RUNTIME_CONTRACT_H

#include "application/ports/runtime.h"
#include "tests/support/cmocka.h"

struct runtime_under_test {
    struct runtime *port;
    void *adapter;
    enum err_code (*run)(void *adapter, struct scope *scope, task_fn *fn, void *argument);
};

/* X(test function, needs tasks that run side by side) */
#define RUNTIME_CONTRACT(X)                                                                        \
    X(returns_what_the_task_returns, false)                                                        \
    X(sleeps_at_least_as_long_as_asked, false)                                                     \
    X(ends_a_sleep_at_the_deadline_of_the_scope, false)                                            \
    X(ends_a_sleep_at_the_deadline_of_an_enclosing_scope, false)                                   \
    X(does_not_begin_to_sleep_in_a_scope_that_ended, false)                                        \
    X(does_not_begin_to_sleep_in_a_cancelled_scope, false)                                         \
    X(gives_each_task_its_own_result, false)                                                       \
    X(skips_tasks_that_were_waited_for, false)                                                     \
    X(wakes_sleepers_whose_scope_is_cancelled, true)                                               \
    X(leaves_siblings_of_a_cancelled_scope_alone, true)                                            \
    X(returns_the_task_that_ends_first, true)                                                      \
    X(lets_tasks_sleep_side_by_side, true)                                                         \
    X(runs_tasks_that_spawn_tasks, false)                                                          \
    X(has_a_wall_clock_after_the_year_2025, false)                                                 \
    X(has_a_local_clock_within_a_day_of_it, false)

static struct scope everything(void)
{
    return (struct scope){ .deadline_ms = SCOPE_NO_DEADLINE };
}

struct sleeper {
    int64_t ms;
    enum err_code result;
    int64_t slept_ms;
};

static enum err_code sleep_and_record(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct sleeper *sleeper = argument;
    int64_t began = runtime_now_ms(runtime);
    sleeper->result = runtime_sleep(runtime, scope, sleeper->ms, NULL);
    sleeper->slept_ms = runtime_now_ms(runtime) - began;
    return sleeper->result;
}

static enum err_code return_denied(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    (void)scope;
    (void)argument;
    return ERR_DENIED;
}

static void returns_what_the_task_returns(void **state)
{
    struct runtime_under_test *t = *state;
    struct scope scope = everything();

    enum err_code result = t->run(t->adapter, &scope, return_denied, NULL);

    assert_int_equal(result, ERR_DENIED);
}

static void sleeps_at_least_as_long_as_asked(void **state)
{
    struct runtime_under_test *t = *state;
    struct scope scope = everything();
    struct sleeper sleeper = { .ms = 5 };

    enum err_code result = t->run(t->adapter, &scope, sleep_and_record, &sleeper);

    assert_int_equal(result, ERR_NONE);
    assert_true(sleeper.slept_ms >= 5);
}

static void ends_a_sleep_at_the_deadline_of_the_scope(void **state)
{
    struct runtime_under_test *t = *state;
    struct scope scope = runtime_scope(t->port, NULL, 5);
    struct sleeper sleeper = { .ms = 60000 };

    enum err_code result = t->run(t->adapter, &scope, sleep_and_record, &sleeper);

    assert_int_equal(result, ERR_TIMEOUT);
    assert_true(sleeper.slept_ms < 60000);
}

static void ends_a_sleep_at_the_deadline_of_an_enclosing_scope(void **state)
{
    struct runtime_under_test *t = *state;
    struct scope outer = runtime_scope(t->port, NULL, 5);
    struct scope inner = runtime_scope(t->port, &outer, 0);
    struct sleeper sleeper = { .ms = 60000 };

    enum err_code result = t->run(t->adapter, &inner, sleep_and_record, &sleeper);

    assert_int_equal(result, ERR_TIMEOUT);
}

static void does_not_begin_to_sleep_in_a_scope_that_ended(void **state)
{
    struct runtime_under_test *t = *state;
    struct scope scope = { .deadline_ms = runtime_now_ms(t->port) };
    struct sleeper sleeper = { .ms = 60000 };

    enum err_code result = t->run(t->adapter, &scope, sleep_and_record, &sleeper);

    assert_int_equal(result, ERR_TIMEOUT);
}

static void does_not_begin_to_sleep_in_a_cancelled_scope(void **state)
{
    struct runtime_under_test *t = *state;
    struct scope outer = everything(), inner = scope_child(&outer, SCOPE_NO_DEADLINE);
    struct sleeper sleeper = { .ms = 60000 };
    runtime_cancel(t->port, &outer);

    enum err_code result = t->run(t->adapter, &inner, sleep_and_record, &sleeper);

    assert_int_equal(result, ERR_CANCELLED);
}

#define MEMBERS 3

/* A task that spawns others, cancels some of them and waits for all. */
struct group {
    task_fn *member;
    struct sleeper sleepers[MEMBERS];
    size_t cancelled; /* how many of the first run under a scope that is cancelled after 2 ms */
    size_t order[MEMBERS];
    enum err_code results[MEMBERS];
    int64_t took_ms;
};

static enum err_code run_group(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct group *group = argument;
    struct scope doomed = scope_child(scope, SCOPE_NO_DEADLINE);
    struct task *tasks[MEMBERS];
    int64_t began = runtime_now_ms(runtime);
    for (size_t i = 0; i < MEMBERS; i++)
        tasks[i] = runtime_spawn(runtime, i < group->cancelled ? &doomed : scope, group->member,
                                 &group->sleepers[i]);
    enum err_code code = group->cancelled ? runtime_sleep(runtime, scope, 2, NULL) : ERR_NONE;
    runtime_cancel(runtime, &doomed);
    for (size_t n = 0; n < MEMBERS; n++) {
        enum err_code result;
        size_t at = runtime_wait_any(runtime, tasks, MEMBERS, &result);
        tasks[at] = NULL;
        group->order[n] = at;
        group->results[at] = result;
    }
    group->took_ms = runtime_now_ms(runtime) - began;
    return code;
}

static void gives_each_task_its_own_result(void **state)
{
    struct runtime_under_test *t = *state;
    struct scope scope = everything();
    struct scope late = scope_child(&scope, runtime_now_ms(t->port));
    struct group group = { .member = sleep_and_record };
    struct group expired = { .member = sleep_and_record };

    (void)t->run(t->adapter, &scope, run_group, &group);
    (void)t->run(t->adapter, &late, run_group, &expired);

    for (size_t i = 0; i < MEMBERS; i++) {
        assert_int_equal(group.results[i], ERR_NONE);
        assert_int_equal(expired.results[i], ERR_TIMEOUT);
    }
}

static void skips_tasks_that_were_waited_for(void **state)
{
    struct runtime_under_test *t = *state;
    struct scope scope = everything();
    struct group group = { .member = return_denied };
    unsigned seen = 0;

    (void)t->run(t->adapter, &scope, run_group, &group);

    for (size_t i = 0; i < MEMBERS; i++)
        seen |= 1U << group.order[i];
    assert_int_equal(seen, 7);
}

static void wakes_sleepers_whose_scope_is_cancelled(void **state)
{
    struct runtime_under_test *t = *state;
    struct scope scope = everything();
    struct group group = {
        .member = sleep_and_record,
        .sleepers = { { .ms = 60000 }, { .ms = 60000 }, { .ms = 60000 } },
        .cancelled = MEMBERS,
    };

    enum err_code result = t->run(t->adapter, &scope, run_group, &group);

    assert_int_equal(result, ERR_NONE);
    for (size_t i = 0; i < MEMBERS; i++)
        assert_int_equal(group.results[i], ERR_CANCELLED);
    assert_true(group.took_ms < 60000);
}

static void leaves_siblings_of_a_cancelled_scope_alone(void **state)
{
    struct runtime_under_test *t = *state;
    struct scope scope = everything();
    struct group group = {
        .member = sleep_and_record,
        .sleepers = { { .ms = 60000 }, { .ms = 10 }, { .ms = 10 } },
        .cancelled = 1,
    };

    (void)t->run(t->adapter, &scope, run_group, &group);

    assert_int_equal(group.results[0], ERR_CANCELLED);
    assert_int_equal(group.results[1], ERR_NONE);
    assert_int_equal(group.results[2], ERR_NONE);
    assert_false(scope.cancelled);
}

static void returns_the_task_that_ends_first(void **state)
{
    struct runtime_under_test *t = *state;
    struct scope scope = everything();
    struct group group = {
        .member = sleep_and_record,
        .sleepers = { { .ms = 90 }, { .ms = 1 }, { .ms = 45 } },
    };

    (void)t->run(t->adapter, &scope, run_group, &group);

    assert_int_equal(group.order[0], 1);
    assert_int_equal(group.order[1], 2);
    assert_int_equal(group.order[2], 0);
}

static void lets_tasks_sleep_side_by_side(void **state)
{
    struct runtime_under_test *t = *state;
    struct scope scope = everything();
    struct group group = {
        .member = sleep_and_record,
        .sleepers = { { .ms = 100 }, { .ms = 100 }, { .ms = 100 } },
    };

    (void)t->run(t->adapter, &scope, run_group, &group);

    assert_true(group.took_ms >= 100);
    assert_true(group.took_ms < 300);
}

struct tree {
    unsigned depth;
    unsigned ended;
};

static enum err_code grow_tree(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct tree *tree = argument;
    struct tree children[2] = { { .depth = tree->depth - 1 }, { .depth = tree->depth - 1 } };
    struct task *tasks[2];
    tree->ended = 1;
    if (tree->depth == 0)
        return runtime_sleep(runtime, scope, 0, NULL);
    for (size_t i = 0; i < 2; i++)
        tasks[i] = runtime_spawn(runtime, scope, grow_tree, &children[i]);
    for (size_t i = 0; i < 2; i++) {
        enum err_code code = runtime_wait(runtime, tasks[i]);
        tree->ended += code ? 0 : children[i].ended;
    }
    return ERR_NONE;
}

static void runs_tasks_that_spawn_tasks(void **state)
{
    struct runtime_under_test *t = *state;
    struct scope scope = everything();
    struct tree tree = { .depth = 5 };

    (void)t->run(t->adapter, &scope, grow_tree, &tree);

    assert_int_equal(tree.ended, 63);
}

static void has_a_wall_clock_after_the_year_2025(void **state)
{
    struct runtime_under_test *t = *state;

    assert_true(runtime_wall_ms(t->port) >= INT64_C(1767225600000));
}

static void has_a_local_clock_within_a_day_of_it(void **state)
{
    struct runtime_under_test *t = *state;
    int64_t apart_ms = runtime_local_ms(t->port) - runtime_wall_ms(t->port);

    assert_in_range(apart_ms + INT64_C(86400000), 0, INT64_C(172800000));
}

#endif
