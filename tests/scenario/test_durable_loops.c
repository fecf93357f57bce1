/* A plan of version 2 with loops in loops, blocks and used plans whose process is killed at every
 * call of a port, again and again, and resumed until it is complete. An eighth of its calls take
 * effect and give no answer. What the shop did and what the plan gives must be what they are when
 * nothing happens. MISTRO_SEEDS in the environment, or the first argument, says how many kills at
 * random moments there are beside the sweep. */
#include "application/use_cases/resume_run.h"
#include "application/use_cases/run_plan.h"
#include "tests/scenario/mortal.h"
#include "tests/scenario/shop_plan.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_run_states.h"
#include "tests/support/fakes/fake_services.h"
#include <stdlib.h>

enum { LIVES_MAX = 80, KILLS = 500, KILLS_MIN = 20, LOST_OF = 8 };

/* What outlives a process: disks, the shop, and who watched. */
struct world {
    struct fake_run_states states;
    struct fake_run_repository log;
    struct shop shop;
    uint64_t seed;
    int parallel;
    bool by_power_cut, loses_nothing, has_no_results;
    json_t *paths;         /* path of a call -> what it charges */
    json_t *told;          /* what is charged -> that an observer heard so, before a kill */
    json_t *effect_ids;    /* of the calls that may not be repeated */
    json_t *asked;         /* keys of questions */
    const char *killed_in; /* the process dies in the middle of the charge of this; or NULL */
    json_t *outputs;       /* of the run that came to its end */
    struct arena arena;
    const char *broken;
};

/* One process. */
struct life {
    struct world *world;
    struct mortal mortal;
    struct fake_services services;
    struct tool_server server;
    struct observer observer;
    const char *run_id; /* NULL: the plan is begun */
    struct resume_request request;
    struct turn_result result;
    struct arena arena;
    enum err_code code;
    struct err err;
};

static struct life *living; /* the ports have nothing else to find it by */

static const char *name_of(struct tool_server *server)
{
    (void)server;
    return "shop";
}

static enum err_code list_tools(struct tool_server *server, struct scope *scope,
                                struct tool_catalogue **out, struct err *err)
{
    (void)server;
    enum err_code r = pass(scope, err);
    return r ? r : tool_server_list(&living->services.servers[0].base, scope, out, err);
}

static void tell_status(struct tool_server *server, struct tool_server_status *out)
{
    (void)server;
    tool_server_status(&living->services.servers[0].base, out);
}

static void break_rule(const char *rule)
{
    if (!living->world->broken)
        living->world->broken = rule;
}

static void check_call(struct world *world, const struct tool_call *call, const char *n)
{
    const char *before = json_get_string(world->effect_ids, n);
    if (json_object_get(world->told, n))
        break_rule("a call was made again whose result had been told");
    if (shop_is_look(call->name))
        return;
    if (!call->effect_id || (before && strcmp(before, call->effect_id) != 0))
        break_rule("a call has another effect id than before");
    json_object_set_new(world->effect_ids, n, json_string(call->effect_id));
}

/* With on_item_error an element whose answer is lost is one that failed, and the run goes on. */
static bool is_lost(const struct world *world, const char *n)
{
    return !world->loses_nothing && !text_starts_with(n, "some-") &&
           virtual_runtime_random(mortal->runtime, LOST_OF) == 0;
}

/* Takes effect, and then perhaps says nothing about it. */
static enum err_code call_tool(struct tool_server *server, struct scope *scope,
                               const struct tool_call *call, struct arena *arena,
                               struct step_result *out, struct err *err)
{
    (void)server;
    struct world *world = living->world;
    const char *n = json_get_string(call->arguments, "n");
    enum err_code r = pass(scope, err);
    if (r)
        return r;
    shop_serve(&world->shop, call->name, n);
    check_call(world, call, n);
    if (text_equal(world->killed_in, n)) {
        world->killed_in = NULL;
        mortal->is_dead = true;
    }
    r = pass(scope, err);
    if (!r && is_lost(world, n))
        r = err_set(err, ERR_UNAVAILABLE, 0, "the connection is gone");
    if (r)
        return err_outcome_unknown(err, r);
    shop_answer(&world->shop, arena, n, out);
    return ERR_NONE;
}

static void watch(struct observer *observer, const struct event *event)
{
    (void)observer;
    struct world *world = living->world;
    const char *path = json_get_string(event->data, "step");
    if (mortal->is_dead)
        return;
    if (event->kind == EVENT_TOOL_CALL)
        json_object_set(world->paths, path,
                        json_object_get(json_object_get(event->data, "args"), "n"));
    bool is_answered = event->kind == EVENT_TOOL_RESULT && !json_object_get(event->data, "error") &&
                       !shop_is_look(json_get_string(event->data, "tool"));
    if (is_answered && !world->by_power_cut)
        json_object_set_new(world->told, json_get_string(world->paths, path), json_true());
}

