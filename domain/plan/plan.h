/* A plan: steps over tools, with references between them. A plan may come from a model, from
 * a file or from the lexical analyst, and every plan goes through the checks of plan/plan_check.h
 * before anything runs. Lives in the arena it was made in. */
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
#define PLAN_STEP_ID_MAX 64
#define PLAN_MAX_RETRY 10
#define PLAN_MAX_TIMEOUT_MS 86400000

enum step_on_error { STEP_STOP, STEP_CONTINUE };

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
};

struct step_name {
    const char *id;
    size_t at;
};

struct plan {
    const char *goal;   /* may be "" */
    const json_t *vars; /* object: defaults of the plan's variables */
    struct step *steps;
    size_t n_steps;
    const struct step_name *names; /* of a plan that was read: its ids in order; or NULL */
    int64_t estimated_ms;          /* -1 when unknown */
};

/* Reads the shape of a plan: an object with "steps", or an array of {tool, args} alone. Ids default
 * to s1, s2, … Every fault of shape is a problem; *out is written only when there is none. The
 * value must live as long as the arena. */
bool plan_from_json(struct arena *arena, const json_t *value, struct plan **out,
                    struct problems *problems);
/* A valid input of plan_from_json. Owned by the caller. */
json_t *plan_to_json(const struct plan *plan);
/* Whether a step has a member of this name; and the member that another name for it means
 * ("arguments": "args"), NULL when there is none. */
bool plan_step_has(const char *member);
const char *plan_step_member(const char *said);
/* Index of the first step with that id, or -1. */
int plan_find_step(const struct plan *plan, const char *id);

#endif
