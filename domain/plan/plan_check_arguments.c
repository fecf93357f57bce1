#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/plan_check_internal.h"
#include "domain/plan/references.h"
#include "domain/schema/json_schema.h"
#include "domain/schema/schema_view.h"
#include <string.h>

/* What an earlier step will give is not known yet, so it cannot be validated. Such values are left
 * out, and with them what the schema asks of exactly them: the reduced arguments are held against
 * an equally reduced schema, so that nothing is refused for what is only missing here. */
struct reducing {
    const struct plan_checking *checking;
    struct reference_place place;
    const struct tool *tool;
    const json_t *root; /* the tool's input schema */
    const json_t *args; /* as they are written */
    const char *path;   /* in them, of what is reduced */
};

/* A value and its schema, each a new reference; value is NULL where it is left out. */
struct reduced {
    json_t *value, *schema;
    bool changed; /* something was left out inside */
};

static bool stop_at_step(void *context, const char *path, const struct reference *reference)
{
    (void)context, (void)path;
    return reference->root == REFERENCE_VARS;
}

/* The string with its variables filled in; NULL when it is not known before the run, as an input
 * that need not be given: its step is one that runs where it was. */
static json_t *settle(const struct reducing *reducing, const json_t *string)
{
    const struct plan_checking *checking = reducing->checking;
    struct arena *arena = checking->arena;
    if (!memchr(json_string_value(string), '{', json_string_length(string)))
        return json_share(string);
    const struct frame frame = { .plan = checking->plan, .vars = checking->input->vars };
    const json_t *bound = NULL;
    if (checking->plan->steps[reducing->place.at].unit || /* its inputs are bound in the run */
        !references_visit_at(arena, &reducing->place, string, stop_at_step, NULL) ||
        references_bind_value(arena, &reducing->place, &frame, string, &bound, NULL))
        return NULL;
    bool is_left_out = checking->plan->version > 1 && json_is_null(bound);
    return is_left_out ? NULL : json_share(bound);
}

static struct reduced reduce(const struct reducing *reducing, const json_t *schema,
                             const json_t *value);
static void check_reduced(const struct reducing *reducing, const json_t *schema,
                          const json_t *value);

/* A value on its own, held against its own schema. */
static void check_apart(const struct reducing *reducing, const char *path, const json_t *schema,
                        const json_t *value)
{
    struct reducing apart = *reducing;
    apart.path = path;
    check_reduced(&apart, schema, value);
}

/* A list with an unknown element is left out as a whole, since its length and order are one value;
 * its elements are looked at one by one. */
static struct reduced reduce_array(const struct reducing *reducing, const json_t *schema,
                                   const json_t *array)
{
    json_auto_t *list = json_array();
    const json_t *element, *wanted = NULL;
    bool is_whole = true;
    size_t i;
    json_array_foreach (array, i, element) {
        struct reduced one = reduce(reducing, NULL, element);
        is_whole = is_whole && one.value && !one.changed;
        json_array_append_new(list, one.value ? one.value : json_null());
        json_decref(one.schema);
    }
    if (is_whole)
        return (struct reduced){ .value = steal(&list), .schema = json_share(schema) };
    json_array_foreach (array, i, element)
        if (reducing->checking->plan->version > 1 &&
            schema_view_element(reducing->root, schema, i, &wanted) == SCHEMA_HAS)
            check_apart(reducing, json_path_element(reducing->checking->arena, reducing->path, i),
                        wanted, element);
    return (struct reduced){ .changed = true };
}

static json_t *without(const json_t *required, const char *name)
{
    json_t *rest = json_array();
    const json_t *one;
    size_t i;
    json_array_foreach (required, i, one)
        if (!text_equal(json_string_value(one), name))
            json_array_append_new(rest, json_share(one));
    return rest;
}

/* A schema without the rules that look at the object as a whole. */
static json_t *open_copy(const json_t *schema)
{
    static const char *const whole[] = {
        "allOf",
        "anyOf",
        "oneOf",
        "not",
        "if",
        "then",
        "else",
        "enum",
        "const",
        "$ref",
        "minProperties",
        "dependentRequired",
        "dependencies",
        "dependentSchemas",
        "unevaluatedProperties",
    };
    json_auto_t *source = json_share(schema);
    json_t *copy = json_copy(source);
    for (size_t i = 0; i < ARRAY_LENGTH(whole); i++)
        json_object_del(copy, whole[i]);
    json_auto_t *properties = json_share(json_object_get(schema, "properties"));
    json_object_set_new(copy, "properties", properties ? json_copy(properties) : json_object());
    return copy;
}

/* Puts one member into the reduced object, and what became of it into the reduced schema. */
static void add_member(struct reduced *out, const char *key, struct reduced member)
{
    json_t *properties = json_object_get(out->schema, "properties");
    bool forbidden = json_is_false(json_object_get(out->schema, "additionalProperties")) &&
                     !json_object_get(properties, key);
    out->changed = out->changed || (member.changed && !forbidden);
    if (member.value)
        json_object_set_new(out->value, key, member.value);
    else if (forbidden)
        json_object_set_new(out->value, key, json_null()); /* its name alone is wrong */
    else
        json_object_set_new(out->schema, "required",
                            without(json_object_get(out->schema, "required"), key));
    if (member.value && member.changed && member.schema && !forbidden)
        json_object_set(properties, key, member.schema);
    json_decref(member.schema);
}