static enum err_code live(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct life *life = argument;
    struct services *services = &life->services.base;
    if (life->run_id) {
        life->request.run_id = life->run_id;
        life->code =
            resume_run(services, scope, &life->arena, &life->request, &life->result, &life->err);
        return ERR_NONE;
    }
    const struct run_plan_request request = { .plan =
                                                  shop_plan(&life->arena, life->world->parallel) };
    if (!request.plan)
        return ERR_INTERNAL;
    life->code = run_plan(services, scope, &life->arena, &request, &life->result, &life->err);
    return ERR_NONE;
}

static void life_init(struct life *life, struct world *world, unsigned n, unsigned killed_at)
{
    static const struct policy_rule repeat = { .effect = POLICY_UNSAID,
                                               .repeat = HINT_YES,
                                               .tool = "look" };
    static const struct tool_server_ops server_ops = {
        .name = name_of, .list = list_tools, .call = call_tool, .status = tell_status
    };
    static const struct observer_ops observer_ops = { watch };
    *life =
        (struct life){ .world = world, .server = { &server_ops }, .observer = { &observer_ops } };
    living = life;
    mortal_init(&life->mortal, &world->log, world->seed * LIVES_MAX + n, killed_at);
    fake_services_init(&life->services, virtual_runtime_port(life->mortal.runtime), SOURCE_DIR);
    fake_services_add_server(&life->services, "shop", SHOP_TOOLS);
    life->services.server_ports[0] = &life->server;
    life->services.runs_port = &life->mortal.log;
    life->services.base.run_states = &world->states.base;
    life->services.base.observer = &life->observer;
    life->services.settings.policy = &repeat;
    life->services.settings.n_policy = 1;
    life->services.settings.tools_attempts = 1;
    world->states.on_use = on_state;
}

static void life_finish(struct life *life)
{
    arena_finish(&life->arena);
    fake_services_finish(&life->services);
    virtual_runtime_destroy(life->mortal.runtime);
}

/* What a person does who looks at the shop. */
static void answer(struct world *world, const struct turn_result *result,
                   struct resume_request *request, struct arena *arena)
{
    json_t *answers = arena_keep_json(arena, json_object());
    json_t *results = arena_keep_json(arena, json_object());
    for (size_t i = 0; result->intent && i < result->intent->n_questions; i++) {
        const char *key = result->intent->questions[i].key;
        const char *path = key + strlen(UNCERTAIN_KEY);
        const char *n = json_get_string(world->paths, path);
        json_object_set_new(world->asked, key, json_true());
        if (!n) {
            break_rule("it was asked about a call that nobody saw");
            return;
        }
        if (json_object_get(world->told, n))
            break_rule("it was asked about a call whose result had been told");
        if (!shop_charged(&world->shop, n))
            json_object_set_new(answers, key, json_string("repeat"));
        else if (shop_is_sold_out(n))
            json_object_set_new(answers, key, json_string("fail"));
        else if (world->has_no_results)
            json_object_set_new(answers, key, json_string("done"));
        else
            json_object_set_new(results, path, shop_value(&world->shop, n));
    }
    request->answers = answers;
    request->results = results;
}

/* What is left when one life is over; true: there is nothing more to live for. */
static bool is_over(struct world *world, const struct life *life, bool *out_complete)
{
    *out_complete = !life->mortal.is_dead && !life->code && life->result.status == RUN_COMPLETED;
    if (*out_complete)
        world->outputs = json_deep_copy(life->result.outputs);
    if (life->mortal.is_dead || *out_complete || world->broken)
        return *out_complete;
    if (life->code == ERR_INVALID && world->log.runs[0].status == RUN_COMPLETED) {
        fake_run_states_finish(&world->states); /* it died when all was done but tidying up */
        fake_run_states_init(&world->states);
        return *out_complete = true;
    }
    if (life->code == ERR_NOT_FOUND && json_object_size(world->shop.effects))
        break_rule("the plan is lost although a call was made");
    if (life->run_id && life->code && life->code != ERR_NOT_FOUND)
        world->broken = arena_strdup(&world->arena, life->err.message);
    return life->code == ERR_NOT_FOUND; /* it died before the plan was on disk */
}

/* Lives until the run is complete. kills: where the n-th process dies, 0 for nowhere. Returns how
 * many of them died. */
