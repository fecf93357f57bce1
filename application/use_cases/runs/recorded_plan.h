/* What the log tells of the plan of a run: the plan itself, and what became of each of its steps.
 */
#ifndef APPLICATION_USE_CASES_RUNS_RECORDED_PLAN_H
#define APPLICATION_USE_CASES_RUNS_RECORDED_PLAN_H

#include "application/use_cases/runs/runs.h"
#include "domain/plan/plan.h"

/* The last plan that the run went by, as the log has it: without secrets, its long texts cut, only
 * a hash where the log keeps no texts. NULL: there is none. */
const json_t *recorded_plan_value(const struct recorded_run *recorded);
/* The plan that the run went by, the last where there were several; NULL: it had none, or the log
 * kept no texts. In the arena. */
const struct plan *recorded_plan(struct arena *arena, const struct recorded_run *recorded);

struct recorded_step {
    const char *status;  /* of its last step_finished, or what is known since: "ok", "error",
                            "skipped", "cached", "done" (settled), "begun", "unknown", "not begun" */
    int64_t duration_ms; /* -1: unknown */
    const json_t *args;  /* as they were bound; NULL: it did not begin, or they were not kept */
};

/* What became of each step of that plan, in its order. In the arena. */
const struct recorded_step *recorded_steps(struct arena *arena, const struct plan *plan,
                                           const struct recorded_run *recorded);

#endif
