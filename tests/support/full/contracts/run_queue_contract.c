#include "tests/support/full/contracts/run_queue_contract.h"
#include "domain/base/text.h"
#include "domain/repositories/run_queue.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <string.h>

#define HOUR_MS INT64_C(3600000)
#define NOTICES_READ 20

static struct queue_subject *subject;

/* One body of a test, inside a task, with two processes. */
struct fixture {
    struct run_queue *queue, *other;
    void (*body)(struct fixture *f);
    struct scope *scope;
    struct arena arena;
    struct err err;
    bool is_wrong;
};

/* Within a task nothing may jump out of it. */
#define CHECK(claim)                                                                               \
    do {                                                                                           \
        if (!(claim)) {                                                                            \
            fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #claim, f->err.message);       \
            f->is_wrong = true;                                                                    \
        }                                                                                          \
    } while (0)

static enum err_code run_body(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct fixture *f = argument;
    f->scope = scope;
    f->body(f);
    return ERR_NONE;
}

static void in_task(void (*body)(struct fixture *f))
{
    struct repository_subject *s = &subject->base;
    struct fixture f = { .body = body };
    f.queue = s->open(s);
    f.other = s->open(s);
    assert_int_equal(s->run(s, run_body, &f), ERR_NONE);
    run_queue_destroy(f.queue);
    run_queue_destroy(f.other);
    s->close(s);
    arena_finish(&f.arena);
    assert_false(f.is_wrong);
}

static const char *const both_servers[] = { "files", "shop" };
static const struct queue_worker ann = {
    .name = "ann:1", .queue = "q", .servers = both_servers, .n_servers = 2, .jobs = 4
};
static const struct queue_worker bob = {
    .name = "bob:2", .queue = "q", .servers = both_servers, .n_servers = 2, .jobs = 4
};

static struct queued_run run_named(const char *id)
{
    return (struct queued_run){ .run_id = id, .queue = "q" };
}

/* The id that the queue answers with. */
static const char *added(struct fixture *f, const struct queued_run *run)
{
    const char *id = "";
    CHECK(run_queue_add(f->queue, f->scope, run, &f->arena, &id, &f->err) == ERR_NONE);
    return id;
}

static void add(struct fixture *f, const char *id)
{
    const struct queued_run run = run_named(id);
    CHECK(text_equal(added(f, &run), id));
}

/* The run that the worker gets; one without an id where it gets none. */
static struct queued_run take(struct fixture *f, struct run_queue *queue,
                              const struct queue_worker *worker)
{
    struct queued_run *run = NULL;
    CHECK(run_queue_take(queue, f->scope, worker, &f->arena, &run, &f->err) == ERR_NONE);
    CHECK(!run || (run->state == QUEUE_TAKEN && run->taking));
    return run ? *run : (struct queued_run){ .run_id = "" };
}

static const char *taken(struct fixture *f, struct run_queue *queue,
                         const struct queue_worker *worker)
{
    return take(f, queue, worker).run_id;
}

static enum err_code end(struct fixture *f, struct run_queue *queue, const struct queued_run *run)
{
    return run_queue_end(queue, f->scope, run, QUEUE_ENDED, "{\"answer\":\"42\"}", &f->err);
}

static enum err_code give_back(struct fixture *f, struct run_queue *queue,
                               const struct queued_run *run)
{
    return run_queue_give_back(queue, f->scope, run, &f->err);
}

static struct queued_run found(struct fixture *f, const char *id)
{
    struct queued_run *run = NULL;
    CHECK(run_queue_find(f->other, f->scope, id, &f->arena, &run, &f->err) == ERR_NONE);
    return run ? *run : (struct queued_run){ .run_id = "" };
}

static struct queue_pulse beaten(struct fixture *f, struct run_queue *queue,
                                 const struct queue_worker *worker)
{
    struct queue_pulse pulse = { 0 };
    CHECK(run_queue_beat(queue, f->scope, worker, &pulse, &f->err) == ERR_NONE);
    return pulse;
}

/* The same from a worker that has the run. */
static void beat_with(struct fixture *f, struct run_queue *queue, const struct queue_worker *worker,
                      const struct queued_run *run)
{
    struct queue_worker busy = *worker;
    busy.takings = &run->taking;
    busy.n_busy = 1;
    (void)beaten(f, queue, &busy);
}

