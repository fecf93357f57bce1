#include "application/consensus/agent.h"
#include "application/consensus/model_agent_internal.h"
#include "application/structured/contracts.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/consensus/candidate.h"
#include "domain/schema/json_schema.h"
#include <math.h>
#include <string.h>

#define FORMS "data/schemas/artifacts.json"
#define WHERE "/artifact/content"
#define FIRST_INEXACT 9007199254740992.0 /* 2^53: from here on doubles skip whole numbers */

void agent_usage_add(struct agent_usage *sum, const struct agent_usage *more)
{
    const int64_t *from[] = { &more->prompt_tokens, &more->completion_tokens, &more->model_ms };
    int64_t *to[] = { &sum->prompt_tokens, &sum->completion_tokens, &sum->model_ms };
    for (size_t i = 0; i < ARRAY_LENGTH(to); i++)
        *to[i] = *to[i] < 0 || *from[i] < 0 ? -1 : *to[i] + *from[i];
    sum->model_calls += more->model_calls;
}

static enum err_code check_schemas(const json_t *by_type, const char *origin, struct err *err)
{
    const char *type;
    json_t *schema;
    if (!json_is_object(by_type))
        return err_set(err, ERR_INVALID, 0, FORMS " (%.100s): an object is expected", origin);
    json_each_member (by_type, type, schema) {
        struct json_schema *compiled = NULL;
        enum err_code r = json_schema_compile(schema, NULL, 0, &compiled, err);
        json_schema_destroy(compiled);
        if (r)
            return err_prefix(err, ERR_INVALID, FORMS " (%.100s): %.60s", origin, type);
    }
    return ERR_NONE;
}

enum err_code artifact_forms_load(struct arena *arena, struct assets *assets,
                                  struct artifact_forms *out, struct err *err)
{
    const char *text = NULL, *origin = NULL;
    json_t *by_type = NULL;
    enum err_code r = assets_get(assets, FORMS, arena, &text, &origin, err);
    if (r)
        return r;
    r = json_parse(text, strlen(text), JSON_OURS, &by_type, err);
    if (r)
        return err_prefix(err, ERR_INVALID, FORMS " (%.100s)", origin);
    arena_keep_json(arena, by_type);
    r = check_schemas(by_type, origin, err);
    if (!r)
        out->by_type = by_type;
    return r;
}

/* Agents may put the candidate there; it is not part of the artifact's own form. */
static bool is_candidate_alone(const json_t *content)
{
    const char *key;
    const json_t *member;
    if (json_object_size(content) > 1)
        return false;
    json_each_member (content, key, member)
        if (!json_is_string(member) || !envelope_is_candidate_member(key))
            return false;
    return true;
}

bool artifact_check(const struct artifact_forms *forms, enum envelope_artifact type,
                    const json_t *content, struct problems *problems)
{
    const json_t *schema = json_object_get(forms->by_type, envelope_artifact_name(type));
    struct problems found = { .arena = problems->arena };
    bool fits = true;
    if (!schema || is_candidate_alone(content))
        return true;
    if (json_schema_check(schema, content, &found, &fits, NULL) || fits)
        return true; /* the schemas were compiled when they were loaded */
    for (size_t i = 0; i < found.n; i++) {
        const struct problem *each = &found.list[i];
        const char *path = arena_printf(problems->arena, WHERE "%s", each->path ? each->path : "");
        struct problem *problem = problems_add(problems, NULL, path, "%s", each->message);
        problem->fix = each->fix;
        problem->rule = each->rule;
    }
    return false;
}

struct model_agent {
    struct consensus_agent base;
    struct engine engine;
    struct settings settings; /* the run's; a sampler's own temperature and seeds */
    struct agent_briefing briefing;
    struct contract contract;
    struct artifact_forms forms;
    const char *system;
    const char *example;   /* the final text of the contract's own example */
    const char *left_over; /* what was wrong with the last artifact, or NULL */
    bool samples;
};

/* One turn, as the contract's functions see it. */
struct answering {
    struct model_agent *agent;
    const struct ask_outcome *outcome;
    const char *artifact_problem;
};

