/* Asks instead of guessing, and remembers what it asked: the questions, the message they are about
 * and the intent so far stay in the conversation's context, so that the next message
 * (domain/plan/answers.h), or `--answer KEY=VALUE`, answers them even after a restart, before
 * anything is parsed again. A message that says "never mind", or that no question can take and that
 * fits another tool, drops them: from then on only `--answer` answers them, until something else is
 * asked. What cannot be told is asked once more. */
#ifndef APPLICATION_ORCHESTRATORS_CLARIFIER_H
#define APPLICATION_ORCHESTRATORS_CLARIFIER_H

#include "application/orchestrators/turn.h"

#define CLARIFIER_TOOL_KEY "tool"       /* the question which tool is meant */
#define CLARIFIER_CONFIRM_KEY "confirm" /* the question whether the call is to be made at all */
#define CLARIFIER_GOAL_KEY "goal" /* the question what should be done, when no tool is in sight */

/* Whether something must be asked before anything runs. */
bool clarifier_is_needed(const struct turn *turn);
/* Makes the questions unless the intent has some, has them worded, stores them and says them in the
 * conversation and the result, which needs an answer then; with nothing to ask it stays as it is.
 */
awaits MUST_CHECK enum err_code clarifier_ask(struct turn *turn, struct err *err);

enum clarifier_outcome {
    CLARIFIER_NOTHING, /* turn->message stands for itself: it is what is to be done */
    CLARIFIER_RESUMED, /* turn->intent is the stored one with the answers in it */
    CLARIFIER_SETTLED, /* the turn is at its end: asked again, or dropped and nothing else said */
};

/* Applies the request to the questions that wait, if any do. ERR_INVALID for answers to nothing, or
 * none of the choices. */
MUST_CHECK
enum err_code clarifier_resume(struct turn *turn, enum clarifier_outcome *out, struct err *err);
/* After a turn that failed: where nothing was called, what was answered can be answered again, by
 * --answer, for the lines that follow in a pipe were not meant as answers. */
void clarifier_put_back(struct turn *turn);

#endif
