#include "application/use_cases/reach_consensus.h"
#include "application/consensus/consensus.h"
#include "application/consensus/role_sets.h"
#include "application/orchestrators/turn_result.h"
#include "application/use_cases/consensus_agents.h"
#include "application/use_cases/runs/job.h"
#include "application/use_cases/user_text.h"
#include <string.h>

#define RUN_KIND "consensus"
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

awaits static enum err_code play(struct job *job, const struct consensus_request *request,
                                 const struct role_set *roles, const json_t *examples,
                                 struct consensus_result *out, struct err *err)
{
    struct services *services = job->services;
    struct consensus_agents made = { 0 };
    enum err_code r = consensus_agents_make(job, request, roles, examples, &made, err);
    if (r)
        return r;
    unsigned max_rounds = request->max_rounds ? request->max_rounds
                                              : (unsigned)services->settings->consensus_max_rounds;
    struct consensus consensus = { .runtime = services->runtime,
                                   .journal = &job->journal,
                                   .digest = services->digest,
                                   .checker = services->checker,
                                   .agents = { made.agents[0], made.agents[1] },
                                   .roles = roles,
                                   .examples = examples,
                                   .task = request->task,
                                   .max_rounds = max_rounds,
                                   .side_by_side = made.side_by_side };
    r = consensus_play(&consensus, &job->scope, job->arena, out, err);
    if (!r && request->vote)
        r = consensus_vote(&consensus, made.sampler, request->vote, &job->scope, job->arena,
                           &out->vote, err);
    return r;
}

/* That two do not agree is an end like another, and no error: it says so in its result. */
static enum run_status status_of(const struct consensus_result *result)
{
    if (result->end == CONSENSUS_AGENTS_LOST)
        return run_status_of(result->err.code);
    return result->end == CONSENSUS_CONSENSUS ? RUN_COMPLETED : RUN_FAILED;
}

awaits static enum err_code run(struct services *services, struct scope *scope, struct arena *arena,
                                const struct consensus_request *request,
                                const struct role_set *roles, const json_t *examples,
                                struct consensus_result *out, const char **out_run_id,
                                struct err *err)
{
    struct job job;
    struct err why = { 0 };
    struct consensus_result result = { 0 };
    enum err_code r = job_begin(&job, services, scope, arena, RUN_KIND, NULL, request->task, err);
    if (r)
        return r;
    *out_run_id = job.journal.repository ? arena_strdup(arena, job.journal.run_id) : "";
    r = job_code(&job, play(&job, request, roles, examples, &result, &why), &why);
    job_end(&job, r ? run_status_of(r) : status_of(&result), r ? &why : &result.err);
    if (!r)
        *out = result;
    else if (err)
        *err = why;
    return r;
}

enum err_code reach_consensus(struct services *services, struct scope *scope, struct arena *arena,
                              const struct consensus_request *request, struct consensus_result *out,
                              const char **out_run_id, enum canonical_kind *out_kind,
                              struct err *err)
{
    struct role_set roles;
    *out_run_id = "";
    enum err_code r = check_request(services, request, err);
    if (!r)
        r = find_role_set(services, arena, request, &roles, err);
    if (!r)
        r = check_packs(services, arena, &roles, err);
    if (r)
        return r;
    *out_kind = roles.kind;
    const json_t *examples = request->examples ? request->examples : roles.examples;
    r = check_examples(services, scope, arena, roles.kind, examples, err);
    return r ? r : run(services, scope, arena, request, &roles, examples, out, out_run_id, err);
}