static void set_missing(json_t *object, const char *key, json_t *value)
{
    if (!json_object_get(object, key))
        json_object_set_new(object, key, value);
    else
        json_decref(value);
}

/* The final text as the object it stands in: a model may write the text itself in its place, or a
 * value where the text is one. A number that lost digits when it was read is left for a reminder.
 */
static json_t *solution_of(struct arena *arena, const json_t *said)
{
    const json_t *text = json_is_object(said) ? json_object_get(said, "canonical_text") : said;
    if (json_is_real(text) && fabs(json_real_value(text)) >= FIRST_INEXACT)
        return json_share(said);
    json_auto_t *original = json_share(said);
    json_t *solution = json_is_object(said) ? json_copy(original) : json_object();
    if (!json_is_string(text))
        text = arena_keep_json(
            arena, json_string(text && !json_is_null(text) ? json_print_in(arena, text) : ""));
    json_object_set_new(solution, "canonical_text", json_share(text));
    return solution;
}

/* Who speaks and to whom is known, and a model that asks or shows nothing may leave those members
 * out: they are filled in. What it wrote on its way to the answer is dropped. */
static const json_t *fill_in(void *context, struct arena *arena, const json_t *value)
{
    const struct agent_briefing *briefing = &((struct answering *)context)->agent->briefing;
    const struct role_agent *me = &briefing->roles->agents[briefing->index];
    const struct role_agent *peer = &briefing->roles->agents[1 - briefing->index];
    if (!json_is_object(value))
        return value;
    json_auto_t *original = json_share(value);
    json_t *whole = arena_keep_json(arena, json_copy(original));
    set_missing(whole, "role", json_string(me->role));
    set_missing(whole, "domain", json_string(me->domain ? me->domain : ""));
    set_missing(whole, "handoff_to", json_string(peer->role));
    set_missing(whole, "needs_from_peer", json_array());
    set_missing(whole, "artifact", json_pack("{s:s, s:{}}", "type", "results", "content"));
    json_object_set_new(whole, "working", json_string(""));
    json_object_set_new(whole, "final_solution",
                        solution_of(arena, json_object_get(value, "final_solution")));
    return whole;
}

static bool has_final_text(const struct envelope *envelope, struct problems *problems)
{
    const char *text = envelope->canonical_text;
    if (envelope->status != ENVELOPE_SOLVED || text[strspn(text, " \t\r\n")])
        return true;
    problems_add(problems, NULL, "/final_solution/canonical_text",
                 "the status is SOLVED and there is no final text")
        ->fix = "write the complete answer into final_solution.canonical_text, or another status";
    return false;
}

/* Two agents that both copy the example would agree on it. */
static bool is_own_text(const struct model_agent *agent, const struct envelope *envelope,
                        struct problems *problems)
{
    const char *text = envelope_candidate(envelope);
    if (!agent->example || !text || strcmp(agent->briefing.task, agent->example) == 0 ||
        (strcmp(text, agent->example) != 0 && !candidate_has_words_of(text, agent->example)))
        return true;
    problems_add(problems, NULL, "/final_solution/canonical_text", "it is the text of the example")
        ->fix = "write the answer to your own task, not the example's";
    return false;
}

static bool has_formed_artifact(struct answering *answering, const struct envelope *envelope,
                                struct problems *problems)
{
    struct problems found = { .arena = problems->arena };
    answering->artifact_problem = NULL;
    if (artifact_check(&answering->agent->forms, envelope->artifact, envelope->content, &found))
        return true;
    answering->artifact_problem = problem_print(&found, &found.list[0]);
    if (answering->outcome->attempts > 1)
        return true;
    return artifact_check(&answering->agent->forms, envelope->artifact, envelope->content,
                          problems);
}

static bool cross_check(void *context, const json_t *value, struct problems *problems)
{
    struct answering *answering = context;
    struct envelope envelope;
    return envelope_from_json(problems->arena, value, &envelope, problems) &&
           has_final_text(&envelope, problems) &&
           is_own_text(answering->agent, &envelope, problems) &&
           has_formed_artifact(answering, &envelope, problems);
}

