/* How long a plan will take, by the medians of the run log. */
#ifndef APPLICATION_USE_CASES_ESTIMATE_H
#define APPLICATION_USE_CASES_ESTIMATE_H

#include "application/services.h"
#include "domain/plan/plan.h"

/* A copy of the plan with the estimates it can have: each step's, and, where every step has one,
 * the time of the longest chain. Without a run log nothing is known, which is no error. */
awaits MUST_CHECK enum err_code estimate_plan(struct services *services, struct scope *scope,
                                              struct arena *arena, const struct plan *plan,
                                              struct plan **out, struct err *err);

#endif
