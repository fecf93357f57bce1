/* The questions of a turn, put to the person behind the host while the call goes on. Who is not
 * there, declines or leaves the form has been asked nothing as far as the turn is concerned: its
 * questions stay its result, and a later call can answer them. */
#ifndef APPLICATION_AGENT_TOOLS_AGENT_QUESTIONS_H
#define APPLICATION_AGENT_TOOLS_AGENT_QUESTIONS_H

#include "application/orchestrators/turn_result.h"
#include "application/ports/user.h"
#include "application/use_cases/mistral_chat.h"

#define AGENT_MAX_ROUNDS 5 /* of questions within one call */

/* Fills in the session and the answers of the next request; false: nobody answered. */
awaits MUST_CHECK bool agent_questions_ask(struct user *user, struct scope *scope,
                                           struct arena *arena, const struct turn_result *turn,
                                           struct chat_request *out);

#endif
