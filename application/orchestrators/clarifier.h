/* Asks instead of guessing, and remembers what it asked: the questions, the
 * message they are about and the intent so far stay in the conversation's context, so the next
 * message, or `--answer KEY=VALUE`, even after a restart, answers them before anything is parsed
 * again. A message that fits none of the offered choices is not an answer: the question is dropped
 * and the message stands for itself. */
#ifndef APPLICATION_ORCHESTRATORS_CLARIFIER_H
#define APPLICATION_ORCHESTRATORS_CLARIFIER_H

#include "application/orchestrators/turn.h"
#include "domain/entities/conversation.h"
#include "domain/plan/intent.h"

#define CLARIFIER_CONTEXT_KEY "clarification"
#define CLARIFIER_TOOL_KEY "tool" /* the question which tool is meant */
#define CLARIFIER_GOAL_KEY "goal" /* the question what should be done, when no tool is in sight */

/* Whether something must be asked before anything runs. */
bool clarifier_is_needed(const struct turn *turn);
/* Makes the questions unless the intent has some, has them worded, stores them and says them in the
 * conversation and the result, which needs an answer then; with nothing to ask it stays as it is.
 */
awaits MUST_CHECK enum err_code clarifier_ask(struct turn *turn, struct err *err);
/* Applies the request to the questions that wait, if any do. *out_resumed: turn->intent is the
 * stored one with the answers in it. ERR_INVALID for answers to nothing, or none of the choices. */
MUST_CHECK
enum err_code clarifier_resume(struct turn *turn, bool *out_resumed, struct err *err);

/* The questions that wait in the context of a conversation. */

#define PENDING_VERSION 1

struct pending {
    const char *message;  /* the request the questions are about */
    struct intent intent; /* as far as it was understood; its questions are the ones that wait */
};

/* NULL when nothing waits, or what is stored is none of ours. In the arena. */
struct pending *pending_load(struct arena *arena, const struct conversation *conversation);
void pending_store(struct conversation *conversation, const char *message,
                   const struct intent *intent);
void pending_drop(struct conversation *conversation);

#endif
