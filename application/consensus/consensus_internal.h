/* What a run of two agents and its baseline share. */
#ifndef APPLICATION_CONSENSUS_CONSENSUS_INTERNAL_H
#define APPLICATION_CONSENSUS_CONSENSUS_INTERNAL_H

#include "application/consensus/consensus.h"

/* What the checker has against a canonical candidate; *out_failure NULL: nothing, or there is no
 * checker, or no candidate. */
awaits MUST_CHECK enum err_code consensus_check(const struct consensus *consensus,
                                                struct scope *scope, const char *candidate,
                                                struct arena *arena, const char **out_failure,
                                                struct err *err);

/* What an agent stands for, null for nothing; without its words where the log keeps none. Owned by
 * the caller, as is the other. */
json_t *consensus_candidate_to_json(const struct standing *standing, bool with_text);
json_t *consensus_usage_to_json(const struct agent_usage *usage);

#endif
