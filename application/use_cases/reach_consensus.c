#include "application/use_cases/reach_consensus.h"
#include "application/consensus/consensus.h"
#include "application/consensus/consensus_record.h"
#include "application/consensus/role_sets.h"
#include "application/orchestrators/turn_result.h"
#include "application/runs/run_session.h"
#include "application/structured/model_call.h"
#include "application/use_cases/user_text.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

/* Who answers for the two agents: mocks, or models. */
struct consensus_agents {
    struct consensus_agent *agents[ROLE_SET_AGENTS];
    struct consensus_agent *sampler; /* of the baseline: the first agent, with chance */
    bool side_by_side;               /* they are models at an endpoint each */
};

/* What they are made of. */
struct making {
    struct run_session *session;
    const struct consensus_request *request;
    const struct role_set *roles;
    const json_t *examples;
    struct model *models[ROLE_SET_AGENTS]; /* NULL for a mock */
    struct model_status status[ROLE_SET_AGENTS];
};

static enum err_code no_model_for_agents(struct err *err)
{
    enum err_code r =
        err_set(err, ERR_UNAVAILABLE, 0, "a consensus needs a model, and there is none");
    return err_hint(err, r,
                    "start one with: ollama serve, and get it with: ollama pull mistral:7b; or "
                    "try --mock --answer TEXT");
}

awaits static enum err_code find_model(struct making *making, unsigned i, struct err *err)
{
    struct services *services = making->session->services;
    struct scope *scope = &making->session->scope;
    const struct role_agent *agent = &making->roles->agents[i];
    const char *name = making->request->models[i] ? making->request->models[i] : agent->model;
    enum model_choice choice = MODEL_CHOICE_NAMED;
    struct model *model = NULL;
    enum err_code r = name || agent->base_url
                          ? services_model_of(services, scope, name, agent->base_url, &model, err)
                          : services_model(services, scope, &model, &choice, err);
    if (!r && !model)
        r = no_model_for_agents(err);
    if (!r)
        r = model_check(model, scope, making->session->arena, &making->status[i], err);
    if (r)
        return err_prefix(err, model_failure(r, err), "the %.60s", agent->role);
    making->models[i] = model;
    return ERR_NONE;
}

awaits static enum err_code find_models(struct making *making, struct err *err)
{
    enum err_code r = ERR_NONE;
    for (unsigned i = 0; i < ROLE_SET_AGENTS && !r; i++)
        if (making->request->agents[i] == AGENT_MODEL)
            r = find_model(making, i, err);
    return r;
}

static struct model_agent_options options_of(const struct making *making, unsigned i)
{
    return (struct model_agent_options){ .model = making->models[i],
                                         .model_name = making->status[i].model,
                                         .session = making->session,
                                         .roles = making->roles,
                                         .index = i,
                                         .task = making->request->task,
                                         .examples = making->examples };
}

static enum err_code make_model_agent(const struct making *making, unsigned i,
                                      struct consensus_agents *out, struct err *err)
{
    struct model_agent_options options = options_of(making, i);
    enum err_code r = model_agent_create(&options, &out->agents[i], err);
    if (r || out->sampler || !making->request->vote)
        return r;
    options.samples = true;
    return model_agent_create(&options, &out->sampler, err);
}

static enum err_code make_agent(const struct making *making, unsigned i,
                                struct consensus_agents *out, struct err *err)
{
    struct arena *arena = making->session->arena;
    const char *answer = making->request->mock_answer;
    switch (making->request->agents[i]) {
    case AGENT_MODEL:
        return make_model_agent(making, i, out, err);
    case AGENT_MOCK_RULE:
        out->agents[i] = answer ? mock_rule_create(arena, making->roles, i, answer)
                                : mock_echo_create(arena, making->roles, i);
        break;
    case AGENT_MOCK_ECHO:
        out->agents[i] = mock_echo_create(arena, making->roles, i);
        break;
    }
    return ERR_NONE;
}

static bool are_models(const struct making *making)
{
    return making->models[0] && making->models[1];
}

/* A script has no address. */
static bool is_one_endpoint(const struct making *making)
{
    const char *a = making->status[0].base_url, *b = making->status[1].base_url;
    return a && *a && text_equal(a, b);
}

/* Two models behind one endpoint take turns, and may have to be loaded anew each time: who named
 * two will want to know. */
static void tell_shared_endpoint(const struct making *making)
{
    if (!are_models(making) || !is_one_endpoint(making) || making->models[0] == making->models[1])
        return;
    journal_warn(&making->session->journal,
                 "both models are at %.200s: they are asked one after the other",
                 making->status[0].base_url);
}

