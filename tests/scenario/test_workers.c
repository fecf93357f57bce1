/* Several workers over one store, whose processes are killed, stopped for longer than their lease,
 * and cut off from the store, at calls of ports that the seed chooses, and begun anew; against a
 * server that counts what it did. When that is over, a person settles what became a question, and
 * takes up what was set aside. MISTRO_SEEDS in the environment, or the first argument, says how
 * many seeds. */
#include "application/use_cases/resume_run.h"
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

#define WORKERS 3
#define RUNS 4
#define STEPS 5
#define SEEDS 200
#define LEASE_MS 10000
#define TROUBLE_MS 90000 /* for so long */
#define QUIET_MS 120000  /* then nothing is stopped any more, and nobody believes to have a run */
#define PERSON_ROUNDS 8
#define TOOLS                                                                                      \
    "[{\"name\":\"charge\",\"inputSchema\":{\"type\":\"object\"}},"                                \
    "{\"name\":\"look\",\"inputSchema\":{\"type\":\"object\"}}]"

static const char plan_text[] =
    "{\"goal\":\"buy\",\"vars\":{\"run\":0},\"steps\":["
    "{\"id\":\"a\",\"tool\":\"shop/charge\",\"args\":{\"n\":\"a\",\"run\":\"{vars.run}\"}},"
    "{\"id\":\"b\",\"tool\":\"shop/look\",\"args\":{\"n\":\"b\",\"run\":\"{vars.run}\","
    "\"x\":\"{a.text}\"}},"
    "{\"id\":\"c\",\"tool\":\"shop/charge\",\"args\":{\"n\":\"c\",\"run\":\"{vars.run}\"}},"
    "{\"id\":\"d\",\"tool\":\"shop/charge\",\"args\":{\"n\":\"d\",\"run\":\"{vars.run}\","
    "\"x\":\"{b.text}{c.text}\"}},"
    "{\"id\":\"e\",\"tool\":\"shop/charge\",\"args\":{\"n\":\"e\",\"run\":\"{vars.run}\","
    "\"x\":\"{d.text}\"}}]}";

struct trouble {
    unsigned deaths, stops, cuts; /* one in so many calls of ports; 0: never */
};

/* What outlives processes: the store, the server, and who watched. */
struct world {
    struct virtual_runtime *runtime;
    struct fake_queue_store queues;
    struct fake_run_states states;
    struct fake_run_repository log;
    struct trouble trouble;
    int64_t troubled_until_ms;
    unsigned effects[RUNS][STEPS];
    bool was_told[RUNS][STEPS]; /* that the step is done */
    const char *effect_ids[RUNS][STEPS];
    const char *run_ids[RUNS];
    bool is_over; /* workers are to end */
    unsigned n_deaths, n_stops, n_cuts, n_questions, n_poisoned;
    struct arena arena;
    const char *broken;
};

/* One process. */
struct process {
    struct world *world;
    struct fake_services services;
    struct fake_run_queue *queue;
    struct fake_leased_states states;
    struct run_repository log;
    struct tool_server server;
    struct observer observer;
    struct work_watch watch;
    struct scope scope;
    bool is_mortal, is_dead;
    int64_t stopped_until_ms, cut_until_ms;
};

static void break_rule(struct world *world, const char *rule)
{
    if (!world->broken)
        world->broken = rule;
}

static int64_t now_of(const struct world *world)
{
    return runtime_now_ms(virtual_runtime_port(world->runtime));
}

static bool strikes(const struct process *process, unsigned one_in)
{
    const struct world *world = process->world;
    return process->is_mortal && one_in && now_of(world) < world->troubled_until_ms &&
           virtual_runtime_random(world->runtime, one_in) == 0;
}

static enum err_code die(struct err *err)
{
    return err_set(err, ERR_CANCELLED, 0, "the process is dead");
}

static void kill_process(struct process *process)
{
    process->is_dead = true;
    process->world->n_deaths++;
    runtime_cancel(virtual_runtime_port(process->world->runtime), &process->scope);
    fake_run_queue_disturb(process->queue);
}

static void draw_fate(struct process *process, bool may_stop)
{
    struct world *world = process->world;
    if (strikes(process, world->trouble.deaths))
        kill_process(process);
    if (may_stop && strikes(process, world->trouble.stops)) {
        process->stopped_until_ms =
            now_of(world) + (int64_t)virtual_runtime_random(world->runtime, 3 * LEASE_MS);
        world->n_stops++;
    }
    if (strikes(process, world->trouble.cuts)) {
        process->cut_until_ms =
            now_of(world) + (int64_t)virtual_runtime_random(world->runtime, 2 * LEASE_MS);
        world->n_cuts++;
        fake_run_queue_disturb(process->queue);
    }
}

