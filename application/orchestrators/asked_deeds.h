/* Whether the request asks for what a plan would change. A tool that changes something is not used
 * where the request says not to do it, asks for the opposite, or only reads or asks
 * (finding/request_verbs.h); nor where it only says "go on", and the message before said not to. A
 * tool that the person chose by an answer is asked for. */
#ifndef APPLICATION_ORCHESTRATORS_ASKED_DEEDS_H
#define APPLICATION_ORCHESTRATORS_ASKED_DEEDS_H

#include "application/orchestrators/turn.h"
#include "domain/plan/plan.h"

/* Reads what the turn's message asks for. */
MUST_CHECK
enum err_code asked_deeds_read(struct turn *turn, struct err *err);
/* Adds a problem for each step that was not asked for; false when there is one. */
bool asked_deeds_check(const struct turn *turn, const struct plan *plan, struct problems *problems);

#endif
