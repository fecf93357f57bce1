/* What a run of a plan keeps beside its calls and its tools (application/runs/kept_plan.h): the
 * plan and its variables as they were given, and whose plan it is. */
#ifndef APPLICATION_USE_CASES_PLAN_STATE_H
#define APPLICATION_USE_CASES_PLAN_STATE_H

#include "application/runs/run_session.h"
#include "application/use_cases/run_plan.h"
#include "domain/plan/plan.h"

struct given_plan {
    const json_t *plan;
    const json_t *vars;      /* or NULL */
    const json_t *approvals; /* what was approved, as of struct executor */
    bool is_foreign;
    const struct plan_fork *forked; /* to begin with: its calls are kept too; or NULL */
    bool was_checked;               /* the tools are there, and no call was made before they were */
};

/* Makes the state, and returns when the plan is on disk. Nothing with runs.keep_state: never. */
awaits MUST_CHECK enum err_code plan_state_begin(struct run_session *session,
                                                 const struct given_plan *plan, struct err *err);
/* Before its first call a fork notes its id in the state of the run that is forked, and returns
 * when that is on disk: whoever goes on with that run would make calls again that the fork made. It
 * warns where there is a fork already. */
awaits MUST_CHECK enum err_code plan_state_note_fork(struct run_session *session,
                                                     const struct plan_fork *fork, struct err *err);
/* Of a fork that will never make a call. */
void plan_state_drop_fork(const struct plan_fork *fork);
/* The last run that this one was forked as; NULL when there is none. */
const char *plan_state_fork(const struct run_contents *contents);
/* Whether it is a person's own plan: what it says of its calls is said by that person. */
bool plan_state_is_own(const struct run_contents *contents);
/* In the arena. ERR_NOT_FOUND: the plan is not there; ERR_UNAVAILABLE: it is not what its hash
 * says. */
MUST_CHECK
enum err_code plan_state_read(struct arena *arena, struct digest *digest,
                              const struct run_contents *contents, struct given_plan *out,
                              struct err *err);

#endif