static void take_once(struct fixture *f)
{
    struct queued_run run = run_named("01a"), *got = NULL;
    run.key = "monday's report";
    run.servers = both_servers;
    run.n_servers = 2;
    CHECK(text_equal(added(f, &run), "01a"));
    CHECK(run_queue_take(f->queue, f->scope, &ann, &f->arena, &got, &f->err) == ERR_NONE && got);
    CHECK(text_equal(taken(f, f->other, &bob), ""));
    if (!got)
        return;
    CHECK(text_equal(got->run_id, "01a") && text_equal(got->queue, "q"));
    CHECK(text_equal(got->key, "monday's report") && text_equal(got->worker, "ann:1"));
    CHECK(got->n_servers == 2 && text_equal(got->servers[1], "shop"));
    CHECK(got->added_ms > 0 && !got->n_deaths && !got->is_cancelled && !got->reason);
    const struct queued_run kept = found(f, "01a");
    CHECK(kept.state == QUEUE_TAKEN && text_equal(kept.worker, "ann:1"));
}

static void a_run_is_taken_by_one_worker_and_as_it_was_added(void **state)
{
    (void)state;
    in_task(take_once);
}

static void take_in_order(struct fixture *f)
{
    struct queued_run c;
    add(f, "01c");
    add(f, "01a");
    add(f, "01b");
    c = take(f, f->queue, &ann);
    CHECK(text_equal(c.run_id, "01c"));
    CHECK(text_equal(taken(f, f->other, &bob), "01a"));
    CHECK(give_back(f, f->queue, &c) == ERR_NONE);
    CHECK(found(f, "01c").state == QUEUE_QUEUED);
    c = take(f, f->other, &bob);
    CHECK(text_equal(c.run_id, "01c"));
    CHECK(text_equal(taken(f, f->queue, &ann), "01b"));
    CHECK(text_equal(taken(f, f->queue, &ann), ""));
}

static void runs_are_taken_in_their_order_and_given_back_to_their_place(void **state)
{
    (void)state;
    in_task(take_in_order);
}

static void repeat_keys(struct fixture *f)
{
    struct queued_run first = run_named("01a"), again = run_named("01b"), same = run_named("01a");
    const char *id = "unset";
    CHECK(run_queue_find_key(f->other, f->scope, "k", &f->arena, &id, &f->err) == ERR_NONE && !id);
    first.key = again.key = "k";
    CHECK(text_equal(added(f, &first), "01a"));
    CHECK(text_equal(added(f, &again), "01a"));
    CHECK(run_queue_find_key(f->other, f->scope, "k", &f->arena, &id, &f->err) == ERR_NONE);
    CHECK(text_equal(id, "01a"));
    struct queued_run *none = NULL;
    CHECK(run_queue_find(f->queue, f->scope, "01b", &f->arena, &none, &f->err) == ERR_NOT_FOUND);
    CHECK(run_queue_add(f->queue, f->scope, &same, &f->arena, &id, &f->err) == ERR_INVALID);
}

static void a_key_stands_for_one_run_and_an_id_is_added_once(void **state)
{
    (void)state;
    in_task(repeat_keys);
}

static void leave_to_others(struct fixture *f)
{
    struct queue_worker poor = ann, elsewhere = ann;
    struct queued_run run = run_named("01a");
    poor.n_servers = 1;
    elsewhere.queue = "r";
    run.servers = both_servers;
    run.n_servers = 2;
    CHECK(text_equal(added(f, &run), "01a"));
    CHECK(text_equal(taken(f, f->queue, &poor), ""));
    CHECK(!beaten(f, f->queue, &poor).is_due);
    CHECK(text_equal(taken(f, f->queue, &elsewhere), ""));
    CHECK(beaten(f, f->queue, &ann).is_due);
    CHECK(text_equal(taken(f, f->queue, &ann), "01a"));
    CHECK(!beaten(f, f->other, &bob).is_due);
}

static void a_worker_leaves_what_it_lacks_the_servers_for_and_other_queues(void **state)
{
    (void)state;
    in_task(leave_to_others);
}

static void wait_for_their_time(struct fixture *f)
{
    add(f, "01now");
    struct queued_run later = run_named("01later");
    later.not_before_ms = found(f, "01now").added_ms + HOUR_MS;
    CHECK(text_equal(added(f, &later), "01later"));
    CHECK(found(f, "01later").not_before_ms == later.not_before_ms);
    CHECK(text_equal(taken(f, f->queue, &ann), "01now"));
    CHECK(text_equal(taken(f, f->queue, &ann), ""));
    const struct queue_pulse pulse = beaten(f, f->other, &bob);
    CHECK(!pulse.is_due && pulse.next_in_ms > HOUR_MS / 2 && pulse.next_in_ms <= HOUR_MS);
    const struct queue_worker elsewhere = { .name = "eve:3", .queue = "r" };
    CHECK(beaten(f, f->other, &elsewhere).next_in_ms == -1);
    later = run_named("01past");
    later.not_before_ms = 1;
    CHECK(text_equal(added(f, &later), "01past"));
    CHECK(text_equal(taken(f, f->queue, &ann), "01past"));
}

