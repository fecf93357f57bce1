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

#endif
