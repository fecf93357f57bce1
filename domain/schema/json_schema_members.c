/* Keywords that look into objects and arrays: each decides which members or elements have to fit
 * which subschema, marks them as evaluated, and reports what is missing or too much. */
#include "domain/schema/json_schema_internal.h"
#include <string.h>

/* One element against a schema; it becomes evaluated. */
static bool element_fits(struct evaluation *e, const struct frame *frame, const struct node *node,
                         size_t index)
{
    struct path path = { frame->path, NULL, index };
    const json_t *element = json_array_get(frame->value, index);
    marks_set(frame->marks, index);
    return schema_evaluate(e, frame, node, element, &path, NULL);
}

static bool elements_fit(struct evaluation *e, const struct frame *frame, const struct node *node,
                         size_t from)
{
    bool fits = true;
    size_t n = json_array_size(frame->value); /* 0 when it is not an array */
    for (size_t i = from; i < n && (fits || e->problems) && !e->limit; i++)
        fits = element_fits(e, frame, node, i) && fits;
    return fits && !e->limit;
}

bool rule_prefix_items(struct evaluation *e, const struct frame *frame, const struct rule *rule)
{
    bool fits = true;
    size_t n = json_array_size(frame->value);
    for (size_t i = 0; i < n && i < rule->n_children && (fits || e->problems); i++)
        fits = element_fits(e, frame, rule->children[i].node, i) && fits;
    return fits;
}

bool rule_items(struct evaluation *e, const struct frame *frame, const struct rule *rule)
{
    const struct rule *prefix = schema_node_rule(frame->node, KEYWORD_PREFIX_ITEMS);
    return elements_fit(e, frame, rule->children[0].node, prefix ? prefix->n_children : 0);
}

bool rule_items_07(struct evaluation *e, const struct frame *frame, const struct rule *rule)
{
    return json_is_array(rule->value) ? rule_prefix_items(e, frame, rule)
                                      : elements_fit(e, frame, rule->children[0].node, 0);
}

bool rule_additional_items(struct evaluation *e, const struct frame *frame, const struct rule *rule)
{
    const struct rule *items = schema_node_rule(frame->node, KEYWORD_ITEMS_07);
    return !items || !json_is_array(items->value) ||
           elements_fit(e, frame, rule->children[0].node, items->n_children);
}

bool rule_unevaluated_items(struct evaluation *e, const struct frame *frame,
                            const struct rule *rule)
{
    bool fits = true;
    size_t n = json_array_size(frame->value);
    for (size_t i = 0; i < n && (fits || e->problems); i++)
        if (!frame->marks->seen[i])
            fits = element_fits(e, frame, rule->children[0].node, i) && fits;
    return fits;
}

static double count_of(const struct node *node, enum keyword_id id, double fallback)
{
    const struct rule *rule = schema_node_rule(node, id);
    return rule ? json_number_value(rule->value) : fallback;
}

