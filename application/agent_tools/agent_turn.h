/* The services of one call: those of the process, but with the person behind the host of the call,
 * with an observer that turns events into progress, without servers that are this agent once more,
 * and with a tool index that holds this turn's tools although the turns beside it share one index.
 */
#ifndef APPLICATION_AGENT_TOOLS_AGENT_TURN_H
#define APPLICATION_AGENT_TOOLS_AGENT_TURN_H

#include "application/ports/tool_server.h"
#include "application/ports/user.h"
#include "application/services.h"

#define AGENT_TURN_MAX_TEXT_COLUMNS 300 /* of a progress message */
#define AGENT_USER_MAX_TRIES 3          /* of a form that is filled in wrongly */
#define AGENT_USER_MAX_VALUE_BYTES 2000 /* of the arguments of a call that is to be approved */

/* The person behind the host of a call: what mistro would ask on a terminal is asked by
 * elicitation, so that approvals, questions and the forms of servers reach the host's user. No one
 * is present where the host did not say that it can ask. Every question is a form whose answer is
 * an explicit choice, so that a host that accepts an empty form unseen has agreed to nothing. */
struct agent_user {
    struct user base; /* hand this to use cases */
    const struct answerer *answerer;
};

/* answerer is borrowed; NULL when no one is present. */
void agent_user_init(struct agent_user *user, const struct answerer *answerer);

struct agent_turn {
    struct services base; /* hand this to use cases */
    struct services *host;
    struct arena *arena;
    const struct tool_call *call;
    const struct tool_server
        *self; /* the server that is called; it is not among the servers of the turn; or NULL */
    const char *hidden; /* a server that is not among them either; or NULL */
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
