/* Evaluating a compiled schema: the rules of a subschema in order and within the limits, the
 * keywords that combine subschemas on one value, and those that look at a value by itself. Those
 * that look into objects and arrays are in json_schema_members.c. */
#include "domain/base/text.h"
#include "domain/schema/json_schema_internal.h"
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

static void marks_init(struct marks *marks, const json_t *value)
{
    size_t n = json_is_object(value) ? json_object_size(value) : json_array_size(value);
    *marks = (struct marks){ .seen = calloc(n + 1, sizeof(bool)), .n = n };
    if (!marks->seen)
        abort();
}

static void marks_finish(struct marks *marks)
{
    free(marks->seen);
}

/* NULL is fine for both. */
static void marks_merge(struct marks *marks, const struct marks *more)
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

/* Notes in the problems that a rule left which rule it was, unless a rule inside it did so. */
static void name_rule(struct problems *problems, size_t from, const char *keyword)
{
    for (size_t i = from; problems && i < problems->n; i++)
        if (!problems->list[i].rule)
            problems->list[i].rule = keyword;
}

static bool evaluate_rules(struct evaluation *e, const struct frame *frame)
{
    bool fits = true;
    for (size_t i = 0; i < frame->node->n_rules && !e->limit; i++) {
        const struct rule *rule = &frame->node->rules[i];
        bool is_last = rule->keyword->vocabulary == VOCABULARY_UNEVALUATED;
        if (!rule->keyword->evaluate || (is_last && !fits))
            continue; /* what was evaluated is unknown once something else failed */
        size_t before = e->problems ? e->problems->n : 0;
        if (rule->keyword->evaluate(e, frame, rule))
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
    struct frame frame = { parent, node, value, path, marks, parent ? parent->depth + 1 : 1 };
    if (frame.depth > JSON_SCHEMA_MAX_DEPTH && !e->limit)
        e->limit = "levels of nesting";
    if (e->limit || !schema_spend(e, 1))
        return false;
    if (node->is_boolean)
        return node->accepts || schema_complain(e, path, DISTANCE_DEFAULT, "leave this value out",
                                                "no value is allowed here");
    if (!node->tracks)
        return evaluate_rules(e, &frame);
    AUTO(marks)
    own; /* what neighbours outside this subschema evaluated does not count in it */
    marks_init(&own, value);
    frame.marks = &own;
    bool fits = evaluate_rules(e, &frame);
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

bool schema_evaluate_same(struct evaluation *e, const struct frame *frame, const struct node *node)
{
    return schema_evaluate(e, frame, node, frame->value, frame->path, frame->marks);
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
    bool fits = schema_evaluate(&e, /* parent */ NULL, schema->root, value, /* path */ NULL,
                                /* marks */ NULL);
    schema_matcher_finish(&e.matcher);
    if (e.limit && problems)
        problems_add(problems, NULL, "", "too large to check: the limit of %s was reached", e.limit)
            ->fix = "use a smaller or flatter value";
    return fits && !e.limit;
}

/* Evaluates a branch whose failure is not a failure of the whole; keeps its marks when it fits. */
static bool branch_fits(struct evaluation *e, const struct frame *frame, const struct node *node)
{
    if (!frame->marks)
        return schema_fits(e, frame, node, frame->value, frame->path, NULL);
    AUTO(marks) own;
    marks_init(&own, frame->value);
    bool fits = schema_fits(e, frame, node, frame->value, frame->path, &own);
    if (fits)
        marks_merge(frame->marks, &own);
    return fits;
}

bool rule_ref(struct evaluation *e, const struct frame *frame, const struct rule *rule)
{
    return schema_evaluate_same(e, frame, rule->children[0].node);
}

/* The outermost resource of the dynamic scope that has the anchor decides. */
bool rule_dynamic_ref(struct evaluation *e, const struct frame *frame, const struct rule *rule)
{
    const struct node *target = rule->children[0].node;
    const struct frame *at = frame;
    if (!rule->bookend)
        return schema_evaluate_same(e, frame, target);
    do {
        const struct dynamic_anchor *anchor = at->node->place.resource->dynamic_anchors;
        for (; anchor; anchor = anchor->next)
            if (strcmp(anchor->name, rule->bookend->name) == 0)
                target = anchor->node;
        at = at->parent;
    } while (at);
    return schema_evaluate_same(e, frame, target);
}

bool rule_all_of(struct evaluation *e, const struct frame *frame, const struct rule *rule)
{
    bool fits = true;
    for (size_t i = 0; i < rule->n_children && (fits || e->problems); i++)
        fits = schema_evaluate_same(e, frame, rule->children[i].node) && fits;
    return fits;
}

bool rule_any_of(struct evaluation *e, const struct frame *frame, const struct rule *rule)
{
    bool fits = false;
    for (size_t i = 0; i < rule->n_children && (!fits || frame->marks); i++)
        fits = branch_fits(e, frame, rule->children[i].node) || fits;
    return fits || schema_complain_branches(e, frame, rule);
}

bool rule_one_of(struct evaluation *e, const struct frame *frame, const struct rule *rule)
{
    size_t n = 0;
    for (size_t i = 0; i < rule->n_children && n < 2; i++)
        n += branch_fits(e, frame, rule->children[i].node);
    if (n == 1)
        return true;
    if (n == 0)
        return schema_complain_branches(e, frame, rule);
    return schema_complain(e, frame->path, DISTANCE_DEFAULT,
                           "change the value so that it fits only one of the alternatives",
                           "fits more than one alternative, must fit exactly one");
}

/* What a forbidden schema evaluates does not count. */
bool rule_not(struct evaluation *e, const struct frame *frame, const struct rule *rule)
{
    if (!schema_fits(e, frame, rule->children[0].node, frame->value, frame->path, NULL))
        return true;
    return schema_complain(e, frame->path, DISTANCE_DEFAULT, "use a different value",
                           "is %s, which is ruled out", schema_show(e, frame->value));
}

bool rule_if(struct evaluation *e, const struct frame *frame, const struct rule *rule)
{
    bool condition = branch_fits(e, frame, rule->children[0].node);
    const struct rule *next =
        schema_node_rule(frame->node, condition ? KEYWORD_THEN : KEYWORD_ELSE);
    return !next || schema_evaluate_same(e, frame, next->children[0].node);
}

unsigned schema_type_bits(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_INTEGER:
        return TYPE_BIT(JSON_INTEGER) | TYPE_BIT(JSON_REAL);
    case JSON_REAL:
        return TYPE_BIT(JSON_REAL) | (schema_number_is_whole(value) ? TYPE_BIT(JSON_INTEGER) : 0);
    case JSON_TRUE:
    case JSON_FALSE:
        return TYPE_BIT(JSON_TRUE);
    case JSON_OBJECT:
    case JSON_ARRAY:
    case JSON_STRING:
    case JSON_NULL:
        return TYPE_BIT(json_typeof(value));
    }
    return 0;
}

bool rule_type(struct evaluation *e, const struct frame *frame, const struct rule *rule)
{
    return (schema_type_bits(frame->value) & rule->types) ||
           schema_complain_type(e, frame, rule->types);
}

bool rule_enum(struct evaluation *e, const struct frame *frame, const struct rule *rule)
{
    size_t n = json_array_size(rule->value);
    uint64_t hash = schema_value_hash(frame->value);
    if (!schema_spend(e, n / 16))
        return false;
    for (size_t i = 0; i < n; i++)
        if (rule->hashes[i] == hash &&
            json_schema_equal(json_array_get(rule->value, i), frame->value))
            return true;
    return schema_complain_choice(e, frame, rule->value);
}

bool rule_const(struct evaluation *e, const struct frame *frame, const struct rule *rule)
{
    if (json_schema_equal(rule->value, frame->value))
        return true;
    const char *wanted = schema_show(e, rule->value);
    return schema_complain(e, frame->path, DISTANCE_WRONG_CONSTANT,
                           schema_format(e, "write exactly %s", wanted), "is %s, must be %s",
                           schema_show(e, frame->value), wanted);
}

/* One numeric bound, which says nothing about other values. */
static bool number_bound(struct evaluation *e, const struct frame *frame, const struct rule *rule,
                         bool fits, const char *relation)
{
    if (!json_is_number(frame->value) || fits)
        return true;
    const char *bound = schema_show(e, rule->value);
    return schema_complain(e, frame->path, DISTANCE_DEFAULT,
                           schema_format(e, "use a number that is %s %s", relation, bound),
                           "is %s, must be %s %s", schema_show(e, frame->value), relation, bound);
}

static int compared(const struct frame *frame, const struct rule *rule)
{
    return json_is_number(frame->value) ? schema_number_compare(frame->value, rule->value) : 0;
}

bool rule_maximum(struct evaluation *e, const struct frame *frame, const struct rule *rule)
{
    return number_bound(e, frame, rule, compared(frame, rule) <= 0, "at most");
}

bool rule_exclusive_maximum(struct evaluation *e, const struct frame *frame,
                            const struct rule *rule)
{
    return number_bound(e, frame, rule, compared(frame, rule) < 0, "less than");
}

bool rule_minimum(struct evaluation *e, const struct frame *frame, const struct rule *rule)
{
    return number_bound(e, frame, rule, compared(frame, rule) >= 0, "at least");
}

bool rule_exclusive_minimum(struct evaluation *e, const struct frame *frame,
                            const struct rule *rule)
{
    return number_bound(e, frame, rule, compared(frame, rule) > 0, "greater than");
}

bool rule_multiple_of(struct evaluation *e, const struct frame *frame, const struct rule *rule)
{
    bool fits =
        !json_is_number(frame->value) || schema_number_is_multiple(frame->value, rule->value);
    return number_bound(e, frame, rule, fits, "a multiple of");
}

/* One bound of the size of a string, an array or an object. */
static bool size_bound(struct evaluation *e, const struct frame *frame, const struct rule *rule,
                       bool is_maximum, size_t size, const char *what)
{
    double bound = json_number_value(rule->value);
    if (is_maximum ? (double)size <= bound : (double)size >= bound)
        return true;
    const char *relation = is_maximum ? "at most" : "at least";
    const char *fix = schema_format(e, "use %s %.0f %s", relation, bound, what);
    return schema_complain(e, frame->path, DISTANCE_DEFAULT, fix, "has %zu %s, must have %s %.0f",
                           size, what, relation, bound);
}

bool rule_length(struct evaluation *e, const struct frame *frame, const struct rule *rule)
{
    const json_t *value = frame->value;
    return !json_is_string(value) ||
           size_bound(e, frame, rule, rule->keyword->id == KEYWORD_MAX_LENGTH,
                      text_code_points(json_string_value(value), json_string_length(value)),
                      "characters");
}

bool rule_n_items(struct evaluation *e, const struct frame *frame, const struct rule *rule)
{
    return !json_is_array(frame->value) ||
           size_bound(e, frame, rule, rule->keyword->id == KEYWORD_MAX_ITEMS,
                      json_array_size(frame->value), "items");
}

bool rule_n_properties(struct evaluation *e, const struct frame *frame, const struct rule *rule)
{
    return !json_is_object(frame->value) ||
           size_bound(e, frame, rule, rule->keyword->id == KEYWORD_MAX_PROPERTIES,
                      json_object_size(frame->value), "properties");
}

bool rule_pattern(struct evaluation *e, const struct frame *frame, const struct rule *rule)
{
    const json_t *value = frame->value;
    if (!json_is_string(value) ||
        schema_matches(e, rule->children[0].pattern, json_string_value(value),
                       json_string_length(value)))
        return true;
    const char *pattern = schema_show(e, rule->value);
    return schema_complain(
        e, frame->path, DISTANCE_DEFAULT,
        schema_format(e, "write a string that matches the regular expression %s", pattern),
        "%s does not match %s", schema_show(e, value), pattern);
}
