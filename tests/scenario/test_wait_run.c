/* `runs wait`: what it gives, and when. */
#include "application/workers/wait_run.h"
#include "application/workers/withdraw_run.h"
#include "tests/scenario/work_world.h"

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

static struct {
    struct world *world;
    const struct run_queue_ops *ops;
    struct process *worker; /* once somebody looked */
} looked;

/* A worker does the run after the log was read, and before the queue is. */
static enum err_code is_done_first(struct run_queue *q, struct scope *sc, const char *run_id,
                                   struct arena *arena, struct queued_run **out, struct err *err)
{
    if (!looked.worker) {
        looked.worker = started(looked.world);
        pass(looked.world, 10000);
    }
    return looked.ops->find(q, sc, run_id, arena, out, err);
}

static void end_while_somebody_looks(struct world *world)
{
    struct process *client = process_create(world);
    struct run_queue *queue = client->services.queue_port;
    struct run_queue_ops ops = *queue->ops;
    struct waiter waiter = { world, client, submitted(world, client, two_charges), NULL, 0 };
    looked.world = world;
    looked.ops = queue->ops;
    looked.worker = NULL;
    ops.find = is_done_first;
    queue->ops = &ops;
    (void)wait_for_it(NULL, &world->scope, &waiter);
    CHECK(!waiter.code && text_equal(json_get_string(waiter.result, "status"), "completed"));
    queue->ops = looked.ops;
    end(looked.worker);
    process_destroy(client);
}

static void a_run_that_ends_between_two_looks_has_completed(void **state)
{
    (void)state;
    play(end_while_somebody_looks);
}

static enum err_code let_go_late(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct waiter *holder = argument;
    struct run_states *states = holder->client->services.base.run_states;
    struct run_claim *claim = NULL;
    holder->code = run_states_claim(states, scope, holder->run_id, &claim, NULL);
    (void)!runtime_sleep(runtime, scope, 50, NULL);
    run_states_release(states, claim);
    return ERR_NONE;
}

static void go_on_after_waiting(struct world *world)
{
    struct process *client = process_create(world), *worker = started(world);
    struct runtime *runtime = virtual_runtime_port(world->runtime);
    struct waiter waiter = { world, client, submitted(world, client, two_charges), NULL, 0 };
    (void)wait_for_it(runtime, &world->scope, &waiter);
    struct waiter holder = { world, worker, waiter.run_id, NULL, 0 };
    struct task *held = runtime_spawn(runtime, &world->scope, let_go_late, &holder);
    pass(world, 1);
    struct run_claim *claim = NULL;
    (void)wait_for_it(runtime, &world->scope, &waiter);
    CHECK(!waiter.code);
    CHECK(!run_states_claim(client->services.base.run_states, &world->scope, waiter.run_id, &claim,
                            NULL));
    if (claim)
        run_states_release(client->services.base.run_states, claim);
    (void)runtime_wait(runtime, held);
    CHECK(!holder.code);
    end(worker);
    process_destroy(client);
}

static void a_run_that_was_waited_for_can_be_gone_on_with(void **state)
{
    (void)state;
    play(go_on_after_waiting);
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

static void wait_for_the_store(struct world *world)
{
    struct process *client = process_create(world);
    struct runtime *runtime = virtual_runtime_port(world->runtime);
    struct waiter waiter = { world, client, submitted(world, client, two_charges), NULL, 0 };
    struct task *waits = runtime_spawn(runtime, &world->scope, wait_for_it, &waiter);
    pass(world, 1000);
    client->is_cut_off = true;
    pass(world, 60000);
    client->is_cut_off = false;
    struct process *worker = started(world);
    (void)runtime_wait(runtime, waits);
    CHECK(!waiter.code && text_equal(json_get_string(waiter.result, "status"), "completed"));
    end(worker);
    process_destroy(client);
}

static void waiting_goes_on_once_the_store_is_back(void **state)
{
    (void)state;
    play(wait_for_the_store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiting_gives_what_the_run_came_to),
        cmocka_unit_test(a_run_that_was_waited_for_can_be_gone_on_with),
        cmocka_unit_test(a_run_that_ends_between_two_looks_has_completed),
        cmocka_unit_test(waiting_goes_on_once_the_store_is_back),
        cmocka_unit_test(waiting_ends_with_runs_that_were_cancelled_or_set_aside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