static unsigned play(struct world *world, unsigned (*kills)(struct world *world, unsigned n),
                     bool *out_complete)
{
    static struct life life; /* too large for a frame */
    struct resume_request request = { .uncertain = UNCERTAIN_ASK };
    bool ends = false;
    unsigned deaths = 0;
    for (unsigned n = 0; !ends && !world->broken; n++) {
        struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
        life_init(&life, world, n, kills(world, n));
        life.run_id = n ? world->log.runs[0].id : NULL;
        life.request = request;
        (void)virtual_runtime_run(life.mortal.runtime, &scope, live, &life);
        ends = is_over(world, &life, out_complete);
        request = (struct resume_request){ .uncertain = UNCERTAIN_ASK };
        if (life.mortal.is_dead)
            fake_run_states_die(&world->states, world->by_power_cut);
        else if (!life.code)
            answer(world, &life.result, &request, &world->arena);
        deaths += life.mortal.is_dead;
        if (!ends && n > LIVES_MAX)
            break_rule("it does not come to an end");
        life_finish(&life);
    }
    return deaths;
}

static void world_init(struct world *world, uint64_t seed, int parallel)
{
    *world = (struct world){ .seed = seed, .parallel = parallel };
    json_t **const notes[] = { &world->paths, &world->told, &world->effect_ids, &world->asked };
    for (size_t i = 0; i < ARRAY_LENGTH(notes); i++)
        *notes[i] = json_object();
    shop_open(&world->shop);
    fake_run_states_init(&world->states);
    fake_run_repository_init(&world->log);
}

static void world_finish(struct world *world)
{
    json_decref(world->paths);
    json_decref(world->told);
    json_decref(world->effect_ids);
    json_decref(world->asked);
    json_decref(world->outputs);
    shop_close(&world->shop);
    fake_run_states_finish(&world->states);
    fake_run_repository_finish(&world->log);
    arena_finish(&world->arena);
}

static unsigned nowhere(struct world *world, unsigned n)
{
    (void)world, (void)n;
    return 0;
}

/* What the shop did and what the plan gives when nothing happens. */
static json_t *expected_effects, *expected_outputs;

static int learn_what_is_expected(void **state)
{
    (void)state;
    static struct world world;
    bool is_complete = false;
    world_init(&world, 1, 4);
    world.loses_nothing = true;
    (void)play(&world, nowhere, &is_complete);
    if (is_complete && !world.broken) {
        expected_effects = json_incref(world.shop.effects);
        expected_outputs = json_incref(world.outputs);
    } else {
        print_error("undisturbed: %s\n", world.broken ? world.broken : "it is not complete");
    }
    world_finish(&world);
    return expected_outputs ? 0 : -1;
}

static int forget_what_is_expected(void **state)
{
    (void)state;
    json_decref(expected_effects);
    json_decref(expected_outputs);
    return 0;
}

static void check_end(struct world *world)
{
    if (!json_equal(world->shop.effects, expected_effects))
        break_rule(arena_printf(&world->arena, "the shop did %s",
                                json_print_in(&world->arena, world->shop.effects)));
    if (world->outputs && !json_equal(world->outputs, expected_outputs))
        break_rule(arena_printf(&world->arena, "it gave %s",
                                json_print_in(&world->arena, world->outputs)));
    if (fake_run_states_kept(&world->states))
        break_rule("the state of a complete run is still there");
}

static unsigned first_kill;

/* At a chosen call first, and then once more soon after. */
static unsigned at_a_place(struct world *world, unsigned n)
{
    uint64_t mixed = (world->seed * 31 + n) * UINT64_C(0x9e3779b97f4a7c15);
    return n == 0 ? first_kill : n == 1 ? (unsigned)(mixed >> 40) % 40 : 0;
}

static unsigned at_random(struct world *world, unsigned n)
{
    uint64_t mixed = (world->seed * 31 + n) * UINT64_C(0x9e3779b97f4a7c15);
    return n < 6 ? (unsigned)(mixed >> 40) % 150 : 0;
}

/* How many processes died on the way; a rule that was broken is told. */
static unsigned one_world(uint64_t seed, int parallel, bool by_power_cut,
                          unsigned (*kills)(struct world *world, unsigned n), bool *out_fine)
{
    static struct world world;
    bool is_complete = false;
    world_init(&world, seed, parallel);
    world.by_power_cut = by_power_cut;
    unsigned deaths = play(&world, kills, &is_complete);
    if (is_complete && !world.broken)
        check_end(&world);
    *out_fine = !world.broken;
    if (world.broken)
        print_error("seed %llu, %d at once, first kill at %u: %s\n", (unsigned long long)seed,
                    parallel, first_kill, world.broken);
    world_finish(&world);
    return deaths;
}

