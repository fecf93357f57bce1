/* A consensus, a figure and a studio turn whose process is killed at every call of a port, and that
 * are resumed until they are complete. A server counts the pictures it made, a model what it was
 * asked, and what is left is held against a run that nobody killed. MISTRO_SEEDS in the
 * environment, or the first argument, says how many kills at random moments there are beside the
 * sweeps. */
#include "application/use_cases/make_figure.h"
#include "application/use_cases/reach_consensus.h"
#include "application/use_cases/resume_run.h"
#include "application/use_cases/runs/runs.h"
#include "application/use_cases/studio_chat.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/config/config.h"
#include "tests/scenario/mortal_folders.h"
#include "tests/scenario/mortal_sessions.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_run_states.h"
#include "tests/support/fakes/fake_services.h"
#include <stdlib.h>
#include <string.h>

#define LIVES_MAX 40
#define KILLS 200
#define SECOND_KILLS 6
#define REQUESTS_MAX 32
#define PICTURES 2
#define LATER "with a bow"                  /* in the second description of a figure */
#define CHECKER "backwards from the result" /* in the words to the second agent alone */
#define PICTURE "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"></svg>"
#define MESSAGE "a cat in a hat"
#define ANSWER "Here is a cat in a hat."
#define TOOLS                                                                                      \
    "[{\"name\":\"draw\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"prompt\":{"        \
    "\"type\":\"string\"}},\"required\":[\"prompt\"]}}]"

enum kind { CONSENSUS, FIGURE, STUDIO };

static const char *const kinds[] = { RUN_KIND_OF_CONSENSUS, RUN_KIND_OF_FIGURES,
                                     RUN_KIND_OF_STUDIO };
static const unsigned pictures[] = { 0, 2, 1 };

/* What outlives a process: disks, the server, and who watched. */
struct world {
    enum kind kind;
    struct fake_run_states states;
    struct fake_run_repository log;
    struct fake_conversation_repository conversations;
    struct fake_artifacts artifacts;
    uint64_t seed;
    unsigned effects[PICTURES];
    bool was_told[PICTURES];         /* that it is there, before a kill that spares the disk */
    uint64_t asked[REQUESTS_MAX];    /* of the model, as hashes … */
    bool was_answered[REQUESTS_MAX]; /* … likewise */
    size_t n_asked;
    bool by_power_cut, is_complete;
    struct arena arena;
    const char *broken, *answer;
};