/* A call of a port: the process may end here, or be stopped. What a dead one still does reaches
 * nobody. */
static enum err_code pass(struct process *process, bool may_stop, struct err *err)
{
    struct world *world = process->world;
    struct scope unbounded = { .deadline_ms = SCOPE_NO_DEADLINE };
    if (!process->is_dead)
        draw_fate(process, may_stop);
    if (process->is_dead)
        return die(err);
    int64_t ms = (int64_t)virtual_runtime_random(world->runtime, 4);
    if (process->stopped_until_ms > now_of(world))
        ms = process->stopped_until_ms - now_of(world);
    (void)!virtual_wait(world->runtime, &unbounded, ms, NULL);
    return process->is_dead ? die(err) : ERR_NONE;
}

static enum err_code on_store(void *context, struct scope *scope, struct err *err)
{
    struct process *process = context;
    (void)scope;
    enum err_code r = pass(process, /* may_stop */ true, err);
    if (!r && process->cut_until_ms > now_of(process->world))
        r = err_set(err, ERR_UNAVAILABLE, 0, "the store is away");
    return r;
}

static struct process *of_log(struct run_repository *log)
{
    return (struct process *)((char *)log - offsetof(struct process, log));
}

static void begin_run(struct run_repository *log, const struct run *run)
{
    if (!of_log(log)->is_dead)
        run_repository_begin(&of_log(log)->world->log.base, run);
}

static void append_event(struct run_repository *log, const struct event *event)
{
    if (!of_log(log)->is_dead)
        run_repository_append(&of_log(log)->world->log.base, event);
}

static void finish_run(struct run_repository *log, const struct run *run)
{
    if (!of_log(log)->is_dead)
        run_repository_finish(&of_log(log)->world->log.base, run);
}

static enum err_code sync_log(struct run_repository *log, struct scope *scope, struct err *err)
{
    return on_store(of_log(log), scope, err);
}

static enum err_code get_run(struct run_repository *log, struct scope *scope, const char *id,
                             struct arena *arena, struct run **out, struct err *err)
{
    enum err_code r = on_store(of_log(log), scope, err);
    return r ? r : run_repository_get(&of_log(log)->world->log.base, scope, id, arena, out, err);
}

static enum err_code get_events(struct run_repository *log, struct scope *scope,
                                const struct event_range *range, struct arena *arena,
                                struct event **out, size_t *out_n, struct err *err)
{
    enum err_code r = on_store(of_log(log), scope, err);
    return r ? r
             : run_repository_events(&of_log(log)->world->log.base, scope, range, arena, out, out_n,
                                     err);
}

static enum err_code prune_log(struct run_repository *log, struct scope *scope,
                               const struct run_retention *keep, int64_t now_ms,
                               size_t *out_removed, struct err *err)
{
    (void)keep, (void)now_ms;
    *out_removed = 0;
    return on_store(of_log(log), scope, err);
}

static struct process *of_server(struct tool_server *server)
{
    return (struct process *)((char *)server - offsetof(struct process, server));
}

static const char *name_of(struct tool_server *server)
{
    (void)server;
    return "shop";
}

static enum err_code list_tools(struct tool_server *server, struct scope *scope,
                                struct tool_catalogue **out, struct err *err)
{
    struct process *process = of_server(server);
    enum err_code r = pass(process, /* may_stop */ true, err);
    return r ? r : tool_server_list(&process->services.servers[0].base, scope, out, err);
}

static void tell_status(struct tool_server *server, struct tool_server_status *out)
{
    tool_server_status(&of_server(server)->services.servers[0].base, out);
}

/* Calls that policy lets be made again. */
static bool is_look(size_t step)
{
    return step == 1;
}

/* Takes effect, and then perhaps says nothing about it. The request is on its way already, so that
 * its process is not stopped before it. */
