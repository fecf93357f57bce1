/* What becomes of runs that are submitted: done by a worker, given back, cancelled, left to others.
 * Accidents are in test_workers.c. */
#include "application/use_cases/resume_run.h"
#include "application/workers/withdraw_run.h"
#include "tests/scenario/work_world.h"

static void do_runs(struct world *world)
{
    struct process *client = process_create(world), *worker = started(world);
    pass(world, 1000);
    const char *id = submitted(world, client, two_charges);
    CHECK(logged(world, id) == RUN_QUEUED && client->shop->n_calls == 0);
    pass(world, 10);
    CHECK(row(world, id)->state == QUEUE_ENDED && told(world, id) == RUN_COMPLETED);
    CHECK(logged(world, id) == RUN_COMPLETED && worker->shop->n_calls == 3);
    CHECK(fake_run_states_kept(&world->states) == 0 && worker->n_ends[WORK_ENDED] == 1);
    end(worker);
    process_destroy(client);
}

static void a_run_is_done_as_soon_as_it_is_submitted(void **state)
{
    (void)state;
    play(do_runs);
}

static void rest(struct world *world)
{
    struct process *worker = started(world);
    pass(world, 1);
    unsigned n_before = worker->queue->n_uses;
    pass(world, 30 * LEASE_MS);
    CHECK(worker->queue->n_uses - n_before <= 2 * (30 * 3 + 1)); /* before and after each */
    end(worker);
}

static void a_worker_at_rest_asks_the_store_no_more_than_its_heartbeat(void **state)
{
    (void)state;
    play(rest);
}

static void rest_and_end(struct world *world)
{
    struct runtime *runtime = virtual_runtime_port(world->runtime);
    struct process *worker = started(world);
    pass(world, 1500);
    int64_t asked_ms = runtime_now_ms(runtime);
    end(worker);
    CHECK(runtime_now_ms(runtime) - asked_ms < 100);
}

static void a_worker_at_rest_ends_at_once(void **state)
{
    (void)state;
    play(rest_and_end);
}

static void submit_twice(struct world *world)
{
    struct process *client = process_create(world);
    const struct turn_result first = submitted_with(world, client, two_charges, "monday");
    const struct turn_result again = submitted_with(world, client, two_charges, "monday");
    CHECK(text_equal(first.run_id, again.run_id) && again.status == RUN_QUEUED);
    CHECK(world->queues.n_rows == 1 && world->log.n_runs == 1);
    process_destroy(client);
}

static void a_key_is_submitted_once(void **state)
{
    (void)state;
    play(submit_twice);
}

static void submit_nonsense(struct world *world)
{
    static const char unknown_step[] =
        "{\"steps\":[{\"id\":\"a\",\"tool\":\"shop/charge\",\"args\":{},\"needs\":[\"z\"]}]}";
    static const char no_input[] =
        "{\"version\":2,\"inputs\":{\"n\":{\"type\":\"string\"}},\"steps\":[" CHARGE("a") "]}";
    struct process *client = process_create(world);
    const struct turn_result result = submitted_with(world, client, unknown_step, NULL);
    CHECK(result.status == RUN_FAILED && result.err.code == ERR_BAD_PLAN && result.problems);
    const struct run_plan_request request = { .plan = parsed(world, no_input) };
    const struct submission submission = { .plan = &request, .queue = QUEUE_DEFAULT };
    struct turn_result none;
    bool was_there;
    CHECK(submit_run(&client->services.base, &world->scope, &world->arena, &submission, &none,
                     &was_there, NULL) == ERR_INVALID);
    client->services.settings.runs_keep_state = "never";
    const struct run_plan_request fine = { .plan = parsed(world, two_charges) };
    const struct submission unkept = { .plan = &fine, .queue = QUEUE_DEFAULT };
    CHECK(submit_run(&client->services.base, &world->scope, &world->arena, &unkept, &none,
                     &was_there, NULL) == ERR_INVALID);
    CHECK(world->queues.n_rows == 0);
    CHECK(fake_run_states_kept(&world->states) == 0);
    process_destroy(client);
}

static void what_may_not_run_is_not_queued(void **state)
{
    (void)state;
    play(submit_nonsense);
}

