/* What the two halves of reading a plan share: plan_read.c reads the plan and what every step has,
 * plan_read_kinds.c what a step of version 2 has by its kind, its loop and its ways to go on. */
#ifndef DOMAIN_PLAN_PLAN_READING_H
#define DOMAIN_PLAN_PLAN_READING_H

#include "domain/plan/plan.h"

/* One reading: where problems go, and the step they belong to (NULL for the plan itself). */
struct reading {
    const struct reading *outer; /* of the plan that uses this one; or NULL */
    struct arena *arena;
    struct problems *problems;
    struct plan *plan;
    size_t capacity; /* of its steps */
    const char *step;
    int version;
    const json_t *used;  /* the plans that may be used, by file; NULL: none */
    const char *file;    /* that is read; NULL: the plan's own */
    size_t unit, number; /* of the step that uses it, and of its next step */
    unsigned use_depth;
    bool may_ask;
};

/* The steps of a list, with all that is in their bodies. */
void plan_read_list(struct reading *reading, const json_t *steps, const char *path, size_t body_of,
                    bool is_finally);
/* The body of a step that uses another plan: its file is reading->file from here on. */
void plan_read_used(struct reading *reading, const json_t *value, struct step_use *use,
                    struct step *step, size_t at);

/* Members of an object at `path`; a fault is a problem, and the fallback comes. A path of "" is the
 * step itself. */
struct problem *plan_read_fault(struct reading *reading, const char *path, const char *format, ...)
    PRINTF_LIKE(3, 4);
const char *plan_read_text(struct reading *reading, const json_t *object, const char *path,
                           const char *key, const char *fallback, const char *fix);
const json_t *plan_read_object(struct reading *reading, const json_t *object, const char *key);
int64_t plan_read_number(struct reading *reading, const json_t *object, const char *path,
                         const char *key, int64_t min, int64_t max, int64_t fallback);
/* NULL without one, or where there is something wrong with it. */
const struct expression *plan_read_expression(struct reading *reading, const json_t *value,
                                              const char *path);

/* Everything of a step of version 2 that one of version 1 does not have. Its body is read too;
 * at: its index in the plan. */
void plan_read_kind(struct reading *reading, const json_t *value, struct step *step, size_t at);

#endif
