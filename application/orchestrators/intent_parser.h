/* What does the user want? The model fills the contract `intent`: a goal, the tools it needs (an
 * enum of the shortlist, `none` among them), the parameters the request gives. Where the lines of
 * all tools are few (tools.plan_at_once) it fills `intent_and_plan` in the same call: the steps are
 * a proposal, which the planner looks at only after the intent has passed the gate. The model
 * decides nothing else: how sure mistro may be is computed afterwards (domain/plan/confidence.h).
 * When the ladder is spent the lexical analyst says what it makes of the request. */
#ifndef APPLICATION_ORCHESTRATORS_INTENT_PARSER_H
#define APPLICATION_ORCHESTRATORS_INTENT_PARSER_H

#include "application/orchestrators/turn.h"

#define INTENT_MAX_TOKENS 512 /* of an intent, where a plan comes with it */

/* Sets turn->intent, and turn->proposal when steps came with it. The shortlist must be there. */
awaits MUST_CHECK enum err_code intent_parser_parse(struct turn *turn, struct err *err);
/* As intent_parser_parse, by the lexical analyst, without waiting: one call, or several as steps in
 * turn->proposal; the question which tool is meant; or why none is. */
MUST_CHECK
enum err_code intent_parser_parse_lexically(struct turn *turn, struct err *err);
/* Fits the parameters to the tools and computes the confidence; notes what was changed. */
void intent_parser_score(struct turn *turn, struct argument_notes *notes);

#endif
