/* The baseline of a consensus: what one model says most often when it is asked K times alone, with
 * chance in its choice of words. Whoever reads a consensus can compare: the answer, the tokens, the
 * time (C1). */
#ifndef APPLICATION_CONSENSUS_VOTE_H
#define APPLICATION_CONSENSUS_VOTE_H

#include "application/consensus/consensus.h"

/* Asks `sampler` as in a first round, `samples` (at most CONSENSUS_MAX_VOTES) times, and counts
 * equal canonical texts; of two that were given as often the one that was there first wins. Answers
 * that cannot be read, are refused or fail the checker are not usable; an endpoint that is gone
 * ends the asking early. Emits the event `vote`. ERR_NONE unless the scope is over. */
awaits MUST_CHECK enum err_code consensus_vote(const struct consensus *consensus,
                                               struct consensus_agent *sampler, unsigned samples,
                                               struct scope *scope, struct arena *arena,
                                               struct consensus_vote *out, struct err *err);

#endif
