/* The services of one call of the agent: those of the process, but with the person behind the host
 * of the call, with an observer that makes progress of events, without servers that are this agent
 * once more, and with a tool index that has this turn's tools in it although turns beside it share
 * the one there is. */
#ifndef APPLICATION_AGENT_TOOLS_AGENT_TURN_H
#define APPLICATION_AGENT_TOOLS_AGENT_TURN_H

#include "application/agent_tools/agent_user.h"
#include "application/services.h"

#define AGENT_TURN_MAX_TEXT_COLUMNS 300 /* of a progress message */

struct agent_turn {
    struct services base; /* hand this to use cases */
    struct services *host;
    struct arena *arena;
    const struct tool_call *call;
    const struct tool_server *self; /* that is called, and is not among the servers; or NULL */
    struct observer observer;
    struct agent_user user;
    unsigned n_told;
    struct tool_index index;
    struct tool_index *shared;          /* the index of the process */
    const struct agent_turn **in_index; /* whose tools it has now */
    const struct tool *const *tools;    /* of this turn */
    size_t n_tools;
};

/* Everything is borrowed; *in_index is common to all turns of one agent and NULL at first. */
void agent_turn_init(struct agent_turn *turn, struct services *host, struct arena *arena,
                     const struct tool_call *call, const struct agent_turn **in_index);
void agent_turn_finish(struct agent_turn *turn);

/* Whether a server of the configuration is `mistro serve agent`. */
bool agent_turn_is_agent(const struct server_config *config);

#endif
