/* Evaluating one subschema: its rules in order, within the limits. */
#include "domain/schema/json_schema_evaluation.h"
#include <string.h>

#define STEPS_OF_A_MATCH 20 /* what a pattern costs beside a plain rule */

bool schema_spend(struct evaluation *e, size_t steps)
{
    if (!e->limit && steps > JSON_SCHEMA_MAX_STEPS - e->steps)
        e->limit = "steps";
    e->steps += e->limit ? 0 : steps;
    return !e->limit;
}

bool schema_matches(struct evaluation *e, const pcre2_code *pattern, const char *text,
                    size_t length)
{
    if (!schema_spend(e, STEPS_OF_A_MATCH + length / 64))
        return false;
    enum schema_match match = schema_pattern_match(&e->matcher, pattern, text, length);
    if (match == SCHEMA_MATCH_LIMIT)
        e->limit = "pattern matching";
    return match == SCHEMA_MATCH;
}

void marks_init(struct marks *marks, const json_t *value)
{
    size_t n = json_is_object(value) ? json_object_size(value) : json_array_size(value);
    *marks = (struct marks){ .seen = calloc(n + 1, sizeof(bool)), .n = n };
    if (!marks->seen)
        abort();
}

void marks_finish(struct marks *marks)
{
    free(marks->seen);
    marks->seen = NULL;
}

void marks_set(struct marks *marks, size_t index)
{
    if (marks && index < marks->n)
        marks->seen[index] = true;
}

void marks_merge(struct marks *marks, const struct marks *more)
{
    for (size_t i = 0; marks && more && i < marks->n && i < more->n; i++)
        marks->seen[i] = marks->seen[i] || more->seen[i];
}

const struct child *schema_find_child(const struct rule *rule, const char *name)
{
    size_t low = 0, high = rule ? rule->n_children : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(rule->children[middle].name, name);
        if (order == 0)
            return &rule->children[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* Says of the problems that a rule left which rule it was; a rule inside it has said so before. */
static void name_rule(struct problems *problems, size_t from, const char *keyword)
{
    for (size_t i = from; problems && i < problems->n; i++)
        if (!problems->list[i].rule)
            problems->list[i].rule = keyword;
}

static bool evaluate_rules(struct evaluation *e, const struct frame *frame, const json_t *value,
                           struct marks *marks)
{
    bool fits = true;
    for (size_t i = 0; i < frame->node->n_rules && !e->limit; i++) {
        const struct rule *rule = &frame->node->rules[i];
        bool is_last = rule->keyword->vocabulary == VOCABULARY_UNEVALUATED;
        if (!rule->keyword->evaluate || (is_last && !fits))
            continue; /* what was evaluated is unknown once something else failed */
        size_t before = e->problems ? e->problems->n : 0;
        if (rule->keyword->evaluate(e, frame, rule, value, marks))
            continue;
        fits = false;
        name_rule(e->problems, before, rule->keyword->name);
        if (!e->problems)
            break;
    }
    return fits && !e->limit;
}

bool schema_evaluate(struct evaluation *e, const struct frame *parent, const struct node *node,
                     const json_t *value, const struct path *path, struct marks *marks)
{
    struct frame frame = { parent, node, path, parent ? parent->depth + 1 : 1 };
    if (frame.depth > JSON_SCHEMA_MAX_DEPTH && !e->limit)
        e->limit = "levels of nesting";
    if (e->limit || !schema_spend(e, 1))
        return false;
    if (node->is_boolean)
        return node->accepts || schema_complain(e, path, DISTANCE_DEFAULT, "leave this value out",
                                                "no value is allowed here");
    if (!node->tracks)
        return evaluate_rules(e, &frame, value, marks);
    AUTO(marks) own; /* what neighbours outside this subschema evaluated does not count in it */
    marks_init(&own, value);
    bool fits = evaluate_rules(e, &frame, value, &own);
    if (fits)
        marks_merge(marks, &own);
    return fits;
}

bool schema_fits(struct evaluation *e, const struct frame *parent, const struct node *node,
                 const json_t *value, const struct path *path, struct marks *marks)
{
    struct problems *problems = e->problems;
    e->problems = NULL;
    bool fits = schema_evaluate(e, parent, node, value, path, marks);
    e->problems = problems;
    return fits;
}

bool json_schema_accepts(const struct json_schema *schema, const json_t *value,
                         struct problems *problems)
{
    AUTO(arena) scratch = { 0 };
    struct evaluation e = {
        .problems = problems,
        .most_problems = problems ? problems->n + JSON_SCHEMA_MAX_PROBLEMS : 0,
        .scratch = &scratch,
    };
    bool fits = schema_evaluate(&e, NULL, schema->root, value, NULL, NULL);
    schema_matcher_finish(&e.matcher);
    if (e.limit && problems)
        problems_add(problems, NULL, "", "too large to check: the limit of %s was reached", e.limit)
            ->fix = "use a smaller or flatter value";
    return fits && !e.limit;
}