static void a_run_is_not_taken_before_its_time_and_the_pulse_says_when(void **state)
{
    (void)state;
    in_task(wait_for_their_time);
}

static void bound_the_queue(struct fixture *f)
{
    struct queue_worker bounded = ann;
    bounded.queue_jobs = 2;
    add(f, "01a");
    add(f, "01b");
    add(f, "01c");
    const struct queued_run a = take(f, f->queue, &bounded);
    CHECK(text_equal(a.run_id, "01a"));
    CHECK(text_equal(taken(f, f->other, &bounded), "01b"));
    CHECK(text_equal(taken(f, f->other, &bounded), ""));
    CHECK(end(f, f->queue, &a) == ERR_NONE);
    CHECK(text_equal(taken(f, f->other, &bounded), "01c"));
}

static void a_queue_has_its_bound_over_all_workers(void **state)
{
    (void)state;
    in_task(bound_the_queue);
}

static void end_runs(struct fixture *f)
{
    add(f, "01a");
    const struct queued_run waiting = found(f, "01a");
    CHECK(end(f, f->queue, &waiting) == ERR_MISMATCH && !waiting.result);
    const struct queued_run a = take(f, f->queue, &ann);
    CHECK(text_equal(a.run_id, "01a"));
    CHECK(end(f, f->other, &a) == ERR_MISMATCH);
    CHECK(give_back(f, f->other, &a) == ERR_MISMATCH);
    CHECK(end(f, f->queue, &a) == ERR_NONE);
    CHECK(found(f, "01a").state == QUEUE_ENDED);
    CHECK(text_equal(found(f, "01a").result, "{\"answer\":\"42\"}"));
    CHECK(end(f, f->queue, &a) == ERR_MISMATCH);
    CHECK(give_back(f, f->queue, &a) == ERR_MISMATCH);
    CHECK(text_equal(taken(f, f->queue, &ann), ""));
}

static void only_the_process_that_has_a_run_ends_it_or_gives_it_back(void **state)
{
    (void)state;
    in_task(end_runs);
}

static void cancel_runs(struct fixture *f)
{
    bool was_queued = false;
    add(f, "01a");
    add(f, "01b");
    CHECK(run_queue_cancel(f->other, f->scope, "01z", &was_queued, &f->err) == ERR_NOT_FOUND);
    CHECK(run_queue_cancel(f->other, f->scope, "01a", &was_queued, &f->err) == ERR_NONE);
    CHECK(was_queued && found(f, "01a").state == QUEUE_CANCELLED);
    CHECK(run_queue_cancel(f->other, f->scope, "01a", &was_queued, &f->err) == ERR_INVALID);
    const struct queued_run b = take(f, f->queue, &ann);
    CHECK(text_equal(b.run_id, "01b"));
    CHECK(run_queue_cancel(f->other, f->scope, "01b", &was_queued, &f->err) == ERR_NONE);
    CHECK(!was_queued && found(f, "01b").is_cancelled && found(f, "01b").state == QUEUE_TAKEN);
    CHECK(run_queue_cancel(f->other, f->scope, "01b", &was_queued, &f->err) == ERR_NONE);
    CHECK(give_back(f, f->queue, &b) == ERR_NONE);
    CHECK(found(f, "01b").state == QUEUE_CANCELLED);
    CHECK(text_equal(taken(f, f->queue, &ann), ""));
}

static void what_waits_is_cancelled_at_once_and_what_is_taken_by_its_worker(void **state)
{
    (void)state;
    in_task(cancel_runs);
}

static void take_over(struct fixture *f)
{
    add(f, "01a");
    add(f, "01b");
    const struct queued_run lost = take(f, f->queue, &ann);
    CHECK(text_equal(lost.run_id, "01a"));
    beat_with(f, f->queue, &ann, &lost);
    (void)beaten(f, f->other, &bob);
    CHECK(found(f, "01a").state == QUEUE_TAKEN);
    subject->lapse(subject, f->scope);
    CHECK(beaten(f, f->other, &bob).is_due);
    CHECK(found(f, "01a").state == QUEUE_QUEUED && found(f, "01a").n_deaths == 1);
    const struct queued_run taken_over = take(f, f->other, &bob);
    CHECK(text_equal(taken_over.run_id, "01a"));
    CHECK(end(f, f->queue, &lost) == ERR_MISMATCH);
    CHECK(give_back(f, f->queue, &lost) == ERR_MISMATCH);
    (void)beaten(f, f->queue, &ann);
    CHECK(text_equal(found(f, "01a").worker, "bob:2"));
    CHECK(end(f, f->other, &taken_over) == ERR_NONE);
}

