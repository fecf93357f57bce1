/* A store, a client that submits runs and workers that do them, on virtual time and without
 * accidents: for the scenarios of workers (test_workers.c has processes that die). */
#ifndef TESTS_SCENARIO_WORK_WORLD_H
#define TESTS_SCENARIO_WORK_WORLD_H

#include "application/workers/submit_run.h"
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

static inline enum err_code on_store(void *context, struct scope *scope, struct err *err)
{
    (void)scope;
    return ((struct process *)context)->is_cut_off
               ? err_set(err, ERR_UNAVAILABLE, 0, "the store is away")
               : ERR_NONE;
}

static inline void hear_begin(struct work_watch *watch, const struct queued_run *run)
{
    (void)run;
    ((struct process *)watch)->n_began++;
}

static inline void hear_end(struct work_watch *watch, const struct work_report *report)
{
    ((struct process *)watch)->n_ends[report->end]++;
}

static inline void hear_store(struct work_watch *watch, const struct err *why)
{
    struct process *process = (struct process *)watch;
    process->n_away += why != NULL;
    process->n_back += why == NULL;
}

static inline struct process *process_create(struct world *world)
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

static inline void process_destroy(struct process *process)
{
    run_queue_destroy(&process->queue->base);
    fake_services_finish(&process->services);
    fake_leased_states_finish(&process->states);
    free(process);
}

static inline enum err_code do_work(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime, (void)scope;
    struct process *process = argument;
    const struct work_options options = {
        .name = "worker", .queue = QUEUE_DEFAULT, .jobs = process->jobs, .watch = &process->watch
    };
    return work(&process->services.base, &process->scope, &options, NULL);
}

static inline void start(struct process *process)
{
    process->task = runtime_spawn(virtual_runtime_port(process->world->runtime), &process->scope,
                                  do_work, process);
}

static inline struct process *started(struct world *world)
{
    struct process *process = process_create(world);
    start(process);
    return process;
}

static inline void ask_to_end(struct process *process)
{
    runtime_cancel(virtual_runtime_port(process->world->runtime), &process->scope);
}

/* As by SIGTERM. */
static inline void end(struct process *process)
{
    struct world *world = process->world;
    ask_to_end(process);
    CHECK(runtime_wait(virtual_runtime_port(world->runtime), process->task) == ERR_NONE);
    process_destroy(process);
}

static inline void pass(struct world *world, int64_t ms)
{
    (void)!virtual_wait(world->runtime, &world->scope, ms, NULL);
}

static inline const json_t *parsed(struct world *world, const char *text)
{
    json_t *value = NULL;
    CHECK(!json_parse(text, strlen(text), JSON_OURS, &value, NULL));
    return arena_keep_json(&world->arena, value);
}

static inline struct turn_result submitted_with(struct world *world, struct process *client,
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

static inline const char *submitted(struct world *world, struct process *client, const char *plan)
{
    const struct turn_result result = submitted_with(world, client, plan, NULL);
    CHECK(result.status == RUN_QUEUED);
    return result.run_id;
}

static inline const struct queued_run *row(const struct world *world, const char *run_id)
{
    static const struct queued_run none;
    for (size_t i = 0; i < world->queues.n_rows; i++)
        if (text_equal(world->queues.rows[i].run.run_id, run_id))
            return &world->queues.rows[i].run;
    return &none;
}

static inline enum run_status logged(const struct world *world, const char *run_id)
{
    size_t i = 0;
    while (i < world->log.n_runs && !text_equal(world->log.runs[i].id, run_id))
        i++;
    return i < world->log.n_runs ? world->log.runs[i].status : RUN_RUNNING;
}

static inline enum run_status told(struct world *world, const char *run_id)
{
    const char *text = row(world, run_id)->result;
    return text ? run_status_parse(json_get_string(parsed(world, text), "status")) : RUN_RUNNING;
}

static inline enum err_code play_body(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct world *world = argument;
    world->scope = scope_child(scope, SCOPE_NO_DEADLINE);
    world->body(world);
    return ERR_NONE;
}

static inline void play(void (*body)(struct world *world))
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

#endif
