/* The parts of plan_check, each a file: what a step's references and arguments must satisfy. */
#ifndef DOMAIN_PLAN_PLAN_CHECK_PARTS_H
#define DOMAIN_PLAN_PLAN_CHECK_PARTS_H

#include "domain/plan/plan_check.h"

struct plan_checking {
    struct arena *arena;
    const struct plan *plan;
    const struct plan_check_input *input;
    struct problems *problems;
    const struct tool **tools; /* of each step; NULL where it is not known */
};

/* Every reference of the step names an earlier step or a variable, and what is there. */
void plan_check_references(const struct plan_checking *checking, size_t at);
/* What of the arguments is known before the run fits the tool's input schema. */
void plan_check_arguments(const struct plan_checking *checking, size_t at);

#endif