static void what_a_dead_worker_had_is_taken_in_its_place_and_lost_to_it(void **state)
{
    (void)state;
    in_task(take_over);
}

static void miss_the_answer(struct fixture *f)
{
    add(f, "01a");
    add(f, "01b");
    const struct queued_run unheard = take(f, f->queue, &ann);
    const struct queued_run heard = take(f, f->queue, &ann);
    beat_with(f, f->queue, &ann, &heard);
    CHECK(found(f, "01a").state == QUEUE_QUEUED && !found(f, "01a").n_deaths);
    CHECK(found(f, "01b").state == QUEUE_TAKEN);
    CHECK(end(f, f->queue, &unheard) == ERR_MISMATCH);
    CHECK(text_equal(taken(f, f->other, &bob), "01a"));
    CHECK(end(f, f->queue, &heard) == ERR_NONE);
}

static void a_run_whose_worker_did_not_hear_that_it_took_it_is_queued_again(void **state)
{
    (void)state;
    in_task(miss_the_answer);
}

static void take_again(struct fixture *f)
{
    add(f, "01a");
    const struct queued_run lost = take(f, f->queue, &ann);
    subject->lapse(subject, f->scope);
    (void)beaten(f, f->other, &bob);
    const struct queued_run again = take(f, f->queue, &ann);
    CHECK(text_equal(again.run_id, "01a"));
    CHECK(end(f, f->queue, &lost) == ERR_MISMATCH);
    CHECK(give_back(f, f->queue, &lost) == ERR_MISMATCH);
    CHECK(end(f, f->queue, &again) == ERR_NONE);
}

static void what_a_worker_lost_and_took_again_is_not_ended_by_who_lost_it(void **state)
{
    (void)state;
    in_task(take_again);
}

static void wake_late(struct fixture *f)
{
    add(f, "01a");
    const struct queued_run a = take(f, f->queue, &ann);
    CHECK(text_equal(a.run_id, "01a"));
    subject->lapse(subject, f->scope);
    beat_with(f, f->queue, &ann, &a);
    (void)beaten(f, f->other, &bob);
    CHECK(found(f, "01a").state == QUEUE_TAKEN && !found(f, "01a").n_deaths);
    CHECK(end(f, f->queue, &a) == ERR_NONE);
}

static void a_worker_that_is_back_before_others_look_has_lost_nothing(void **state)
{
    (void)state;
    in_task(wake_late);
}

static void set_aside(struct fixture *f)
{
    bool was_queued;
    add(f, "01a");
    for (unsigned i = 1; i <= QUEUE_MAX_DEATHS; i++) {
        CHECK(text_equal(taken(f, f->queue, &ann), "01a"));
        subject->lapse(subject, f->scope);
        (void)beaten(f, f->other, &bob);
        CHECK(found(f, "01a").n_deaths == i);
    }
    const struct queued_run run = found(f, "01a");
    CHECK(run.state == QUEUE_POISONED);
    CHECK(run.reason && strstr(run.reason, "ann:1"));
    CHECK(text_equal(taken(f, f->other, &bob), ""));
    CHECK(run_queue_cancel(f->other, f->scope, "01a", &was_queued, &f->err) == ERR_INVALID);
}

static void a_run_that_workers_died_over_is_set_aside_with_the_reason(void **state)
{
    (void)state;
    in_task(set_aside);
}

static void die_while_cancelling(struct fixture *f)
{
    bool was_queued;
    add(f, "01a");
    CHECK(text_equal(taken(f, f->queue, &ann), "01a"));
    CHECK(run_queue_cancel(f->other, f->scope, "01a", &was_queued, &f->err) == ERR_NONE);
    subject->lapse(subject, f->scope);
    (void)beaten(f, f->other, &bob);
    CHECK(found(f, "01a").state == QUEUE_CANCELLED);
}

static void a_run_is_cancelled_where_its_worker_dies_before_it_could(void **state)
{
    (void)state;
    in_task(die_while_cancelling);
}

/* Reads on until there is such a notice; false where there is none. */
static bool is_told(struct fixture *f, enum queue_notice_kind kind, const char *run_id)
{
    struct queue_notice notice;
    for (unsigned i = 0; i < NOTICES_READ; i++) {
        if (run_queue_next_notice(f->other, f->scope, &notice, &f->err))
            return false;
        if (notice.kind == kind && text_equal(notice.queue, "q") &&
            (kind == NOTICE_RUNS || text_equal(notice.run_id, run_id)))
            return true;
    }
    return false;
}

