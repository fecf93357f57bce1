/* Plans on the real stores, whose power is cut at random moments, and which are resumed until they
 * are complete. A server counts what it did: no effect comes twice, and no result that was there
 * when the next call was sent is lost. MISTRO_SEEDS says how often the power is cut, up to 1,000
 * times. */
#include "application/use_cases/resume_run.h"
#include "application/use_cases/run_plan.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/repositories/repository_create.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/full/power_cut_vfs.h"
#include "tests/support/full/test_assets.h"
#include "tests/support/full/uv_subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 6
#define LIVES_MAX 12
#define CHANGES 140 /* of files, by one life at most */
#define TOOLS                                                                                      \
    "[{\"name\":\"charge\",\"inputSchema\":{\"type\":\"object\"}},"                                \
    "{\"name\":\"look\",\"inputSchema\":{\"type\":\"object\"}}]"
static const char plan_text[] =
    "[{\"id\":\"a\",\"tool\":\"shop/charge\",\"args\":{\"n\":\"a\"}},"
    "{\"id\":\"b\",\"tool\":\"shop/look\",\"args\":{\"n\":\"b\",\"x\":\"{a.text}\"}},"
    "{\"id\":\"c\",\"tool\":\"shop/charge\",\"args\":{\"n\":\"c\",\"x\":\"{b.text}\"}},"
    "{\"id\":\"d\",\"tool\":\"shop/charge\",\"args\":{\"n\":\"d\",\"x\":\"{c.text}\"}},"
    "{\"id\":\"e\",\"tool\":\"shop/charge\",\"args\":{\"n\":\"e\"}},"
    "{\"id\":\"f\",\"tool\":\"shop/charge\",\"args\":{\"n\":\"f\",\"x\":\"{d.text}{e.text}\"}}]";

/* What outlives the power. Steps are counted by their letter. */
struct world {
    char folder[64], run_id[16];
    unsigned effects[STEPS];
    bool is_told[STEPS], is_acknowledged[STEPS]; /* the latter: and another call was sent since */
    const char *broken;
};

/* From one time the power comes on to the next. */
struct life {
    struct world *world;
    struct uv_runtime *runtime;
    struct fake_services services;
    struct tool_server server;
    struct observer observer;
    bool is_resumed;
    struct resume_request request;
    struct turn_result result;
    struct arena arena;
    enum err_code code;
    struct err err;
};

static struct life life; /* the server's functions have nothing else to find it by */

static void break_rule(const char *rule)
{
    if (!life.world->broken)
        life.world->broken = rule;
}

static void break_with_message(void)
{
    static char message[sizeof life.err.message];
    snprintf(message, sizeof message, "%s", life.err.message);
    break_rule(message);
}

static const char *name_of(struct tool_server *server)
{
    (void)server;
    return "shop";
}

static enum err_code list_tools(struct tool_server *server, struct scope *scope,
                                struct tool_catalogue **out, struct err *err)
{
    (void)server;
    return tool_server_list(&life.services.servers[0].base, scope, out, err);
}

static void tell_status(struct tool_server *server, struct tool_server_status *out)
{
    (void)server;
    tool_server_status(&life.services.servers[0].base, out);
}

static enum err_code call_tool(struct tool_server *server, struct scope *scope,
                               const struct tool_call *call, struct arena *arena,
                               struct step_result *out, struct err *err)
{
    (void)server, (void)scope;
    struct world *world = life.world;
    int step = json_get_string(call->arguments, "n")[0] - 'a';
    if (power_cut_vfs_is_off()) /* nothing reaches the server any more */
        return err_set(err, ERR_UNAVAILABLE, 0, "the power is off");
    step_result_from_text(arena, "ok", NULL, false, out);
    if (strcmp(call->name, "charge") != 0)
        return ERR_NONE;
    world->effects[step]++;
    for (int i = 0; i < STEPS; i++)
        world->is_acknowledged[i] = world->is_acknowledged[i] || world->is_told[i];
    if (world->is_acknowledged[step])
        break_rule("a step was called whose result had been acknowledged");
    return ERR_NONE;
}

static void watch(struct observer *observer, const struct event *event)
{
    (void)observer;
    const char *tool = json_get_string(event->data, "tool");
    if (event->kind == EVENT_STEP_FINISHED && !power_cut_vfs_is_off() &&
        text_equal(json_get_string(event->data, "status"), "ok") && text_equal(tool, "shop/charge"))
        life.world->is_told[json_get_string(event->data, "step")[0] - 'a'] = true;
}

static enum err_code live(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime, (void)argument;
    struct services *services = &life.services.base;
    json_t *plan = NULL;
    if (life.is_resumed) {
        life.code =
            resume_run(services, scope, &life.arena, &life.request, &life.result, &life.err);
        return ERR_NONE;
    }
    if (json_parse(plan_text, strlen(plan_text), JSON_OURS, &plan, NULL))
        return ERR_INTERNAL;
    const struct run_plan_request request = { .plan = arena_keep_json(&life.arena, plan) };
    life.code = run_plan(services, scope, &life.arena, &request, &life.result, &life.err);
    return ERR_NONE;
}

