/* The table of keywords, the shapes of their values, and where subschemas are in a shape. */
#include "domain/base/json.h"
#include "domain/schema/json_schema_internal.h"
#include <string.h>

const struct keyword schema_keywords[KEYWORD_COUNT] = {
#define X(id, name, dialects, vocabulary, shape, function)                                         \
    { KEYWORD_##id, name, DIALECT_##dialects, VOCABULARY_##vocabulary, SHAPE_##shape, function },
    KEYWORDS(X)
#undef X
};

unsigned schema_type_bit(const char *name)
{
    static const struct {
        const char *name;
        unsigned bit;
    } types[] = {
        { "object", TYPE_BIT(JSON_OBJECT) }, { "array", TYPE_BIT(JSON_ARRAY) },
        { "string", TYPE_BIT(JSON_STRING) }, { "integer", TYPE_BIT(JSON_INTEGER) },
        { "boolean", TYPE_BIT(JSON_TRUE) },  { "null", TYPE_BIT(JSON_NULL) },
        { "number", TYPE_BIT(JSON_REAL) },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(types); i++)
        if (strcmp(types[i].name, name) == 0)
            return types[i].bit;
    return 0;
}

static bool all_elements(const json_t *array, bool (*is_fine)(const json_t *))
{
    size_t i;
    const json_t *element;
    if (!json_is_array(array))
        return false;
    json_array_foreach (array, i, element)
        if (!is_fine(element))
            return false;
    return true;
}

static bool all_members(const json_t *object, bool (*is_fine)(const json_t *))
{
    const char *key;
    const json_t *member;
    if (!json_is_object(object))
        return false;
    json_each_member (object, key, member)
        if (!is_fine(member))
            return false;
    return true;
}

static bool is_string(const json_t *value)
{
    return json_is_string(value);
}

static bool is_names(const json_t *value)
{
    return all_elements(value, is_string);
}

static bool is_dependency(const json_t *value)
{
    return schema_is_schema(value) || is_names(value);
}

static bool is_type_name(const json_t *value)
{
    return json_is_string(value) && schema_type_bit(json_string_value(value));
}

static const char *unless(bool fine, const char *wanted)
{
    return fine ? NULL : wanted;
}

const char *schema_shape_wants(enum shape shape, const json_t *value)
{
    switch (shape) {
    case SHAPE_SCHEMA:
        return unless(schema_is_schema(value), "a schema (an object or a boolean)");
    case SHAPE_SCHEMAS:
        return unless(all_elements(value, schema_is_schema) && json_array_size(value),
                      "an array of schemas, not empty");
    case SHAPE_SCHEMA_MAP:
    case SHAPE_PATTERN_MAP:
        return unless(all_members(value, schema_is_schema), "an object of schemas");
    case SHAPE_ITEMS:
        return unless(schema_is_schema(value) || all_elements(value, schema_is_schema),
                      "a schema or an array of schemas");
    case SHAPE_DEPENDENCIES:
        return unless(all_members(value, is_dependency),
                      "an object of schemas or arrays of strings");
    case SHAPE_REFERENCE:
    case SHAPE_DYNAMIC_REFERENCE:
    case SHAPE_PATTERN:
    case SHAPE_STRING:
        return unless(json_is_string(value), "a string");
    case SHAPE_NUMBER:
        return unless(json_is_number(value), "a number");
    case SHAPE_POSITIVE:
        return unless(json_is_number(value) && json_number_value(value) > 0,
                      "a number greater than 0");
    case SHAPE_COUNT:
        return unless(json_is_number(value) && json_number_value(value) >= 0 &&
                          schema_number_is_whole(value),
                      "a whole number, not negative");
    case SHAPE_BOOLEAN:
        return unless(json_is_boolean(value), "true or false");
    case SHAPE_NAMES:
        return unless(is_names(value), "an array of strings");
    case SHAPE_NAMES_MAP:
        return unless(all_members(value, is_names), "an object of arrays of strings");
    case SHAPE_TYPE:
        return unless(is_type_name(value) ||
                          (all_elements(value, is_type_name) && json_array_size(value)),
                      "the name of a JSON type or an array of them");
    case SHAPE_ARRAY:
        return unless(json_is_array(value), "an array");
    case SHAPE_ANY:
        return NULL;
    }
    return NULL;
}

static enum err_code visit_array(const json_t *array, schema_visitor *visit, void *context,
                                 struct err *err)
{
    size_t i;
    const json_t *element;
    json_array_foreach (array, i, element) {
        enum err_code r = visit(context, element, NULL, i, err);
        if (r)
            return r;
    }
    return ERR_NONE;
}

static enum err_code visit_object(const json_t *object, schema_visitor *visit, void *context,
                                  struct err *err)
{
    const char *key;
    const json_t *member;
    size_t i = 0;
    json_each_member (object, key, member) {
        /* In draft-07 dependencies, a list of names is not a subschema. */
        enum err_code r = json_is_array(member) ? ERR_NONE : visit(context, member, key, i, err);
        if (r)
            return r;
        i++;
    }
    return ERR_NONE;
}

enum err_code schema_shape_visit(enum shape shape, const json_t *value, schema_visitor *visit,
                                 void *context, struct err *err)
{
    if (schema_shape_wants(shape, value))
        return ERR_NONE; /* compiling reports it, with its place */
    if (shape == SHAPE_SCHEMA_MAP || shape == SHAPE_PATTERN_MAP || shape == SHAPE_DEPENDENCIES)
        return visit_object(value, visit, context, err);
    if (shape == SHAPE_SCHEMAS || (shape == SHAPE_ITEMS && json_is_array(value)))
        return visit_array(value, visit, context, err);
    if (shape == SHAPE_SCHEMA || shape == SHAPE_ITEMS)
        return visit(context, value, NULL, 0, err);
    return ERR_NONE;
}
