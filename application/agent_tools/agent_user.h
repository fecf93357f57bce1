/* The person behind the host of a call: what mistro would ask on a terminal is asked by
 * elicitation, so that approvals, questions and the forms of servers reach whoever uses the host.
 * Nobody is present where the host did not say that it can ask.
 *
 * Every question is a form whose answer is an explicit choice, so that a host that accepts an empty
 * form unseen has agreed to nothing. */
#ifndef APPLICATION_AGENT_TOOLS_AGENT_USER_H
#define APPLICATION_AGENT_TOOLS_AGENT_USER_H

#include "application/ports/tool_server.h"
#include "application/ports/user.h"

#define AGENT_USER_MAX_TRIES 3          /* of a form that is filled in wrongly */
#define AGENT_USER_MAX_VALUE_BYTES 2000 /* of the arguments of a call that is to be approved */

struct agent_user {
    struct user base; /* hand this to use cases */
    const struct answerer *answerer;
};

/* answerer is borrowed and may be NULL: nobody is present. */
void agent_user_init(struct agent_user *user, const struct answerer *answerer);

#endif
