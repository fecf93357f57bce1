/* Makes the plan. Steps that came with the intent are the plan when they pass every check.
 * One tool whose parameters are complete and valid is a plan of one call. Either way no model is
 * asked. Otherwise it fills the contract `plan`; whatever it writes is checked before anything runs
 * (plan/plan_check.h), and each problem goes back to it as an instruction: so does a plan without a
 * step where tools are needed, and a value that stands in the place of one that was said. A value
 * that was not said, where none was said becomes a question (plan/value_origin.h). After a failed
 * step it may be asked once more, with the error and the results so far, which the new plan can use
 * as {vars.…}. */
#ifndef APPLICATION_ORCHESTRATORS_PLANNER_H
#define APPLICATION_ORCHESTRATORS_PLANNER_H

#include "application/orchestrators/turn.h"

#define PLANNER_BASE_TOKENS 256    /* of a plan, and … */
#define PLANNER_STEP_TOKENS 160    /* and of each of its steps */
#define PLANNER_MAX_INSTRUCTIONS 8 /* about one plan; more confuse a small model */

/* What a plan of this turn may cost. */
int64_t planner_max_tokens(const struct turn *turn);

/* No tool: a plan without steps. With questions in the intent there is no plan yet: they are to be
 * asked. ERR_BAD_PLAN when no valid plan was had, ERR_FAILED when none with a step; the problems
 * are then in the turn's result. */
awaits MUST_CHECK enum err_code planner_make(struct turn *turn, const struct plan **out,
                                             struct err *err);
/* A second plan after `failed`; what other steps gave is known to it. */
awaits MUST_CHECK enum err_code planner_make_again(struct turn *turn,
                                                   const struct execution *failed,
                                                   const struct plan **out, struct err *err);

#endif
