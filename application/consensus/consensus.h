/* A run of two agents until they agree on one text, or a bound ends it: the controller plays,
 * agents answer, the checker tries candidates, and every envelope is an event. In round 1 the
 * agents are asked side by side where they have an endpoint each. An agent that was silent
 * (ERR_TIMEOUT) is asked once more in the same turn. */
#ifndef APPLICATION_CONSENSUS_CONSENSUS_H
#define APPLICATION_CONSENSUS_CONSENSUS_H

#include "application/consensus/agent.h"
#include "application/journal.h"
#include "application/ports/candidate_checker.h"

#define CONSENSUS_MAX_VOTES 25

/* The baseline beside it: one model, asked K times alone; the answer most of them gave. */
struct consensus_vote {
    unsigned samples, usable; /* asked, and of these the ones with an acceptable answer */
    unsigned agree;           /* that gave the winner */
    const char *text;         /* the winner as first written; NULL when there is none */
    const char *sha256;
    struct agent_usage usage;
    int64_t duration_ms;
};

struct consensus_result {
    enum consensus_end end;
    const char *text;      /* what was agreed on, as agent a wrote it; NULL without consensus */
    const char *canonical; /* and canonical */
    const char *sha256;    /* of canonical */
    bool promoted;
    unsigned rounds; /* that were played */
    struct standing candidates[ROLE_SET_AGENTS];
    const struct envelope *envelopes[ROLE_SET_AGENTS]; /* the last of each as it counts, or NULL */
    unsigned flips, coercions, refused;                /* over both agents */
    struct agent_usage usage[ROLE_SET_AGENTS];
    int64_t duration_ms;
    struct consensus_vote vote; /* samples 0: none was asked for */
    struct err err;             /* AGENTS_LOST: why */
};

struct consensus {
    struct runtime *runtime;
    struct journal *journal;
    struct digest *digest;
    struct candidate_checker *checker; /* NULL: nothing is run */
    struct consensus_agent *agents[ROLE_SET_AGENTS];
    const struct role_set *roles;
    const json_t *examples; /* that candidates are run against; NULL: none */
    const char *task;
    unsigned max_rounds;
    bool side_by_side; /* the first answers may be asked for at the same time */
};

/* What to hand on of a consensus: prose as agent a wrote it; of the other kinds what was compared
 * and tried, without fences, delimiters and comments. NULL without consensus. */
const char *consensus_answer(const struct consensus_result *result, enum canonical_kind kind);

/* Plays until the end. ERR_NONE whenever *out says how it ended, which includes AGENTS_LOST;
 * cancellation and the run's own time are errors. */
awaits MUST_CHECK enum err_code consensus_play(struct consensus *consensus, struct scope *scope,
                                               struct arena *arena, struct consensus_result *out,
                                               struct err *err);

/* The result as final.json of the originals and `consensus --json` have it: {"version":1,"run_id",
 * "status":"CONSENSUS|NO_CONSENSUS","reason","canonical_text","text","sha256","kind","rounds",
 * "promoted","candidates":[…],"envelopes":[…],"flips","coercions","usage","vote"}; owned by the
 * caller. */
json_t *consensus_result_to_json(const struct consensus_result *result, const char *run_id,
                                 enum canonical_kind kind);

#endif
