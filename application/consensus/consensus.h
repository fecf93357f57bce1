/* A run of two agents until they agree on one text, or a bound ends it: the controller is the
 * referee, agents answer, the checker tries candidates, and every envelope is an event. In round 1
 * the agents are asked side by side where they have an endpoint each. An agent that was silent
 * (ERR_TIMEOUT) is asked once more in the same turn.
 *
 * Beside it stands a baseline: what one model says most often when it is asked K times alone, with
 * chance in its choice of words. It lets a reader see what the second agent was worth: the answer,
 * the tokens and the time of both are in the result. */
#ifndef APPLICATION_CONSENSUS_CONSENSUS_H
#define APPLICATION_CONSENSUS_CONSENSUS_H

#include "application/consensus/agent.h"
#include "application/runs/run_session.h"

#define CONSENSUS_MAX_VOTES 25

/* The baseline: one model, asked K times alone; the answer that most of them gave. */
struct consensus_vote {
    unsigned samples, usable; /* asked; and of these, those with an acceptable answer */
    unsigned agree;           /* that gave the winner */
    const char *text;         /* the winner as first written; NULL when there is none */
    const char *sha256;
    struct agent_usage usage;
    int64_t duration_ms;
};

struct consensus_result {
    enum consensus_end end;
    const char *text;      /* what was agreed on, as agent a wrote it; NULL without consensus */
    const char *canonical; /* its canonical form */
    const char *sha256;    /* of canonical */
    bool promoted;
    unsigned rounds; /* that were played */
    struct standing candidates[ROLE_SET_AGENTS];
    const struct envelope *envelopes[ROLE_SET_AGENTS]; /* the last of each as it counts, or NULL */
    unsigned flips, coercions, refused;                /* over both agents */
    struct agent_usage usage[ROLE_SET_AGENTS];
    int64_t duration_ms;
    struct consensus_vote vote; /* samples 0: none was asked for */
    struct err err;             /* AGENTS_LOST, UNREADABLE: why */
};

struct consensus {
    struct run_session *session;
    struct consensus_agent *agents[ROLE_SET_AGENTS];
    const struct role_set *roles;
    const json_t *examples; /* that candidates are run against; NULL: none */
    const char *task;
    unsigned max_rounds;
    bool side_by_side; /* the first answers may be asked for at the same time */
};

/* The answer that a consensus gives: prose as agent a wrote it; of the other kinds the text that
 * was compared and tried, without fences, delimiters and comments. NULL without consensus. */
const char *consensus_answer(const struct consensus_result *result, enum canonical_kind kind);

/* Plays until the end. ERR_NONE whenever *out says how it ended, which includes AGENTS_LOST;
 * cancellation and the run's own time are errors. */
awaits MUST_CHECK enum err_code consensus_play(struct consensus *consensus,
                                               struct consensus_result *out, struct err *err);

/* Asks `sampler` as in a first round, `samples` (at most CONSENSUS_MAX_VOTES) times, and counts
 * equal canonical texts; of two that were given equally often the earlier one wins. Answers that
 * cannot be read, are refused or fail the checker are not usable; an endpoint that is gone ends the
 * asking early. Emits the event `vote`. ERR_NONE unless the scope is over. */
awaits MUST_CHECK enum err_code consensus_vote(const struct consensus *consensus,
                                               struct consensus_agent *sampler, unsigned samples,
                                               struct consensus_vote *out, struct err *err);

/* The result as final.json and `consensus --json` have it: {"version":1,"run_id",
 * "status":"CONSENSUS|NO_CONSENSUS","reason","canonical_text","text","sha256","kind","rounds",
 * "promoted","candidates":[…],"envelopes":[…],"flips","coercions","usage","vote"}; owned by the
 * caller. */
json_t *consensus_result_to_json(const struct consensus_result *result, const char *run_id,
                                 enum canonical_kind kind);

#endif
