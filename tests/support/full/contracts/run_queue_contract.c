#include "tests/support/full/contracts/run_queue_fixture.h"

#define NOTICES_READ 20

struct queue_subject *queue_under_test;

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
    queue_under_test->lapse(queue_under_test, f->scope);
    (void)beaten(f, f->other, &bob); /* who was silent as well */
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
    queue_under_test->lapse(queue_under_test, f->scope);
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
    queue_under_test->lapse(queue_under_test, f->scope);
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

/* Two workers, of which ann has the run. */
static struct queued_run cut_both_off(struct fixture *f)
{
    add(f, "01a");
    const struct queued_run a = take(f, f->queue, &ann);
    CHECK(text_equal(a.run_id, "01a"));
    beat_with(f, f->queue, &ann, &a);
    (void)beaten(f, f->other, &bob);
    queue_under_test->lapse(queue_under_test, f->scope);
    return a;
}

static void come_back_in_turn(struct fixture *f)
{
    const struct queued_run a = cut_both_off(f);
    (void)beaten(f, f->other, &bob);
    CHECK(found(f, "01a").state == QUEUE_TAKEN && !found(f, "01a").n_deaths);
    beat_with(f, f->queue, &ann, &a);
    (void)beaten(f, f->other, &bob);
    CHECK(found(f, "01a").state == QUEUE_TAKEN && !found(f, "01a").n_deaths);
    CHECK(end(f, f->queue, &a) == ERR_NONE);
}

static void workers_that_were_cut_off_together_keep_what_they_have(void **state)
{
    (void)state;
    in_task(come_back_in_turn);
}

static void take_before_the_heartbeat(struct fixture *f)
{
    const struct queued_run a = cut_both_off(f);
    add(f, "01b");
    const struct queued_run b = take(f, f->other, &bob);
    CHECK(text_equal(b.run_id, "01b"));
    beat_with(f, f->other, &bob, &b);
    CHECK(found(f, "01a").state == QUEUE_TAKEN && !found(f, "01a").n_deaths);
    CHECK(end(f, f->queue, &a) == ERR_NONE);
}

static void a_worker_that_is_back_and_takes_a_run_first_buries_nobody_either(void **state)
{
    (void)state;
    in_task(take_before_the_heartbeat);
}

static void stay_away(struct fixture *f)
{
    const struct queued_run a = cut_both_off(f);
    (void)beaten(f, f->other, &bob);
    CHECK(found(f, "01a").state == QUEUE_TAKEN);
    CHECK(beaten(f, f->other, &bob).is_due);
    CHECK(found(f, "01a").state == QUEUE_QUEUED && found(f, "01a").n_deaths == 1);
    CHECK(end(f, f->queue, &a) == ERR_MISMATCH);
}

static void a_worker_that_stays_away_is_dead_at_the_next_heartbeat_of_one_that_is_back(void **state)
{
    (void)state;
    in_task(stay_away);
}

static void set_aside(struct fixture *f)
{
    bool was_queued;
    add(f, "01a");
    die_over(f, "01a");
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
    queue_under_test->lapse(queue_under_test, f->scope);
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
        cmocka_unit_test(workers_that_were_cut_off_together_keep_what_they_have),
        cmocka_unit_test(a_worker_that_is_back_and_takes_a_run_first_buries_nobody_either),
        cmocka_unit_test(
            a_worker_that_stays_away_is_dead_at_the_next_heartbeat_of_one_that_is_back),
        cmocka_unit_test(a_run_that_workers_died_over_is_set_aside_with_the_reason),
        cmocka_unit_test(a_run_is_cancelled_where_its_worker_dies_before_it_could),
        cmocka_unit_test(every_process_is_told_of_what_happens),
        cmocka_unit_test(a_worker_that_leaves_keeps_what_it_has),
    };
    queue_under_test = under_test;
    return cmocka_run_group_tests(tests, NULL, NULL) + run_run_queue_lists();
}
