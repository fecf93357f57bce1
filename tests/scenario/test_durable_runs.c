/* A plan whose process is killed at every call of a port, again and again, and resumed until it is
 * complete, against a server that counts what it did. A third of its calls take effect and give no
 * answer. MISTRO_SEEDS in the environment, or the first argument, says how many kills at random
 * moments there are beside the sweep. */
#include "application/use_cases/resume_run.h"
#include "application/use_cases/run_plan.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "tests/scenario/mortal.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_run_states.h"
#include "tests/support/fakes/fake_services.h"
#include <stdlib.h>
#include <string.h>

#define STEPS 8
#define LIVES_MAX 40
#define KILLS 1000
#define TOOLS                                                                                      \
    "[{\"name\":\"charge\",\"inputSchema\":{\"type\":\"object\"}},"                                \
    "{\"name\":\"look\",\"inputSchema\":{\"type\":\"object\"}}]"
static const char plan_text[] =
    "{\"goal\":\"buy\",\"steps\":["
    "{\"id\":\"a\",\"tool\":\"shop/charge\",\"args\":{\"n\":\"a\"}},"
    "{\"id\":\"b\",\"tool\":\"shop/charge\",\"args\":{\"n\":\"b\"}},"
    "{\"id\":\"c\",\"tool\":\"shop/look\",\"args\":{\"n\":\"c\",\"x\":\"{a.text}\"}},"
    "{\"id\":\"d\",\"tool\":\"shop/charge\",\"args\":{\"n\":\"d\",\"x\":\"{c.text}\"}},"
    "{\"id\":\"e\",\"tool\":\"shop/look\",\"args\":{\"n\":\"e\"}},"
    "{\"id\":\"f\",\"tool\":\"shop/charge\",\"args\":{\"n\":\"f\",\"x\":\"{b.text}{e.text}\"}},"
    "{\"id\":\"g\",\"tool\":\"shop/look\",\"args\":{\"n\":\"g\",\"x\":\"{f.text}\"}},"
    "{\"id\":\"h\",\"tool\":\"shop/charge\",\"args\":{\"n\":\"h\",\"x\":\"{d.text}{g.text}\"}}]}";

/* What outlives a process: disks, the server, and who watched. Steps are counted by their letter.
 */
