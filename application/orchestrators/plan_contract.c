#include "application/orchestrators/plan_contract.h"
#include "domain/base/json.h"
#include <stdio.h>
#include <string.h>

#define REFERENCE_PATTERN "^\\{[a-z][A-Za-z0-9_.\\[\\]]*\\}$"

/* The property's own schema, or a string that is a reference. Owned by the caller. */
static json_t *or_reference(const json_t *schema)
{
    return json_pack("{s:[O, {s:s, s:s}]}", "anyOf", schema, "type", "string", "pattern",
                     REFERENCE_PATTERN);
}

/* A free string already takes every reference. */
static bool takes_any_text(const json_t *schema)
{
    const char *type = json_get_string(schema, "type");
    return type && strcmp(type, "string") == 0 && !json_object_get(schema, "enum") &&
           !json_object_get(schema, "pattern") && !json_object_get(schema, "maxLength");
}

static json_t *args_schema(const json_t *input, enum plan_arguments arguments)
{
    json_t *properties = json_object();
    const char *key;
    json_t *schema;
    json_each_member (json_object_get(input, "properties"), key, schema) {
        json_object_set_new(properties, key,
                            takes_any_text(schema) ? json_share(schema) : or_reference(schema));
    }
    json_t *args = json_pack("{s:s, s:o}", "type", "object", "properties", properties);
    const json_t *required = json_object_get(input, "required");
    if (required && arguments == PLAN_ARGUMENTS_REQUIRED)
        json_object_set_new(args, "required", json_share(required));
    return args;
}

/* Schemas with references of their own lose their footing inside another schema. */
static bool can_be_carried_over(const json_t *input)
{
    auto_str text = json_print(input);
    return text && strlen(text) <= PLAN_CONTRACT_MAX_SCHEMA_BYTES && !strstr(text, "\"$ref\"") &&
           json_object_size(json_object_get(input, "properties")) > 0;
}

static json_t *step_schema(const struct offered_tool *offered, enum plan_arguments arguments)
{
    const json_t *input = offered->tool->input_schema;
    json_t *args = can_be_carried_over(input) ? args_schema(input, arguments)
                                              : json_pack("{s:s}", "type", "object");
    return json_pack("{s:s, s:{s:{s:s, s:i}, s:{s:s, s:[s]}, s:o}, s:[s, s]}", "type", "object",
                     "properties", "id", "type", "string", "maxLength", 8, "tool", "type", "string",
                     "enum", offered->shown, "args", args, "required", "tool", "args");
}

void plan_contract_complete(json_t *schema, const struct shortlist *list, size_t max_steps,
                            enum plan_arguments arguments)
{
    json_t *steps = json_object_get(json_object_get(schema, "properties"), "steps");
    if (!steps)
        return;
    json_t *choices = json_array();
    for (size_t i = 0; i < list->n; i++)
        json_array_append_new(choices, step_schema(&list->tools[i], arguments));
    json_object_set_new(steps, "maxItems", json_integer((json_int_t)max_steps));
    if (list->n)
        json_object_set_new(steps, "items", json_pack("{s:o}", "anyOf", choices));
    else
        json_decref(choices);
}

static json_t *read_step(const json_t *value, const struct shortlist *list, const char *prefix,
                         size_t position)
{
    char id[32];
    json_auto_t *written = json_share(value);
    json_t *step = json_copy(written);
    snprintf(id, sizeof id, "%.8s%zu", prefix, position + 1);
    const char *name = json_get_string(value, "tool");
    const struct tool *tool = name ? shortlist_find(list, name) : NULL;
    if (tool)
        json_object_set_new(step, "tool", json_string(tool->full_name));
    if (json_is_object(step) && !json_object_get(step, "id"))
        json_object_set_new(step, "id", json_string(id));
    return step;
}

json_t *plan_contract_read(const json_t *value, const struct shortlist *list, const char *prefix,
                           const char *goal, const json_t *vars)
{
    const json_t *written = json_is_array(value) ? value : json_object_get(value, "steps");
    json_t *steps = json_array();
    for (size_t i = 0; i < json_array_size(written); i++)
        json_array_append_new(steps, read_step(json_array_get(written, i), list, prefix, i));
    return json_pack("{s:i, s:s, s:O, s:o}", "version", 1, "goal", goal, "vars", vars, "steps",
                     steps);
}
