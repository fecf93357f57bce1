/* A turn whose process is killed at every call of a port, again and again, and resumed until it is
 * complete. Its first plan fails at a tool, so that it makes a second one with the same ids of
 * steps. A server counts what it did, a model what it was asked, and the conversation is looked at.
 * MISTRO_SEEDS in the environment, or the first argument, says how many kills at random moments
 * there are beside the sweep. */
#include "application/use_cases/mistral_chat.h"
#include "application/use_cases/resume_run.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "tests/scenario/mortal_sessions.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_run_states.h"
#include "tests/support/fakes/fake_services.h"
#include <stdlib.h>
#include <string.h>

#define CALLS 6 /* a to d of the first plan, e and f of the second */
#define FIRST_OF_SECOND 4
#define PURPOSES 3
#define LIVES_MAX 40
#define KILLS 300
#define SECOND_KILLS 7
#define TOOL(name)                                                                                 \
    "{\"name\":\"" name "\",\"description\":\"" name "s\",\"inputSchema\":{\"type\":\"object\","   \
    "\"properties\":{\"n\":{\"type\":\"string\"},\"x\":{\"type\":\"string\"}},"                    \
    "\"required\":[\"n\"]}}"
#define TOOLS "[" TOOL("charge") "," TOOL("look") "]"
#define STEP(id, tool, n, x)                                                                       \
    "{\"id\":\"" id "\",\"tool\":\"shop__" tool "\",\"args\":{\"n\":\"" n "\",\"x\":\"" x "\"}}"
#define MESSAGE "charge a, b, d and e, and look at c and f, x is x"
#define ANSWER "All is charged."

static const char *const purposes[PURPOSES] = { "intent_and_plan", "plan", "answer" };
static const char *const replies[PURPOSES] = {
    "{\"primary_goal\":\"charge\",\"tools_needed\":[\"shop__charge\",\"shop__look\"],"
    "\"parameters\":{\"n\":\"a\"},\"unclear_aspects\":[],\"needs_clarification\":false,"
    "\"confidence\":0.9,\"steps\":[" STEP("a", "charge", "a", "x") "," STEP(
        "b", "charge", "b", "x") "," STEP("c", "look", "c", "{a.text}") "," STEP("d", "charge", "d",
                                                                                 "{c.text}") "]}",
    "{\"steps\":[" STEP("a", "charge", "e", "x") "," STEP("b", "look", "f", "{a.text}") "]}",
    ANSWER,
};

/* What outlives a process: disks, the server, and who watched. */
struct world {
    struct fake_run_states states;
    struct fake_run_repository log;
    struct fake_conversation_repository conversations;
    uint64_t seed;
    unsigned effects[CALLS];
    bool was_told[CALLS];        /* that it is done, before a kill that spares the disk */
    bool was_answered[PURPOSES]; /* likewise */
    bool by_power_cut;
    bool is_complete;
    struct arena arena;
    const char *broken;
};

/* One process. */
struct life {
    struct mortal mortal;
    struct world *world;
    struct fake_services services;
    struct tool_server server;
    struct model model;
    struct observer observer;
    unsigned n_plans;
    const char *run_id; /* NULL: the turn is begun */
    struct resume_request request;
    struct turn_result result;
    struct arena arena;
    enum err_code code;
    struct err err;
};

static struct life *living; /* the ports have nothing else to find it by */

static void break_rule(const char *rule)
{
    if (!living->world->broken)
        living->world->broken = rule;
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
    enum err_code r = pass(scope, err);
    return r ? r : tool_server_list(&living->services.servers[0].base, scope, out, err);
}

static void tell_status(struct tool_server *server, struct tool_server_status *out)
{
    (void)server;
    tool_server_status(&living->services.servers[0].base, out);
}

/* Takes effect, and then perhaps says nothing about it. The fourth always fails. */
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
    world->effects[n[0] - 'a']++;
    if (world->was_told[n[0] - 'a'])
        break_rule("a step was called whose result had been told");
    r = pass(scope, err);
    if (!r && virtual_runtime_random(mortal->runtime, 4) == 0)
        r = err_set(err, ERR_UNAVAILABLE, 0, "the connection is gone");
    if (r)
        return err_outcome_unknown(err, r);
    step_result_from_text(arena, call->name, NULL, n[0] == 'd', out);
    return ERR_NONE;
}

static int index_of(const char *purpose)
{
    return text_find(purpose, purposes, PURPOSES);
}

static enum err_code check_model(struct model *model, struct scope *scope, struct arena *arena,
                                 struct model_status *out, struct err *err)
{
    (void)model;
    return model_check(&living->services.model.base, scope, arena, out, err);
}

