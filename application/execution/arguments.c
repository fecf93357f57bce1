#include "application/execution/arguments.h"
#include "application/structured/argument_value.h"
#include "domain/base/json.h"
#include "domain/base/text.h"

struct argument_notes argument_notes_make(struct arena *arena)
{
    return (struct argument_notes){ .list = arena_keep_json(arena, json_array()) };
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
                            const json_t *parameters, bool keeps_empty,
                            struct argument_notes *notes)
{
    json_t *fitted = arena_keep_json(arena, json_object());
    const char *key;
    json_t *value;
    json_each_member (parameters, key, value) {
        const char *path = json_path_member(arena, "", key);
        const json_t *schema = schema_of(tools, n, key);
        if (keeps_empty ? !json_is_null(value) : !is_empty(value))
            json_object_set_new(fitted, key, argument_fit(arena, schema, path, value, notes));
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

/* A schema that lists properties and says nothing of others has no others. */
static bool is_unknown(const json_t *schema, const char *key)
{
    const json_t *properties = json_object_get(schema, "properties");
    const json_t *others = json_object_get(schema, "additionalProperties");
    bool is_closed = !others || json_is_false(others);
    return json_object_size(properties) && is_closed && !json_object_get(properties, key) &&
           !json_object_get(schema, "patternProperties");
}

static bool is_idle_null(const json_t *schema, const json_t *value)
{
    return json_is_null(value) && json_object_get(schema, "type") &&
           !argument_takes(schema, "null");
}

/* Why the argument is left out; NULL when it stays. */
static const char *fault_of(const json_t *input, const char *key, const json_t *value)
{
    const json_t *schema = json_object_get(json_object_get(input, "properties"), key);
    if (is_unknown(input, key))
        return "unknown argument left out";
    return is_idle_null(schema, value) ? "null left out" : NULL;
}

static void add_defaults(struct arena *arena, const json_t *input, json_t *args,
                         struct argument_notes *notes)
{
    const json_t *required = json_object_get(input, "required");
    for (size_t i = 0; i < json_array_size(required); i++) {
        const char *key = json_string_value(json_array_get(required, i));
        const json_t *properties = json_object_get(input, "properties");
        const json_t *schema = key ? json_object_get(properties, key) : NULL;
        const json_t *fallback = json_object_get(schema, "default");
        if (!fallback || json_object_get(args, key))
            continue;
        json_object_set_new(args, key, json_share(fallback));
        argument_note(notes, json_path_member(arena, "", key), "default filled in");
    }
}

const json_t *arguments_of_step(struct arena *arena, const struct tool *tool, const json_t *args,
                                struct argument_notes *notes)
{
    json_t *fitted = arena_keep_json(arena, json_object());
    const char *key;
    json_t *value;
    json_each_member (args, key, value) {
        const char *path = json_path_member(arena, "", key);
        const char *fault = fault_of(tool->input_schema, key, value);
        const json_t *schema =
            json_object_get(json_object_get(tool->input_schema, "properties"), key);
        if (fault)
            argument_note(notes, path, fault);
        else
            json_object_set_new(fitted, key, argument_fit(arena, schema, path, value, notes));
    }
    add_defaults(arena, tool->input_schema, fitted, notes);
    return fitted;
}

const json_t *arguments_print(struct arena *arena, const struct tool *tool, const json_t *written,
                              const json_t *bound)
{
    const json_t *properties = json_object_get(tool->input_schema, "properties");
    json_t *printed = arena_keep_json(arena, json_object());
    const char *key;
    json_t *value;
    json_each_member (bound, key, value) {
        const char *type = json_get_string(json_object_get(properties, key), "type");
        bool was_reference = !json_equal(json_object_get(written, key), value);
        bool is_scalar = json_is_number(value) || json_is_boolean(value);
        if (was_reference && is_scalar && text_equal(type, "string"))
            json_object_set_new(printed, key, json_string(json_print_in(arena, value)));
        else
            json_object_set(printed, key, value);
    }
    return printed;
}
