/* What a run did, as a plan of version 2 that people keep: the steps that succeeded, with their
 * constants as inputs, so that the same can be done with other values. The plan that a person wrote
 * as one of version 2 is kept as it is; this is for those of version 1, which models write.
 *
 *   {path: README.md, lines: 3, all: true}  becomes  {path: "{inputs.path}", lines:
 *   "{inputs.lines}", all: true}, and the inputs have the type and the value of each as default.
 *
 * An input is named after its argument: path, and path_2 for another value of another step. A value
 * that looks like a secret (text/redact.h) is an input without default that says `secret: true`. A
 * variable is an input of its name. A brace that began no reference is doubled. Pure. */
#ifndef DOMAIN_PLAN_SAVED_PLAN_H
#define DOMAIN_PLAN_SAVED_PLAN_H

#include "domain/base/arena.h"
#include "domain/base/err.h"
#include "domain/plan/plan.h"

#define SAVED_PLAN_OUTPUT "answer" /* the only output: the text of the last step */
#define SAVED_PLAN_DESCRIPTION_COLUMNS 200

/* What is known of a step of the plan. */
struct saved_step {
    bool is_done;         /* it succeeded, and is kept */
    const json_t *args;   /* as they were bound; NULL: not known */
    const json_t *schema; /* of its tool's arguments; NULL: not known */
};

struct saved_plan_source {
    const struct plan *plan;        /* of version 1 */
    const struct saved_step *steps; /* one for each of its steps */
    const char *request;            /* the goal where the plan has none; NULL: none */
    bool is_turn;                   /* its variables are results of earlier turns */
};

/* The members are in the order version, goal, inputs, steps, outputs; in the arena. ERR_INVALID: no
 * step succeeded, or one takes what a plan on its own does not have: a result of an earlier turn,
 * or of a step that is not kept. */
MUST_CHECK
enum err_code saved_plan_make(struct arena *arena, const struct saved_plan_source *source,
                              const json_t **out, struct err *err);

#endif
