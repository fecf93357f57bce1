#include "infrastructure/runtime/fiber.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "infrastructure/runtime/worker.h"
#include "tests/support/cmocka.h"
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

/* What jobs of a test write, on pool threads but never two at once, and what the loop saw. */
struct bench {
    struct uv_runtime *runtime;
    struct worker *worker;
    sem_t gate; /* holds the first job until the test opens it */
    char order[16];
    size_t done;
    enum err_code results[3];
};

struct letter {
    struct bench *bench;
    char letter;
    bool waits;
};

static void write_letter(void *job)
{
    struct letter *letter = job;
    if (letter->waits)
        while (sem_wait(&letter->bench->gate) != 0)
            continue;
    letter->bench->order[strlen(letter->bench->order)] = letter->letter;
}

static void count_done(void *job)
{
    ((struct letter *)job)->bench->done++;
}

static int setup(void **state)
{
    static struct bench bench;
    bench = (struct bench){ .runtime = uv_runtime_create() };
    bench.worker = worker_create(bench.runtime);
    sem_init(&bench.gate, 0, 0);
    *state = &bench;
    return 0;
}

static int teardown(void **state)
{
    struct bench *bench = *state;
    worker_destroy(bench->worker);
    uv_runtime_destroy(bench->runtime);
    sem_destroy(&bench->gate);
    return fiber_count() == 0 ? 0 : -1;
}

static struct scope everything(void)
{
    return (struct scope){ .deadline_ms = SCOPE_NO_DEADLINE };
}

static enum err_code run_a_letter(struct runtime *port, struct scope *scope, void *argument)
{
    struct letter *letter = argument;
    (void)port;
    return worker_run(letter->bench->worker, scope, write_letter, letter, NULL);
}

static void runs_a_job_and_waits_for_it(void **state)
{
    struct bench *bench = *state;
    struct scope scope = everything();
    struct letter letter = { .bench = bench, .letter = 'a' };

    enum err_code code = uv_runtime_run(bench->runtime, &scope, run_a_letter, &letter);

    assert_int_equal(code, ERR_NONE);
    assert_string_equal(bench->order, "a");
}

static enum err_code post_two_and_run_one(struct runtime *port, struct scope *scope, void *argument)
{
    struct letter *letters = argument;
    struct bench *bench = letters->bench;
    (void)port;
    worker_post(bench->worker, write_letter, count_done, &letters[0]);
    worker_post(bench->worker, write_letter, NULL, &letters[1]);
    sem_post(&bench->gate);
    return worker_run(bench->worker, scope, write_letter, &letters[2], NULL);
}

static void runs_jobs_one_after_the_other_in_order(void **state)
{
    struct bench *bench = *state;
    struct scope scope = everything();
    struct letter letters[] = { { .bench = bench, .letter = 'a', .waits = true },
                                { .bench = bench, .letter = 'b' },
                                { .bench = bench, .letter = 'c' } };

    (void)uv_runtime_run(bench->runtime, &scope, post_two_and_run_one, letters);

    assert_string_equal(bench->order, "abc");
    assert_int_equal(bench->done, 1);
}

static enum err_code cancel_two_jobs(struct runtime *port, struct scope *scope, void *argument)
{
    struct letter *letters = argument;
    struct bench *bench = letters->bench;
    struct scope doomed = scope_child(scope, SCOPE_NO_DEADLINE);
    struct task *tasks[3];
    for (size_t i = 0; i < 3; i++)
        tasks[i] = runtime_spawn(port, i < 2 ? &doomed : scope, run_a_letter, &letters[i]);
    (void)!runtime_sleep(port, scope, 1, NULL);
    runtime_cancel(port, &doomed);
    (void)!runtime_sleep(port, scope, 1, NULL);
    sem_post(&bench->gate);
    for (size_t i = 0; i < 3; i++)
        bench->results[i] = runtime_wait(port, tasks[i]);
    return ERR_NONE;
}

