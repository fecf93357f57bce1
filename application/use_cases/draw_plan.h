/* The plan of a recorded run as a picture, for the page of the run (`runs show --html`). */
#ifndef APPLICATION_USE_CASES_DRAW_PLAN_H
#define APPLICATION_USE_CASES_DRAW_PLAN_H

#include "application/use_cases/runs/recorded_plan.h"

#define DRAW_PLAN_MAX_STEPS 60              /* a person reads more of them better as a list */
#define DRAW_PLAN_MAX_BYTES ((size_t)80000) /* of one picture; a larger one is left out */

/* SVG, in the styles of that name; both NULL: nothing was drawn. */
struct plan_picture {
    const char *light, *dark;
};

/* A node for each step and an edge from each to those that need it: marked ✗ where the step
 * failed, pale where it did not run. Nothing is drawn where there is no Graphviz, or a bound above
 * is reached: a page is as good with a list. In the arena. */
awaits void draw_plan(struct services *services, struct scope *scope, struct arena *arena,
                      const struct plan *plan, const struct recorded_run *recorded,
                      struct plan_picture *out);

#endif
