#include "application/use_cases/reach_consensus.h"
#include "application/consensus/consensus.h"
#include "application/consensus/role_sets.h"
#include "application/orchestrators/turn_result.h"
#include "application/runs/run_session.h"
#include "application/use_cases/consensus_agents.h"
#include "application/use_cases/user_text.h"
#include <string.h>

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

/* One consensus on its way. */
struct reaching {
    const struct consensus_request *request;
    struct role_set roles;
    const json_t *examples;
    const char *run_id;
    struct consensus_result result;
};

awaits static enum err_code play(struct run_session *session, struct reaching *reaching,
                                 struct err *err)
{
    const struct consensus_request *request = reaching->request;
    struct consensus_result *result = &reaching->result;
    const struct settings *settings = session->services->settings;
    struct consensus_agents made = { 0 };
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

awaits static enum err_code run(struct run_session *session, void *context, struct err *err)
{
    struct reaching *reaching = context;
    if (session->journal.repository)
        reaching->run_id = arena_strdup(session->arena, session->journal.run_id);
    enum err_code r = play(session, reaching, err);
    if (r)
        return r;
    session->status = status_of(&reaching->result);
    session->why = reaching->result.err;
    return ERR_NONE;
}

enum err_code reach_consensus(struct services *services, struct scope *scope, struct arena *arena,
                              const struct consensus_request *request, struct consensus_result *out,
                              const char **out_run_id, enum canonical_kind *out_kind,
                              struct err *err)
{
    const struct run_options options = { .kind = "consensus", .title = request->task };
    struct reaching reaching = { .request = request, .run_id = "" };
    *out_run_id = "";
    enum err_code r = check_request(services, request, err);
    if (!r)
        r = find_role_set(services, arena, request, &reaching.roles, err);
    if (!r)
        r = check_packs(services, arena, &reaching.roles, err);
    if (r)
        return r;
    *out_kind = reaching.roles.kind;
    reaching.examples = request->examples ? request->examples : reaching.roles.examples;
    r = check_examples(services, scope, arena, reaching.roles.kind, reaching.examples, err);
    if (r)
        return r;
    r = run_session_do(services, scope, arena, &options, run, &reaching, err);
    *out_run_id = reaching.run_id;
    if (!r)
        *out = reaching.result;
    return r;
}
