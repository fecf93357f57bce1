/* The plan of a recorded run as a picture, for the page of the run (`runs show --html`). */
#ifndef APPLICATION_USE_CASES_DRAW_PLAN_H
#define APPLICATION_USE_CASES_DRAW_PLAN_H

#include "application/use_cases/runs/runs.h"
#include "domain/plan/plan.h"

#define DRAW_PLAN_MAX_STEPS 60              /* a person reads more of them better as a list */
#define DRAW_PLAN_MAX_BYTES ((size_t)80000) /* of one picture; a larger one is left out */

/* SVG, in the styles of that name; both NULL: nothing was drawn. */
struct plan_picture {
    const char *light, *dark;
};

/* The plan that the run went by, the last where there were several; NULL: it had none, or the log
 * kept no texts. In the arena. */
const struct plan *recorded_plan(struct arena *arena, const struct recorded_run *recorded);
struct recorded_step {
    const char *status;  /* of its last step_finished, or what is known since: "ok", "error",
                            "skipped", "cached", "done" (settled), "begun", "unknown", "not begun" */
    int64_t duration_ms; /* -1: unknown */
};

/* What became of each step of that plan, in its order. In the arena. */
const struct recorded_step *recorded_steps(struct arena *arena, const struct plan *plan,
                                           const struct recorded_run *recorded);
/* A node for each step and an edge from each to those that need it: marked ✗ where the step
 * failed, pale where it did not run. Nothing is drawn where there is no Graphviz, or a bound above
 * is reached: a page is as good with a list. In the arena. */
awaits void draw_plan(struct services *services, struct scope *scope, struct arena *arena,
                      const struct plan *plan, const struct recorded_run *recorded,
                      struct plan_picture *out);

#endif
