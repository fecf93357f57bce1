#include "infrastructure/models/schema/schema_lowering.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/models/schema/schema_lowering_internal.h"
#include <math.h>
#include <string.h>

struct lowering {
    struct arena *arena; /* for paths */
    const json_t *root;
    unsigned refs, depth; /* of the place being lowered */
    size_t budget;        /* schemas that may still be made */
};

static json_t *lower(struct lowering *lowering, const json_t *schema);

/* Copied as they are. Annotations are left out: the grammar does not show them to the model. */
static const char *const numbers[] = { "minimum", "maximum", "exclusiveMinimum",
                                       "exclusiveMaximum" };
static const char *const formats[] = { "date", "time", "date-time", "uuid" };

/* Some schemas use the type names of other languages. An engine refuses the whole schema for one.
 */
static const char *type_name(const char *name)
{
    static const char *const names[][2] = {
        { "object", "object" }, { "array", "array" },     { "string", "string" },
        { "number", "number" }, { "integer", "integer" }, { "boolean", "boolean" },
        { "null", "null" },     { "dict", "object" },     { "list", "array" },
        { "tuple", "array" },   { "str", "string" },      { "float", "number" },
        { "double", "number" }, { "int", "integer" },     { "bool", "boolean" },
        { "none", "null" },
    };
    for (size_t i = 0; name && i < ARRAY_LENGTH(names); i++)
        if (strcasecmp(name, names[i][0]) == 0)
            return names[i][1];
    return NULL;
}

/* With one unknown name among several, any type may be meant. */
static void lower_type(const json_t *schema, json_t *out)
{
    const json_t *type = json_object_get(schema, "type");
    const char *only = type_name(json_string_value(type));
    if (only)
        json_object_set_new(out, "type", json_string(only));
    json_t *several = json_array();
    for (size_t i = 0; i < json_array_size(type); i++) {
        const char *name = type_name(json_string_value(json_array_get(type, i)));
        if (name)
            json_array_append_new(several, json_string(name));
    }
    if (json_array_size(several) && json_array_size(several) == json_array_size(type))
        json_object_set(out, "type", several);
    json_decref(several);
}

/* A bound that an engine cannot count with is left out. */
static void copy_numbers(const json_t *schema, json_t *out)
{
    static const double most = 9007199254740992.0;
    for (size_t i = 0; i < ARRAY_LENGTH(numbers); i++) {
        const json_t *bound = json_object_get(schema, numbers[i]);
        double value = json_number_value(bound);
        if (json_is_number(bound) && value <= most && value >= -most)
            json_object_set_new(out, numbers[i], json_share(bound));
    }
}

static void copy_kept(const json_t *schema, json_t *out)
{
    static const char *const lists[] = { "enum", "required" };
    for (size_t i = 0; i < ARRAY_LENGTH(lists); i++) {
        const json_t *list = json_object_get(schema, lists[i]);
        if (json_array_size(list) > 0)
            json_object_set_new(out, lists[i], json_share(list));
    }
    const json_t *constant = json_object_get(schema, "const");
    if (constant)
        json_object_set_new(out, "const", json_share(constant));
    const char *format = json_get_string(schema, "format");
    for (size_t i = 0; i < ARRAY_LENGTH(formats); i++)
        if (text_equal(format, formats[i]))
            json_object_set_new(out, "format", json_string(format));
}

/* llama.cpp refuses a longer lower bound and ignores a longer upper one. A lower one may be lowered
 * without refusing anything; a text that is forced to end at an upper one would be cut in silence.
 */
static void copy_lengths(const json_t *schema, json_t *out)
{
    static const char *const low[] = { "minLength", "minItems" };
    static const char *const high[] = { "maxLength", "maxItems" };
    const int64_t most = SCHEMA_LOWERING_MAX_LENGTH;
    for (size_t i = 0; i < ARRAY_LENGTH(low); i++) {
        int64_t bound = json_get_int(schema, low[i], 0);
        if (bound > 0)
            json_object_set_new(out, low[i], json_integer(bound < most ? bound : most));
    }
    for (size_t i = 0; i < ARRAY_LENGTH(high); i++) {
        int64_t bound = json_get_int(schema, high[i], -1);
        if (bound >= 0 && bound <= most)
            json_object_set_new(out, high[i], json_integer(bound));
    }
}

