#include "tests/support/full/contracts/run_queue_fixture.h"

static void list_workers(struct fixture *f)
{
    struct queue_worker *workers = NULL, busy = bob;
    size_t n = 0;
    busy.n_busy = 3;
    (void)beaten(f, f->other, &bob);
    (void)beaten(f, f->queue, &ann);
    (void)beaten(f, f->other, &busy);
    CHECK(run_queue_workers(f->queue, f->scope, &f->arena, &workers, &n, &f->err) == ERR_NONE);
    CHECK(n == 2);
    if (n != 2)
        return;
    CHECK(text_equal(workers[0].name, "ann:1") && workers[0].seen_ms > 0);
    CHECK(text_equal(workers[1].name, "bob:2") && text_equal(workers[1].queue, "q"));
    CHECK(workers[1].jobs == 4 && workers[1].n_busy == 3 && workers[1].n_servers == 2);
    CHECK(run_queue_leave(f->queue, f->scope, &f->err) == ERR_NONE);
    CHECK(run_queue_workers(f->queue, f->scope, &f->arena, &workers, &n, &f->err) == ERR_NONE);
    CHECK(n == 1 && text_equal(workers[0].name, "bob:2"));
    queue_under_test->lapse(queue_under_test, f->scope);
    (void)beaten(f, f->queue, &ann);
    CHECK(run_queue_workers(f->queue, f->scope, &f->arena, &workers, &n, &f->err) == ERR_NONE);
    CHECK(n == 1 && text_equal(workers[0].name, "ann:1"));
}

static void workers_are_listed_until_they_leave_or_die(void **state)
{
    (void)state;
    in_task(list_workers);
}

static void list_runs(struct fixture *f)
{
    struct queued_run elsewhere = run_named("01r"), *runs = NULL;
    size_t n = 0;
    elsewhere.queue = "r";
    add(f, "01a");
    CHECK(text_equal(added(f, &elsewhere), "01r"));
    add(f, "01b");
    CHECK(run_queue_list(f->other, f->scope, NULL, 10, &f->arena, &runs, &n, &f->err) == ERR_NONE);
    CHECK(n == 3 && text_equal(runs[0].run_id, "01b") && text_equal(runs[1].run_id, "01r"));
    CHECK(run_queue_list(f->other, f->scope, "q", 10, &f->arena, &runs, &n, &f->err) == ERR_NONE);
    CHECK(n == 2 && text_equal(runs[1].run_id, "01a") && runs[1].state == QUEUE_QUEUED);
    CHECK(run_queue_list(f->other, f->scope, "q", 1, &f->arena, &runs, &n, &f->err) == ERR_NONE);
    CHECK(n == 1 && text_equal(runs[0].run_id, "01b"));
    CHECK(run_queue_list(f->other, f->scope, "none", 9, &f->arena, &runs, &n, &f->err) == ERR_NONE);
    CHECK(n == 0);
}

static void runs_are_listed_newest_first_by_queue(void **state)
{
    (void)state;
    in_task(list_runs);
}

static void add_at(struct fixture *f, const char *id, const char *queue, int64_t not_before_ms)
{
    const struct queued_run run = { .run_id = id, .queue = queue, .not_before_ms = not_before_ms };
    CHECK(text_equal(added(f, &run), id));
}

static void add_up(struct fixture *f)
{
    struct queue_totals *totals = NULL;
    struct queued_run *runs = NULL;
    size_t n = 9;
    CHECK(run_queue_totals(f->queue, f->scope, &f->arena, &totals, &n, &f->err) == ERR_NONE);
    CHECK(n == 0);
    add(f, "01a");
    die_over(f, "01a");
    add(f, "01b");
    add(f, "01c");
    add(f, "01d");
    add_at(f, "01e", "later", found(f, "01d").added_ms + HOUR_MS);
    add_at(f, "01f", "over", 0);
    CHECK(run_queue_cancel(f->queue, f->scope, "01f", &(bool){ false }, &f->err) == ERR_NONE);
    CHECK(text_equal(taken(f, f->queue, &ann), "01b"));
    CHECK(run_queue_totals(f->other, f->scope, &f->arena, &totals, &n, &f->err) == ERR_NONE);
    CHECK(n == 2);
    if (n != 2)
        return;
    CHECK(text_equal(totals[0].queue, "later") && totals[0].n_queued == 1);
    CHECK(totals[0].since_ms == found(f, "01d").added_ms + HOUR_MS);
    CHECK(text_equal(totals[1].queue, "q") && totals[1].n_queued == 2);
    CHECK(totals[1].n_taken == 1 && totals[1].n_poisoned == 1);
    CHECK(totals[1].since_ms == found(f, "01c").added_ms);
    CHECK(run_queue_list_in(f->other, f->scope, QUEUE_POISONED, 9, &f->arena, &runs, &n, &f->err) ==
          ERR_NONE);
    CHECK(n == 1 && text_equal(runs[0].run_id, "01a") && runs[0].reason);
    CHECK(run_queue_list_in(f->other, f->scope, QUEUE_QUEUED, 2, &f->arena, &runs, &n, &f->err) ==
          ERR_NONE);
    CHECK(n == 2 && text_equal(runs[0].run_id, "01e") && text_equal(runs[1].run_id, "01d"));
}

static void what_is_not_over_is_counted_by_queue_and_listed_by_state(void **state)
{
    (void)state;
    in_task(add_up);
}

static void prune_runs(struct fixture *f)
{
    struct queued_run *none = NULL;
    size_t n = 9;
    add(f, "01a");
    add(f, "01b");
    add(f, "01c");
    const struct queued_run a = take(f, f->queue, &ann);
    CHECK(text_equal(a.run_id, "01a"));
    CHECK(text_equal(taken(f, f->queue, &ann), "01b"));
    CHECK(end(f, f->queue, &a) == ERR_NONE);
    CHECK(run_queue_prune(f->queue, f->scope, HOUR_MS, 10, &n, &f->err) == ERR_NONE && n == 0);
    CHECK(run_queue_prune(f->queue, f->scope, -HOUR_MS, 10, &n, &f->err) == ERR_NONE && n == 1);
    CHECK(run_queue_find(f->queue, f->scope, "01a", &f->arena, &none, &f->err) == ERR_NOT_FOUND);
    CHECK(found(f, "01b").state == QUEUE_TAKEN && found(f, "01c").state == QUEUE_QUEUED);
    CHECK(run_queue_prune(f->queue, f->scope, -HOUR_MS, 10, &n, &f->err) == ERR_NONE && n == 0);
}

static void only_what_is_over_is_forgotten(void **state)
{
    (void)state;
    in_task(prune_runs);
}

int run_run_queue_lists(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_are_listed_until_they_leave_or_die),
        cmocka_unit_test(runs_are_listed_newest_first_by_queue),
        cmocka_unit_test(what_is_not_over_is_counted_by_queue_and_listed_by_state),
        cmocka_unit_test(only_what_is_over_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