static void wait_for_time(struct world *world)
{
    struct process *client = process_create(world), *worker = started(world);
    const struct run_plan_request request = { .plan = parsed(world, two_charges) };
    const struct submission submission = { .plan = &request,
                                           .queue = QUEUE_DEFAULT,
                                           .not_before_ms = VIRTUAL_WALL_START_MS + 60500 };
    struct turn_result result;
    bool was_there;
    CHECK(!submit_run(&client->services.base, &world->scope, &world->arena, &submission, &result,
                      &was_there, NULL));
    pass(world, 60400);
    CHECK(row(world, result.run_id)->state == QUEUE_QUEUED);
    pass(world, 120);
    CHECK(row(world, result.run_id)->state == QUEUE_ENDED);
    end(worker);
    process_destroy(client);
}

static void a_run_begins_at_its_time(void **state)
{
    (void)state;
    play(wait_for_time);
}

static void leave_to_others(struct world *world)
{
    struct process *client = process_create(world), *poor = process_create(world);
    poor->shop->name = "bakery";
    start(poor);
    const char *id = submitted(world, client, two_charges);
    pass(world, LEASE_MS);
    CHECK(row(world, id)->state == QUEUE_QUEUED);
    struct process *worker = started(world);
    pass(world, 100);
    CHECK(told(world, id) == RUN_COMPLETED && poor->n_began == 0);
    end(worker);
    end(poor);
    process_destroy(client);
}

static void a_worker_without_the_servers_leaves_a_run_to_others(void **state)
{
    (void)state;
    play(leave_to_others);
}

static void give_back(struct world *world)
{
    struct process *client = process_create(world), *first = started(world);
    first->shop->delay_ms = 5000;
    const char *id = submitted(world, client, two_charges);
    pass(world, 2000);
    ask_to_end(first);
    pass(world, 4000);
    CHECK(row(world, id)->state == QUEUE_QUEUED && logged(world, id) == RUN_QUEUED);
    CHECK(first->shop->n_calls == 1 && first->n_ends[WORK_GIVEN_BACK] == 1);
    struct process *second = started(world);
    pass(world, 100);
    CHECK(told(world, id) == RUN_COMPLETED && second->shop->n_calls == 2);
    CHECK(row(world, id)->n_deaths == 0);
    end(first);
    end(second);
    process_destroy(client);
}

static void a_worker_that_is_to_end_gives_its_run_back_before_the_next_call(void **state)
{
    (void)state;
    play(give_back);
}

static void outlast_the_drain(struct world *world)
{
    struct process *client = process_create(world), *first = process_create(world);
    first->shop->delay_ms = 600000;
    first->services.settings.worker_drain_seconds = 15;
    start(first);
    const char *id = submitted(world, client, two_charges);
    pass(world, 2000);
    ask_to_end(first);
    pass(world, 14000);
    CHECK(row(world, id)->state == QUEUE_TAKEN);
    pass(world, 3000);
    CHECK(row(world, id)->state == QUEUE_QUEUED);
    end(first);
    struct process *second = started(world);
    pass(world, 100);
    CHECK(told(world, id) == RUN_NEEDS_ANSWER && second->shop->n_calls == 0);
    CHECK(logged(world, id) == RUN_NEEDS_ANSWER && row(world, id)->state == QUEUE_ENDED);
    end(second);
    process_destroy(client);
}

static void a_call_that_outlasts_the_time_to_end_becomes_a_question(void **state)
{
    (void)state;
    play(outlast_the_drain);
}

static void cancel_both(struct world *world)
{
    struct process *client = process_create(world);
    bool was_queued = false;
    const char *waiting = submitted(world, client, two_charges);
    CHECK(!cancel_run(&client->services.base, &world->scope, waiting, &was_queued, NULL));
    CHECK(was_queued && row(world, waiting)->state == QUEUE_CANCELLED);
    CHECK(logged(world, waiting) == RUN_CANCELLED && fake_run_states_kept(&world->states) == 0);
    struct process *worker = started(world);
    worker->shop->delay_ms = 60000;
    const char *running = submitted(world, client, two_charges);
    pass(world, 1000);
    CHECK(!cancel_run(&client->services.base, &world->scope, running, &was_queued, NULL));
    CHECK(!was_queued);
    pass(world, 65000);
    CHECK(row(world, running)->state == QUEUE_CANCELLED && told(world, running) == RUN_CANCELLED);
    CHECK(logged(world, running) == RUN_CANCELLED);
    CHECK(text_equal(worker->shop->calls[1].tool, "look")); /* its finally */
    CHECK(worker->shop->n_calls == 2);
    end(worker);
    process_destroy(client);
}

