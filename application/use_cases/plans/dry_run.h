/* What `run --dry-run` says of the calls of a plan beside their arguments. */
#ifndef APPLICATION_USE_CASES_PLANS_DRY_RUN_H
#define APPLICATION_USE_CASES_PLANS_DRY_RUN_H

#include "application/tools/invoke.h"
#include "domain/plan/plan.h"

struct dry_call {
    const struct step *step;
    const struct tool *tool;
    const json_t *args; /* as far as they are bound */
    int64_t n;          /* how often it is made at most */
};

/* {"calls":3,"not_repeatable":["s2"],"repeatable":["s1"],"approval":["s2"]}: how many there are at
 * most, the steps whose call may not be made again when its answer is lost, those that may because
 * the plan says so (left out where there are none), and those that the policy asks about where no
 * person named them, and none approved them before. In the arena. */
awaits const json_t *dry_run_summary(struct invoker *invoker, struct scope *scope,
                                     struct arena *arena, const struct dry_call *calls, size_t n);

#endif
