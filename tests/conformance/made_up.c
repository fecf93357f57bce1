#include "tests/conformance/made_up.h"
#include "application/tools/elicitation_form.h"
#include "domain/base/json.h"
#include <string.h>

/* A new reference. */
static json_t *of_type(const char *type)
{
    if (!type || strcmp(type, "string") == 0)
        return json_string("x");
    if (strcmp(type, "number") == 0 || strcmp(type, "integer") == 0)
        return json_integer(3);
    if (strcmp(type, "boolean") == 0)
        return json_true();
    return strcmp(type, "array") == 0 ? json_array() : json_object();
}

/* A new reference. */
static json_t *of_schema(const json_t *schema)
{
    static const char *const members[] = { "default", "const" };
    for (size_t i = 0; i < 2; i++) {
        json_t *value = json_object_get(schema, members[i]);
        if (value)
            return json_incref(value);
    }
    json_t *first = json_array_get(json_object_get(schema, "enum"), 0);
    return first ? json_incref(first) : of_type(json_get_string(schema, "type"));
}

const json_t *made_up_arguments(struct arena *arena, const json_t *schema)
{
    json_t *arguments = arena_keep_json(arena, json_object());
    const json_t *properties = json_object_get(schema, "properties");
    const json_t *required = json_object_get(schema, "required");
    for (size_t i = 0; i < json_array_size(required); i++) {
        const char *key = json_string_value(json_array_get(required, i));
        if (key)
            json_object_set_new(arguments, key, of_schema(json_object_get(properties, key)));
    }
    return arguments;
}

const json_t *made_up_prompt_arguments(struct arena *arena, const json_t *definition)
{
    json_t *made = arena_keep_json(arena, json_object());
    const json_t *arguments = json_object_get(definition, "arguments");
    for (size_t i = 0; i < json_array_size(arguments); i++) {
        const json_t *argument = json_array_get(arguments, i);
        const char *name = json_get_string(argument, "name");
        if (name && json_get_bool(argument, "required", false))
            json_object_set_new(made, name, json_string("x"));
    }
    return made;
}

/* A new reference. */
static json_t *of_field(const struct form_field *field)
{
    switch (field->kind) {
    case FORM_TEXT:
        return json_string("x");
    case FORM_INTEGER:
    case FORM_NUMBER:
        return json_integer(3);
    case FORM_BOOLEAN:
        return json_true();
    case FORM_CHOICE:
        return json_string(field->choices[0]);
    case FORM_CHOICES:
        return json_pack("[s]", field->choices[0]);
    }
    return json_null();
}

enum err_code made_up_form(struct arena *arena, const json_t *schema, json_t **out, struct err *err)
{
    struct elicitation_form form;
    enum err_code r = elicitation_form_init(schema, arena, &form, err);
    if (r)
        return r;
    json_t *answers = arena_keep_json(arena, json_object());
    for (size_t i = 0; i < form.form.n_fields; i++) {
        const struct form_field *field = &form.form.fields[i];
        if (field->fallback)
            json_object_set_new(answers, field->key, json_share(field->fallback));
        else if (field->required)
            json_object_set_new(answers, field->key, of_field(field));
    }
    r = elicitation_form_check(&form, arena, answers, err);
    elicitation_form_finish(&form);
    if (!r)
        *out = answers;
    return r;
}
