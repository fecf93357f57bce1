/* Keywords that look into arrays. */
#include "domain/schema/json_schema_evaluation.h"

/* Elements from `from` to `to` against one schema; all become evaluated. */
static bool elements_fit(struct evaluation *e, const struct frame *frame, const struct node *node,
                         const json_t *array, size_t from, struct marks *marks)
{
    bool fits = true;
    for (size_t i = from; i < json_array_size(array) && (fits || e->problems) && !e->limit; i++) {
        struct path path = { frame->path, NULL, i };
        fits = schema_evaluate(e, frame, node, json_array_get(array, i), &path, NULL) && fits;
        marks_set(marks, i);
    }
    return fits && !e->limit;
}

bool rule_prefix_items(struct evaluation *e, const struct frame *frame, const struct rule *rule,
                       const json_t *value, struct marks *marks)
{
    bool fits = true;
    size_t n = json_array_size(value); /* 0 when it is no array */
    for (size_t i = 0; i < n && i < rule->n_children && (fits || e->problems); i++) {
        struct path path = { frame->path, NULL, i };
        const json_t *element = json_array_get(value, i);
        fits = schema_evaluate(e, frame, rule->children[i].node, element, &path, NULL) && fits;
        marks_set(marks, i);
    }
    return fits;
}

bool rule_items(struct evaluation *e, const struct frame *frame, const struct rule *rule,
                const json_t *value, struct marks *marks)
{
    const struct rule *prefix = schema_node_rule(frame->node, KEYWORD_PREFIX_ITEMS);
    return elements_fit(e, frame, rule->children[0].node, value, prefix ? prefix->n_children : 0,
                        marks);
}

bool rule_items_07(struct evaluation *e, const struct frame *frame, const struct rule *rule,
                   const json_t *value, struct marks *marks)
{
    return json_is_array(rule->value)
               ? rule_prefix_items(e, frame, rule, value, marks)
               : elements_fit(e, frame, rule->children[0].node, value, 0, marks);
}

bool rule_additional_items(struct evaluation *e, const struct frame *frame, const struct rule *rule,
                           const json_t *value, struct marks *marks)
{
    const struct rule *items = schema_node_rule(frame->node, KEYWORD_ITEMS_07);
    return !items || !json_is_array(items->value) ||
           elements_fit(e, frame, rule->children[0].node, value, items->n_children, marks);
}

static double count_of(const struct node *node, enum keyword_id id, double fallback)
{
    const struct rule *rule = schema_node_rule(node, id);
    return rule ? json_number_value(rule->value) : fallback;
}

bool rule_contains(struct evaluation *e, const struct frame *frame, const struct rule *rule,
                   const json_t *value, struct marks *marks)
{
    if (!json_is_array(value))
        return true;
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(value) && !e->limit; i++) {
        struct path path = { frame->path, NULL, i };
        const json_t *element = json_array_get(value, i);
        if (!schema_fits(e, frame, rule->children[0].node, element, &path, NULL))
            continue;
        n++;
        marks_set(marks, i);
    }
    double least = count_of(frame->node, KEYWORD_MIN_CONTAINS, 1);
    double most = count_of(frame->node, KEYWORD_MAX_CONTAINS, (double)SIZE_MAX);
    if ((double)n >= least && (double)n <= most)
        return true;
    bool too_few = (double)n < least;
    const char *relation = too_few ? "at least" : "at most";
    double bound = too_few ? least : most;
    const char *fix =
        schema_format(e, "make %s %.0f items fit %s", relation, bound, schema_show(e, rule->value));
    return schema_complain(e, frame->path, DISTANCE_DEFAULT, fix,
                           "has %zu items of the wanted kind, must have %s %.0f", n, relation,
                           bound);
}

struct hashed {
    uint64_t hash;
    size_t index;
};

static int by_hash(const void *a, const void *b)
{
    const struct hashed *one = a, *other = b;
    int order = (one->hash > other->hash) - (one->hash < other->hash);
    return order ? order : (one->index > other->index) - (one->index < other->index);
}

static bool find_twins(struct evaluation *e, const json_t *array, const struct hashed *hashed,
                       size_t *out_first, size_t *out_second)
{
    size_t n = json_array_size(array);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n && hashed[j].hash == hashed[i].hash; j++) {
            const json_t *one = json_array_get(array, hashed[i].index);
            if (!schema_spend(e, 1))
                return false;
            if (json_schema_equal(one, json_array_get(array, hashed[j].index))) {
                *out_first = hashed[i].index;
                *out_second = hashed[j].index;
                return true;
            }
        }
    return false;
}

bool rule_unique_items(struct evaluation *e, const struct frame *frame, const struct rule *rule,
                       const json_t *value, struct marks *marks)
{
    (void)marks;
    size_t n = json_array_size(value), first, second;
    if (!json_is_true(rule->value) || n < 2 || !schema_spend(e, n / 16))
        return true;
    struct hashed *hashed = arena_array(e->scratch, struct hashed, n);
    for (size_t i = 0; i < n; i++)
        hashed[i] = (struct hashed){ schema_value_hash(json_array_get(value, i)), i };
    qsort(hashed, n, sizeof *hashed, by_hash);
    if (!find_twins(e, value, hashed, &first, &second))
        return true;
    return schema_complain(e, frame->path, DISTANCE_DEFAULT,
                           schema_format(e, "remove item %zu", second),
                           "items %zu and %zu are equal, must all differ", first, second);
}

bool rule_unevaluated_items(struct evaluation *e, const struct frame *frame,
                            const struct rule *rule, const json_t *value, struct marks *marks)
{
    bool fits = true;
    for (size_t i = 0; i < json_array_size(value) && (fits || e->problems); i++) {
        if (marks->seen[i])
            continue;
        struct path path = { frame->path, NULL, i };
        const json_t *element = json_array_get(value, i);
        fits = schema_evaluate(e, frame, rule->children[0].node, element, &path, NULL) && fits;
        marks_set(marks, i);
    }
    return fits;
}
