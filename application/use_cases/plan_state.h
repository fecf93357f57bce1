/* What a run of a plan keeps beside its calls: the plan and its variables as they were given, whose
 * plan it is, and the tools as they were when it was checked. */
#ifndef APPLICATION_USE_CASES_PLAN_STATE_H
#define APPLICATION_USE_CASES_PLAN_STATE_H

#include "application/runs/run_session.h"
#include "domain/plan/plan.h"

struct kept_plan {
    const json_t *plan;
    const json_t *vars; /* or NULL */
    bool is_foreign;
    bool was_checked; /* the tools are there, and no call was made before they were */
};

/* Makes the state, and returns when the plan is on disk. Nothing with runs.keep_state: never. */
awaits MUST_CHECK enum err_code plan_state_begin(struct run_session *session,
                                                 const struct kept_plan *plan, struct err *err);
/* In the arena. ERR_NOT_FOUND: the plan is not there; ERR_UNAVAILABLE: it is not what its hash
 * says. */
MUST_CHECK
enum err_code plan_state_read(struct arena *arena, struct digest *digest,
                              const struct run_contents *contents, struct kept_plan *out,
                              struct err *err);

/* Whether the calls of the step are over: nothing is sent for it any more. */
bool plan_state_is_over(const struct run_contents *contents, const struct step *step);

/* The tools of all steps, found before. */
awaits void plan_state_put_tools(struct run_session *session, const struct plan *plan);
/* Finds the tools of the steps that are not over and compares them. ERR_NOT_FOUND: one is gone.
 * ERR_MISMATCH: a definition or the configuration of its server is another one; with accepts it is
 * taken, and that is an event. */
awaits MUST_CHECK enum err_code plan_state_compare_tools(struct run_session *session,
                                                         const struct plan *plan,
                                                         const struct run_contents *contents,
                                                         bool accepts, struct err *err);

#endif