static void copy_pattern(const json_t *schema, json_t *out)
{
    const char *pattern = json_get_string(schema, "pattern");
    auto_str lowered = pattern ? schema_pattern_lower(pattern) : NULL;
    if (lowered)
        json_object_set_new(out, "pattern", json_string(lowered));
}

static void lower_properties(struct lowering *lowering, const json_t *schema, json_t *out)
{
    const json_t *properties = json_object_get(schema, "properties"), *property;
    const char *name;
    if (!json_is_object(properties))
        return;
    json_t *lowered = json_object();
    json_each_member (properties, name, property)
        json_object_set_new(lowered, name, lower(lowering, property));
    json_object_set_new(out, "properties", lowered);
}

static json_t *lower_all(struct lowering *lowering, const json_t *schemas)
{
    json_t *lowered = json_array();
    for (size_t i = 0; i < json_array_size(schemas); i++)
        json_array_append_new(lowered, lower(lowering, json_array_get(schemas, i)));
    return lowered;
}

/* A list of schemas in `items` is a tuple, as drafts before 2020-12 wrote it. Without `items` a
 * bound of their number would be ignored. */
static void lower_items(struct lowering *lowering, const json_t *schema, json_t *out)
{
    const json_t *tuple = json_object_get(schema, "prefixItems");
    const json_t *items = json_object_get(schema, "items");
    bool is_bounded = json_object_get(out, "minItems") || json_object_get(out, "maxItems");
    if (!json_is_array(tuple))
        tuple = items;
    if (json_array_size(tuple))
        json_object_set_new(out, "prefixItems", lower_all(lowering, tuple));
    else if (json_is_object(items) || json_is_true(items) || is_bounded)
        json_object_set_new(out, "items", lower(lowering, items));
}

/* Absent means false to engines, unlike in the specification, and stays absent: a model had better
 * not invent members. Engines do not know patterns of names: what one pattern says of members may
 * be said of all; several say nothing that could be kept. */
static void lower_additional(struct lowering *lowering, const json_t *schema, json_t *out)
{
    const json_t *additional = json_object_get(schema, "additionalProperties");
    const json_t *patterns = json_object_get(schema, "patternProperties"), *only = NULL;
    const char *name;
    bool is_closed = json_is_false(additional) && json_object_size(patterns) <= 1;
    json_each_member (patterns, name, only)
        additional = is_closed ? only : json_true();
    if (json_is_false(additional))
        json_object_set_new(out, "additionalProperties", json_false());
    else if (json_is_object(additional) && json_object_size(additional))
        json_object_set_new(out, "additionalProperties", lower(lowering, additional));
    else if (additional)
        json_object_set_new(out, "additionalProperties", json_true());
}

/* An engine ignores that a member is required when it knows nothing else about it. */
static void complete_required(json_t *out)
{
    json_t *properties = json_object_get(out, "properties");
    const json_t *required = json_object_get(out, "required");
    for (size_t i = 0; properties && i < json_array_size(required); i++) {
        const char *name = json_string_value(json_array_get(required, i));
        if (name && !json_object_get(properties, name))
            json_object_set_new(properties, name, json_object());
    }
}

/* Takes ownership of both. */
static json_t *merge_new(struct lowering *lowering, json_t *first, json_t *second)
{
    json_t *merged = schema_merge(first, second, &lowering->budget);
    json_decref(first);
    json_decref(second);
    return merged;
}

static json_t *lower_reference(struct lowering *lowering, const char *reference)
{
    const char *path = schema_reference_path(lowering->arena, reference);
    const json_t *target = path ? json_path_find(lowering->root, path) : NULL;
    if (!target || lowering->refs == SCHEMA_LOWERING_MAX_REFS)
        return json_object();
    lowering->refs++;
    json_t *lowered = lower(lowering, target);
    lowering->refs--;
    return lowered;
}

/* The keywords that engines know, without those that bring in other schemas of the same value. */
static json_t *lower_keywords(struct lowering *lowering, const json_t *schema)
{
    json_t *out = json_object();
    lower_type(schema, out);
    copy_kept(schema, out);
    copy_numbers(schema, out);
    copy_lengths(schema, out);
    copy_pattern(schema, out);
    lower_properties(lowering, schema, out);
    lower_items(lowering, schema, out);
    lower_additional(lowering, schema, out);
    complete_required(out);
    return out;
}