static enum err_code call_tool(struct tool_server *server, struct scope *scope,
                               const struct tool_call *call, struct arena *arena,
                               struct step_result *out, struct err *err)
{
    (void)scope;
    struct process *process = of_server(server);
    struct world *world = process->world;
    size_t run = (size_t)json_get_int(call->arguments, "run", 0);
    size_t step = (size_t)(json_get_string(call->arguments, "n")[0] - 'a');
    enum err_code r = pass(process, /* may_stop */ false, err);
    if (r)
        return r;
    world->effects[run][step] += !is_look(step);
    if (world->was_told[run][step])
        break_rule(world, "a step was called whose result had been told");
    const char **id = &world->effect_ids[run][step];
    if (!call->effect_id || (*id && strcmp(*id, call->effect_id) != 0))
        break_rule(world, "a call has another effect id than before");
    *id = arena_strdup(&world->arena, call->effect_id);
    r = pass(process, /* may_stop */ true, err);
    if (!r && virtual_runtime_random(world->runtime, 12) == 0)
        r = err_set(err, ERR_UNAVAILABLE, 0, "the connection is gone");
    if (r)
        return err_outcome_unknown(err, r);
    step_result_from_text(arena, call->name, NULL, false, out);
    return ERR_NONE;
}

static size_t index_of_run(const struct world *world, const char *run_id)
{
    size_t i = 0;
    while (i < RUNS && !text_equal(world->run_ids[i], run_id))
        i++;
    return i;
}

/* A process that has lost the run speaks for nobody. */
static void watch_steps(struct observer *observer, const struct event *event)
{
    struct process *process =
        (struct process *)((char *)observer - offsetof(struct process, observer));
    struct world *world = process->world;
    const char *step = json_get_string(event->data, "step");
    size_t run = index_of_run(world, event->run_id);
    if (!process->is_dead && event->kind == EVENT_STEP_FINISHED && run < RUNS &&
        text_equal(json_get_string(event->data, "status"), "ok") &&
        !is_look((size_t)(step[0] - 'a')))
        world->was_told[run][step[0] - 'a'] = true;
}

static void hear_begin(struct work_watch *watch, const struct queued_run *run)
{
    (void)watch, (void)run;
}

static void hear_end(struct work_watch *watch, const struct work_report *report)
{
    (void)watch, (void)report;
}

static void hear_store(struct work_watch *watch, const struct err *why)
{
    (void)watch, (void)why;
}

