/* Who answers for the two agents of a consensus: mocks, or models that are looked for here. A part
 * of reach_consensus. */
#ifndef APPLICATION_USE_CASES_CONSENSUS_AGENTS_H
#define APPLICATION_USE_CASES_CONSENSUS_AGENTS_H

#include "application/runs/run_session.h"
#include "application/use_cases/reach_consensus.h"

struct consensus_agents {
    struct consensus_agent *agents[ROLE_SET_AGENTS];
    struct consensus_agent *sampler; /* of the baseline: the first agent, with chance */
    bool side_by_side;               /* they are models at an endpoint each */
};

/* In the session's arena. ERR_UNAVAILABLE: no model, with what to do; ERR_NOT_FOUND: a pack is not
 * there; ERR_INVALID: a prompt that cannot be filled in. */
awaits MUST_CHECK enum err_code consensus_agents_make(struct run_session *session,
                                                      const struct consensus_request *request,
                                                      const struct role_set *roles,
                                                      const json_t *examples,
                                                      struct consensus_agents *out,
                                                      struct err *err);

#endif