static void runs_are_cancelled_in_the_queue_and_in_a_worker(void **state)
{
    (void)state;
    play(cancel_both);
}

/* The answer to the taking comes late. */
static enum err_code delay_taking(void *context, struct scope *scope, struct err *err)
{
    struct process *process = context;
    const struct fake_queue_store *store = &process->world->queues;
    if (process->n_began == 0 && store->n_rows && store->rows[0].run.state == QUEUE_TAKEN)
        return virtual_wait(process->world->runtime, scope, 1000, err);
    return ERR_NONE;
}

static void cancel_while_taking(struct world *world)
{
    struct process *client = process_create(world), *worker = process_create(world);
    bool was_queued = true;
    worker->queue->on_use = delay_taking;
    start(worker);
    const char *id = submitted(world, client, two_charges);
    pass(world, 500);
    CHECK(row(world, id)->state == QUEUE_TAKEN && worker->n_began == 0);
    CHECK(!cancel_run(&client->services.base, &world->scope, id, &was_queued, NULL));
    CHECK(!was_queued);
    pass(world, 10000);
    CHECK(row(world, id)->state == QUEUE_CANCELLED && logged(world, id) == RUN_CANCELLED);
    for (size_t i = 0; i < worker->shop->n_calls; i++)
        CHECK(!text_equal(worker->shop->calls[i].tool, "charge"));
    end(worker);
    process_destroy(client);
}

static void a_run_that_is_cancelled_while_it_is_taken_makes_no_call(void **state)
{
    (void)state;
    play(cancel_while_taking);
}

static void lose_the_store(struct world *world)
{
    struct process *client = process_create(world), *worker = started(world);
    worker->shop->delay_ms = 2000;
    const char *id = submitted(world, client, two_charges);
    pass(world, 1000);
    worker->is_cut_off = true;
    fake_run_queue_disturb(worker->queue);
    pass(world, 6000);
    CHECK(worker->shop->n_calls == 1 && worker->n_away == 1 && worker->n_back == 0);
    worker->is_cut_off = false;
    pass(world, 30000);
    CHECK(worker->n_away == 1 && worker->n_back == 1);
    CHECK(row(world, id)->state == QUEUE_ENDED && told(world, id) == RUN_NEEDS_ANSWER);
    CHECK(worker->shop->n_calls == 1);
    end(worker);
    process_destroy(client);
}

static void a_run_stops_before_its_next_call_while_the_store_is_away_and_is_taken_up_again(
    void **state)
{
    (void)state;
    play(lose_the_store);
}

static const char looks_and_charge[] =
    "{\"version\":2,\"steps\":[{\"id\":\"l\",\"tool\":\"shop/look\",\"args\":{}},"
    "{\"id\":\"c\",\"tool\":\"shop/charge\",\"args\":{\"n\":\"{l.text}\"}}]}";

/* Then nothing refuses it any more, and a person goes on with it. */
static void refuse_state(struct world *world, enum err_code code)
{
    struct process *client = process_create(world), *worker = process_create(world);
    const char *id = submitted(world, client, looks_and_charge);
    world->states.commit_fails = code;
    start(worker);
    pass(world, 60000);
    CHECK(row(world, id)->state == QUEUE_ENDED && told(world, id) == RUN_FAILED);
    CHECK(row(world, id)->result && strstr(row(world, id)->result, "refused by the test"));
    CHECK(logged(world, id) == RUN_FAILED && worker->n_began == 1);
    CHECK(worker->shop->n_calls == 1 && worker->n_ends[WORK_ENDED] == 1);
    end(worker);
    world->states.commit_fails = ERR_NONE;
    const struct resume_request request = { .run_id = id, .uncertain = UNCERTAIN_ASK };
    struct turn_result result;
    CHECK(
        !resume_run(&client->services.base, &world->scope, &world->arena, &request, &result, NULL));
    CHECK(result.status == RUN_COMPLETED && logged(world, id) == RUN_COMPLETED);
    process_destroy(client);
}

static void refuse_by_error(struct world *world)
{
    refuse_state(world, ERR_INTERNAL);
}

static void refuse_by_limit(struct world *world)
{
    refuse_state(world, ERR_LIMIT);
}