/* In the session's arena. ERR_UNAVAILABLE: no model, with what to do; ERR_NOT_FOUND: a pack is not
 * there; ERR_INVALID: a prompt that cannot be filled in. */
static enum err_code consensus_agents_make(struct run_session *session,
                                           const struct consensus_request *request,
                                           const struct role_set *roles, const json_t *examples,
                                           struct consensus_agents *out, struct err *err)
{
    struct making making = {
        .session = session, .request = request, .roles = roles, .examples = examples
    };
    struct consensus_agents made = { 0 };
    enum err_code r = find_models(&making, err);
    for (unsigned i = 0; i < ROLE_SET_AGENTS && !r; i++)
        r = make_agent(&making, i, &made, err);
    if (r)
        return r;
    if (!made.sampler)
        made.sampler = made.agents[0];
    made.side_by_side =
        are_models(&making) && making.models[0] != making.models[1] && !is_one_endpoint(&making);
    tell_shared_endpoint(&making);
    *out = made;
    return ERR_NONE;
}

#define ROLE_SET_OF_FILE "given"

bool agent_kind_parse(const char *name, enum agent_kind *out)
{
    static const char *const names[] = {
#define X(kind, name) name,
        AGENT_KINDS(X)
#undef X
    };
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        if (strcmp(name, names[i]) != 0)
            continue;
        *out = (enum agent_kind)i;
        return true;
    }
    return false;
}

enum err_code list_role_sets(struct services *services, struct arena *arena,
                             const char ***out_names, size_t *out_n, struct err *err)
{
    return role_sets_list(arena, services->assets, out_names, out_n, err);
}

const char *role_set_purpose(struct services *services, struct arena *arena, const char *name)
{
    struct role_set set;
    return role_sets_find(arena, services->assets, name, &set, NULL) ? NULL : set.description;
}

static enum err_code check_request(const struct services *services,
                                   const struct consensus_request *request, struct err *err)
{
    int64_t max_bytes = services->settings->limits_request_bytes;
    if (!request->task || !request->task[strspn(request->task, " \t\r\n")])
        return err_hint(err, err_set(err, ERR_INVALID, 0, "the task is empty"),
                        "say what the two are to agree on, for example: compute 3+1");
    enum err_code r = user_text_check(request->task, "task", max_bytes, err);
    if (!r && request->mock_answer)
        r = user_text_check(request->mock_answer, "answer", ENVELOPE_MAX_CANONICAL_BYTES, err);
    if (!r && request->max_rounds > CONTROLLER_MAX_ROUNDS)
        r = err_set(err, ERR_LIMIT, 0, "%u rounds are too many, at most %d are allowed",
                    request->max_rounds, CONTROLLER_MAX_ROUNDS);
    if (!r && request->vote > CONSENSUS_MAX_VOTES)
        r = err_set(err, ERR_LIMIT, 0, "%u samples are too many, at most %d are allowed",
                    request->vote, CONSENSUS_MAX_VOTES);
    return r;
}

static enum err_code find_role_set(struct services *services, struct arena *arena,
                                   const struct consensus_request *request, struct role_set *out,
                                   struct err *err)
{
    const char *name =
        request->role_set ? request->role_set : services->settings->consensus_role_set;
    if (!request->role_set_text)
        return role_sets_find(arena, services->assets, name, out, err);
    enum err_code r = user_text_check(request->role_set_text, "role set",
                                      services->settings->limits_request_bytes, err);
    return r ? r
             : role_sets_read(arena, request->role_set ? name : ROLE_SET_OF_FILE,
                              request->role_set_text, out, err);
}

/* Also for mocks, which read none: a role set that is tried must be one that works. */
static enum err_code check_packs(struct services *services, struct arena *arena,
                                 const struct role_set *roles, struct err *err)
{
    struct role_pack pack;
    enum err_code r = ERR_NONE;
    for (size_t i = 0; i < ROLE_SET_AGENTS && !r; i++)
        if (roles->agents[i].pack)
            r = role_pack_load(arena, services->assets, roles->agents[i].pack, &pack, err);
    return r;
}

/* Something of every kind that can be held against examples, whatever they ask. */
static const char *any_candidate(enum canonical_kind kind)
{
    static const char *const candidates[] = {
        [CANONICAL_TEXT] = "text", [CANONICAL_CODE] = "text", [CANONICAL_JSON] = "{}",
        [CANONICAL_NUMBER] = "0",  [CANONICAL_REGEX] = "x",   [CANONICAL_SQL] = "select 1"
    };
    return candidates[kind];
}

