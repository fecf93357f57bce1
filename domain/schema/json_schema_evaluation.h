/* What the files that evaluate a compiled schema share. One evaluation is one call of
 * json_schema_accepts: it counts its steps, collects problems where they are wanted (nowhere
 * inside anyOf, oneOf, not, if and contains: there only the verdict counts) and gives up for good
 * when a limit is reached. */
#ifndef DOMAIN_SCHEMA_JSON_SCHEMA_EVALUATION_H
#define DOMAIN_SCHEMA_JSON_SCHEMA_EVALUATION_H

#include "domain/schema/json_schema_internal.h"

/* Where a value is, from the inside out. */
struct path {
    const struct path *parent; /* NULL for the whole value */
    const char *key;           /* NULL for an array element */
    size_t index;
};

/* One subschema being evaluated; the chain of parents is the dynamic scope. */
struct frame {
    const struct frame *parent;
    const struct node *node;
    const struct path *path;
    unsigned depth;
};

/* Which members or elements of one value were evaluated, by position. */
struct marks {
    bool *seen;
    size_t n;
};

struct evaluation {
    struct problems *problems; /* NULL: only the verdict counts */
    size_t most_problems;
    struct schema_matcher matcher;
    size_t steps;
    const char *limit;         /* what ran out, or NULL */
    double distance;           /* of the problems collected: how far the value is from fitting */
    const struct path *branch; /* of an anyOf or oneOf: a wrong type right here is far away */
    struct arena *scratch;
};

/* How far a problem moves a value away from a branch of anyOf or oneOf. */
#define DISTANCE_WRONG_TYPE 4.0
#define DISTANCE_WRONG_BRANCH 100.0
#define DISTANCE_WRONG_CONSTANT 8.0
#define DISTANCE_DEFAULT 1.0

/* json_schema_evaluate.c */
bool schema_evaluate(struct evaluation *e, const struct frame *parent, const struct node *node,
                     const json_t *value, const struct path *path, struct marks *marks);
/* The same without collecting problems. */
bool schema_fits(struct evaluation *e, const struct frame *parent, const struct node *node,
                 const json_t *value, const struct path *path, struct marks *marks);
/* False, for good, when the evaluation has no steps left. */
bool schema_spend(struct evaluation *e, size_t steps);
bool schema_matches(struct evaluation *e, const pcre2_code *pattern, const char *text,
                    size_t length);
const struct child *schema_find_child(const struct rule *rule, const char *name);
void marks_init(struct marks *marks, const json_t *value);
void marks_finish(struct marks *marks);
/* NULL is fine in both. */
void marks_set(struct marks *marks, size_t index);
void marks_merge(struct marks *marks, const struct marks *more);

/* json_schema_problems.c: all of them return false, so that a rule can end with them. */
bool schema_complain(struct evaluation *e, const struct path *path, double distance,
                     const char *fix, const char *format, ...) PRINTF_LIKE(5, 6);
bool schema_complain_type(struct evaluation *e, const struct path *path, unsigned types,
                          const json_t *value);
bool schema_complain_choice(struct evaluation *e, const struct path *path, const json_t *choices,
                            const json_t *value);
bool schema_complain_missing(struct evaluation *e, const struct frame *frame, const char *name);
bool schema_complain_unknown(struct evaluation *e, const struct frame *frame, const char *name);
/* A value, quoted and cut for a message; in the arena of the problems. */
const char *schema_show(struct evaluation *e, const json_t *value);
const char *schema_format(struct evaluation *e, const char *format, ...) PRINTF_LIKE(2, 3);

/* json_schema_nearest.c: reports why the branch that comes nearest does not fit. */
bool schema_complain_branches(struct evaluation *e, const struct frame *frame,
                              const struct rule *rule, const json_t *value);

/* json_schema_scalar.c: the bits of `type` that a value has. */
unsigned schema_type_bits(const json_t *value);

#endif
