/* Adding up what agents used. A count that an endpoint does not tell makes the sum unknown. */
#ifndef APPLICATION_CONSENSUS_AGENT_USAGE_H
#define APPLICATION_CONSENSUS_AGENT_USAGE_H

#include "application/consensus/agent.h"

static inline void agent_usage_count(int64_t *sum, int64_t more)
{
    *sum = *sum < 0 || more < 0 ? -1 : *sum + more;
}

static inline void agent_usage_add(struct agent_usage *sum, const struct agent_usage *more)
{
    sum->model_calls += more->model_calls;
    agent_usage_count(&sum->prompt_tokens, more->prompt_tokens);
    agent_usage_count(&sum->completion_tokens, more->completion_tokens);
    agent_usage_count(&sum->model_ms, more->model_ms);
}

#endif
