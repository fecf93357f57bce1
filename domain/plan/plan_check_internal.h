/* What the two files of plan_check share: plan_check.c looks at the plan and its references,
 * plan_check_arguments.c at the arguments of a step. */
#ifndef DOMAIN_PLAN_PLAN_CHECK_INTERNAL_H
#define DOMAIN_PLAN_PLAN_CHECK_INTERNAL_H

#include "domain/plan/plan_check.h"

struct plan_checking {
    struct arena *arena;
    const struct plan *plan;
    const struct plan_check_input *input;
    struct problems *problems;
    const struct tool **tools; /* of each step; NULL where it is not known */
};

/* What of the arguments is known before the run fits the tool's input schema. */
void plan_check_arguments(const struct plan_checking *checking, size_t at);

#endif