static enum err_code chat(struct model *model, struct scope *scope,
                          const struct model_request *request, struct arena *arena,
                          struct model_reply *out, struct err *err)
{
    (void)model;
    int purpose = index_of(request->purpose);
    enum err_code r = pass(scope, err);
    if (r)
        return r;
    if (purpose < 0)
        return err_set(err, ERR_INVALID, 0, "nobody asks for the %s", request->purpose);
    if (living->world->was_answered[purpose])
        break_rule("the model was asked again for what it had answered");
    (void)request->on_token(request->context, replies[purpose], strlen(replies[purpose]));
    *out = (struct model_reply){ .text = arena_strdup(arena, replies[purpose]),
                                 .model = "m",
                                 .prompt_tokens = 10,
                                 .cached_tokens = -1,
                                 .completion_tokens = 5 };
    return pass(scope, err);
}

static void watch(struct observer *observer, const struct event *event)
{
    (void)observer;
    struct world *world = living->world;
    const char *id = json_get_string(event->data, "step");
    int purpose = index_of(json_get_string(event->data, "purpose"));
    if (event->kind == EVENT_PLAN)
        living->n_plans++;
    if (mortal->is_dead || world->by_power_cut)
        return;
    if (event->kind == EVENT_MODEL_REPLIED && purpose >= 0)
        world->was_answered[purpose] = true;
    if (event->kind == EVENT_STEP_FINISHED &&
        text_equal(json_get_string(event->data, "status"), "ok"))
        world->was_told[id[0] - 'a' + (living->n_plans > 1 ? FIRST_OF_SECOND : 0)] = true;
}

static enum err_code live(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct life *life = argument;
    struct services *services = &life->services.base;
    const struct turn_request request = { .message = MESSAGE, .session_id = "s" };
    if (life->run_id) {
        life->request.run_id = life->run_id;
        life->code =
            resume_run(services, scope, &life->arena, &life->request, &life->result, &life->err);
        return ERR_NONE;
    }
    struct mistral_chat *turns = mistral_chat_create(services);
    life->code = mistral_chat_turn(turns, scope, &life->arena, &request, &life->result, &life->err);
    mistral_chat_destroy(turns);
    return ERR_NONE;
}

static void life_init(struct life *life, struct world *world, unsigned n, unsigned killed_at)
{
    static const struct tool_server_ops server_ops = {
        .name = name_of, .list = list_tools, .call = call_tool, .status = tell_status
    };
    static const struct model_ops model_ops = { .check = check_model, .chat = chat };
    static const struct observer_ops observer_ops = { watch };
    *life = (struct life){ .world = world,
                           .server = { &server_ops },
                           .model = { &model_ops },
                           .observer = { &observer_ops } };
    living = life;
    mortal_init(&life->mortal, &world->log, world->seed * LIVES_MAX + n, killed_at);
    fake_services_init(&life->services, virtual_runtime_port(life->mortal.runtime), SOURCE_DIR);
    fake_services_add_server(&life->services, "shop", TOOLS);
    life->services.server_ports[0] = &life->server;
    life->services.model_port = &life->model;
    life->services.conversations_port = mortal_sessions_port(&world->conversations);
    life->services.runs_port = &life->mortal.log;
    life->services.base.run_states = &world->states.base;
    life->services.base.observer = &life->observer;
    life->services.base.approve_all = true;
    life->services.settings.tools_attempts = 1;
    life->services.settings.model_attempts = 1;
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
        bool is_second = text_starts_with(path, "p2.");
        int call = path[is_second ? strlen("p2.") : 0] - 'a' + (is_second ? FIRST_OF_SECOND : 0);
        if (call < 0 || call >= CALLS || world->was_told[call])
            break_rule("it was asked about a step whose result had been told");
        else if (!world->effects[call])
            json_object_set_new(answers, key, json_string("repeat"));
        else if (call == 'd' - 'a')
            json_object_set_new(answers, key, json_string("fail"));
        else
            json_object_set_new(results, path, json_string("charge"));
    }
    request->answers = answers;
    request->results = results;
}