/* One process. */
struct life {
    struct mortal mortal;
    struct world *world;
    struct fake_services services;
    struct tool_server server;
    struct model model;
    struct observer observer;
    size_t asked_last;  /* of the world's requests */
    const char *run_id; /* NULL: the job is begun */
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
    return "art";
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

static enum err_code call_tool(struct tool_server *server, struct scope *scope,
                               const struct tool_call *call, struct arena *arena,
                               struct step_result *out, struct err *err)
{
    (void)server;
    struct world *world = living->world;
    size_t picture = strstr(json_get_string(call->arguments, "prompt"), LATER) ? 1 : 0;
    enum err_code r = pass(scope, err);
    if (r)
        return r;
    world->effects[picture]++;
    if (world->was_told[picture])
        break_rule("a picture was made again that had been there");
    r = pass(scope, err);
    if (r)
        return err_outcome_unknown(err, r);
    step_result_from_text(arena, PICTURE, NULL, false, out);
    return ERR_NONE;
}

static uint64_t hash_of(const struct model_request *request)
{
    uint64_t hash = (uint64_t)request->seed;
    for (size_t i = 0; i < request->n_messages; i++)
        for (size_t k = 0; k < request->messages[i].n_parts; k++)
            for (const char *c = request->messages[i].parts[k].text; c && *c; c++)
                hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    return hash;
}

static bool says(const struct model_request *request, const char *words)
{
    for (size_t i = 0; i < request->n_messages; i++)
        for (size_t k = 0; k < request->messages[i].n_parts; k++)
            if (request->messages[i].parts[k].text &&
                strstr(request->messages[i].parts[k].text, words))
                return true;
    return false;
}

#define ENVELOPE(text)                                                                             \
    "{\"task_understanding\":\"Add.\",\"artifact\":{\"type\":\"results\",\"content\":{}},"         \
    "\"needs_from_peer\":[],\"meta\":{\"change_reason\":\"It is "                                  \
    "so.\"},\"final_solution\":{\"canonical_text\":\"" text                                        \
    "\"},\"public_message\":\"[SOLVED] I say " text "0.\",\"status\":\"SOLVED\"}"
#define CRITIQUE(words, stops)                                                                     \
    "{\"critic_suggestions\":\"See.\",\"revised_description\":\"A cat in a hat" words              \
    ".\",\"stop_flag\":" stops ",\"quality_gate\":{\"faithfulness_ok\":true,"                      \
    "\"readability_ok\":true}}"

/* What is said depends on what is asked alone. The second agent disagrees with the first, which
 * comes to see it; the critic wants a second round of a figure. */
static const char *reply_to(const struct model_request *request)
{
    if (text_equal(request->purpose, "envelope"))
        return says(request, "I say ") || says(request, CHECKER) ? ENVELOPE("5") : ENVELOPE("4");
    if (text_equal(request->purpose, "figure_retriever"))
        return "{\"top_refs\":[\"tcp_connection\"],\"selection_rationale\":\"near\","
               "\"retrieval_confidence\":\"high\"}";
    if (text_equal(request->purpose, "figure_planner"))
        return "{\"initial_description\":\"A cat in a hat.\",\"assumption_block\":\"none needed\"}";
    if (text_equal(request->purpose, "figure_stylist"))
        return "{\"optimized_description\":\"A cat in a hat.\",\"style_actions\":[\"direction\"]}";
    if (text_equal(request->purpose, "figure_critic"))
        return says(request, LATER) ? CRITIQUE(" " LATER, "true") : CRITIQUE(" " LATER, "false");
    return ANSWER "\n---\n{\"prompt\":\"a cat in a hat\",\"generate_image\":true,\"steps\":20,"
                  "\"cfg\":7,\"seed\":-1}";
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
    struct world *world = living->world;
    uint64_t hash = hash_of(request);
    const char *text = reply_to(request);
    size_t i = 0;
    enum err_code r = pass(scope, err);
    if (r)
        return r;
    while (i < world->n_asked && world->asked[i] != hash)
        i++;
    if (i == REQUESTS_MAX)
        return err_set(err, ERR_LIMIT, 0, "the model is asked without end");
    world->n_asked += i == world->n_asked;
    world->asked[i] = hash;
    living->asked_last = i;
    if (world->was_answered[i])
        break_rule("the model was asked again for what it had answered");
    (void)request->on_token(request->context, text, strlen(text));
    *out = (struct model_reply){ .text = arena_strdup(arena, text),
                                 .model = "m",
                                 .prompt_tokens = 1000,
                                 .cached_tokens = -1,
                                 .completion_tokens = 5 };
    return pass(scope, err);
}

static size_t picture_of(const char *path)
{
    return text_ends_with(path, "1") ? 1 : 0; /* image, round0, round1 */
}

static void watch(struct observer *observer, const struct event *event)
{
    (void)observer;
    struct world *world = living->world;
    if (mortal->is_dead || world->by_power_cut)
        return;
    if (event->kind == EVENT_MODEL_REPLIED)
        world->was_answered[living->asked_last] = true;
    if (event->kind == EVENT_TOOL_RESULT && !json_object_get(event->data, "error"))
        world->was_told[picture_of(json_get_string(event->data, "step"))] = true;
}

static enum err_code begin_job(struct life *life, struct scope *scope)
{
    struct services *services = &life->services.base;
    const struct consensus_request consensus = {
        .task = "2+2", .role_set = "math", .vote = 2, .out = "left/it"
    };
    const struct figure_request figure = {
        .source_context = "A cat sits in a hat.", .caption = "A cat", .out = "left", .name = "it"
    };
    const struct studio_request studio = { .message = MESSAGE, .session_id = "s" };
    struct reached_consensus reached = { .end.run_id = "" };
    struct made_figure made = { .end.run_id = "" };
    struct studio_result said = { 0 };
    const char *session_id = NULL;
    struct arena *arena = &life->arena;
    enum err_code r = ERR_NONE;
    switch (life->world->kind) {
    case CONSENSUS:
        r = reach_consensus(services, scope, arena, &consensus, &reached, &life->err);
        life->result.status = reached.end.status;
        break;
    case FIGURE:
        r = make_figure(services, scope, arena, &figure, &made, &life->err);
        life->result.status = made.end.status;
        break;
    case STUDIO: {
        struct studio_chat *turns = studio_chat_create(services);
        r = studio_chat_turn(turns, scope, arena, &studio, &session_id, &said, &life->err);
        life->result.status = said.err.code || said.not_saved.code ? RUN_FAILED : RUN_COMPLETED;
        studio_chat_destroy(turns);
        break;
    }
    }
    return r;
}

static enum err_code live(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct life *life = argument;
    life->request.run_id = life->run_id;
    life->code = life->run_id ? resume_run(&life->services.base, scope, &life->arena,
                                           &life->request, &life->result, &life->err)
                              : begin_job(life, scope);
    return ERR_NONE;
}

static void give_ports(struct life *life)
{
    struct fake_services *services = &life->services;
    services->server_ports[0] = &life->server;
    services->model_port = &life->model;
    services->conversations_port = mortal_sessions_port(&life->world->conversations);
    services->runs_port = &life->mortal.log;
    services->base.artifacts = mortal_folders_port(&life->world->artifacts);
    services->base.run_states = &life->world->states.base;
    services->base.observer = &life->observer;
    services->base.documents = yaml_documents();
    services->base.approve_all = true;
    services->settings.tools_attempts = 1;
    services->settings.model_attempts = 1;
    services->settings.figure_image_tool = "art/draw";
    services->settings.figure_image_argument = "prompt";
    services->settings.studio_image_tool = "art/draw";
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
    fake_services_add_server(&life->services, "art", TOOLS);
    give_ports(life);
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
        size_t picture = picture_of(path);
        if (world->was_told[picture])
            break_rule("it was asked about a picture that had been there");
        else if (!world->effects[picture])
            json_object_set_new(answers, key, json_string("repeat"));
        else
            json_object_set_new(results, path, json_string(PICTURE));
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
    if (life->code == ERR_NOT_FOUND && (world->effects[0] || world->effects[1]))
        break_rule("the job is lost although a picture was made");
    if (life->code && life->code != ERR_NOT_FOUND)
        world->broken = arena_strdup(&world->arena, life->err.message);
    if (!life->code && life->result.status != RUN_NEEDS_ANSWER)
        world->broken =
            arena_printf(&world->arena, "it ended otherwise: %s", life->result.err.message);
    return life->code == ERR_NOT_FOUND; /* it died before the request was on disk */
}

static void check_conversation(struct world *world)
{
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    struct conversation *conversation = NULL;
    if (conversation_repository_get_by_id(&world->conversations.base, &scope, "s", &world->arena,
                                          &conversation, NULL))
        break_rule("the conversation is not stored");
    else if (conversation->n_messages != 2 ||
             strcmp(conversation->messages[0].content, MESSAGE) != 0 ||
             strcmp(conversation->messages[1].content, ANSWER) != 0)
        break_rule("message and answer are not there once");
}

static void check_consensus(struct world *world, struct life *life)
{
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    struct consensus_replay replay = { 0 };
    life->services.runs_port = &world->log.base;
    json_t *final = NULL;
    const char *text = fake_artifacts_text(&world->artifacts, "left/it", "final.json");
    const char *said = fake_artifacts_text(&world->artifacts, "left/it", "transcript.jsonl");
    if (replay_run(&life->services.base, &scope, &life->arena, world->log.runs[0].id, &replay,
                   &life->err))
        world->broken = arena_strdup(&world->arena, life->err.message);
    else if (replay.difference || replay.turns != 3)
        break_rule("the log replays to another end");
    if (!text || json_parse(text, strlen(text), JSON_OURS, &final, NULL)) {
        break_rule("the result is not there");
        return;
    }
    arena_keep_json(&world->arena, final);
    const json_t *vote = json_object_get(final, "vote");
    if (!text_equal(json_get_string(final, "text"), "5") || json_get_int(final, "rounds", 0) != 2 ||
        json_get_int(vote, "usable", 0) != 2)
        break_rule("the result is another one");
    size_t n = 0;
    for (const char *c = said; c && *c; c++)
        n += *c == '\n';
    if (n != 3)
        break_rule("the transcript does not have each turn once");
}

static void check_figure(struct world *world)
{
    const json_t *folder = json_object_get(world->artifacts.folders, "left/it");
    const char *picture = json_get_string(folder, "figure.svg");
    if (json_object_size(world->artifacts.folders) != 1)
        break_rule("there is not one folder");
    if (!text_equal(picture, PICTURE) || !json_get_string(folder, "round_1.svg"))
        break_rule("the pictures are not in the folder");
}

/* Each call is in the log with what became of it. */
static bool is_told(const struct world *world, size_t picture)
{
    bool is_there = false;
    for (size_t i = 0; i < world->log.n_events; i++) {
        const struct event *event = &world->log.events[i];
        const char *step = json_get_string(event->data, "step");
        is_there |= (event->kind == EVENT_TOOL_RESULT || event->kind == EVENT_CALL_SETTLED) &&
                    picture_of(step) == picture;
    }
    return is_there;
}

static void check_end(struct world *world, struct life *life)
{
    for (size_t i = 0; i < PICTURES; i++) {
        if (world->effects[i] != (i < pictures[world->kind]))
            break_rule(world->effects[i] ? "a picture was made twice" : "a picture is missing");
        if (i < pictures[world->kind] && !is_told(world, i))
            break_rule("the log does not tell what became of a call");
    }
    if (fake_run_states_kept(&world->states))
        break_rule("the state of a complete run is still there");
    if (world->kind == STUDIO)
        check_conversation(world);
    else if (world->kind == FIGURE)
        check_figure(world);
    else
        check_consensus(world, life);
}

/* Lives until the job is complete. kills: where the n-th process dies, 0 for nowhere. Returns how
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
            check_end(world, &life);
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
    return n < 6 ? (unsigned)(mixed >> 40) % 50 : 0;
}

/* How many processes died on the way; a rule that was broken is told. */
static unsigned one_world(enum kind kind, uint64_t seed, bool by_power_cut,
                          unsigned (*kills)(struct world *world, unsigned n), bool *out_fine)
{
    static struct world world;
    world = (struct world){ .kind = kind, .seed = seed, .by_power_cut = by_power_cut };
    fake_run_states_init(&world.states);
    fake_run_repository_init(&world.log);
    fake_conversation_repository_init(&world.conversations);
    fake_artifacts_init(&world.artifacts);
    unsigned deaths = play(&world, kills);
    *out_fine = !world.broken;
    n_complete += world.is_complete;
    if (world.broken)
        print_error("%s, seed %llu, kills at %u and %u: %s\n", kinds[kind],
                    (unsigned long long)seed, first_kill, second_kill, world.broken);
    fake_run_states_finish(&world.states);
    fake_run_repository_finish(&world.log);
    fake_conversation_repository_finish(&world.conversations);
    fake_artifacts_finish(&world.artifacts);
    arena_finish(&world.arena);
    return deaths;
}

static void sweep(enum kind kind, bool by_power_cut)
{
    bool is_fine = true;
    unsigned worlds = 0, deaths = 1;
    n_complete = 0;
    for (first_kill = 1; deaths && is_fine; first_kill++)
        for (second_kill = 0; second_kill < 3 * SECOND_KILLS && is_fine; second_kill += 3, worlds++)
            deaths = one_world(kind, first_kill, by_power_cut, at_two_places, &is_fine);
    assert_true(is_fine);
    print_message("%s: %u worlds, %u complete, up to %u calls\n", kinds[kind], worlds, n_complete,
                  first_kill);
    assert_in_range(worlds, 50, 10000);
    assert_true(n_complete > worlds / 3);
    first_kill = second_kill = 0;
}

static void a_consensus_killed_at_any_call_of_a_port_comes_to_its_end(void **state)
{
    (void)state;
    sweep(CONSENSUS, false);
}

static void a_figure_killed_at_any_call_of_a_port_makes_each_picture_once(void **state)
{
    (void)state;
    sweep(FIGURE, false);
    sweep(FIGURE, true);
}

static void a_studio_turn_killed_at_any_call_of_a_port_makes_its_image_once(void **state)
{
    (void)state;
    sweep(STUDIO, false);
    sweep(STUDIO, true);
}

static uint64_t n_kills = KILLS;

static void many_kills_at_random_lose_and_repeat_nothing(void **state)
{
    (void)state;
    bool is_fine = true;
    uint64_t deaths = 0;
    for (uint64_t seed = 1; deaths < n_kills && is_fine; seed++)
        deaths += one_world((enum kind)(seed % 3), seed, seed % 2, at_random, &is_fine);
    assert_true(is_fine);
}

int main(int argc, char **argv)
{
    const char *wanted = argc > 1 ? argv[1] : getenv("MISTRO_SEEDS");
    if (wanted && strtoull(wanted, NULL, 10) >= 20)
        n_kills = strtoull(wanted, NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_consensus_killed_at_any_call_of_a_port_comes_to_its_end),
        cmocka_unit_test(a_figure_killed_at_any_call_of_a_port_makes_each_picture_once),
        cmocka_unit_test(a_studio_turn_killed_at_any_call_of_a_port_makes_its_image_once),
        cmocka_unit_test(many_kills_at_random_lose_and_repeat_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
