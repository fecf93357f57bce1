/* What a run of two agents and its baseline report as events (docs/events.md, Consensus). Texts
 * that agents wrote are left out where the log keeps none (runs.store_text); hashes, counts and
 * remarks always stand. */
#ifndef APPLICATION_CONSENSUS_CONSENSUS_INTERNAL_H
#define APPLICATION_CONSENSUS_CONSENSUS_INTERNAL_H

#include "application/consensus/consensus.h"

/* One turn, as it was taken. */
struct consensus_turn_event {
    unsigned round, agent;
    const struct envelope *said; /* as the agent gave it; NULL: none could be read */
    const struct controller_verdict *verdict;
    const char *canonical; /* of this candidate, where the agent stands for it now; or NULL */
    const char *check_failure;
    const struct agent_usage *usage; /* of this turn */
    int64_t ms;
};

void consensus_emit_started(const struct consensus *consensus);
void consensus_emit_turn(const struct consensus *consensus,
                         const struct consensus_turn_event *turn);
void consensus_emit_hint(const struct consensus *consensus, unsigned round, const char *hint);
void consensus_emit_vote(const struct consensus *consensus, const struct consensus_vote *vote);
void consensus_emit_ended(const struct consensus *consensus, const struct consensus_result *result);

#endif
