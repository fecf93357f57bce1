#include "application/orchestrators/arguments.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

/* Owned by the caller; NULL when the text is no such value. */
static json_t *from_text(const char *type, const char *text)
{
    int64_t whole;
    double number;
    if (text_equal(type, "integer") && text_to_int64(text, &whole))
        return json_integer(whole);
    if (text_equal(type, "number") && text_to_double(text, &number))
        return text_to_int64(text, &whole) ? json_integer(whole) : json_real(number);
    if (text_equal(type, "boolean") && strcmp(text, "true") == 0)
        return json_true();
    if (text_equal(type, "boolean") && strcmp(text, "false") == 0)
        return json_false();
    return NULL;
}

/* The choice of an enum that is this text but for its case, or NULL. Borrowed. */
static const json_t *same_choice(const json_t *choices, const char *text)
{
    for (size_t i = 0; i < json_array_size(choices); i++) {
        const char *choice = json_string_value(json_array_get(choices, i));
        if (choice && strcasecmp(choice, text) == 0)
            return json_array_get(choices, i);
    }
    return NULL;
}

static json_t *fit_text(const json_t *schema, const json_t *value)
{
    const char *text = json_string_value(value);
    const json_t *choice = same_choice(json_object_get(schema, "enum"), text);
    json_t *converted = choice ? json_share(choice) : NULL;
    return converted ? converted : from_text(json_get_string(schema, "type"), text);
}

/* A reference of one's own to the value, or to what it became. */
static json_t *fit_value(const json_t *schema, const json_t *value)
{
    json_t *converted = json_is_string(value) ? fit_text(schema, value) : NULL;
    if (converted)
        return converted;
    bool wants_list = text_equal(json_get_string(schema, "type"), "array");
    if (!wants_list || json_is_array(value) || json_is_object(value))
        return json_share(value);
    json_t *only = fit_value(json_object_get(schema, "items"), value);
    json_t *list = json_array();
    json_array_append_new(list, only);
    return list;
}

static const json_t *schema_of(const struct tool *const *tools, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++) {
        const json_t *properties = json_object_get(tools[i]->input_schema, "properties");
        const json_t *schema = json_object_get(properties, key);
        if (schema)
            return schema;
    }
    return NULL;
}

static bool is_empty(const json_t *value)
{
    return json_is_null(value) || (json_is_string(value) && json_string_length(value) == 0);
}

const json_t *arguments_fit(struct arena *arena, const struct tool *const *tools, size_t n,
                            const json_t *parameters)
{
    json_t *fitted = arena_keep_json(arena, json_object());
    const char *key;
    json_t *value;
    json_each_member (parameters, key, value) {
        const json_t *schema = schema_of(tools, n, key);
        if (!is_empty(value))
            json_object_set_new(fitted, key, schema ? fit_value(schema, value) : json_share(value));
    }
    return fitted;
}

const json_t *arguments_for(struct arena *arena, const struct tool *tool, const json_t *parameters)
{
    const json_t *properties = json_object_get(tool->input_schema, "properties");
    if (json_object_size(properties) == 0)
        return parameters;
    json_t *known = arena_keep_json(arena, json_object());
    const char *key;
    json_t *value;
    json_each_member (parameters, key, value) {
        if (json_object_get(properties, key))
            json_object_set_new(known, key, json_share(value));
    }
    return known;
}
