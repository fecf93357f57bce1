/* A value that fits no branch of anyOf or oneOf: the branch it comes nearest to is what its
 * author meant, so its problems are told and those of the other branches are not. When the value
 * is of the wrong type for all of them, one sentence names the types. */
#include "domain/schema/json_schema_evaluation.h"
#include <math.h>

struct attempt {
    struct problems problems;
    double distance;
};

static void try_branch(struct evaluation *e, const struct frame *frame, const struct node *node,
                       const json_t *value, struct attempt *out)
{
    struct evaluation outer = *e;
    *out = (struct attempt){ .problems = { .arena = e->problems->arena } };
    e->problems = &out->problems;
    e->most_problems = JSON_SCHEMA_MAX_PROBLEMS;
    e->branch = frame->path;
    e->distance = 0;
    schema_evaluate(e, frame, node, value, frame->path, NULL);
    out->distance = e->distance;
    e->problems = outer.problems;
    e->most_problems = outer.most_problems;
    e->branch = outer.branch;
    e->distance = outer.distance;
}

/* The types of all branches, 0 when a branch asks for more than a type that the value lacks. */
static unsigned wanted_types(const struct rule *rule, const json_t *value)
{
    unsigned types = 0;
    for (size_t i = 0; i < rule->n_children; i++) {
        const struct rule *type = schema_node_rule(rule->children[i].node, KEYWORD_TYPE);
        if (!type || (schema_type_bits(value) & type->types))
            return 0;
        types |= type->types;
    }
    return types;
}

static void report(struct evaluation *e, const struct attempt *attempt)
{
    e->distance += attempt->distance;
    for (size_t i = 0; i < attempt->problems.n && e->problems->n < e->most_problems; i++) {
        const struct problem *problem = &attempt->problems.list[i];
        problems_add(e->problems, NULL, problem->path, "%s", problem->message)->fix = problem->fix;
    }
}

bool schema_complain_branches(struct evaluation *e, const struct frame *frame,
                              const struct rule *rule, const json_t *value)
{
    if (!e->problems || e->limit)
        return false;
    unsigned types = wanted_types(rule, value);
    if (types)
        return schema_complain_type(e, frame->path, types, value);
    struct attempt nearest = { .distance = INFINITY };
    for (size_t i = 0; i < rule->n_children && !e->limit; i++) {
        struct attempt attempt;
        try_branch(e, frame, rule->children[i].node, value, &attempt);
        if (attempt.distance < nearest.distance)
            nearest = attempt;
    }
    report(e, &nearest);
    return false;
}
