/* `plans save RUN NAME` and `/plan save NAME`: what a run did as a plan of version 2. A plan that
 * was one already is taken as it was written; of another one the steps that succeeded are kept, and
 * their constants become inputs (domain/plan/saved_plan.h). No server is started for it. */
#ifndef APPLICATION_USE_CASES_PLANS_SAVE_PLAN_H
#define APPLICATION_USE_CASES_PLANS_SAVE_PLAN_H

#include "application/use_cases/runs/runs.h"

/* run_id: or a unique prefix. *out: a plan, in the arena. ERR_INVALID: the run made no calls by a
 * plan, or the log does not have all that the plan would need. */
awaits MUST_CHECK enum err_code save_plan(struct services *services, struct scope *scope,
                                          struct arena *arena, const char *run_id,
                                          const json_t **out, struct err *err);
/* The run of the last turn of a session that made calls. ERR_NOT_FOUND: none did. */
awaits MUST_CHECK enum err_code save_plan_find_turn(struct services *services, struct scope *scope,
                                                    struct arena *arena, const char *session_id,
                                                    const char **out_run_id, struct err *err);

#endif
