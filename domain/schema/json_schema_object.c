/* Keywords that look into objects. */
#include "domain/schema/json_schema_evaluation.h"
#include <string.h>

static bool member_fits(struct evaluation *e, const struct frame *frame, const struct node *node,
                        const char *key, const json_t *member)
{
    if (node->is_boolean && !node->accepts)
        return schema_complain_unknown(e, frame, key);
    struct path path = { frame->path, key, 0 };
    return schema_evaluate(e, frame, node, member, &path, NULL);
}

bool rule_properties(struct evaluation *e, const struct frame *frame, const struct rule *rule,
                     const json_t *value, struct marks *marks)
{
    const char *key;
    json_t *member;
    size_t i = 0;
    bool fits = true;
    json_object_foreach (schema_unconst(value), key, member) {
        const struct child *child = schema_find_child(rule, key);
        if (child) {
            fits = member_fits(e, frame, child->node, key, member) && fits;
            marks_set(marks, i);
        }
        i++;
        if (e->limit || (!fits && !e->problems))
            return false;
    }
    return fits;
}

bool rule_pattern_properties(struct evaluation *e, const struct frame *frame,
                             const struct rule *rule, const json_t *value, struct marks *marks)
{
    const char *key;
    json_t *member;
    size_t i = 0;
    bool fits = true;
    json_object_foreach (schema_unconst(value), key, member) {
        for (size_t j = 0; j < rule->n_children; j++) {
            const struct child *child = &rule->children[j];
            if (!schema_matches(e, child->pattern, key, strlen(key)))
                continue;
            fits = member_fits(e, frame, child->node, key, member) && fits;
            marks_set(marks, i);
        }
        i++;
        if (e->limit || (!fits && !e->problems))
            return false;
    }
    return fits;
}

static bool is_named(struct evaluation *e, const struct node *node, const char *key)
{
    if (schema_find_child(schema_node_rule(node, KEYWORD_PROPERTIES), key))
        return true;
    const struct rule *patterns = schema_node_rule(node, KEYWORD_PATTERN_PROPERTIES);
    for (size_t i = 0; patterns && i < patterns->n_children; i++)
        if (schema_matches(e, patterns->children[i].pattern, key, strlen(key)))
            return true;
    return false;
}

bool rule_additional_properties(struct evaluation *e, const struct frame *frame,
                                const struct rule *rule, const json_t *value, struct marks *marks)
{
    const char *key;
    json_t *member;
    size_t i = 0;
    bool fits = true;
    json_object_foreach (schema_unconst(value), key, member) {
        if (!is_named(e, frame->node, key)) {
            fits = member_fits(e, frame, rule->children[0].node, key, member) && fits;
            marks_set(marks, i);
        }
        i++;
        if (e->limit || (!fits && !e->problems))
            return false;
    }
    return fits;
}

bool rule_unevaluated_properties(struct evaluation *e, const struct frame *frame,
                                 const struct rule *rule, const json_t *value, struct marks *marks)
{
    const char *key;
    json_t *member;
    size_t i = 0;
    bool fits = true;
    json_object_foreach (schema_unconst(value), key, member) {
        if (!marks->seen[i])
            fits = member_fits(e, frame, rule->children[0].node, key, member) && fits;
        marks_set(marks, i++);
        if (e->limit || (!fits && !e->problems))
            return false;
    }
    return fits;
}

bool rule_property_names(struct evaluation *e, const struct frame *frame, const struct rule *rule,
                         const json_t *value, struct marks *marks)
{
    (void)marks;
    const char *key;
    json_t *member;
    bool fits = true;
    json_object_foreach (schema_unconst(value), key, member) {
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

static bool names_present(struct evaluation *e, const struct frame *frame, const json_t *names,
                          const json_t *value)
{
    size_t i;
    json_t *name;
    bool fits = schema_spend(e, json_array_size(names) / 16);
    json_array_foreach (names, i, name) {
        if (!json_object_get(value, json_string_value(name)))
            fits = schema_complain_missing(e, frame, json_string_value(name));
        if (!fits && !e->problems)
            return false;
    }
    return fits;
}

bool rule_required(struct evaluation *e, const struct frame *frame, const struct rule *rule,
                   const json_t *value, struct marks *marks)
{
    (void)marks;
    return !json_is_object(value) || names_present(e, frame, rule->value, value);
}

bool rule_dependent_required(struct evaluation *e, const struct frame *frame,
                             const struct rule *rule, const json_t *value, struct marks *marks)
{
    (void)marks;
    const char *key;
    json_t *names;
    bool fits = true;
    json_object_foreach (schema_unconst(rule->value), key, names) {
        /* In draft-07 `dependencies` the other members are schemas. */
        if (json_is_array(names) && json_object_get(value, key))
            fits = names_present(e, frame, names, value) && fits;
    }
    return fits;
}

bool rule_dependent_schemas(struct evaluation *e, const struct frame *frame,
                            const struct rule *rule, const json_t *value, struct marks *marks)
{
    bool fits = true;
    for (size_t i = 0; i < rule->n_children && (fits || e->problems); i++) {
        const struct child *child = &rule->children[i];
        if (json_object_get(value, child->name))
            fits = schema_evaluate(e, frame, child->node, value, frame->path, marks) && fits;
    }
    return fits;
}

bool rule_dependencies(struct evaluation *e, const struct frame *frame, const struct rule *rule,
                       const json_t *value, struct marks *marks)
{
    bool has_names = rule_dependent_required(e, frame, rule, value, marks);
    return rule_dependent_schemas(e, frame, rule, value, marks) && has_names;
}