static json_t *lower_object(struct lowering *lowering, const json_t *schema)
{
    json_t *out = lower_keywords(lowering, schema);
    const char *reference = json_get_string(schema, "$ref");
    if (reference)
        out = merge_new(lowering, lower_reference(lowering, reference), out);
    const json_t *all = json_object_get(schema, "allOf");
    for (size_t i = 0; i < json_array_size(all); i++)
        out = merge_new(lowering, out, lower(lowering, json_array_get(all, i)));
    const json_t *alternatives = json_object_get(schema, "anyOf");
    if (!json_array_size(alternatives))
        alternatives = json_object_get(schema, "oneOf");
    if (!json_array_size(alternatives))
        return out;
    return merge_new(lowering, out, json_pack("{s:o}", "anyOf", lower_all(lowering, alternatives)));
}

static json_t *lower(struct lowering *lowering, const json_t *schema)
{
    bool too_much = lowering->depth == SCHEMA_LOWERING_MAX_DEPTH || lowering->budget == 0;
    if (too_much || !json_is_object(schema))
        return json_object();
    lowering->depth++;
    lowering->budget--;
    json_t *lowered = lower_object(lowering, schema);
    lowering->depth--;
    return lowered;
}

static void reconcile_counts(json_t *schema)
{
    static const char *const counts[][2] = { { "minLength", "maxLength" },
                                             { "minItems", "maxItems" } };
    for (size_t i = 0; i < ARRAY_LENGTH(counts); i++) {
        if (json_get_int(schema, counts[i][0], 0) <= json_get_int(schema, counts[i][1], INT64_MAX))
            continue;
        json_object_del(schema, counts[i][0]);
        json_object_del(schema, counts[i][1]);
    }
}

static void reconcile_numbers(json_t *schema)
{
    static const char *const all[] = { "minimum", "exclusiveMinimum", "maximum",
                                       "exclusiveMaximum" };
    const double none = INFINITY;
    double low =
        fmax(json_get_number(schema, all[0], -none), json_get_number(schema, all[1], -none));
    double high =
        fmin(json_get_number(schema, all[2], none), json_get_number(schema, all[3], none));
    if (text_equal(json_get_string(schema, "type"), "integer")) {
        low = fmax(ceil(json_get_number(schema, all[0], -none)),
                   floor(json_get_number(schema, all[1], -none)) + 1);
        high = fmin(floor(json_get_number(schema, all[2], none)),
                    ceil(json_get_number(schema, all[3], none)) - 1);
    }
    for (size_t i = 0; low > high && i < ARRAY_LENGTH(all); i++)
        json_object_del(schema, all[i]);
}

/* Members of "properties" are names, not keywords; the values of "const" and "enum" are not
 * schemas.
 */
void schema_bounds_reconcile(json_t *schema)
{
    const char *key, *name;
    json_t *member, *property;
    size_t i;
    json_array_foreach (schema, i, member)
        schema_bounds_reconcile(member);
    if (!json_is_object(schema))
        return;
    reconcile_counts(schema);
    reconcile_numbers(schema);
    json_each_member (schema, key, member) {
        if (strcmp(key, "properties") == 0)
            json_each_member (member, name, property)
                schema_bounds_reconcile(property);
        else if (strcmp(key, "const") != 0 && strcmp(key, "enum") != 0)
            schema_bounds_reconcile(member);
    }
}

const json_t *schema_lower(struct arena *arena, const json_t *schema)
{
    struct lowering lowering = { .arena = arena,
                                 .root = schema,
                                 .budget = SCHEMA_LOWERING_MAX_SCHEMAS };
    json_t *lowered = arena_keep_json(arena, lower(&lowering, schema));
    schema_bounds_reconcile(lowered);
    return lowered;
}

const json_t *schema_lower_for(struct arena *arena, const json_t *schema, const char *kind)
{
    const json_t *lowered = schema_lower(arena, schema);
    if (strcmp(kind, "tgi") != 0 || json_object_get(lowered, "properties"))
        return lowered;
    return arena_keep_json(arena, schema_merge_alternatives(lowered));
}