/* Examples of another form are told before a model is asked, not after its first answer. */
static enum err_code check_examples(const struct services *services, struct scope *scope,
                                    struct arena *arena, enum canonical_kind kind,
                                    const json_t *examples, struct err *err)
{
    const char *failure = NULL;
    if (!services->checker || !examples)
        return ERR_NONE;
    const struct candidate_trial trial = { kind, any_candidate(kind), examples };
    return candidate_check(services->checker, scope, &trial, arena, &failure, err);
}

/* The folder of the request. It watches the run, so that nothing depends on a run log. */
struct consensus_folder {
    struct observer base;
    struct observer *watcher; /* who watches beside it; may be NULL */
    struct arena *arena;
    struct artifact_folder *folder; /* NULL: nothing is written */
    struct event *events;           /* of the two agents */
    size_t n, capacity;
};

static bool is_kept(enum event_kind kind)
{
    return kind == EVENT_CONSENSUS_STARTED || kind == EVENT_ENVELOPE;
}

static void keep_event(struct observer *observer, const struct event *event)
{
    struct consensus_folder *f = (struct consensus_folder *)observer;
    if (f->folder && is_kept(event->kind)) {
        struct event *kept = arena_push(f->arena, f->events, f->n, f->capacity);
        *kept = *event;
        kept->run_id = arena_strdup(f->arena, event->run_id);
        kept->data = arena_keep_json(f->arena, json_share(event->data));
    }
    if (f->watcher)
        observer_observe(f->watcher, event);
}

/* "runs/tcp/" is tcp in runs, "tcp" is tcp here. */
static void split_path(struct arena *arena, const char *path, const char **out_parent,
                       const char **out_name)
{
    char *copy = arena_strdup(arena, path);
    size_t length = strlen(copy);
    while (length > 1 && copy[length - 1] == '/')
        copy[--length] = '\0';
    char *slash = strrchr(copy, '/');
    *out_name = slash ? slash + 1 : copy;
    *out_parent = !slash ? "." : slash == copy ? "/" : copy;
    if (slash)
        *slash = '\0';
}

/* From then on the services' observer is this one, until folder_close. */
static enum err_code folder_open(struct consensus_folder *f, struct services *services,
                                 struct scope *scope, struct arena *arena, const char *path,
                                 struct err *err)
{
    static const struct observer_ops ops = { keep_event };
    struct artifact_place place = { 0 };
    *f = (struct consensus_folder){ .base = { &ops },
                                    .watcher = services->observer,
                                    .arena = arena };
    if (!path)
        return ERR_NONE;
    if (!services->artifacts)
        return err_set(err, ERR_UNAVAILABLE, 0, "no files can be written here");
    split_path(arena, path, &place.parent, &place.name);
    enum err_code r = artifacts_open(services->artifacts, scope, &place, &f->folder, err);
    if (r)
        return err_prefix(err, r, "--out");
    services->observer = &f->base;
    return ERR_NONE;
}

static void folder_close(struct consensus_folder *f, struct services *services)
{
    services->observer = f->watcher;
    artifact_folder_discard(f->folder);
}

static enum err_code put_text(struct consensus_folder *f, struct scope *scope, const char *name,
                              const char *text, struct err *err)
{
    return artifact_put(f->folder, scope, name, text, strlen(text), err);
}

static enum err_code write_files(struct consensus_folder *f, struct scope *scope,
                                 const struct reached_consensus *reached, struct err *err)
{
    if (!f->folder)
        return ERR_NONE;
    json_auto_t *final = consensus_result_to_json(&reached->result, reached->run_id, reached->kind);
    auto_str text = json_print_pretty(final);
    enum err_code r = put_text(f, scope, "transcript.jsonl",
                               consensus_transcript(f->arena, f->events, f->n), err);
    if (!r)
        r = put_text(f, scope, "final.json", arena_printf(f->arena, "%s\n", text), err);
    if (!r)
        r = artifact_folder_commit(steal(&f->folder), scope, err);
    return r ? err_prefix(err, r, "--out") : ERR_NONE;
}

/* One consensus on its way. */
struct reaching {
    const struct consensus_request *request;
    struct role_set roles;
    const json_t *examples;
    struct consensus_folder folder;
    struct reached_consensus *out;
};

awaits static enum err_code play(struct run_session *session, struct reaching *reaching,
                                 struct err *err)
{
    const struct consensus_request *request = reaching->request;
    struct consensus_result *result = &reaching->out->result;
    const struct settings *settings = session->services->settings;
    struct consensus_agents made = { 0 };
    run_session_open_replies(session);
    enum err_code r =
        consensus_agents_make(session, request, &reaching->roles, reaching->examples, &made, err);
    if (r)
        return r;
    struct consensus consensus = { .session = session,
                                   .agents = { made.agents[0], made.agents[1] },
                                   .roles = &reaching->roles,
                                   .examples = reaching->examples,
                                   .task = request->task,
                                   .max_rounds = request->max_rounds
                                                     ? request->max_rounds
                                                     : (unsigned)settings->consensus_max_rounds,
                                   .side_by_side = made.side_by_side };
    r = consensus_play(&consensus, result, err);
    if (!r && request->vote)
        r = consensus_vote(&consensus, made.sampler, request->vote, &result->vote, err);
    return r;
}