bool rule_contains(struct evaluation *e, const struct frame *frame, const struct rule *rule)
{
    size_t n = 0;
    if (!json_is_array(frame->value))
        return true;
    for (size_t i = 0; i < json_array_size(frame->value) && !e->limit; i++) {
        struct path path = { frame->path, NULL, i };
        const json_t *element = json_array_get(frame->value, i);
        if (!schema_fits(e, frame, rule->children[0].node, element, &path, NULL))
            continue;
        n++;
        marks_set(frame->marks, i);
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

bool rule_unique_items(struct evaluation *e, const struct frame *frame, const struct rule *rule)
{
    size_t n = json_array_size(frame->value), first, second;
    if (!json_is_true(rule->value) || n < 2 || !schema_spend(e, n / 16))
        return true;
    struct hashed *hashed = arena_array(e->scratch, struct hashed, n);
    for (size_t i = 0; i < n; i++)
        hashed[i] = (struct hashed){ schema_value_hash(json_array_get(frame->value, i)), i };
    qsort(hashed, n, sizeof *hashed, by_hash);
    if (!find_twins(e, frame->value, hashed, &first, &second))
        return true;
    return schema_complain(e, frame->path, DISTANCE_DEFAULT,
                           schema_format(e, "remove item %zu", second),
                           "items %zu and %zu are equal, must all differ", first, second);
}

static bool member_fits(struct evaluation *e, const struct frame *frame, const struct node *node,
                        const char *key, const json_t *member)
{
    if (node->is_boolean && !node->accepts)
        return schema_complain_unknown(e, frame, key);
    struct path path = { frame->path, key, 0 };
    return schema_evaluate(e, frame, node, member, &path, NULL);
}

/* The schema that a rule has for the member with that key and position, or NULL. */
typedef const struct node *member_schema_fn(struct evaluation *e, const struct frame *frame,
                                            const struct rule *rule, const char *key, size_t index);

static bool members_fit(struct evaluation *e, const struct frame *frame, const struct rule *rule,
                        member_schema_fn *schema_of)
{
    const char *key;
    const json_t *member;
    size_t i = 0;
    bool fits = true;
    json_each_member (frame->value, key, member) {
        const struct node *node = schema_of(e, frame, rule, key, i);
        if (node) {
            fits = member_fits(e, frame, node, key, member) && fits;
            marks_set(frame->marks, i);
        }
        i++;
        if (e->limit || (!fits && !e->problems))
            return false;
    }
    return fits;
}

static const struct node *property(struct evaluation *e, const struct frame *frame,
                                   const struct rule *rule, const char *key, size_t index)
{
    (void)e, (void)frame, (void)index;
    const struct child *child = schema_find_child(rule, key);
    return child ? child->node : NULL;
}

bool rule_properties(struct evaluation *e, const struct frame *frame, const struct rule *rule)
{
    return members_fit(e, frame, rule, property);
}

static const struct node *additional(struct evaluation *e, const struct frame *frame,
                                     const struct rule *rule, const char *key, size_t index)
{
    (void)index;
    if (schema_find_child(schema_node_rule(frame->node, KEYWORD_PROPERTIES), key))
        return NULL;
    const struct rule *patterns = schema_node_rule(frame->node, KEYWORD_PATTERN_PROPERTIES);
    for (size_t i = 0; patterns && i < patterns->n_children; i++)
        if (schema_matches(e, patterns->children[i].pattern, key, strlen(key)))
            return NULL;
    return rule->children[0].node;
}

bool rule_additional_properties(struct evaluation *e, const struct frame *frame,
                                const struct rule *rule)
{
    return members_fit(e, frame, rule, additional);
}

static const struct node *unevaluated(struct evaluation *e, const struct frame *frame,
                                      const struct rule *rule, const char *key, size_t index)
{
    (void)e, (void)key;
    return frame->marks->seen[index] ? NULL : rule->children[0].node;
}

bool rule_unevaluated_properties(struct evaluation *e, const struct frame *frame,
                                 const struct rule *rule)
{
    return members_fit(e, frame, rule, unevaluated);
}

/* Each pattern that the name of a member matches has a schema for it. */
bool rule_pattern_properties(struct evaluation *e, const struct frame *frame,
                             const struct rule *rule)
{
    const char *key;
    const json_t *member;
    size_t i = 0;
    bool fits = true;
    json_each_member (frame->value, key, member) {
        for (size_t j = 0; j < rule->n_children; j++) {
            const struct child *child = &rule->children[j];
            if (!schema_matches(e, child->pattern, key, strlen(key)))
                continue;
            fits = member_fits(e, frame, child->node, key, member) && fits;
            marks_set(frame->marks, i);
        }
        i++;
        if (e->limit || (!fits && !e->problems))
            return false;
    }
    return fits;
}

bool rule_property_names(struct evaluation *e, const struct frame *frame, const struct rule *rule)
{
    const char *key;
    const json_t *member;
    bool fits = true;
    json_each_member (frame->value, key, member) {
        json_auto_t *name = json_string(key);
        if (schema_fits(e, frame, rule->children[0].node, name, frame->path, NULL))
            continue;
        struct path path = { frame->path, key, 0 };
        const char *fix = schema_format(e, "rename the property so that its name fits %s",
                                        schema_show(e, rule->value));
        fits = schema_complain(e, &path, DISTANCE_DEFAULT, fix, "%s is not allowed as a name",
                               schema_show(e, name));
        if (e->limit || !e->problems)
            return false;
    }
    return fits;
}

static bool names_present(struct evaluation *e, const struct frame *frame, const json_t *names)
{
    size_t i;
    json_t *name;
    bool fits = schema_spend(e, json_array_size(names) / 16);
    json_array_foreach (names, i, name) {
        if (!json_object_get(frame->value, json_string_value(name)))
            fits = schema_complain_missing(e, frame, json_string_value(name));
        if (!fits && !e->problems)
            return false;
    }
    return fits;
}

bool rule_required(struct evaluation *e, const struct frame *frame, const struct rule *rule)
{
    return !json_is_object(frame->value) || names_present(e, frame, rule->value);
}

bool rule_dependent_required(struct evaluation *e, const struct frame *frame,
                             const struct rule *rule)
{
    const char *key;
    const json_t *names;
    bool fits = true;
    json_each_member (rule->value, key, names) {
        /* In draft-07 `dependencies` the other members are schemas. */
        if (json_is_array(names) && json_object_get(frame->value, key))
            fits = names_present(e, frame, names) && fits;
    }
    return fits;
}

bool rule_dependent_schemas(struct evaluation *e, const struct frame *frame,
                            const struct rule *rule)
{
    bool fits = true;
    for (size_t i = 0; i < rule->n_children && (fits || e->problems); i++) {
        const struct child *child = &rule->children[i];
        if (json_object_get(frame->value, child->name))
            fits = schema_evaluate_same(e, frame, child->node) && fits;
    }
    return fits;
}

bool rule_dependencies(struct evaluation *e, const struct frame *frame, const struct rule *rule)
{
    bool has_names = rule_dependent_required(e, frame, rule);
    return rule_dependent_schemas(e, frame, rule) && has_names;
}