/* A run that begins anew has an id of its own. */
static void life_init(struct world *world, unsigned n, bool is_resumed)
{
    static const struct tool_server_ops server_ops = {
        .name = name_of, .list = list_tools, .call = call_tool, .status = tell_status
    };
    static const struct observer_ops observer_ops = { watch };
    static const struct policy_rule repeat = { .effect = POLICY_UNSAID,
                                               .repeat = HINT_YES,
                                               .tool = "look" };
    char states[96], log[96];
    snprintf(states, sizeof states, "%s/runs", world->folder);
    snprintf(log, sizeof log, "%s/runs.db", world->folder);
    life = (struct life){ .world = world,
                          .is_resumed = is_resumed,
                          .server = { &server_ops },
                          .observer = { &observer_ops },
                          .runtime = uv_runtime_create() };
    fake_services_init(&life.services, uv_runtime_port(life.runtime), SOURCE_DIR);
    fake_services_add_server(&life.services, "shop", TOOLS);
    life.services.server_ports[0] = &life.server;
    life.services.ids.n = n * 100;
    if (!is_resumed)
        snprintf(world->run_id, sizeof world->run_id, "id%06u", n * 100 + 1);
    life.services.runs_port = sqlite_run_repository_create(life.runtime, log, test_assets());
    life.services.base.run_states = sqlite_run_states_create(life.runtime, states, test_assets());
    life.services.base.observer = &life.observer;
    life.services.settings.policy = &repeat;
    life.services.settings.n_policy = 1;
    life.services.settings.tools_attempts = 1;
}

static void life_finish(void)
{
    run_repository_destroy(life.services.runs_port);
    run_states_destroy(life.services.base.run_states);
    arena_finish(&life.arena);
    fake_services_finish(&life.services);
    uv_runtime_destroy(life.runtime);
}

/* What a person does who looks at the server. */
static void answer(struct world *world, struct resume_request *request, struct arena *arena)
{
    json_t *answers = arena_keep_json(arena, json_object());
    json_t *results = arena_keep_json(arena, json_object());
    for (size_t i = 0; life.result.intent && i < life.result.intent->n_questions; i++) {
        const char *key = life.result.intent->questions[i].key;
        const char *path = key + strlen(UNCERTAIN_KEY);
        int step = path[0] - 'a';
        if (world->is_acknowledged[step])
            break_rule("it was asked about a result that had been acknowledged");
        if (world->effects[step])
            json_object_set_new(results, path, json_string("ok"));
        else
            json_object_set_new(answers, key, json_string("repeat"));
    }
    request->answers = answers;
    request->results = results;
}

/* Whether the plan has to begin anew, because nothing of it reached the disk. */
static bool is_lost(const struct world *world)
{
    bool is_unknown = life.code == ERR_NOT_FOUND;
    for (int i = 0; i < STEPS; i++)
        if (is_unknown && world->effects[i])
            break_rule("the plan is lost although a call was made");
    return is_unknown;
}

/* SplitMix64. */
static uint64_t random_of(uint64_t seed, unsigned n)
{
    uint64_t x = (seed * LIVES_MAX + n + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Returns how often the power was cut. */
static unsigned play(struct world *world, uint64_t seed)
{
    AUTO(arena) arena = { 0 };
    struct resume_request request = { .run_id = world->run_id, .uncertain = UNCERTAIN_ASK };
    bool is_resumed = false, is_complete = false;
    unsigned cuts = 0;
    for (unsigned n = 0; !is_complete && !world->broken; n++) {
        struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
        uint64_t random = random_of(seed, n);
        power_cut_vfs_on(n < 4 ? (unsigned)(random % CHANGES) + 1 : 0);
        life_init(world, n, is_resumed);
        life.request = request;
        (void)uv_runtime_run(life.runtime, &scope, live, NULL);
        bool is_cut = power_cut_vfs_is_off();
        request = (struct resume_request){ .run_id = world->run_id, .uncertain = UNCERTAIN_ASK };
        is_complete =
            !is_cut && ((!life.code && life.result.status == RUN_COMPLETED) ||
                        (life.code == ERR_INVALID && strstr(life.err.message, "complete")));
        if (!is_cut && !is_complete) {
            is_resumed = !is_lost(world);
            if (life.code && is_resumed)
                break_with_message();
            answer(world, &request, &arena);
        } else {
            is_resumed = true;
        }
        if (n > LIVES_MAX)
            break_rule("it does not come to an end");
        life_finish();
        cuts += is_cut;
        if (is_cut)
            power_cut_vfs_restore(random);
    }
    for (int i = 0; i < STEPS; i++)
        if (i != 1 && !world->broken && world->effects[i] != 1)
            world->broken = world->effects[i] ? "an effect came twice" : "an effect is missing";
    return cuts;
}

static uint64_t n_cuts = 100;

static void a_power_cut_repeats_no_effect_and_loses_no_acknowledged_result(void **state)
{
    (void)state;
    uint64_t cuts = 0;
    static struct world world;
    for (uint64_t seed = 1; cuts < n_cuts && !world.broken; seed++) {
        world = (struct world){ 0 };
        temporary_folder_create(world.folder);
        cuts += play(&world, seed);
        power_cut_vfs_forget();
        temporary_folder_remove(world.folder);
        if (world.broken)
            print_error("seed %llu: %s\n", (unsigned long long)seed, world.broken);
    }
    assert_null(world.broken);
}

int main(int argc, char **argv)
{
    const char *wanted = argc > 1 ? argv[1] : getenv("MISTRO_SEEDS");
    uint64_t n = wanted ? strtoull(wanted, NULL, 10) : 0;
    if (n >= 20)
        n_cuts = n < 1000 ? n : 1000;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_power_cut_repeats_no_effect_and_loses_no_acknowledged_result),
    };
    power_cut_vfs_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