/* That two do not agree is an end like another, and no error: it says so in its result. */
static enum run_status status_of(const struct consensus_result *result)
{
    if (result->end == CONSENSUS_AGENTS_LOST)
        return run_status_of(result->err.code);
    return result->end == CONSENSUS_CONSENSUS ? RUN_COMPLETED : RUN_FAILED;
}

/* The folder is there before the run is complete: a resumed run writes it as well. */
awaits static enum err_code run(struct run_session *session, void *context, struct err *err)
{
    struct reaching *reaching = context;
    struct reached_consensus *out = reaching->out;
    if (session->journal.repository)
        out->run_id = arena_strdup(session->arena, session->journal.run_id);
    enum err_code r = play(session, reaching, err);
    if (!r)
        r = write_files(&reaching->folder, &session->scope, out, err);
    if (r)
        return r;
    session->status = status_of(&out->result);
    session->why = out->result.err;
    return ERR_NONE;
}

static json_t *request_to_json(const struct consensus_request *request)
{
    return json_pack(
        "{s:s, s:s*, s:s*, s:[i, i], s:[s?, s?], s:s*, s:O*, s:i, s:i, s:s*}", "task",
        request->task, "role_set", request->role_set, "role_set_text", request->role_set_text,
        "agents", (int)request->agents[0], (int)request->agents[1], "models", request->models[0],
        request->models[1], "mock_answer", request->mock_answer, "examples", request->examples,
        "max_rounds", (int)request->max_rounds, "vote", (int)request->vote, "out", request->out);
}

struct consensus_request consensus_request_kept(const struct resumption *resumed)
{
    const json_t *value = resumed->job.request;
    struct consensus_request request = {
        .resumed = resumed,
        .task = json_get_string(value, "task"),
        .role_set = json_get_string(value, "role_set"),
        .role_set_text = json_get_string(value, "role_set_text"),
        .mock_answer = json_get_string(value, "mock_answer"),
        .examples = json_object_get(value, "examples"),
        .max_rounds = (unsigned)json_get_int(value, "max_rounds", 0),
        .vote = (unsigned)json_get_int(value, "vote", 0),
        .out = json_get_string(value, "out"),
    };
    for (size_t i = 0; i < ROLE_SET_AGENTS; i++) {
        const json_t *agents = json_object_get(value, "agents");
        const json_t *models = json_object_get(value, "models");
        request.agents[i] = (enum agent_kind)json_integer_value(json_array_get(agents, i));
        request.models[i] = json_string_value(json_array_get(models, i));
    }
    return request;
}

static enum err_code prepare(struct reaching *reaching, struct services *services,
                             struct scope *scope, struct arena *arena, struct err *err)
{
    const struct consensus_request *request = reaching->request;
    const struct role_set *roles = &reaching->roles;
    enum err_code r = check_request(services, request, err);
    if (!r)
        r = find_role_set(services, arena, request, &reaching->roles, err);
    if (!r)
        r = check_packs(services, arena, roles, err);
    reaching->out->kind = roles->kind;
    reaching->examples = request->examples ? request->examples : roles->examples;
    return r ? r : check_examples(services, scope, arena, roles->kind, reaching->examples, err);
}

enum err_code reach_consensus(struct services *services, struct scope *scope, struct arena *arena,
                              const struct consensus_request *request,
                              struct reached_consensus *out, struct err *err)
{
    struct reaching *reaching = arena_new(arena, struct reaching);
    struct job job = { .kind = RUN_KIND_OF_CONSENSUS,
                       .asks_model = request->vote || request->agents[0] == AGENT_MODEL ||
                                     request->agents[1] == AGENT_MODEL,
                       .resumed = request->resumed,
                       .work = run,
                       .context = reaching,
                       .end = &out->end };
    *out = (struct reached_consensus){ .run_id = "", .end.run_id = "" };
    *reaching = (struct reaching){ .request = request, .out = out };
    enum err_code r = prepare(reaching, services, scope, arena, err);
    if (!r)
        r = folder_open(&reaching->folder, services, scope, arena, request->out, err);
    if (r)
        return r;
    job.request = request->resumed ? NULL : request_to_json(request);
    r = job_do(services, scope, arena, &job, NULL, request->task, err);
    folder_close(&reaching->folder, services);
    return r;
}
