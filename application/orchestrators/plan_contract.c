#include "application/orchestrators/plan_contract.h"
#include "application/orchestrators/planned_steps.h"
#include "application/orchestrators/tool_match.h"
#include "application/structured/argument_value.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <stdio.h>
#include <stdlib.h>
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
    return json_pack("{s:s, s:{s:{s:s, s:i}, s:{s:s, s:[s]}, s:o}, s:[s, s, s]}", "type", "object",
                     "properties", "id", "type", "string", "maxLength", 8, "tool", "type", "string",
                     "enum", offered->shown, "args", args, "required", "id", "tool", "args");
}

void plan_contract_complete(json_t *schema, const struct shortlist *list, size_t max_steps,
                            enum plan_arguments arguments)
{
    json_t *steps = json_object_get(json_object_get(schema, "properties"), "steps");
    if (!steps)
        return;
    json_t *choices = json_array();
    for (size_t i = 0; i < list->n; i++)
        if (list->tools[i].as != OFFERED_NAME)
            json_array_append_new(choices, step_schema(&list->tools[i], arguments));
    json_object_set_new(steps, "maxItems",
                        json_integer((json_int_t)max_steps + PLAN_CONTRACT_SPARE_ITEMS));
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

void intent_contract_complete(json_t *schema, const struct shortlist *list, size_t max_steps)
{
    json_t *tools = json_object_get(json_object_get(schema, "properties"), "tools_needed");
    json_object_set_new(tools, "items",
                        json_pack("{s:s, s:o}", "type", "string", "enum", shortlist_names(list)));
    json_object_set_new(tools, "maxItems",
                        json_integer((json_int_t)max_steps + PLAN_CONTRACT_SPARE_ITEMS));
    plan_contract_complete(schema, list, max_steps, PLAN_ARGUMENTS_MAY_LACK);
}

/* The offered name of the tool that is meant, or the name as it was written. */
static const char *shown_for(const struct shortlist *list, const char *name)
{
    const struct offered_tool *offered = tool_match(list, name);
    if (offered)
        return offered->shown;
    return strcasecmp(name, SHORTLIST_NONE) == 0 ? SHORTLIST_NONE : name;
}

static json_t *mend_names(const struct shortlist *list, const json_t *names)
{
    json_t *mended = json_array();
    for (size_t i = 0; i < json_array_size(names); i++) {
        const json_t *name = json_array_get(names, i);
        json_array_append_new(mended, json_is_string(name)
                                          ? json_string(shown_for(list, json_string_value(name)))
                                          : json_share(name));
    }
    if (json_array_size(names) == 0)
        json_array_append_new(mended, json_string(SHORTLIST_NONE));
    return mended;
}

static bool needs_no_tool(const json_t *intent)
{
    const json_t *names = json_object_get(intent, "tools_needed");
    return json_array_size(names) == 1 &&
           text_equal(json_string_value(json_array_get(names, 0)), SHORTLIST_NONE);
}

/* Steps that were forgotten are asked for again, unless there is nothing to do. */
static void mend_steps(struct arena *arena, const json_t *schema, const struct shortlist *list,
                       json_t *intent, struct argument_notes *notes)
{
    const json_t *allowed = json_path_find(schema, "/properties/steps");

    const json_t *steps = json_object_get(intent, "steps");
    bool is_there = steps && !json_is_null(steps);
    if (!is_there && !needs_no_tool(intent))
        return;
    if (!is_there)
        steps = arena_keep_json(arena, json_array());
    steps = planned_steps_mend(arena, list, steps, (size_t)json_get_int(allowed, "maxItems", 0),
                               "s", notes);
    json_object_set_new(intent, "steps", json_share(steps));
}

/* "90%" of a share from 0 to 1. */
static void mend_confidence(json_t *intent)
{
    const char *text = json_get_string(intent, "confidence");
    char *end = NULL;
    double percent = text ? strtod(text, &end) : 0;
    if (text && end > text && strcmp(end, "%") == 0 && percent >= 0 && percent <= 100)
        json_object_set_new(intent, "confidence", json_real(percent / 100));
}

const json_t *intent_contract_mend(struct arena *arena, const json_t *schema,
                                   const struct shortlist *list, const json_t *value,
                                   struct argument_notes *notes)
{
    if (!json_object_get(value, "tools_needed"))
        return value;
    json_t *mended = arena_keep_json(arena, argument_fit(arena, schema, "", value, NULL));
    const json_t *names = json_object_get(mended, "tools_needed");
    if (json_is_array(names))
        json_object_set_new(mended, "tools_needed", mend_names(list, names));
    mend_steps(arena, schema, list, mended, notes);
    mend_confidence(mended);
    return mended;
}

static void add_name(json_t *names, const char *name)
{
    for (size_t i = 0; i < json_array_size(names); i++)
        if (text_equal(json_string_value(json_array_get(names, i)), name))
            return;
    json_array_append_new(names, json_string(name));
}

/* What the calls say, first come first served. Owned by the caller. */
static void gather(const json_t *calls, json_t **out_names, json_t **out_parameters)
{
    *out_names = json_array();
    *out_parameters = json_object();
    for (size_t i = 0; i < json_array_size(calls); i++) {
        const json_t *call = json_array_get(calls, i);
        const char *name = json_get_string(call, "name");
        if (name)
            add_name(*out_names, name);
        json_object_update_missing(*out_parameters, json_object_get(call, "arguments"));
    }
}

static const char *goal_of(struct arena *arena, const char *message)
{
    return arena_strndup(arena, message, text_cut(message, strlen(message), INTENT_MAX_GOAL_BYTES));
}

const json_t *intent_contract_adopt(struct arena *arena, const json_t *calls, const char *message)
{
    json_t *names, *parameters;
    gather(calls, &names, &parameters);
    return arena_keep_json(arena,
                           json_pack("{s:s, s:s, s:o, s:o, s:[], s:b, s:f, s:O}", "reason",
                                     "the model called the tools itself", "primary_goal",
                                     goal_of(arena, message), "tools_needed", names, "parameters",
                                     parameters, "unclear_aspects", "needs_clarification", 0,
                                     "confidence", INTENT_NO_CONFIDENCE, "steps", calls));
}

static void read_tools(struct arena *arena, const struct shortlist *list, const json_t *names,
                       struct intent *intent)
{
    size_t n = json_array_size(names);
    intent->tools_needed = arena_array(arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++) {
        const char *name = json_string_value(json_array_get(names, i));
        const struct tool *tool = name ? shortlist_find(list, name) : NULL;
        if (tool)
            intent->tools_needed[intent->n_tools_needed++] = tool->full_name;
    }
}

static void read_aspects(struct arena *arena, const json_t *aspects, struct intent *intent)
{
    size_t n = json_array_size(aspects);
    intent->unclear_aspects = arena_array(arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++) {
        const char *aspect = json_string_value(json_array_get(aspects, i));
        if (aspect && *aspect)
            intent->unclear_aspects[intent->n_unclear_aspects++] = aspect;
    }
}

struct intent *intent_contract_read(struct arena *arena, const struct shortlist *list,
                                    const json_t *value, const char *message)
{
    struct intent *intent = arena_new(arena, struct intent);
    const char *goal = json_get_string(value, "primary_goal");
    intent->primary_goal = goal && *goal ? goal : message;
    intent->parameters = json_object_get(value, "parameters");
    intent->needs_clarification = json_get_bool(value, "needs_clarification", false);
    intent->reported_confidence = json_get_number(value, "confidence", -1);
    read_tools(arena, list, json_object_get(value, "tools_needed"), intent);
    read_aspects(arena, json_object_get(value, "unclear_aspects"), intent);
    return intent;
}

const json_t *intent_contract_write(struct arena *arena, const struct shortlist *list,
                                    const struct intent *intent)
{
    json_t *names = json_array();
    for (size_t i = 0; i < intent->n_tools_needed; i++) {
        const struct tool *tool = shortlist_find(list, intent->tools_needed[i]);
        if (tool)
            json_array_append_new(names, json_string(shortlist_shown(list, tool)));
    }
    if (json_array_size(names) == 0)
        json_array_append_new(names, json_string(SHORTLIST_NONE));
    return arena_keep_json(
        arena, json_pack("{s:s, s:o, s:O, s:[], s:b, s:f, s:[]}", "primary_goal",
                         goal_of(arena, intent->primary_goal), "tools_needed", names, "parameters",
                         intent->parameters, "unclear_aspects", "needs_clarification",
                         intent->needs_clarification, "confidence", INTENT_NO_CONFIDENCE, "steps"));
}