static void sweep(int parallel, bool by_power_cut)
{
    bool is_fine = true;
    unsigned worlds = 0, deaths = 1;
    for (first_kill = 1; deaths && is_fine; first_kill++) {
        deaths = 0;
        for (uint64_t seed = 1; seed <= 3 && is_fine; seed++, worlds++)
            deaths +=
                one_world(seed * 1000 + first_kill, parallel, by_power_cut, at_a_place, &is_fine);
    }
    assert_true(is_fine);
    assert_in_range(worlds, 200, 10000);
    first_kill = 0;
}

static void a_kill_at_any_call_of_a_port_loses_and_repeats_nothing(void **state)
{
    (void)state;
    sweep(1, false);
    sweep(4, false);
}

static void a_power_cut_at_any_call_of_a_port_repeats_nothing(void **state)
{
    (void)state;
    sweep(1, true);
    sweep(4, true);
}

static uint64_t n_kills = KILLS;

static void many_kills_at_random_lose_and_repeat_nothing(void **state)
{
    (void)state;
    bool is_fine = true;
    uint64_t deaths = 0;
    for (uint64_t seed = 1; deaths < n_kills && is_fine; seed++)
        deaths += one_world(seed, seed % 3 ? 4 : 1, seed % 2, at_random, &is_fine);
    assert_true(is_fine);
}

/* The call that the process died in, by the path that its question has. */
static void check_question(const char *n, const char *key)
{
    static struct world world;
    bool is_complete = false;
    world_init(&world, 1, 1);
    world.loses_nothing = true;
    world.killed_in = n;
    assert_int_equal(play(&world, nowhere, &is_complete), 1);
    assert_true(is_complete);
    check_end(&world);
    assert_null(world.broken);
    assert_non_null(json_object_get(world.asked, key));
    world_finish(&world);
}

static void an_order_of_calls_by_chance_changes_nothing(void **state)
{
    (void)state;
    bool is_complete = false;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        static struct world world;
        world_init(&world, seed, seed % 2 ? 4 : 1);
        world.loses_nothing = true;
        assert_int_equal(play(&world, nowhere, &is_complete), 0);
        assert_true(is_complete);
        check_end(&world);
        assert_null(world.broken);
        world_finish(&world);
    }
}

static void it_is_asked_about_calls_in_loops_by_their_paths(void **state)
{
    (void)state;
    check_question("one-r", UNCERTAIN_KEY "one[2]");
    check_question("cell-y-3", UNCERTAIN_KEY "grid[1].cells[2]");
    check_question("pay-x", UNCERTAIN_KEY "grid[0].pay");
    check_question("a1", UNCERTAIN_KEY "also.a1");
    check_question("f-2", UNCERTAIN_KEY "part[1].f");
    check_question("h-1", UNCERTAIN_KEY "part[0].h");
    check_question("tidy", UNCERTAIN_KEY "tidy");
}

static void an_element_that_is_said_to_be_done_without_its_result_gives_null(void **state)
{
    (void)state;
    static struct world world;
    bool is_complete = false;
    world_init(&world, 1, 1);
    world.loses_nothing = world.has_no_results = true;
    world.killed_in = "some-fine";
    assert_int_equal(play(&world, nowhere, &is_complete), 1);
    assert_null(world.broken);
    assert_true(is_complete);
    const json_t *some = json_object_get(world.outputs, "some");
    assert_int_equal(json_array_size(some), 4);
    assert_true(json_is_null(json_array_get(some, 3)));
    assert_true(json_equal(json_object_get(world.outputs, "sold_out"),
                           json_object_get(expected_outputs, "sold_out")));
    assert_true(json_equal(world.shop.effects, expected_effects));
    world_finish(&world);
}

int main(int argc, char **argv)
{
    const char *wanted = argc > 1 ? argv[1] : getenv("MISTRO_SEEDS");
    if (wanted && strtoull(wanted, NULL, 10) >= KILLS_MIN)
        n_kills = strtoull(wanted, NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_order_of_calls_by_chance_changes_nothing),
        cmocka_unit_test(it_is_asked_about_calls_in_loops_by_their_paths),
        cmocka_unit_test(an_element_that_is_said_to_be_done_without_its_result_gives_null),
        cmocka_unit_test(a_kill_at_any_call_of_a_port_loses_and_repeats_nothing),
        cmocka_unit_test(a_power_cut_at_any_call_of_a_port_repeats_nothing),
        cmocka_unit_test(many_kills_at_random_lose_and_repeat_nothing),
    };
    return cmocka_run_group_tests(tests, learn_what_is_expected, forget_what_is_expected);
}
