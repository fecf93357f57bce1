/* What a run of two agents tells (docs/events.md, Consensus). Texts that agents wrote are left out
 * where the log keeps none (runs.store_text); hashes, counts and remarks always stand. */
#ifndef APPLICATION_CONSENSUS_CONSENSUS_EVENTS_H
#define APPLICATION_CONSENSUS_CONSENSUS_EVENTS_H

#include "application/consensus/consensus.h"

/* One turn, as it was taken. */
struct consensus_turn_told {
    unsigned round, agent;
    const struct envelope *said; /* as the agent gave it; NULL: none could be read */
    const struct controller_verdict *verdict;
    const char *canonical; /* what it stands for now, where that is this candidate; or NULL */
    const char *check_failure;
    const struct agent_usage *usage; /* of this turn */
    int64_t ms;
};

void consensus_tell_started(const struct consensus *consensus);
void consensus_tell_turn(const struct consensus *consensus, const struct consensus_turn_told *turn);
void consensus_tell_hint(const struct consensus *consensus, unsigned round, const char *hint);
void consensus_tell_vote(const struct consensus *consensus, const struct consensus_vote *vote);
void consensus_tell_ended(const struct consensus *consensus, const struct consensus_result *result);

#endif