static struct reduced reduce_object(const struct reducing *reducing, const json_t *schema,
                                    const json_t *object)
{
    const json_t *resolved = schema_view_resolve(reducing->root, schema);
    struct reduced out = { .value = json_object() };
    out.schema = json_is_object(resolved) ? open_copy(resolved) : json_object();
    const char *key;
    const json_t *member;
    json_each_member (object, key, member) {
        const json_t *property = json_object_get(json_object_get(resolved, "properties"), key);
        struct reducing inner = *reducing;
        inner.path = json_path_member(reducing->checking->arena, reducing->path, key);
        add_member(&out, key, reduce(&inner, property, member));
    }
    if (!out.changed) {
        json_decref(out.schema);
        out.schema = json_share(schema);
    }
    return out;
}

/* Whatever is in a list or an object, it is one. */
static bool is_misplaced(const struct reducing *reducing, const json_t *schema, const json_t *value)
{
    json_auto_t *is = json_pack("{s:s}", "type", json_is_object(value) ? "object" : "array");
    bool is_container = json_is_object(value) || json_is_array(value);
    return is_container && reducing->checking->plan->version > 1 &&
           !schema_view_types_meet(NULL, is, reducing->root, schema);
}

static struct reduced reduce(const struct reducing *reducing, const json_t *schema,
                             const json_t *value)
{
    if (is_misplaced(reducing, schema, value))
        return (struct reduced){ .value = json_share(value), .schema = json_share(schema) };
    if (json_is_object(value))
        return reduce_object(reducing, schema, value);
    if (json_is_array(value))
        return reduce_array(reducing, schema, value);
    struct reduced out = { .value = json_is_string(value) ? settle(reducing, value)
                                                          : json_share(value) };
    out.changed = !out.value;
    out.schema = out.value ? json_share(schema) : NULL;
    return out;
}

static bool is_about_name(const char *rule)
{
    static const char *const rules[] = { "additionalProperties", "unevaluatedProperties",
                                         "propertyNames" };
    return text_is_one_of(rule, rules, ARRAY_LENGTH(rules));
}

/* A text in braces that names no step reaches its tool as it is written. Where the tool refuses it,
 * it was meant as a reference. */
static void explain_literal(const struct plan_checking *checking, size_t at, const json_t *args,
                            struct problem *problem)
{
    const json_t *string = json_path_find(args, problem->path);
    const char *text = json_string_value(string);
    size_t length = json_string_length(string);
    if (length < 3 || text[0] != '{' || text[length - 1] != '}' || strpbrk(text, " \t\r\n\"") ||
        strchr(text + 1, '{') || checking->plan->version > 1)
        return;
    problem->message =
        arena_printf(checking->arena, "%.100s refers to a step that does not exist", text);
    problem->fix = plan_check_replacement(checking, at, problem->path, NULL);
}

/* $ref of a part leads into the whole. */
static json_t *with_definitions(const struct reducing *reducing, const json_t *schema)
{
    json_t *copy = json_copy((json_t *)(uintptr_t)schema);
    static const char *const names[] = { "$defs", "definitions" };
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        if (json_is_object(copy) && !json_object_get(copy, names[i]) &&
            json_object_get(reducing->root, names[i]))
            json_object_set(copy, names[i], json_object_get(reducing->root, names[i]));
    return copy;
}

static void check_reduced(const struct reducing *reducing, const json_t *schema,
                          const json_t *value)
{
    const struct plan_checking *checking = reducing->checking;
    size_t at = reducing->place.at;
    const struct step *step = &checking->plan->steps[at];
    struct reduced reduced = reduce(reducing, schema, value);
    json_auto_t *known = reduced.value;
    json_auto_t *own = reduced.schema;
    json_auto_t *whole =
        own && schema != reducing->root ? with_definitions(reducing, own) : json_share(own);
    struct problems found = { .arena = checking->arena };
    struct err err = { 0 };
    bool accepts = false;
    if (!known || !whole)
        return;
    if (json_schema_check(whole, known, &found, &accepts, &err)) {
        plan_check_at_step(checking, at);
        problems_add(checking->problems, step->id, "/tool",
                     "the input schema of %s cannot be used: %s", reducing->tool->full_name,
                     err.message)
            ->fix = "use another tool";
        return;
    }
    for (size_t i = 0; i < found.n; i++) {
        const struct problem *one = &found.list[i];
        const char *path = arena_printf(checking->arena, "%s%s", reducing->path, one->path);
        struct problem *problem =
            problems_add(checking->problems, step->id, path, "%s", one->message);
        problem->fix = *path ? one->fix
                             : arena_printf(checking->arena, "in \"%s\", %s",
                                            step->kind == STEP_USE ? "with" : "args", one->fix);
        problem->is_name = is_about_name(one->rule);
        if (!problem->is_name)
            explain_literal(checking, at, reducing->args, problem);
    }
}

void plan_check_arguments(const struct plan_checking *checking, size_t at, const struct tool *tool,
                          const json_t *args)
{
    const struct reducing reducing = { checking, reference_place_of(checking->plan, at),
                                       tool,     tool->input_schema,
                                       args,     "" };
    check_reduced(&reducing, reducing.root, args);
}