/* What is left when one life is over; true: there is nothing more to live for. */
static bool is_over(struct world *world, const struct life *life, bool *out_complete)
{
    bool has_effects = false;
    for (size_t i = 0; i < CALLS; i++)
        has_effects = has_effects || world->effects[i];
    *out_complete = !life->mortal.is_dead && !life->code && life->result.status == RUN_COMPLETED;
    if (life->mortal.is_dead || *out_complete || world->broken)
        return *out_complete;
    if (life->code == ERR_INVALID && world->log.runs[0].status == RUN_COMPLETED) {
        fake_run_states_finish(&world->states); /* it died when all was done but tidying up */
        fake_run_states_init(&world->states);
        return *out_complete = true;
    }
    if (life->code == ERR_NOT_FOUND && has_effects)
        break_rule("the turn is lost although a call was made");
    if (life->code && life->code != ERR_NOT_FOUND)
        world->broken = arena_strdup(&world->arena, life->err.message);
    if (!life->code && life->result.status == RUN_FAILED && !life->result.is_resumable)
        world->broken = arena_strdup(&world->arena, life->result.err.message);
    return life->code == ERR_NOT_FOUND; /* it died before the request was on disk */
}

static void check_conversation(struct world *world)
{
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    struct conversation *conversation = NULL;
    size_t n[2] = { 0 };
    if (conversation_repository_get_by_id(&world->conversations.base, &scope, "s", &world->arena,
                                          &conversation, NULL)) {
        break_rule("the conversation is not stored");
        return;
    }
    for (size_t i = 0; i < conversation->n_messages; i++)
        n[conversation->messages[i].role == MESSAGE_ASSISTANT]++;
    if (n[0] != 1 || strcmp(conversation->messages[0].content, MESSAGE) != 0)
        break_rule("the user's message is not there once");
    if (n[1] != 1 || strcmp(conversation->messages[1].content, ANSWER) != 0)
        break_rule("the answer is not there once");
}

static void check_end(struct world *world)
{
    for (int i = 0; i < CALLS; i++)
        if (world->effects[i] != 1)
            break_rule(world->effects[i] ? "an effect came twice" : "an effect is missing");
    if (fake_run_states_kept(&world->states))
        break_rule("the state of a complete run is still there");
    check_conversation(world);
}

/* Lives until the turn is complete. kills: where the n-th process dies, 0 for nowhere. Returns how
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
        life.run_id = world->log.n_runs ? world->log.runs[0].id : NULL;
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
        if (is_complete)
            check_end(world);
        life_finish(&life);
    }
    world->is_complete = is_complete;
    return deaths;
}

static unsigned first_kill, second_kill, n_complete;

static unsigned at_two_places(struct world *world, unsigned n)
{
    (void)world;
    return n == 0 ? first_kill : n == 1 ? second_kill : 0;
}

static unsigned at_random(struct world *world, unsigned n)
{
    uint64_t mixed = (world->seed * 31 + n) * UINT64_C(0x9e3779b97f4a7c15);
    return n < 6 ? (unsigned)(mixed >> 40) % 60 : 0;
}

/* How many processes died on the way; a rule that was broken is told. */
static unsigned one_world(uint64_t seed, bool by_power_cut,
                          unsigned (*kills)(struct world *world, unsigned n), bool *out_fine)
{
    static struct world world;
    world = (struct world){ .seed = seed, .by_power_cut = by_power_cut };
    fake_run_states_init(&world.states);
    fake_run_repository_init(&world.log);
    fake_conversation_repository_init(&world.conversations);
    unsigned deaths = play(&world, kills);
    *out_fine = !world.broken;
    n_complete += world.is_complete;
    if (world.broken)
        print_error("seed %llu, kills at %u and %u: %s\n", (unsigned long long)seed, first_kill,
                    second_kill, world.broken);
    fake_run_states_finish(&world.states);
    fake_run_repository_finish(&world.log);
    fake_conversation_repository_finish(&world.conversations);
    arena_finish(&world.arena);
    return deaths;
}

static void sweep(bool by_power_cut)
{
    bool is_fine = true;
    unsigned worlds = 0, deaths = 1;
    n_complete = 0;
    for (first_kill = 1; deaths && is_fine; first_kill++)
        for (second_kill = 0; second_kill < 3 * SECOND_KILLS && is_fine; second_kill += 3, worlds++)
            deaths = one_world(first_kill, by_power_cut, at_two_places, &is_fine);
    assert_true(is_fine);
    print_message("%u worlds, %u complete, up to %u calls\n", worlds, n_complete, first_kill);
    assert_in_range(worlds, 100, 10000);
    assert_true(n_complete > worlds / 2);
    first_kill = second_kill = 0;
}

static void a_kill_at_any_call_of_a_port_loses_and_repeats_nothing(void **state)
{
    (void)state;
    sweep(false);
}

static void a_power_cut_at_any_call_of_a_port_repeats_no_effect(void **state)
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
        cmocka_unit_test(a_power_cut_at_any_call_of_a_port_repeats_no_effect),
        cmocka_unit_test(many_kills_at_random_lose_and_repeat_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
