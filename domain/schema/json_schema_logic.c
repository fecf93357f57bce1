/* References and the keywords that combine subschemas on one value. */
#include "domain/schema/json_schema_evaluation.h"
#include <string.h>

/* Evaluates a branch whose failure is no failure of the whole; keeps its marks when it fits. */
static bool branch_fits(struct evaluation *e, const struct frame *frame, const struct node *node,
                        const json_t *value, struct marks *marks)
{
    if (!marks)
        return schema_fits(e, frame, node, value, frame->path, NULL);
    AUTO(marks) own;
    marks_init(&own, value);
    bool fits = schema_fits(e, frame, node, value, frame->path, &own);
    if (fits)
        marks_merge(marks, &own);
    return fits;
}

bool rule_ref(struct evaluation *e, const struct frame *frame, const struct rule *rule,
              const json_t *value, struct marks *marks)
{
    return schema_evaluate(e, frame, rule->children[0].node, value, frame->path, marks);
}

/* The outermost resource of the dynamic scope that has the anchor decides. */
static const struct node *dynamic_target(const struct frame *frame, const struct rule *rule)
{
    const struct node *target = rule->children[0].node;
    if (!rule->bookend)
        return target;
    for (; frame; frame = frame->parent) {
        const struct dynamic_anchor *anchor = frame->node->place.resource->dynamic_anchors;
        for (; anchor; anchor = anchor->next)
            if (strcmp(anchor->name, rule->bookend->name) == 0)
                target = anchor->node;
    }
    return target;
}

bool rule_dynamic_ref(struct evaluation *e, const struct frame *frame, const struct rule *rule,
                      const json_t *value, struct marks *marks)
{
    return schema_evaluate(e, frame, dynamic_target(frame, rule), value, frame->path, marks);
}

bool rule_all_of(struct evaluation *e, const struct frame *frame, const struct rule *rule,
                 const json_t *value, struct marks *marks)
{
    bool fits = true;
    for (size_t i = 0; i < rule->n_children && (fits || e->problems); i++)
        fits = schema_evaluate(e, frame, rule->children[i].node, value, frame->path, marks) && fits;
    return fits;
}

bool rule_any_of(struct evaluation *e, const struct frame *frame, const struct rule *rule,
                 const json_t *value, struct marks *marks)
{
    bool fits = false;
    for (size_t i = 0; i < rule->n_children && (!fits || marks); i++)
        fits = branch_fits(e, frame, rule->children[i].node, value, marks) || fits;
    return fits || schema_complain_branches(e, frame, rule, value);
}

bool rule_one_of(struct evaluation *e, const struct frame *frame, const struct rule *rule,
                 const json_t *value, struct marks *marks)
{
    size_t n = 0;
    for (size_t i = 0; i < rule->n_children && n < 2; i++)
        n += branch_fits(e, frame, rule->children[i].node, value, marks);
    if (n == 1)
        return true;
    if (n == 0)
        return schema_complain_branches(e, frame, rule, value);
    return schema_complain(e, frame->path, DISTANCE_DEFAULT,
                           "change the value so that it fits only one of the alternatives",
                           "fits more than one alternative, must fit exactly one");
}

bool rule_not(struct evaluation *e, const struct frame *frame, const struct rule *rule,
              const json_t *value, struct marks *marks)
{
    (void)marks; /* what a forbidden schema evaluates does not count */
    const struct node *node = rule->children[0].node;
    if (!schema_fits(e, frame, node, value, frame->path, NULL))
        return true;
    return schema_complain(e, frame->path, DISTANCE_DEFAULT, "use a different value",
                           "is %s, which is ruled out", schema_show(e, value));
}

bool rule_if(struct evaluation *e, const struct frame *frame, const struct rule *rule,
             const json_t *value, struct marks *marks)
{
    bool condition = branch_fits(e, frame, rule->children[0].node, value, marks);
    const struct rule *next =
        schema_node_rule(frame->node, condition ? KEYWORD_THEN : KEYWORD_ELSE);
    return !next || schema_evaluate(e, frame, next->children[0].node, value, frame->path, marks);
}