static void listen_to(struct fixture *f)
{
    bool was_queued;
    struct queue_notice notice;
    struct scope past = scope_child(f->scope, INT64_MIN);
    CHECK(run_queue_next_notice(f->other, &past, &notice, &f->err) != ERR_UNAVAILABLE);
    add(f, "01a");
    CHECK(is_told(f, NOTICE_RUNS, NULL));
    const struct queued_run a = take(f, f->queue, &ann);
    CHECK(text_equal(a.run_id, "01a"));
    CHECK(run_queue_cancel(f->queue, f->scope, "01a", &was_queued, &f->err) == ERR_NONE);
    CHECK(is_told(f, NOTICE_CANCEL, "01a"));
    CHECK(run_queue_end(f->queue, f->scope, &a, QUEUE_CANCELLED, NULL, &f->err) == ERR_NONE);
    CHECK(is_told(f, NOTICE_END, "01a"));
    add(f, "01b");
    CHECK(is_told(f, NOTICE_RUNS, NULL));
    const struct queued_run b = take(f, f->queue, &ann);
    CHECK(text_equal(b.run_id, "01b"));
    CHECK(give_back(f, f->queue, &b) == ERR_NONE);
    CHECK(is_told(f, NOTICE_RUNS, NULL));
    CHECK(run_queue_cancel(f->queue, f->scope, "01b", &was_queued, &f->err) == ERR_NONE);
    CHECK(is_told(f, NOTICE_END, "01b"));
}

static void every_process_is_told_of_what_happens(void **state)
{
    (void)state;
    in_task(listen_to);
}

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
    subject->lapse(subject, f->scope);
    (void)beaten(f, f->queue, &ann);
    CHECK(run_queue_workers(f->queue, f->scope, &f->arena, &workers, &n, &f->err) == ERR_NONE);
    CHECK(n == 1 && text_equal(workers[0].name, "ann:1"));
}

static void workers_are_listed_until_they_leave_or_die(void **state)
{
    (void)state;
    in_task(list_workers);
}

static void keep_what_it_has(struct fixture *f)
{
    add(f, "01a");
    const struct queued_run a = take(f, f->queue, &ann);
    CHECK(text_equal(a.run_id, "01a"));
    CHECK(run_queue_leave(f->queue, f->scope, &f->err) == ERR_NONE);
    (void)beaten(f, f->other, &bob);
    CHECK(found(f, "01a").state == QUEUE_TAKEN);
    CHECK(give_back(f, f->queue, &a) == ERR_NONE);
}

static void a_worker_that_leaves_keeps_what_it_has(void **state)
{
    (void)state;
    in_task(keep_what_it_has);
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

int run_run_queue_contract(struct queue_subject *under_test)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_taken_by_one_worker_and_as_it_was_added),
        cmocka_unit_test(runs_are_taken_in_their_order_and_given_back_to_their_place),
        cmocka_unit_test(a_key_stands_for_one_run_and_an_id_is_added_once),
        cmocka_unit_test(a_worker_leaves_what_it_lacks_the_servers_for_and_other_queues),
        cmocka_unit_test(a_run_is_not_taken_before_its_time_and_the_pulse_says_when),
        cmocka_unit_test(a_queue_has_its_bound_over_all_workers),
        cmocka_unit_test(only_the_process_that_has_a_run_ends_it_or_gives_it_back),
        cmocka_unit_test(what_waits_is_cancelled_at_once_and_what_is_taken_by_its_worker),
        cmocka_unit_test(what_a_dead_worker_had_is_taken_in_its_place_and_lost_to_it),
        cmocka_unit_test(a_run_whose_worker_did_not_hear_that_it_took_it_is_queued_again),
        cmocka_unit_test(what_a_worker_lost_and_took_again_is_not_ended_by_who_lost_it),
        cmocka_unit_test(a_worker_that_is_back_before_others_look_has_lost_nothing),
        cmocka_unit_test(a_run_that_workers_died_over_is_set_aside_with_the_reason),
        cmocka_unit_test(a_run_is_cancelled_where_its_worker_dies_before_it_could),
        cmocka_unit_test(every_process_is_told_of_what_happens),
        cmocka_unit_test(workers_are_listed_until_they_leave_or_die),
        cmocka_unit_test(a_worker_that_leaves_keeps_what_it_has),
        cmocka_unit_test(runs_are_listed_newest_first_by_queue),
        cmocka_unit_test(only_what_is_over_is_forgotten),
    };
    subject = under_test;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
