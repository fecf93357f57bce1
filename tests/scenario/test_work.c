/* What becomes of runs that are submitted: done by a worker, given back, cancelled, left to others,
 * waited for. On virtual time, without accidents; those are in test_workers.c. */
#include "application/use_cases/resume_run.h"
#include "application/workers/submit_run.h"
#include "application/workers/wait_run.h"
#include "application/workers/withdraw_run.h"
#include "application/workers/work.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/full/fake_leased_states.h"
#include "tests/support/full/virtual_runtime.h"
#include <stdlib.h>
#include <string.h>

#define LEASE_MS 10000
#define TOOLS                                                                                      \
    "[{\"name\":\"charge\",\"inputSchema\":{\"type\":\"object\"}},"                                \
    "{\"name\":\"look\",\"inputSchema\":{\"type\":\"object\"}}]"
#define CHARGE(id) "{\"id\":\"" id "\",\"tool\":\"shop/charge\",\"args\":{\"n\":\"" id "\"}}"

static const char two_charges[] = "{\"version\":2,\"goal\":\"buy\",\"steps\":[" CHARGE(
    "a") ",{\"id\":\"b\",\"tool\":\"shop/charge\",\"args\":{\"n\":\"{a.text}\"}}],"
         "\"finally\":[{\"id\":\"tidy\",\"tool\":\"shop/look\",\"args\":{}}]}";

struct world {
    struct virtual_runtime *runtime;
    struct fake_queue_store queues;
    struct fake_run_states states;
    struct fake_run_repository log;
    struct arena arena;
    struct scope scope;
    void (*body)(struct world *world);
    bool is_wrong;
};

struct process {
    struct work_watch watch;
    struct world *world;
    struct fake_services services;
    struct fake_run_queue *queue;
    struct fake_leased_states states;
    struct fake_tool_server *shop;
    struct scope scope;
    struct task *task;
    unsigned jobs, n_began, n_ends[3], n_away, n_back;
    bool is_cut_off;
};