static struct process *process_create(struct world *world, bool is_mortal)
{
    static const struct policy_rule repeat = { .effect = POLICY_UNSAID,
                                               .repeat = HINT_YES,
                                               .tool = "look" };
    static const struct tool_server_ops server_ops = {
        .name = name_of, .list = list_tools, .call = call_tool, .status = tell_status
    };
    static const struct observer_ops observer_ops = { watch_steps };
    static const struct run_repository_ops log_ops = { .begin = begin_run,
                                                       .append = append_event,
                                                       .finish = finish_run,
                                                       .sync = sync_log,
                                                       .get = get_run,
                                                       .events = get_events,
                                                       .prune = prune_log };
    struct process *process = calloc(1, sizeof *process);
    assert_non_null(process);
    *process = (struct process){ .world = world,
                                 .log = { &log_ops },
                                 .server = { &server_ops },
                                 .observer = { &observer_ops },
                                 .watch = { hear_begin, hear_end, hear_store },
                                 .scope = { .deadline_ms = SCOPE_NO_DEADLINE },
                                 .is_mortal = is_mortal };
    process->queue = fake_run_queue_create(&world->queues);
    process->queue->on_use = on_store;
    process->queue->context = process;
    fake_leased_states_init(&process->states, &world->states, process->queue);
    fake_services_init(&process->services, virtual_runtime_port(world->runtime), SOURCE_DIR);
    fake_services_add_server(&process->services, "shop", TOOLS);
    process->services.server_ports[0] = &process->server;
    process->services.runs_port = &process->log;
    process->services.queue_port = &process->queue->base;
    process->services.base.run_states = &process->states.base;
    process->services.base.observer = &process->observer;
    process->services.settings.policy = &repeat;
    process->services.settings.n_policy = 1;
    process->services.settings.tools_attempts = 1;
    process->services.settings.worker_drain_seconds = 0;
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

/* A machine on which a worker is started again whenever it died. */
static enum err_code keep_working(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct world *world = argument;
    while (!world->is_over) {
        struct process *process = process_create(world, /* is_mortal */ true);
        process->scope.parent = scope;
        const struct work_options options = {
            .name = "worker", .queue = QUEUE_DEFAULT, .jobs = 2, .watch = &process->watch
        };
        struct err err = { 0 };
        if (work(&process->services.base, &process->scope, &options, &err))
            break_rule(world, arena_strdup(&world->arena, err.message));
        process_destroy(process);
        struct scope unbounded = { .deadline_ms = SCOPE_NO_DEADLINE };
        (void)!runtime_sleep(runtime, &unbounded,
                             (int64_t)virtual_runtime_random(world->runtime, 2000), NULL);
    }
    return ERR_NONE;
}

static void submit(struct world *world, struct process *client)
{
    for (size_t i = 0; i < RUNS; i++) {
        struct turn_result result;
        struct err err = { 0 };
        bool was_there;
        json_t *plan = NULL;
        if (json_parse(plan_text, strlen(plan_text), JSON_OURS, &plan, NULL))
            break_rule(world, "the plan is no JSON");
        json_t *vars = json_pack("{s:s}", "run", arena_printf(&world->arena, "%zu", i));
        const struct run_plan_request request = { .plan = arena_keep_json(&world->arena, plan),
                                                  .vars = arena_keep_json(&world->arena, vars) };
        const struct submission submission = { .plan = &request, .queue = QUEUE_DEFAULT };
        if (submit_run(&client->services.base, &client->scope, &world->arena, &submission, &result,
                       &was_there, &err) ||
            result.status != RUN_QUEUED) {
            break_rule(world, arena_strdup(&world->arena, err.message));
            return;
        }
        world->run_ids[i] = result.run_id;
    }
}

/* What a person says who looks at the server. */
static void answer(struct world *world, size_t run, const struct turn_result *asked,
                   struct resume_request *request)
{
    json_t *answers = arena_keep_json(&world->arena, json_object());
    json_t *results = arena_keep_json(&world->arena, json_object());
    for (size_t i = 0; asked->intent && i < asked->intent->n_questions; i++) {
        const char *key = asked->intent->questions[i].key;
        const char *path = key + strlen(UNCERTAIN_KEY);
        size_t step = (size_t)(path[0] - 'a');
        world->n_questions++;
        if (world->was_told[run][step])
            break_rule(world, "it was asked about a step whose result had been told");
        if (world->effects[run][step])
            json_object_set_new(results, path, json_string("charge"));
        else
            json_object_set_new(answers, key, json_string("repeat"));
    }
    request->answers = answers;
    request->results = results;
}

static bool is_completed(const struct world *world, const char *run_id)
{
    for (size_t i = 0; i < world->log.n_runs; i++)
        if (text_equal(world->log.runs[i].id, run_id))
            return world->log.runs[i].status == RUN_COMPLETED;
    return false;
}

static bool ended_complete(const struct queued_run *run)
{
    return run->state == QUEUE_ENDED && run->result &&
           strstr(run->result, "\"status\":\"completed\"");
}

/* By hand, once the queue has done what it could. */
static void go_on_by_hand(struct world *world, struct process *person, size_t run)
{
    struct resume_request request = { .run_id = world->run_ids[run], .uncertain = UNCERTAIN_ASK };
    for (unsigned round = 0; round < PERSON_ROUNDS && !world->broken; round++) {
        struct turn_result result = { 0 };
        struct err err = { 0 };
        enum err_code r = resume_run(&person->services.base, &person->scope, &world->arena,
                                     &request, &result, &err);
        if (r == ERR_INVALID && is_completed(world, request.run_id))
            return;
        if (r)
            break_rule(world, arena_strdup(&world->arena, err.message));
        if (r || result.status == RUN_COMPLETED)
            return;
        request.answers = request.results = NULL;
        answer(world, run, &result, &request);
        request.retries_failed = !result.intent;
    }
    break_rule(world, "a run does not come to its end by hand either");
}

static bool are_all_over(struct world *world)
{
    for (size_t i = 0; i < world->queues.n_rows; i++)
        if (world->queues.rows[i].run.state == QUEUE_QUEUED ||
            world->queues.rows[i].run.state == QUEUE_TAKEN)
            return false;
    return true;
}

static void check_run(struct world *world, struct process *person, size_t i)
{
    const struct fake_queue_row *row = &world->queues.rows[i];
    if (row->run.state == QUEUE_POISONED)
        world->n_poisoned++;
    if (row->run.state == QUEUE_POISONED && row->run.n_deaths != QUEUE_MAX_DEATHS)
        break_rule(world, "a run was set aside for too few deaths");
    bool is_lost =
        !row->run.result || (is_completed(world, row->run.run_id) && !ended_complete(&row->run));
    if (row->run.state == QUEUE_ENDED && is_lost)
        break_rule(world, "the result of a run is lost");
    if (!ended_complete(&row->run))
        go_on_by_hand(world, person, i);
    for (size_t step = 0; step < STEPS; step++)
        if (!is_look(step) && world->effects[i][step] != 1)
            break_rule(world,
                       world->effects[i][step] ? "an effect came twice" : "an effect is missing");
}

static enum err_code play(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct world *world = argument;
    struct process *person = process_create(world, /* is_mortal */ false);
    struct task *machines[WORKERS];
    struct scope working = scope_child(scope, SCOPE_NO_DEADLINE);
    submit(world, person);
    for (size_t i = 0; i < WORKERS; i++)
        machines[i] = runtime_spawn(runtime, &working, keep_working, world);
    (void)!runtime_sleep(runtime, scope, TROUBLE_MS + QUIET_MS, NULL);
    if (!world->broken && !are_all_over(world))
        break_rule(world, "a run was forgotten");
    world->is_over = true;
    runtime_cancel(runtime, &working);
    for (size_t i = 0; i < WORKERS; i++)
        (void)runtime_wait(runtime, machines[i]);
    for (size_t i = 0; i < RUNS && !world->broken; i++)
        check_run(world, person, i);
    process_destroy(person);
    return ERR_NONE;
}

static struct world total; /* of what struck */

static bool is_fine(uint64_t seed, const struct trouble *trouble)
{
    static struct world world; /* too large for a frame */
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    world = (struct world){ .runtime = virtual_runtime_create(seed),
                            .trouble = *trouble,
                            .troubled_until_ms = TROUBLE_MS };
    fake_queue_store_init(&world.queues, virtual_runtime_port(world.runtime), LEASE_MS);
    fake_run_states_init(&world.states);
    fake_run_repository_init(&world.log);
    (void)virtual_runtime_run(world.runtime, &scope, play, &world);
    bool fine = !world.broken;
    if (!fine)
        print_error("seed %llu: %s\n", (unsigned long long)seed, world.broken);
    total.n_deaths += world.n_deaths;
    total.n_stops += world.n_stops;
    total.n_cuts += world.n_cuts;
    total.n_questions += world.n_questions;
    total.n_poisoned += world.n_poisoned;
    fake_run_repository_finish(&world.log);
    fake_run_states_finish(&world.states);
    fake_queue_store_finish(&world.queues);
    arena_finish(&world.arena);
    virtual_runtime_destroy(world.runtime);
    return fine;
}

static uint64_t n_seeds = SEEDS;

static void sweep(const struct trouble *trouble)
{
    bool fine = true;
    total = (struct world){ 0 };
    for (uint64_t seed = 1; seed <= n_seeds && fine; seed++)
        fine = is_fine(seed, trouble);
    print_message("%llu seeds: %u deaths, %u stops, %u cuts, %u questions, %u set aside\n",
                  (unsigned long long)n_seeds, total.n_deaths, total.n_stops, total.n_cuts,
                  total.n_questions, total.n_poisoned);
    assert_true(fine);
}

static void without_trouble_every_run_is_done_by_the_workers(void **state)
{
    (void)state;
    sweep(&(struct trouble){ 0 });
}

static void workers_that_die_lose_and_repeat_nothing(void **state)
{
    (void)state;
    sweep(&(struct trouble){ .deaths = 60 });
    assert_true(total.n_deaths > n_seeds);
}

static void workers_that_are_stopped_beyond_their_lease_lose_and_repeat_nothing(void **state)
{
    (void)state;
    sweep(&(struct trouble){ .stops = 40 });
    assert_true(total.n_stops > n_seeds);
}

static void workers_that_are_cut_off_lose_and_repeat_nothing(void **state)
{
    (void)state;
    sweep(&(struct trouble){ .cuts = 40 });
    assert_true(total.n_cuts > n_seeds);
}

static void all_of_it_at_once_loses_and_repeats_nothing(void **state)
{
    (void)state;
    sweep(&(struct trouble){ .deaths = 120, .stops = 80, .cuts = 80 });
    assert_true(total.n_questions);
}

int main(int argc, char **argv)
{
    const char *wanted = argc > 1 ? argv[1] : getenv("MISTRO_SEEDS");
    if (wanted && strtoull(wanted, NULL, 10))
        n_seeds = strtoull(wanted, NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_trouble_every_run_is_done_by_the_workers),
        cmocka_unit_test(workers_that_die_lose_and_repeat_nothing),
        cmocka_unit_test(workers_that_are_stopped_beyond_their_lease_lose_and_repeat_nothing),
        cmocka_unit_test(workers_that_are_cut_off_lose_and_repeat_nothing),
        cmocka_unit_test(all_of_it_at_once_loses_and_repeats_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