static void a_run_whose_state_is_refused_ends_failed_and_can_be_resumed(void **state)
{
    (void)state;
    play(refuse_by_error);
    play(refuse_by_limit);
}

static void fail_to_write(struct world *world)
{
    struct process *client = process_create(world), *worker = process_create(world);
    const char *id = submitted(world, client, looks_and_charge);
    world->states.commit_fails = ERR_UNAVAILABLE; /* although the queue answers */
    start(worker);
    pass(world, 60000);
    CHECK(row(world, id)->state != QUEUE_ENDED);
    CHECK(worker->n_began > 1 && worker->n_began <= 13); /* 100 ms, doubled up to 10 s */
    world->states.commit_fails = ERR_NONE;
    pass(world, 10100);
    CHECK(told(world, id) == RUN_COMPLETED);
    end(worker);
    process_destroy(client);
}

static void a_run_that_cannot_end_comes_back_after_growing_pauses(void **state)
{
    (void)state;
    play(fail_to_write);
}

static void finish_by_hand(struct world *world)
{
    struct process *client = process_create(world);
    const char *id = submitted(world, client, two_charges);
    const struct resume_request request = { .run_id = id, .uncertain = UNCERTAIN_ASK };
    struct turn_result result;
    CHECK(
        !resume_run(&client->services.base, &world->scope, &world->arena, &request, &result, NULL));
    CHECK(result.status == RUN_COMPLETED);
    struct process *worker = started(world);
    pass(world, 100);
    CHECK(row(world, id)->state == QUEUE_ENDED && worker->shop->n_calls == 0);
    CHECK(logged(world, id) == RUN_COMPLETED);
    end(worker);
    process_destroy(client);
}

static void a_run_that_a_person_finished_is_over_for_the_queue(void **state)
{
    (void)state;
    play(finish_by_hand);
}

static void ask_in_words(struct world *world)
{
    struct process *client = process_create(world), *worker = process_create(world);
    const struct turn_request request = { .message = "look at the shop", .no_session = true };
    const struct submission submission = { .turn = &request, .queue = QUEUE_DEFAULT };
    struct turn_result result;
    bool was_there;
    client->services.settings.model_name = "of the client";
    CHECK(!submit_run(&client->services.base, &world->scope, &world->arena, &submission, &result,
                      &was_there, NULL));
    CHECK(result.status == RUN_QUEUED && client->services.model.n_requests == 0);
    CHECK(text_equal(row(world, result.run_id)->servers[0], "shop"));
    worker->services.choice = MODEL_CHOICE_LEXICAL;
    start(worker);
    pass(world, 1000);
    CHECK(row(world, result.run_id)->state == QUEUE_ENDED);
    CHECK(told(world, result.run_id) != RUN_RUNNING);
    CHECK(!strstr(row(world, result.run_id)->result, "began with the model"));
    end(worker);
    process_destroy(client);
}

static void a_request_in_words_is_answered_with_the_model_of_its_worker(void **state)
{
    (void)state;
    play(ask_in_words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_done_as_soon_as_it_is_submitted),
        cmocka_unit_test(a_worker_at_rest_asks_the_store_no_more_than_its_heartbeat),
        cmocka_unit_test(a_worker_at_rest_ends_at_once),
        cmocka_unit_test(a_key_is_submitted_once),
        cmocka_unit_test(what_may_not_run_is_not_queued),
        cmocka_unit_test(a_run_begins_at_its_time),
        cmocka_unit_test(a_worker_without_the_servers_leaves_a_run_to_others),
        cmocka_unit_test(a_worker_that_is_to_end_gives_its_run_back_before_the_next_call),
        cmocka_unit_test(a_call_that_outlasts_the_time_to_end_becomes_a_question),
        cmocka_unit_test(runs_are_cancelled_in_the_queue_and_in_a_worker),
        cmocka_unit_test(a_run_that_is_cancelled_while_it_is_taken_makes_no_call),
        cmocka_unit_test(
            a_run_stops_before_its_next_call_while_the_store_is_away_and_is_taken_up_again),
        cmocka_unit_test(a_run_whose_state_is_refused_ends_failed_and_can_be_resumed),
        cmocka_unit_test(a_run_that_cannot_end_comes_back_after_growing_pauses),
        cmocka_unit_test(a_run_that_a_person_finished_is_over_for_the_queue),
        cmocka_unit_test(a_request_in_words_is_answered_with_the_model_of_its_worker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
