#include "domain/plan/plan_tool.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/tool/tool.h"
#include <string.h>

bool plan_tool_name_is_valid(const char *name)
{
    size_t length = strlen(name);
    return length > 0 && length <= PLAN_TOOL_NAME_MAX &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
               length;
}

static bool is_secret(const json_t *input)
{
    return json_get_bool(input, "secret", false);
}

const char *plan_tool_unreachable_input(const json_t *plan)
{
    const char *name;
    const json_t *input;
    json_each_member (json_object_get(plan, "inputs"), name, input)
        if (is_secret(input) && !json_object_get(input, "env"))
            return name;
    return NULL;
}

static bool all_of(const json_t *steps, plan_step_test *holds, void *context)
{
    size_t i;
    const json_t *step;
    json_array_foreach ((json_t *)(uintptr_t)steps, i, step) {
        if ((json_object_get(step, "tool") && !holds(context, step)) ||
            !all_of(json_object_get(step, "steps"), holds, context))
            return false;
    }
    return true;
}

bool plan_tool_all_steps(const json_t *plan, plan_step_test *holds, void *context)
{
    const char *file;
    const json_t *used;
    bool all = all_of(json_object_get(plan, "steps"), holds, context) &&
               all_of(json_object_get(plan, "finally"), holds, context);
    json_each_member (json_object_get(plan, "used"), file, used)
        all = all && plan_tool_all_steps(used, holds, context);
    return all;
}

/* A reference within a schema means that schema, also where it has become a part of another. */
static void keep_references(struct arena *arena, json_t *schema, const char *what, const char *name)
{
    if (json_is_object(schema) && strstr(json_print_in(arena, schema), "\"$ref\"") &&
        !json_object_get(schema, "$id"))
        json_object_set_new(schema, "$id", json_sprintf("urn:mistro:plan:%s:%s", what, name));
}

/* `required`, `secret` and `env` of an input are no keywords of JSON Schema. */
static json_t *schema_of(const json_t *input)
{
    json_t *schema = json_deep_copy(input);
    if (json_is_boolean(json_object_get(schema, "required")))
        json_object_del(schema, "required");
    json_object_del(schema, "secret");
    json_object_del(schema, "env");
    return schema;
}

/* A secret is never an argument, which a host would keep and show. */
static json_t *input_schema(struct arena *arena, const json_t *plan)
{
    json_t *properties = json_object(), *required = json_array();
    const char *name;
    const json_t *input;
    json_each_member (json_object_get(plan, "inputs"), name, input) {
        if (is_secret(input))
            continue;
        json_t *schema = schema_of(input);
        keep_references(arena, schema, "inputs", name);
        json_object_set_new(properties, name, schema);
        if (!json_object_get(input, "default") && !json_object_get(input, "env") &&
            json_get_bool(input, "required", true))
            json_array_append_new(required, json_string(name));
    }
    return json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties, "required",
                     required, "additionalProperties", 0);
}

/* {value, schema} says what the value is; of any other output nothing is known. */
static json_t *output_schema(struct arena *arena, const json_t *outputs)
{
    json_t *properties = json_object(), *required = json_array();
    const char *name;
    const json_t *output;
    json_each_member (outputs, name, output) {
        const json_t *said = json_object_get(output, "schema");
        bool has_schema = said && json_object_get(output, "value") && json_object_size(output) == 2;
        json_t *schema = has_schema ? json_deep_copy(said) : json_object();
        keep_references(arena, schema, "outputs", name);
        json_object_set_new(properties, name, schema);
        json_array_append_new(required, json_string(name));
    }
    return json_pack("{s:s, s:o, s:o}", "type", "object", "properties", properties, "required",
                     required);
}

static const char *shown(struct arena *arena, const char *text, size_t columns)
{
    return text_one_line(arena, text, strlen(text), columns);
}

/* The goal, and a line for each input that says what it is. */
static const char *description(struct arena *arena, const json_t *plan, const char *goal)
{
    const char *text = shown(arena, goal, PLAN_TOOL_GOAL_COLUMNS), *name;
    const json_t *input;
    json_each_member (json_object_get(plan, "inputs"), name, input) {
        const char *said = json_get_string(input, "description");
        if (said && !is_secret(input))
            text = arena_printf(arena, "%s\n%s: %s", text, name,
                                shown(arena, said, PLAN_TOOL_DESCRIPTION_COLUMNS));
    }
    return text;
}

json_t *plan_tool_definition(struct arena *arena, const json_t *plan, const char *name,
                             bool only_reads, bool is_open_world)
{
    const char *goal = json_get_string(plan, "goal");
    const json_t *outputs = json_object_get(plan, "outputs");
    if (!goal || !*goal)
        goal = arena_printf(arena, "runs the plan %s", name);
    json_t *definition = json_pack(
        "{s:s, s:s, s:s, s:o, s:{s:b, s:b, s:b, s:b}, s:{s:s}, s:{s:b}}", "name", name, "title",
        shown(arena, goal, PLAN_TOOL_TITLE_COLUMNS), "description", description(arena, plan, goal),
        "inputSchema", input_schema(arena, plan), "annotations", "readOnlyHint", only_reads,
        "destructiveHint", !only_reads, "idempotentHint", only_reads, "openWorldHint",
        is_open_world, "execution", "taskSupport", "optional", "_meta", TOOL_ASKS_ITSELF, 1);
    if (json_object_size(outputs) > 0)
        json_object_set_new(definition, "outputSchema", output_schema(arena, outputs));
    return definition;
}
