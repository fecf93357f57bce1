/* What the files of plan_check share: plan_check.c looks at the plan and its references,
 * plan_check_arguments.c at the arguments of a step, plan_check_gaps.c for gaps in them;
 * plan_check_hints.c says what to write instead. */
#ifndef DOMAIN_PLAN_PLAN_CHECK_INTERNAL_H
#define DOMAIN_PLAN_PLAN_CHECK_INTERNAL_H

#include "domain/plan/plan_check.h"
#include "domain/plan/references.h"

struct plan_checking {
    struct arena *arena;
    const struct plan *plan;
    const struct plan_check_input *input;
    struct problems *problems;
    const struct tool **tools; /* of each step; NULL where it is not known */
    uint64_t **reached; /* of each step a bit for each that it waits for; NULL: not yet made */
};

/* Where the problems of a step belong that are found next, and those of its arguments. */
void plan_check_at_step(const struct plan_checking *checking, size_t at);
void plan_check_at_arguments(const struct plan_checking *checking, size_t at);

/* What of the arguments is known before the run fits the tool's input schema. */
void plan_check_arguments(const struct plan_checking *checking, size_t at);
/* No argument has a gap (plan/gap.h). */
void plan_check_gaps(const struct plan_checking *checking, size_t at);

/* "args.items[0].path" for "/items/0/path"; the last name of it is *out_name, NULL when there is
 * none; out_name may be NULL. In the arena. */
const char *plan_check_place(struct arena *arena, const char *path, const char **out_name);
/* "write {s1.matches[0].path} in step s2, args.path": what to put at this JSON Pointer into the
 * args of step `at` in place of a reference that asks for what is not there, or of a gap (reference
 * NULL, or one to no step). NULL when nothing tells which field is meant. In the arena. */
const char *plan_check_replacement(const struct plan_checking *checking, size_t at,
                                   const char *path, const struct reference *reference);

#endif