static enum err_code answer(struct consensus_agent *a, struct scope *sc, struct arena *arena,
                            const struct controller_turn *turn, struct envelope *out,
                            struct agent_usage *usage, struct err *err)
{
    struct model_agent *agent = (struct model_agent *)a;
    struct ask_prompt prompt;
    struct ask_outcome outcome = { 0 };
    struct answering answering = { .agent = agent, .outcome = &outcome };
    struct contract contract = agent->contract;
    contract.normalise = fill_in;
    contract.cross_check = cross_check;
    contract.context = &answering;
    enum err_code r = agent_prompt_turn(arena, &agent->briefing, agent->system, turn,
                                        agent->left_over, &prompt, err);
    if (r)
        return r;
    if (agent->samples && agent->settings.model_seed >= 0)
        agent->settings.model_seed++;
    r = engine_ask(&agent->engine, sc, arena, &contract, &prompt, &outcome, err);
    const struct agent_usage more = { .model_calls = outcome.attempts,
                                      .prompt_tokens = outcome.prompt_tokens,
                                      .completion_tokens = outcome.completion_tokens,
                                      .model_ms = outcome.model_ms };
    if (outcome.attempts)
        agent_usage_add(usage, &more);
    if (r)
        return r;
    struct problems problems = { .arena = arena };
    agent->left_over = answering.artifact_problem;
    if (envelope_from_json(arena, outcome.value, out, &problems))
        return ERR_NONE;
    return err_set(err, ERR_INTERNAL, 0, "an envelope that fitted its contract cannot be read");
}

static const char *example_text(struct arena *arena, const struct contract *contract)
{
    json_t *good = NULL;
    if (!contract->good ||
        json_parse(contract->good, strlen(contract->good), JSON_OURS, &good, NULL))
        return NULL;
    arena_keep_json(arena, good);
    return json_get_string(json_object_get(good, "final_solution"), "canonical_text");
}

static void set_up(struct model_agent *agent, const struct model_agent_options *options)
{
    static const struct consensus_agent_ops ops = { answer };
    const struct services *services = options->session->services;
    agent->base.ops = &ops;
    agent->base.kind = "model";
    agent->base.model = options->model_name;
    agent->settings = *services->settings;
    agent->samples = options->samples;
    agent->engine = (struct engine){ .model = options->model,
                                     .runtime = services->runtime,
                                     .settings = &agent->settings,
                                     .journal = &options->session->journal,
                                     .places = services->places,
                                     .replies = &options->session->replies,
                                     .party = options->index ? "b" : "a" };
    agent->briefing = (struct agent_briefing){ .assets = services->assets,
                                               .settings = &agent->settings,
                                               .roles = options->roles,
                                               .index = options->index,
                                               .task = options->task,
                                               .examples = options->examples };
}

/* Reports a template of turns that cannot be filled in before the run, and not as a lost agent. */
static enum err_code try_turn(struct arena *arena, const struct model_agent *agent, struct err *err)
{
    static const struct standing nothing;
    const struct controller_turn turn = {
        .agent = agent->briefing.index, .round = 1, .own = &nothing, .peers = &nothing
    };
    struct ask_prompt prompt;
    return agent_prompt_turn(arena, &agent->briefing, agent->system, &turn, NULL, &prompt, err);
}

enum err_code model_agent_create(const struct model_agent_options *options,
                                 struct consensus_agent **out, struct err *err)
{
    struct arena *arena = options->session->arena;
    struct assets *assets = options->session->services->assets;
    struct model_agent *agent = arena_new(arena, struct model_agent);
    set_up(agent, options);
    enum err_code r = contract_load(arena, assets, "envelope", &agent->contract, err);
    if (!r)
        r = artifact_forms_load(arena, assets, &agent->forms, err);
    if (r)
        return r;
    /* Chance is what makes samples differ; an agent of a run has none. */
    if (agent->samples) {
        agent->contract.profile = CONTRACT_PROFILE_DECIDE;
        agent->settings.temperature = agent->settings.consensus_vote_temperature;
    }
    agent->example = example_text(arena, &agent->contract);
    agent->briefing.contract = contract_prompt_text(arena, &agent->contract);
    r = agent_prompt_system(arena, &agent->briefing, &agent->system, err);
    if (!r)
        r = try_turn(arena, agent, err);
    if (!r)
        *out = &agent->base;
    return r;
}
