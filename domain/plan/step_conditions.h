/* What a plan of version 2 makes of what its steps gave: whether a step is to run, whether what it
 * gave is right, and the plan's outputs. They are told by results alone, so that a run
 * that is resumed decides as the one before. Pure. */
#ifndef DOMAIN_PLAN_STEP_CONDITIONS_H
#define DOMAIN_PLAN_STEP_CONDITIONS_H

#include "domain/plan/references.h"

struct results_so_far {
    struct arena *arena;
    const struct plan *plan;
    const json_t *vars;
    const struct step_result *const *results; /* by position; NULL: none */
};

/* Whether the step's `when` holds; true without one. ERR_FAILED: it cannot be told. */
MUST_CHECK
enum err_code step_condition_holds(const struct results_so_far *so_far, size_t at, bool *out,
                                   struct err *err);
/* ERR_CHECK_FAILED: one of the step's checks does not hold, or cannot be told; with what it says
 * and the values that it looked at. */
MUST_CHECK
enum err_code step_checks_hold(const struct results_so_far *so_far, size_t at, struct err *err);
/* The plan's outputs, an object in the arena: references bound as in args; null where one leads to
 * a step that gave no result. NULL without outputs. ERR_FAILED: a result has no such member. */
MUST_CHECK
enum err_code plan_outputs(const struct results_so_far *so_far, const json_t **out,
                           struct err *err);

#endif