static void drops_a_cancelled_job_only_before_it_started(void **state)
{
    struct bench *bench = *state;
    struct scope scope = everything();
    struct letter letters[] = { { .bench = bench, .letter = 'a', .waits = true },
                                { .bench = bench, .letter = 'b' },
                                { .bench = bench, .letter = 'c' } };

    (void)uv_runtime_run(bench->runtime, &scope, cancel_two_jobs, letters);

    assert_int_equal(bench->results[0], ERR_NONE);
    assert_int_equal(bench->results[1], ERR_CANCELLED);
    assert_int_equal(bench->results[2], ERR_NONE);
    assert_string_equal(bench->order, "ac");
}

static enum err_code find_no_letter(void *job, struct err *err)
{
    return err_set(err, ERR_NOT_FOUND, 0, "no letter %c", ((struct letter *)job)->letter);
}

static enum err_code try_in_vain(struct runtime *port, struct scope *scope, void *argument)
{
    struct letter *letter = argument;
    struct err err = { 0 };
    (void)port;
    letter->bench->results[0] =
        worker_try(letter->bench->worker, scope, find_no_letter, letter, NULL);
    letter->bench->results[1] =
        worker_try(letter->bench->worker, scope, find_no_letter, letter, &err);
    assert_string_equal(err.message, "no letter a");
    return ERR_NONE;
}

static void returns_what_a_failing_job_returned(void **state)
{
    struct bench *bench = *state;
    struct scope scope = everything();
    struct letter letter = { .bench = bench, .letter = 'a' };

    (void)uv_runtime_run(bench->runtime, &scope, try_in_vain, &letter);

    assert_int_equal(bench->results[0], ERR_NOT_FOUND);
    assert_int_equal(bench->results[1], ERR_NOT_FOUND);
}

static void runs_nothing_in_a_scope_that_ended(void **state)
{
    struct bench *bench = *state;
    struct scope scope = { .deadline_ms = 0 };
    struct letter letter = { .bench = bench, .letter = 'a' };

    enum err_code code = uv_runtime_run(bench->runtime, &scope, run_a_letter, &letter);

    assert_int_equal(code, ERR_TIMEOUT);
    assert_string_equal(bench->order, "");
}

static void does_what_was_posted_before_it_is_destroyed(void **state)
{
    struct bench *bench = *state;
    struct letter letters[] = { { .bench = bench, .letter = 'a' },
                                { .bench = bench, .letter = 'b' } };
    worker_post(bench->worker, write_letter, count_done, &letters[0]);
    worker_post(bench->worker, write_letter, count_done, &letters[1]);

    worker_destroy(bench->worker);
    bench->worker = NULL;

    assert_string_equal(bench->order, "ab");
    assert_int_equal(bench->done, 2);
}

static enum err_code post_and_destroy(struct runtime *port, struct scope *scope, void *argument)
{
    struct letter *letter = argument;
    (void)port;
    (void)scope;
    worker_post(letter->bench->worker, write_letter, count_done, letter);
    worker_destroy(letter->bench->worker);
    letter->bench->worker = NULL;
    return ERR_NONE;
}

static void can_be_destroyed_by_a_task(void **state)
{
    struct bench *bench = *state;
    struct scope scope = everything();
    struct letter letter = { .bench = bench, .letter = 'a' };

    (void)uv_runtime_run(bench->runtime, &scope, post_and_destroy, &letter);

    assert_string_equal(bench->order, "a");
    assert_int_equal(bench->done, 1);
}

#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(runs_a_job_and_waits_for_it),
        T(runs_jobs_one_after_the_other_in_order),
        T(drops_a_cancelled_job_only_before_it_started),
        T(returns_what_a_failing_job_returned),
        T(runs_nothing_in_a_scope_that_ended),
        T(does_what_was_posted_before_it_is_destroyed),
        T(can_be_destroyed_by_a_task),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