/* Within a task nothing may jump out of it. */
#define CHECK(claim)                                                                               \
    do {                                                                                           \
        if (!(claim)) {                                                                            \
            print_error("%s:%d: %s\n", __FILE__, __LINE__, #claim);                                \
            world->is_wrong = true;                                                                \
        }                                                                                          \
    } while (0)

static enum err_code on_store(void *context, struct scope *scope, struct err *err)
{
    (void)scope;
    return ((struct process *)context)->is_cut_off
               ? err_set(err, ERR_UNAVAILABLE, 0, "the store is away")
               : ERR_NONE;
}

static void hear_begin(struct work_watch *watch, const struct queued_run *run)
{
    (void)run;
    ((struct process *)watch)->n_began++;
}

static void hear_end(struct work_watch *watch, const struct work_report *report)
{
    ((struct process *)watch)->n_ends[report->end]++;
}

static void hear_store(struct work_watch *watch, const struct err *why)
{
    struct process *process = (struct process *)watch;
    process->n_away += why != NULL;
    process->n_back += why == NULL;
}

static struct process *process_create(struct world *world)
{
    static const struct policy_rule repeat = { .effect = POLICY_UNSAID,
                                               .repeat = HINT_YES,
                                               .tool = "look" };
    struct process *process = calloc(1, sizeof *process);
    assert_non_null(process);
    *process = (struct process){ .watch = { hear_begin, hear_end, hear_store },
                                 .world = world,
                                 .scope = { .deadline_ms = SCOPE_NO_DEADLINE },
                                 .jobs = 2 };
    process->queue = fake_run_queue_create(&world->queues);
    process->queue->on_use = on_store;
    process->queue->context = process;
    fake_leased_states_init(&process->states, &world->states, process->queue);
    fake_services_init(&process->services, virtual_runtime_port(world->runtime), SOURCE_DIR);
    process->shop = fake_services_add_server(&process->services, "shop", TOOLS);
    process->services.runs_port = &world->log.base;
    process->services.queue_port = &process->queue->base;
    process->services.base.run_states = &process->states.base;
    process->services.settings.policy = &repeat;
    process->services.settings.n_policy = 1;
    process->services.settings.worker_lease_seconds = LEASE_MS / 1000;
    return process;
}

static void process_destroy(struct process *process)
{
    run_queue_destroy(&process->queue->base);
    fake_services_finish(&process->services);
    fake_leased_states_finish(&process->states);
    free(process);
}

static enum err_code do_work(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime, (void)scope;
    struct process *process = argument;
    const struct work_options options = {
        .name = "worker", .queue = QUEUE_DEFAULT, .jobs = process->jobs, .watch = &process->watch
    };
    return work(&process->services.base, &process->scope, &options, NULL);
}

static void start(struct process *process)
{
    process->task = runtime_spawn(virtual_runtime_port(process->world->runtime), &process->scope,
                                  do_work, process);
}

static struct process *started(struct world *world)
{
    struct process *process = process_create(world);
    start(process);
    return process;
}

static void ask_to_end(struct process *process)
{
    runtime_cancel(virtual_runtime_port(process->world->runtime), &process->scope);
}

/* As by SIGTERM. */
static void end(struct process *process)
{
    struct world *world = process->world;
    ask_to_end(process);
    CHECK(runtime_wait(virtual_runtime_port(world->runtime), process->task) == ERR_NONE);
    process_destroy(process);
}

static void pass(struct world *world, int64_t ms)
{
    (void)!virtual_wait(world->runtime, &world->scope, ms, NULL);
}

static const json_t *parsed(struct world *world, const char *text)
{
    json_t *value = NULL;
    CHECK(!json_parse(text, strlen(text), JSON_OURS, &value, NULL));
    return arena_keep_json(&world->arena, value);
}

static struct turn_result submitted_with(struct world *world, struct process *client,
                                         const char *plan, const char *key)
{
    struct turn_result result = { 0 };
    const struct run_plan_request request = { .plan = parsed(world, plan) };
    const struct submission submission = { .plan = &request, .queue = QUEUE_DEFAULT, .key = key };
    bool was_there;
    struct err err = { 0 };
    if (submit_run(&client->services.base, &world->scope, &world->arena, &submission, &result,
                   &was_there, &err)) {
        print_error("%s\n", err.message);
        world->is_wrong = true;
    }
    return result;
}

static const char *submitted(struct world *world, struct process *client, const char *plan)
{
    const struct turn_result result = submitted_with(world, client, plan, NULL);
    CHECK(result.status == RUN_QUEUED);
    return result.run_id;
}

static const struct queued_run *row(const struct world *world, const char *run_id)
{
    static const struct queued_run none;
    for (size_t i = 0; i < world->queues.n_rows; i++)
        if (text_equal(world->queues.rows[i].run.run_id, run_id))
            return &world->queues.rows[i].run;
    return &none;
}

static enum run_status logged(const struct world *world, const char *run_id)
{
    size_t i = 0;
    while (i < world->log.n_runs && !text_equal(world->log.runs[i].id, run_id))
        i++;
    return i < world->log.n_runs ? world->log.runs[i].status : RUN_RUNNING;
}

static enum run_status told(struct world *world, const char *run_id)
{
    const char *text = row(world, run_id)->result;
    return text ? run_status_parse(json_get_string(parsed(world, text), "status")) : RUN_RUNNING;
}

static enum err_code play_body(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct world *world = argument;
    world->scope = scope_child(scope, SCOPE_NO_DEADLINE);
    world->body(world);
    return ERR_NONE;
}

static void play(void (*body)(struct world *world))
{
    static struct world world; /* too large for a frame */
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    world = (struct world){ .runtime = virtual_runtime_create(1), .body = body };
    fake_queue_store_init(&world.queues, virtual_runtime_port(world.runtime), LEASE_MS);
    fake_run_states_init(&world.states);
    fake_run_repository_init(&world.log);
    (void)virtual_runtime_run(world.runtime, &scope, play_body, &world);
    fake_run_repository_finish(&world.log);
    fake_run_states_finish(&world.states);
    fake_queue_store_finish(&world.queues);
    arena_finish(&world.arena);
    virtual_runtime_destroy(world.runtime);
    assert_false(world.is_wrong);
}

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

struct waiter {
    struct world *world;
    struct process *client;
    const char *run_id;
    const json_t *result;
    enum err_code code;
};

static enum err_code wait_for_it(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct waiter *waiter = argument;
    waiter->code = wait_for_run(&waiter->client->services.base, scope, &waiter->world->arena,
                                waiter->run_id, &waiter->result, NULL);
    return ERR_NONE;
}

static void wait_for_both(struct world *world)
{
    struct process *client = process_create(world), *other = process_create(world);
    struct runtime *runtime = virtual_runtime_port(world->runtime);
    struct waiter queued = { world, client, submitted(world, client, two_charges), NULL, 0 };
    struct waiter looking = { world, other, queued.run_id, NULL, 0 };
    other->services.queue_port = NULL; /* as a store without a queue */
    struct task *first = runtime_spawn(runtime, &world->scope, wait_for_it, &queued);
    pass(world, 1000);
    struct process *worker = started(world);
    worker->shop->delay_ms = 1000;
    (void)runtime_wait(runtime, first);
    CHECK(!queued.code && text_equal(json_get_string(queued.result, "status"), "completed"));
    CHECK(json_array_size(json_object_get(queued.result, "steps")) == 3);
    (void)wait_for_it(runtime, &world->scope, &looking);
    CHECK(!looking.code && text_equal(json_get_string(looking.result, "status"), "completed"));
    looking.run_id = "nothing";
    (void)wait_for_it(runtime, &world->scope, &looking);
    CHECK(looking.code == ERR_NOT_FOUND);
    end(worker);
    process_destroy(other);
    process_destroy(client);
}

static void waiting_gives_what_the_run_came_to(void **state)
{
    (void)state;
    play(wait_for_both);
}

static void wait_for_the_others(struct world *world)
{
    struct process *client = process_create(world);
    bool was_queued;
    struct waiter waiter = { world, client, submitted(world, client, two_charges), NULL, 0 };
    CHECK(!cancel_run(&client->services.base, &world->scope, waiter.run_id, &was_queued, NULL));
    (void)wait_for_it(NULL, &world->scope, &waiter);
    CHECK(
        text_equal(json_get_string(json_object_get(waiter.result, "error"), "code"), "cancelled"));
    waiter.run_id = submitted(world, client, two_charges);
    struct fake_queue_row *rows = world->queues.rows;
    rows[1].run.state = QUEUE_POISONED;
    rows[1].run.reason = "three died";
    (void)wait_for_it(NULL, &world->scope, &waiter);
    const json_t *error = json_object_get(waiter.result, "error");
    CHECK(strstr(json_get_string(error, "message"), "three died"));
    CHECK(strstr(json_get_string(error, "hint"), "runs resume"));
    process_destroy(client);
}

static void waiting_ends_with_runs_that_were_cancelled_or_set_aside(void **state)
{
    (void)state;
    play(wait_for_the_others);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_done_as_soon_as_it_is_submitted),
        cmocka_unit_test(a_worker_at_rest_asks_the_store_no_more_than_its_heartbeat),
        cmocka_unit_test(a_key_is_submitted_once),
        cmocka_unit_test(what_may_not_run_is_not_queued),
        cmocka_unit_test(a_run_begins_at_its_time),
        cmocka_unit_test(a_worker_without_the_servers_leaves_a_run_to_others),
        cmocka_unit_test(a_worker_that_is_to_end_gives_its_run_back_before_the_next_call),
        cmocka_unit_test(a_call_that_outlasts_the_time_to_end_becomes_a_question),
        cmocka_unit_test(runs_are_cancelled_in_the_queue_and_in_a_worker),
        cmocka_unit_test(
            a_run_stops_before_its_next_call_while_the_store_is_away_and_is_taken_up_again),
        cmocka_unit_test(a_run_that_a_person_finished_is_over_for_the_queue),
        cmocka_unit_test(a_request_in_words_is_answered_with_the_model_of_its_worker),
        cmocka_unit_test(waiting_gives_what_the_run_came_to),
        cmocka_unit_test(waiting_ends_with_runs_that_were_cancelled_or_set_aside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
