
#include "infrastructure/runtime/task_lock.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "tests/support/cmocka.h"
#include <string.h>

enum { MAX_ASKERS = 8 };

struct fixture;

/* A task that wants a turn, keeps it until all have asked, and leaves. */
struct asker {
    struct fixture *fixture;
    char name;
    bool yields;
    struct scope scope;
    enum err_code entered, held;
};

struct fixture {
    struct uv_runtime *runtime;
    struct task_lock lock;
    struct asker askers[MAX_ASKERS];
    size_t n;
    char gives_up; /* who is cancelled once all wait; 0: no one */
    size_t n_asked;
    bool all_asked; /* and who gives up has given up */
    size_t at_once, most_at_once;
    char order[MAX_ASKERS + 1]; /* who had a turn */
};

static enum err_code hold(struct runtime *port, struct asker *asker)
{
    struct fixture *f = asker->fixture;
    f->order[strlen(f->order)] = asker->name;
    if (++f->at_once > f->most_at_once)
        f->most_at_once = f->at_once;
    do
        asker->held = runtime_sleep(port, &asker->scope, 1, NULL);
    while (!asker->held && !f->all_asked);
    f->at_once--;
    task_lock_release(&f->lock);
    return ERR_NONE;
}

static enum err_code ask(struct runtime *port, struct scope *scope, void *argument)
{
    struct asker *asker = argument;
    struct task_lock *lock = &asker->fixture->lock;
    struct uv_runtime *runtime = asker->fixture->runtime;
    (void)scope;
    asker->fixture->n_asked++;
    asker->entered = asker->yields ? task_lock_take_yielding(lock, runtime, &asker->scope, NULL)
                                   : task_lock_take(lock, runtime, &asker->scope, NULL);
    return asker->entered ? ERR_NONE : hold(port, asker);
}

static enum err_code ask_all(struct runtime *port, struct scope *scope, void *argument)
{
    struct fixture *f = argument;
    struct task *tasks[MAX_ASKERS] = { NULL };
    for (size_t i = 0; i < f->n; i++)
        tasks[i] = runtime_spawn(port, scope, ask, &f->askers[i]);
    enum err_code waited = ERR_NONE;
    while (!waited && f->n_asked < f->n)
        waited = runtime_sleep(port, scope, 1, NULL);
    for (size_t i = 0; i < f->n; i++)
        if (f->askers[i].name == f->gives_up)
            runtime_cancel(port, &f->askers[i].scope);
    f->all_asked = true;
    for (size_t i = 0; i < f->n; i++)
        (void)runtime_wait(port, tasks[i]);
    return waited;
}

/* Capital letters yield. They ask in the order in which they are written. */
static void run(struct fixture *f, const char *names, char gives_up)
{
    struct scope scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    *f = (struct fixture){ .runtime = uv_runtime_create(), .gives_up = gives_up };
    for (; names[f->n]; f->n++)
        f->askers[f->n] = (struct asker){ .fixture = f,
                                          .name = names[f->n],
                                          .yields = names[f->n] < 'a',
                                          .scope = scope_child(NULL, SCOPE_NO_DEADLINE) };
    (void)uv_runtime_run(f->runtime, &scope, ask_all, f);
    uv_runtime_destroy(f->runtime);
}

static void turns_are_taken_in_the_order_of_asking_one_at_a_time(void **state)
{
    (void)state;
    struct fixture f;
    run(&f, "abcdef", 0);
    assert_string_equal(f.order, "abcdef");
    assert_int_equal(f.most_at_once, 1);
    assert_false(f.lock.is_taken);
    assert_null(f.lock.first);
}

static void who_gives_up_in_the_middle_changes_nothing_for_the_others(void **state)
{
    (void)state;
    struct fixture f;
    run(&f, "abcde", 'c');
    assert_string_equal(f.order, "abde");
    assert_int_equal(f.askers[2].entered, ERR_CANCELLED);
    assert_false(f.lock.is_taken);
}

static void who_is_cancelled_while_it_has_the_turn_hands_it_on(void **state)
{
    (void)state;
    struct fixture f;
    run(&f, "abc", 'a');
    assert_string_equal(f.order, "abc");
    assert_int_equal(f.askers[0].held, ERR_CANCELLED);
}

static void a_favour_is_done_when_no_one_else_waits(void **state)
{
    (void)state;
    struct fixture f;
    run(&f, "aWbc", 0);
    assert_string_equal(f.order, "abcW");
    assert_int_equal(f.askers[1].held, ERR_NONE);
}

static void a_favour_ends_as_soon_as_another_comes(void **state)
{
    (void)state;
    struct fixture f;
    run(&f, "Wab", 0);
    assert_string_equal(f.order, "Wab");
    assert_int_equal(f.askers[0].held, ERR_CANCELLED);
    assert_int_equal(f.askers[1].held, ERR_NONE);
}

static void favours_do_not_chase_each_other_away(void **state)
{
    (void)state;
    struct fixture f;
    run(&f, "VW", 0);
    assert_string_equal(f.order, "VW");
    assert_int_equal(f.askers[0].held, ERR_NONE);
    assert_int_equal(f.askers[1].held, ERR_NONE);
}

static void a_favour_that_gives_up_waiting_leaves_the_queue(void **state)
{
    (void)state;
    struct fixture f;
    run(&f, "aWb", 'W');
    assert_string_equal(f.order, "ab");
    assert_int_equal(f.askers[1].entered, ERR_CANCELLED);
    assert_false(f.lock.is_taken);
    assert_null(f.lock.yielding);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_are_taken_in_the_order_of_asking_one_at_a_time),
        cmocka_unit_test(who_gives_up_in_the_middle_changes_nothing_for_the_others),
        cmocka_unit_test(who_is_cancelled_while_it_has_the_turn_hands_it_on),
        cmocka_unit_test(a_favour_is_done_when_no_one_else_waits),
        cmocka_unit_test(a_favour_ends_as_soon_as_another_comes),
        cmocka_unit_test(favours_do_not_chase_each_other_away),
        cmocka_unit_test(a_favour_that_gives_up_waiting_leaves_the_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
