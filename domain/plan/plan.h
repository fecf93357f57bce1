/* A plan: steps over tools, with references between them. A plan may come from a model, from
 * a file or from the lexical analyst, and every plan goes through the checks of plan/plan_check.h
 * before anything runs. Lives in the arena it was made in.
 *
 * Version 1 is what models write. Version 2 is for plans that people keep: it has typed inputs in
 * place of variables, outputs, and steps with conditions and checks; a brace in it is always a
 * reference (plan/references.h). */
#ifndef DOMAIN_PLAN_PLAN_H
#define DOMAIN_PLAN_PLAN_H

#include "domain/base/arena.h"
#include "domain/base/err.h"
#include "domain/base/problem.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAN_FORMAT_VERSION 1
#define PLAN_NEWEST_VERSION 2
#define PLAN_MAX_STEPS 1000 /* of version 2; a setting bounds version 1 */
#define PLAN_STEP_ID_MAX 64
#define PLAN_MAX_RETRY 10
#define PLAN_MAX_TIMEOUT_MS 86400000

struct expression;

enum step_on_error { STEP_STOP, STEP_CONTINUE };

/* What must hold once the step has its result. */
struct step_check {
    const struct expression *that;
    const char *text;      /* of the expression */
    const char *otherwise; /* said where it does not hold; NULL: nothing */
};

struct step {
    const char *id;     /* letters, digits, '_' and '-'; unique; not vars, steps, prev_result */
    const char *tool;   /* as written: "server/tool", or a bare name where it is unique */
    const json_t *args; /* object; strings in it may hold references (plan/references.h) */
    const char **needs; /* ids of steps that must end first, beyond what references imply */
    size_t n_needs;
    int64_t timeout_ms; /* silence allowed; 0 = the server's setting */
    unsigned retry;     /* further attempts where the call may be repeated */
    enum step_on_error on_error;
    int64_t estimated_ms; /* -1 when unknown */
    /* The step is skipped where this does not hold; NULL: it always runs. */
    const struct expression *when;
    const char *when_text;
    struct step_check *checks;
    size_t n_checks;
    const char *at;  /* JSON Pointer of it in what was read; NULL in a plan that was made */
    bool has_own_id; /* else the id is its position */
};

struct step_name {
    const char *id;
    size_t at;
};

struct plan {
    int version;
    const char *goal;      /* may be "" */
    const json_t *vars;    /* object: defaults of the plan's variables, or of its inputs */
    const json_t *inputs;  /* object: JSON Schemas by name; NULL in version 1 */
    const json_t *outputs; /* object: values with references, as in args; NULL: none */
    const json_t *source;  /* what it was read from, of version 2; else NULL */
    struct step *steps;
    size_t n_steps;
    const struct step_name *names; /* of a plan that was read: its ids in order; or NULL */
    int64_t estimated_ms;          /* -1 when unknown */
};

/* Reads the shape of a plan: an object with "steps", or an array of {tool, args} alone. Ids default
 * to s1, s2, … Every fault of shape is a problem. The value must live as long as the arena. What
 * comes is the plan as far as it can be read, for plan_check alone, which says the rest of what is
 * wrong: a tool that could not be read is "", arguments that could not be read are NULL, and so is
 * the plan of what is no plan at all. *out_fine: there was no problem. */
struct plan *plan_read(struct arena *arena, const json_t *value, struct problems *problems,
                       bool *out_fine);
/* The same where only a plan without a fault is of use: *out is written only when there is none. */
bool plan_from_json(struct arena *arena, const json_t *value, struct plan **out,
                    struct problems *problems);
/* A valid input of plan_from_json. Owned by the caller. */
json_t *plan_to_json(const struct plan *plan);
/* The names of the members of a plan of that version, or of a step of one. */
const char *const *plan_members(int version, bool of_step, size_t *out_n);
/* Whether a step has a member of this name; and the member that another name for it means
 * ("arguments": "args"), NULL when there is none. */
bool plan_step_has(const char *member);
const char *plan_step_member(const char *said);
/* Index of the first step with that id, or -1. */
int plan_find_step(const struct plan *plan, const char *id);

#endif
