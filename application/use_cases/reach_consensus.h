/* `mistro consensus`: two agents until they agree on one canonical text. Finds the role set (a
 * file's text, a name in config/rolesets/, or a composed pair), its packs and models, plays, and
 * writes it all down as a run of kind "consensus". */
#ifndef APPLICATION_USE_CASES_REACH_CONSENSUS_H
#define APPLICATION_USE_CASES_REACH_CONSENSUS_H

#include "application/consensus/consensus.h"
#include "application/services.h"
#include "application/use_cases/job_state.h"

#define RUN_KIND_OF_CONSENSUS "consensus" /* in the log */

/* X(kind, name): who answers for an agent */
#define AGENT_KINDS(X)                                                                             \
    X(MODEL, "model")                                                                              \
    X(MOCK_RULE, "mock_rule") /* always SOLVED with `mock_answer` */                               \
    X(MOCK_ECHO, "mock_echo") /* adopts what the peer stands for */

enum agent_kind {
#define X(kind, name) AGENT_##kind,
    AGENT_KINDS(X)
#undef X
};

struct consensus_request {
    const char *task;
    const char *role_set;      /* name; NULL: settings.consensus_role_set */
    const char *role_set_text; /* JSON of a file the person named, instead; or NULL */
    enum agent_kind agents[ROLE_SET_AGENTS];
    const char *models[ROLE_SET_AGENTS]; /* --agent-a/--agent-b named a model; or NULL */
    const char *mock_answer;             /* for the mocks; NULL: they echo */
    const json_t *examples;              /* candidates are run against them; NULL: the set's own */
    unsigned max_rounds;                 /* 0: settings.consensus_max_rounds */
    unsigned vote;                       /* 0: no baseline; at most CONSENSUS_MAX_VOTES */
    /* Folder for transcript.jsonl and final.json, which appears whole or not at all; NULL: nothing
     * is written. One that cannot be is an error before anything is asked. */
    const char *out;
    const struct resumption *resumed; /* NULL: a new one is begun */
};

/* The request that the run began with. */
struct consensus_request consensus_request_kept(const struct resumption *resumed);

struct reached_consensus {
    struct consensus_result result;
    enum canonical_kind kind; /* of the role set that was played */
    const char *run_id;       /* "" when no log is kept */
    struct job_end end;       /* of its run */
};

/* ERR_INVALID: an unknown role set (nearest names in the hint), not two agents, an empty task;
 * ERR_NOT_FOUND: a pack that is not there; ERR_LIMIT: task beyond limits.request_bytes;
 * ERR_UNAVAILABLE: no model. After an error *out still names the run, if one was begun. Where it
 * waits for calls to be settled (out->end.open) there is no result. */
awaits MUST_CHECK enum err_code reach_consensus(struct services *services, struct scope *scope,
                                                struct arena *arena,
                                                const struct consensus_request *request,
                                                struct reached_consensus *out, struct err *err);

/* Names of role sets: the files, and the pairs that can be composed. In the arena, sorted. */
MUST_CHECK
enum err_code list_role_sets(struct services *services, struct arena *arena,
                             const char ***out_names, size_t *out_n, struct err *err);
/* What it is for; NULL: there is none of that name, or it is broken. In the arena. */
const char *role_set_purpose(struct services *services, struct arena *arena, const char *name);
bool agent_kind_parse(const char *name, enum agent_kind *out);

#endif
