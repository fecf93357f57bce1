#include "domain/schema/schema_view.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

/* A bit for each of the names below. */
enum { TYPE_OBJECT = 1 << 2, TYPE_ARRAY = 1 << 3, TYPE_NUMBER = 1 << 5, TYPE_INTEGER = 1 << 6 };
static const char *const type_names[] = { "null",   "boolean", "object", "array",
                                          "string", "number",  "integer" };

const json_t *schema_view_resolve(const json_t *root, const json_t *schema)
{
    for (int hops = 0; hops < SCHEMA_VIEW_MAX_HOPS; hops++) {
        const char *reference = json_get_string(schema, "$ref");
        if (!reference)
            return schema;
        if (reference[0] != '#')
            return NULL;
        schema = json_path_find(root, reference + 1);
    }
    return NULL;
}

/* A bit per type; all of them when the schema does not say. A number may be an integer. */
static unsigned types_of(const json_t *schema)
{
    const json_t *type = json_object_get(schema, "type");
    unsigned bits = 0;
    if (!json_is_string(type) && !json_is_array(type))
        return ~0U;
    for (size_t t = 0; t < ARRAY_LENGTH(type_names); t++) {
        bool named = text_equal(json_string_value(type), type_names[t]) ||
                     json_array_has_text(type, type_names[t]);
        bits |= named ? 1U << t : 0;
    }
    return bits & TYPE_NUMBER ? bits | TYPE_INTEGER : bits;
}

/* Keywords that may bring members which the schema itself does not list. */
static bool is_open(const json_t *schema)
{
    static const char *const keywords[] = { "allOf", "anyOf",           "oneOf",
                                            "if",    "$dynamicRef",     "patternProperties",
                                            "$ref",  "dependentSchemas" };
    for (size_t i = 0; i < ARRAY_LENGTH(keywords); i++)
        if (json_object_get(schema, keywords[i]))
            return true;
    return false;
}

enum schema_answer schema_view_member(const json_t *root, const json_t *schema, const char *name,
                                      const json_t **out_schema)
{
    schema = schema_view_resolve(root, schema);
    if (!json_is_object(schema))
        return json_is_false(schema) ? SCHEMA_LACKS : SCHEMA_UNKNOWN;
    if (!(types_of(schema) & TYPE_OBJECT))
        return SCHEMA_LACKS;
    const json_t *properties = json_object_get(schema, "properties");
    const json_t *others = json_object_get(schema, "additionalProperties");
    const json_t *found = json_object_get(properties, name);
    if (!found && json_is_object(others) && !is_open(schema))
        found = others;
    if (found) {
        *out_schema = found;
        return SCHEMA_HAS;
    }
    if (is_open(schema) || json_is_true(others))
        return SCHEMA_UNKNOWN;
    return properties || json_is_false(others) ? SCHEMA_LACKS : SCHEMA_UNKNOWN;
}

enum schema_answer schema_view_element(const json_t *root, const json_t *schema, size_t index,
                                       const json_t **out_schema)
{
    schema = schema_view_resolve(root, schema);
    if (!json_is_object(schema))
        return json_is_false(schema) ? SCHEMA_LACKS : SCHEMA_UNKNOWN;
    if (!(types_of(schema) & TYPE_ARRAY))
        return SCHEMA_LACKS;
    const json_t *found = json_array_get(json_object_get(schema, "prefixItems"), index);
    const json_t *items = json_object_get(schema, "items");
    if (!found && json_is_array(items)) /* draft-07 */
        found = json_array_get(items, index);
    else if (!found)
        found = items;
    if (!found)
        return SCHEMA_UNKNOWN;
    *out_schema = found;
    return SCHEMA_HAS;
}

const json_t *schema_view_at(const json_t *root, const json_t *value, const char *path)
{
    AUTO(arena) scratch = { 0 };
    const json_t *schema = root;
    while (*path == '/') {
        const char *part = json_path_part(&scratch, &path);
        int64_t index = 0;
        enum schema_answer answer;
        if (json_is_array(value) && text_to_int64(part, &index)) {
            answer = schema_view_element(root, schema, (size_t)index, &schema);
            value = json_array_get(value, (size_t)index);
        } else {
            answer = schema_view_member(root, schema, part, &schema);
            value = json_object_get(value, part);
        }
        if (answer != SCHEMA_HAS)
            return NULL;
    }
    return schema_view_resolve(root, schema);
}

bool schema_view_requires(const json_t *schema, const char *name)
{
    return json_array_has_text(json_object_get(schema, "required"), name);
}

const char *schema_view_lacks_one_of(const json_t *schema, const json_t *values)
{
    size_t i;
    json_t *branch;
    const char *first = NULL;
    json_array_foreach (json_object_get(schema, "anyOf"), i, branch) {
        const json_t *required = json_object_get(branch, "required");
        const char *name = json_string_value(json_array_get(required, 0));
        if (!name || json_array_size(required) > 1 || json_object_get(values, name))
            return NULL;
        first = first ? first : name;
    }
    return first;
}

bool schema_view_types_meet(const json_t *root_a, const json_t *a, const json_t *root_b,
                            const json_t *b)
{
    return types_of(schema_view_resolve(root_a, a)) & types_of(schema_view_resolve(root_b, b));
}

const char *schema_view_type_text(struct arena *arena, const json_t *root, const json_t *schema)
{
    schema = schema_view_resolve(root, schema);
    const json_t *choices = json_object_get(schema, "enum");
    const json_t *type = json_object_get(schema, "type");
    if (json_is_array(choices))
        return arena_printf(arena, "one of %s", json_join_elements(arena, choices, ", "));
    if (json_is_string(type))
        return text_one_line(arena, json_string_value(type), json_string_length(type), 20);
    return json_array_size(type) ? json_join_elements(arena, type, " or ") : "any value";
}
