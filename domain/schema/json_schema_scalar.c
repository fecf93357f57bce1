/* Keywords that look at one value by itself: its type, its choices, its size. */
#include "domain/base/text.h"
#include "domain/schema/json_schema_evaluation.h"

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

bool rule_type(struct evaluation *e, const struct frame *frame, const struct rule *rule,
               const json_t *value, struct marks *marks)
{
    (void)marks;
    return (schema_type_bits(value) & rule->types) ||
           schema_complain_type(e, frame->path, rule->types, value);
}

bool rule_enum(struct evaluation *e, const struct frame *frame, const struct rule *rule,
               const json_t *value, struct marks *marks)
{
    (void)marks;
    size_t n = json_array_size(rule->value);
    uint64_t hash = schema_value_hash(value);
    if (!schema_spend(e, n / 16))
        return false;
    for (size_t i = 0; i < n; i++)
        if (rule->hashes[i] == hash && json_schema_equal(json_array_get(rule->value, i), value))
            return true;
    return schema_complain_choice(e, frame->path, rule->value, value);
}

bool rule_const(struct evaluation *e, const struct frame *frame, const struct rule *rule,
                const json_t *value, struct marks *marks)
{
    (void)marks;
    if (json_schema_equal(rule->value, value))
        return true;
    const char *wanted = schema_show(e, rule->value);
    return schema_complain(e, frame->path, DISTANCE_WRONG_CONSTANT,
                           schema_format(e, "write exactly %s", wanted), "is %s, must be %s",
                           schema_show(e, value), wanted);
}

/* One numeric bound: wrong when the comparison comes out as not wanted. */
static bool number_bound(struct evaluation *e, const struct frame *frame, const struct rule *rule,
                         const json_t *value, bool fits, const char *relation)
{
    if (!json_is_number(value) || fits)
        return true;
    const char *bound = schema_show(e, rule->value);
    return schema_complain(e, frame->path, DISTANCE_DEFAULT,
                           schema_format(e, "use a number that is %s %s", relation, bound),
                           "is %s, must be %s %s", schema_show(e, value), relation, bound);
}

static int compared(const json_t *value, const struct rule *rule)
{
    return json_is_number(value) ? schema_number_compare(value, rule->value) : 0;
}

bool rule_maximum(struct evaluation *e, const struct frame *frame, const struct rule *rule,
                  const json_t *value, struct marks *marks)
{
    (void)marks;
    return number_bound(e, frame, rule, value, compared(value, rule) <= 0, "at most");
}

bool rule_exclusive_maximum(struct evaluation *e, const struct frame *frame,
                            const struct rule *rule, const json_t *value, struct marks *marks)
{
    (void)marks;
    return number_bound(e, frame, rule, value, compared(value, rule) < 0, "less than");
}

bool rule_minimum(struct evaluation *e, const struct frame *frame, const struct rule *rule,
                  const json_t *value, struct marks *marks)
{
    (void)marks;
    return number_bound(e, frame, rule, value, compared(value, rule) >= 0, "at least");
}

bool rule_exclusive_minimum(struct evaluation *e, const struct frame *frame,
                            const struct rule *rule, const json_t *value, struct marks *marks)
{
    (void)marks;
    return number_bound(e, frame, rule, value, compared(value, rule) > 0, "greater than");
}

bool rule_multiple_of(struct evaluation *e, const struct frame *frame, const struct rule *rule,
                      const json_t *value, struct marks *marks)
{
    (void)marks;
    bool fits = !json_is_number(value) || schema_number_is_multiple(value, rule->value);
    return number_bound(e, frame, rule, value, fits, "a multiple of");
}

/* A bound of a size: of a string, an array or an object. */
static bool size_bound(struct evaluation *e, const struct frame *frame, const struct rule *rule,
                       size_t size, bool is_maximum, const char *what)
{
    double bound = json_number_value(rule->value);
    if (is_maximum ? (double)size <= bound : (double)size >= bound)
        return true;
    const char *relation = is_maximum ? "at most" : "at least";
    const char *fix = schema_format(e, "use %s %.0f %s", relation, bound, what);
    return schema_complain(e, frame->path, DISTANCE_DEFAULT, fix, "has %zu %s, must have %s %.0f",
                           size, what, relation, bound);
}

static bool length_bound(struct evaluation *e, const struct frame *frame, const struct rule *rule,
                         const json_t *value, bool is_maximum)
{
    if (!json_is_string(value))
        return true;
    size_t length = text_code_points(json_string_value(value), json_string_length(value));
    return size_bound(e, frame, rule, length, is_maximum, "characters");
}

bool rule_max_length(struct evaluation *e, const struct frame *frame, const struct rule *rule,
                     const json_t *value, struct marks *marks)
{
    (void)marks;
    return length_bound(e, frame, rule, value, true);
}

bool rule_min_length(struct evaluation *e, const struct frame *frame, const struct rule *rule,
                     const json_t *value, struct marks *marks)
{
    (void)marks;
    return length_bound(e, frame, rule, value, false);
}

bool rule_pattern(struct evaluation *e, const struct frame *frame, const struct rule *rule,
                  const json_t *value, struct marks *marks)
{
    (void)marks;
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

bool rule_max_items(struct evaluation *e, const struct frame *frame, const struct rule *rule,
                    const json_t *value, struct marks *marks)
{
    (void)marks;
    return !json_is_array(value) ||
           size_bound(e, frame, rule, json_array_size(value), true, "items");
}

bool rule_min_items(struct evaluation *e, const struct frame *frame, const struct rule *rule,
                    const json_t *value, struct marks *marks)
{
    (void)marks;
    return !json_is_array(value) ||
           size_bound(e, frame, rule, json_array_size(value), false, "items");
}

bool rule_max_properties(struct evaluation *e, const struct frame *frame, const struct rule *rule,
                         const json_t *value, struct marks *marks)
{
    (void)marks;
    return !json_is_object(value) ||
           size_bound(e, frame, rule, json_object_size(value), true, "properties");
}

bool rule_min_properties(struct evaluation *e, const struct frame *frame, const struct rule *rule,
                         const json_t *value, struct marks *marks)
{
    (void)marks;
    return !json_is_object(value) ||
           size_bound(e, frame, rule, json_object_size(value), false, "properties");
}
