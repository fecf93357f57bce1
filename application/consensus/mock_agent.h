/* Agents that need no model, for trying a role set, a rule or a script: one that always says the
 * same, and one that takes over what the other says. They keep the rules of the game, so that a run
 * with them ends as one with models that agree would. */
#ifndef APPLICATION_CONSENSUS_MOCK_AGENT_H
#define APPLICATION_CONSENSUS_MOCK_AGENT_H

#include "application/consensus/agent.h"

/* In the arena; the role set must live as long. `mock_rule`: SOLVED with the answer, in every turn.
 */
struct consensus_agent *mock_rule_create(struct arena *arena, const struct role_set *roles,
                                         unsigned index, const char *answer);
/* `mock_echo`: waits until the other stands for something, and adopts it word for word (S0-25). */
struct consensus_agent *mock_echo_create(struct arena *arena, const struct role_set *roles,
                                         unsigned index);

#endif