struct world {
    struct fake_run_states states;
    struct fake_run_repository log;
    uint64_t seed;
    unsigned effects[STEPS];
    bool was_told[STEPS]; /* that the step is done, before a kill that spares the disk */
    bool by_power_cut;
    const char *effect_ids[STEPS];
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

/* Calls that policy lets be made again. */
static bool is_look(int step)
{
    return strchr("ceg", 'a' + step);
}

static void break_rule(const char *rule)
{
    if (!living->world->broken)
        living->world->broken = rule;
}

/* Takes effect, and then perhaps says nothing about it. */
static enum err_code call_tool(struct tool_server *server, struct scope *scope,
                               const struct tool_call *call, struct arena *arena,
                               struct step_result *out, struct err *err)
{
    (void)server;
    struct world *world = living->world;
    int step = json_get_string(call->arguments, "n")[0] - 'a';
    enum err_code r = pass(scope, err);
    if (r)
        return r;
    if (strcmp(call->name, "charge") == 0)
        world->effects[step]++;
    if (world->was_told[step])
        break_rule("a step was called whose result had been told");
    if (!call->effect_id ||
        (world->effect_ids[step] && strcmp(world->effect_ids[step], call->effect_id) != 0))
        break_rule("a call has another effect id than before");
    world->effect_ids[step] = arena_strdup(&world->arena, call->effect_id);
    r = pass(scope, err);
    if (!r && virtual_runtime_random(mortal->runtime, 3) == 0)
        r = err_set(err, ERR_UNAVAILABLE, 0, "the connection is gone");
    if (r)
        return err_outcome_unknown(err, r);
    step_result_from_text(arena, call->name, NULL, false, out);
    return ERR_NONE;
}

static void watch(struct observer *observer, const struct event *event)
{
    (void)observer;
    const char *step = json_get_string(event->data, "step");
    if (!mortal->is_dead && event->kind == EVENT_STEP_FINISHED && !living->world->by_power_cut &&
        text_equal(json_get_string(event->data, "status"), "ok") && !is_look(step[0] - 'a'))
        living->world->was_told[step[0] - 'a'] = true;
}

static enum err_code live(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct life *life = argument;
    struct services *services = &life->services.base;
    json_t *plan = NULL;
    if (life->run_id) {
        life->request.run_id = life->run_id;
        life->code =
            resume_run(services, scope, &life->arena, &life->request, &life->result, &life->err);
        return ERR_NONE;
    }
    if (json_parse(plan_text, strlen(plan_text), JSON_OURS, &plan, NULL))
        return ERR_INTERNAL;
    const struct run_plan_request request = { .plan = arena_keep_json(&life->arena, plan) };
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
    fake_services_add_server(&life->services, "shop", TOOLS);
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

/* What a person does who looks at the server. */
static void answer(struct world *world, const struct turn_result *result,
                   struct resume_request *request, struct arena *arena)
{
    json_t *answers = arena_keep_json(arena, json_object());
    json_t *results = arena_keep_json(arena, json_object());
    for (size_t i = 0; result->intent && i < result->intent->n_questions; i++) {
        const char *key = result->intent->questions[i].key;
        const char *path = key + strlen(UNCERTAIN_KEY);
        size_t step = (size_t)(path[0] - 'a');
        if (world->was_told[step])
            break_rule("it was asked about a step whose result had been told");
        if (world->effects[step])
            json_object_set_new(results, path, json_string("charge"));
        else
            json_object_set_new(answers, key, json_string("repeat"));
    }
    request->answers = answers;
    request->results = results;
}

/* What is left when one life is over; true: there is nothing more to live for. */
static bool is_over(struct world *world, const struct life *life, bool *out_complete)
{
    *out_complete = !life->mortal.is_dead && !life->code && life->result.status == RUN_COMPLETED;
    if (life->mortal.is_dead || *out_complete || world->broken)
        return *out_complete;
    if (life->code == ERR_INVALID && world->log.runs[0].status == RUN_COMPLETED) {
        fake_run_states_finish(&world->states); /* it died when all was done but tidying up */
        fake_run_states_init(&world->states);
        return *out_complete = true;
    }
    for (size_t i = 0; i < STEPS; i++)
        if (life->code == ERR_NOT_FOUND && world->effects[i])
            break_rule("the plan is lost although a call was made");
    if (life->run_id && life->code && life->code != ERR_NOT_FOUND)
        world->broken = arena_strdup(&world->arena, life->err.message);
    return life->code == ERR_NOT_FOUND; /* it died before the plan was on disk */
}

static void check_effects(struct world *world)
{
    for (int i = 0; i < STEPS; i++)
        if (!is_look(i) && world->effects[i] != 1)
            break_rule(world->effects[i] ? "an effect came twice" : "an effect is missing");
    if (fake_run_states_kept(&world->states))
        break_rule("the state of a complete run is still there");
}

/* Lives until the run is complete. kills: where the n-th process dies, 0 for nowhere. Returns how
 * many of them died. */
static unsigned play(struct world *world, unsigned (*kills)(struct world *world, unsigned n))
{
    static struct life life; /* too large for a frame */
    struct resume_request request = { .uncertain = UNCERTAIN_ASK };
    bool is_complete = false, ends = false;
    unsigned deaths = 0;
    for (unsigned n = 0; !ends && !world->broken; n++) {
        struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
        life_init(&life, world, n, kills(world, n));
        life.run_id = n ? world->log.runs[0].id : NULL;
        life.request = request;
        (void)virtual_runtime_run(life.mortal.runtime, &scope, live, &life);
        ends = is_over(world, &life, &is_complete);
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
    if (is_complete)
        check_effects(world);
    return deaths;
}

static unsigned first_kill, second_kill;

static unsigned at_two_places(struct world *world, unsigned n)
{
    (void)world;
    return n == 0 ? first_kill : n == 1 ? second_kill : 0;
}

static unsigned at_random(struct world *world, unsigned n)
{
    uint64_t mixed = (world->seed * 31 + n) * UINT64_C(0x9e3779b97f4a7c15);
    return n < 6 ? (unsigned)(mixed >> 40) % 50 : 0;
}

/* How many processes died on the way; a rule that was broken is told. */
static unsigned one_world(uint64_t seed, bool by_power_cut,
                          unsigned (*kills)(struct world *world, unsigned n), bool *out_fine)
{
    static struct world world;
    world = (struct world){ .seed = seed, .by_power_cut = by_power_cut };
    fake_run_states_init(&world.states);
    fake_run_repository_init(&world.log);
    unsigned deaths = play(&world, kills);
    *out_fine = !world.broken;
    if (world.broken)
        print_error("seed %llu, kills at %u and %u: %s\n", (unsigned long long)seed, first_kill,
                    second_kill, world.broken);
    fake_run_states_finish(&world.states);
    fake_run_repository_finish(&world.log);
    arena_finish(&world.arena);
    return deaths;
}

static void sweep(bool by_power_cut)
{
    bool is_fine = true;
    unsigned worlds = 0, deaths = 1;
    for (first_kill = 1; deaths && is_fine; first_kill++)
        for (second_kill = 0; second_kill < 20 && is_fine; second_kill++, worlds++)
            deaths = one_world(first_kill, by_power_cut, at_two_places, &is_fine);
    assert_true(is_fine);
    assert_in_range(worlds, 500, 10000);
    first_kill = second_kill = 0;
}

static void a_kill_at_any_call_of_a_port_loses_and_repeats_nothing(void **state)
{
    (void)state;
    sweep(false);
}

static void a_power_cut_at_any_call_of_a_port_repeats_nothing(void **state)
{
    (void)state;
    sweep(true);
}

static uint64_t n_kills = KILLS;

static void many_kills_at_random_lose_and_repeat_nothing(void **state)
{
    (void)state;
    bool is_fine = true;
    uint64_t deaths = 0;
    for (uint64_t seed = 1; deaths < n_kills && is_fine; seed++)
        deaths += one_world(seed, seed % 2, at_random, &is_fine);
    assert_true(is_fine);
}

int main(int argc, char **argv)
{
    const char *wanted = argc > 1 ? argv[1] : getenv("MISTRO_SEEDS");
    if (wanted && strtoull(wanted, NULL, 10) >= 20)
        n_kills = strtoull(wanted, NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kill_at_any_call_of_a_port_loses_and_repeats_nothing),
        cmocka_unit_test(a_power_cut_at_any_call_of_a_port_repeats_nothing),
        cmocka_unit_test(many_kills_at_random_lose_and_repeat_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
