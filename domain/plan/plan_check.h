/* Whether a plan may run, decided before anything runs: tools exist, required arguments are there,
 * values fit the tool's input schema, every reference names an earlier step (and a real field
 * where an output schema is known), nothing needs itself, not more steps than allowed. Every
 * problem is reported, with a fix that a model can follow. Pure. */
#ifndef DOMAIN_PLAN_PLAN_CHECK_H
#define DOMAIN_PLAN_PLAN_CHECK_H

#include "domain/base/arena.h"
#include "domain/base/problem.h"
#include "domain/plan/plan.h"
#include "domain/tool/tool.h"

/* The rest of a longer plan that a person wrote is not looked at: what waits for what takes memory
 * that grows with the square of its steps. */
#define PLAN_CHECK_MAX_STEPS 1000

struct plan_check_input {
    const struct tool *const *tools; /* what may be called */
    size_t n_tools;
    const struct err *missing; /* of each step why its tool could not be had; NULL: not known */
    const json_t *vars;        /* values of the variables: defaults and --var merged */
    size_t max_steps;
    bool is_cut; /* there were more steps than the plan has */
    /* What the person said: a gap that does not stand in it is a problem (plan/gap.h). NULL: the
     * plan is a person's own, and nothing in it is a gap. */
    const char *request;
    bool has_no_tools; /* only shape, order and references are looked at */
    /* Where not NULL, gets every reference to a field of which nothing is known. */
    struct problems *unknown;
};

/* Resolves bare tool names to full ones (steps[i].tool is rewritten in place). True when no problem
 * was found. A plan without steps is fine: nothing fits. A plan with faults of shape (plan_read) is
 * checked as far as it can be. */
bool plan_check(struct arena *arena, struct plan *plan, const struct plan_check_input *input,
                struct problems *problems);

/* In the plan of a person, where nothing is refused for it: the place ("args.path") of the first
 * text that looks like a reference or a gap and reaches its tool as it is written. NULL when there
 * is none; else the step is *out_step. In the arena. */
const char *plan_find_literal(struct arena *arena, const struct plan *plan, size_t *out_step);

/* Sets the element of each step that step `later` has to wait for, by reference or by `needs`,
 * directly, and clears those of all others. */
void plan_step_needs(struct arena *arena, const struct plan *plan, size_t later, bool *needs);

#endif
