/* The shape of what a step gives comes from the output schema of its tool; a loop makes a list of
 * it, and outputs make an object of the shapes that their references lead to. A reference is
 * followed through shapes part by part. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/plan_check_internal.h"
#include <string.h>

static const struct shape unknown_shape = { .kind = SHAPE_UNKNOWN };

static const struct shape *of_schema(struct arena *arena, const json_t *root, const json_t *schema)
{
    struct shape *shape = arena_new(arena, struct shape);
    *shape = (struct shape){ .kind = SHAPE_SCHEMA, .root = root, .schema = schema };
    return schema ? shape : &unknown_shape;
}

static const struct shape *of_type(struct arena *arena, const char *type)
{
    const json_t *schema = arena_keep_json(arena, json_pack("{s:s}", "type", type));
    return of_schema(arena, schema, schema);
}

static const struct shape *of_list(struct arena *arena, const struct shape *element)
{
    struct shape *shape = arena_new(arena, struct shape);
    *shape = (struct shape){ .kind = SHAPE_LIST, .element = element };
    return shape;
}

static struct shape *of_members(struct arena *arena, size_t most)
{
    struct shape *shape = arena_new(arena, struct shape);
    shape->kind = SHAPE_MEMBERS;
    shape->names = arena_array(arena, const char *, most + 1);
    shape->shapes = arena_array(arena, const struct shape *, most + 1);
    return shape;
}

static void add_member(struct shape *shape, const char *name, const struct shape *member)
{
    shape->names[shape->n] = name;
    shape->shapes[shape->n++] = member;
}

static const char *type_of_value(const json_t *value)
{
    return json_is_string(value)    ? "string"
           : json_is_integer(value) ? "integer"
           : json_is_number(value)  ? "number"
           : json_is_boolean(value) ? "boolean"
                                    : "null";
}

struct first_reference {
    struct reference reference;
    bool is_found;
};

static bool take_first(void *context, const char *path, const struct reference *reference)
{
    struct first_reference *first = context;
    (void)path;
    first->reference = *reference;
    first->is_found = true;
    return false;
}

/* Of a value as it is written, in a place. */
static const struct shape *of_value(struct plan_checking *checking,
                                    const struct reference_place *place, const json_t *value)
{
    struct arena *arena = checking->arena;
    struct first_reference first = { .is_found = false };
    const struct shape *found = &unknown_shape;
    size_t part = 0;
    if (json_is_object(value)) {
        struct shape *shape = of_members(arena, json_object_size(value));
        const char *name;
        const json_t *member;
        json_each_member (value, name, member)
            add_member(shape, name, of_value(checking, place, member));
        return shape;
    }
    if (json_is_array(value))
        return of_list(arena, json_array_size(value) == 0
                                  ? &unknown_shape
                                  : of_value(checking, place, json_array_get(value, 0)));
    if (json_is_string(value))
        (void)references_visit_at(arena, place, value, take_first, &first);
    if (!first.is_found || !first.reference.whole)
        return of_type(arena, type_of_value(value));
    return plan_shape_follow(checking, place, &first.reference, &found, &part) == SCHEMA_HAS
               ? found
               : &unknown_shape;
}

/* What a list of steps gives: its outputs, or what its last step gave. */
static const struct shape *of_body(struct plan_checking *checking, size_t at)
{
    const struct plan *plan = checking->plan;
    const struct step *step = &plan->steps[at];
    const struct reference_place place = reference_place_behind(plan, at + 1);
    size_t last = 0;
    if (step->outputs) {
        struct shape *shape = of_members(checking->arena, json_object_size(step->outputs));
        const json_t *output, *schema;
        const char *name;
        json_each_member (step->outputs, name, output) {
            const json_t *value = plan_output_value(output, &schema);
            add_member(shape, name,
                       schema ? of_schema(checking->arena, schema, schema)
                              : of_value(checking, &place, value));
        }
        return shape;
    }
    for (size_t i = at + 1; i < step->end; i++)
        if (plan->steps[i].body_of == at + 1 &&
            !(step->kind == STEP_USE && plan->steps[i].is_finally))
            last = i;
    return last && !plan->steps[last].when ? plan_shape_of_step(checking, last) : &unknown_shape;
}

static const struct shape *of_each(struct arena *arena, const struct shape *item)
{
    struct shape *shape = of_members(arena, 3), *error = of_members(arena, 2);
    add_member(error, "index", of_type(arena, "integer"));
    add_member(error, "message", of_type(arena, "string"));
    add_member(shape, "items", of_list(arena, item));
    add_member(shape, "errors", of_list(arena, error));
    add_member(shape, "count", of_type(arena, "integer"));
    return shape;
}

static const struct shape *make_step(struct plan_checking *checking, size_t at)
{
    const struct step *step = &checking->plan->steps[at];
    const struct tool *tool = checking->tools[at];
    switch (step->kind) {
    case STEP_TOOL:
        return tool && (!step->verify || step->verify->result)
                   ? of_schema(checking->arena, tool->output_schema, tool->output_schema)
                   : &unknown_shape;
    case STEP_BLOCK:
    case STEP_USE:
        return of_body(checking, at);
    case STEP_ASK:
        return of_schema(checking->arena, step->schema, step->schema);
    case STEP_APPROVE:
        break;
    }
    return &unknown_shape;
}

const struct shape *plan_shape_of_step(struct plan_checking *checking, size_t at)
{
    const struct step *step = &checking->plan->steps[at];
    if (checking->shapes[at])
        return checking->shapes[at];
    checking->shapes[at] = &unknown_shape; /* of what refers to itself nothing is known */
    const struct shape *shape = make_step(checking, at);
    if (step->loop && step->loop->each)
        shape = of_each(checking->arena, shape);
    checking->shapes[at] = shape;
    return shape;
}

static enum schema_answer element_of(struct plan_checking *checking, const struct shape *shape,
                                     const struct shape **out)
{
    const json_t *schema = NULL;
    if (shape->kind == SHAPE_LIST) {
        *out = shape->element;
        return SCHEMA_HAS;
    }
    if (shape->kind != SHAPE_SCHEMA)
        return shape->kind == SHAPE_UNKNOWN ? SCHEMA_UNKNOWN : SCHEMA_LACKS;
    enum schema_answer answer = schema_view_element(shape->root, shape->schema, 0, &schema);
    *out = of_schema(checking->arena, shape->root, schema);
    return answer;
}

const struct shape *plan_shape_element(struct plan_checking *checking, const struct shape *shape)
{
    const struct shape *element = NULL;
    bool is_known = element_of(checking, shape, &element) == SCHEMA_HAS;
    return is_known && element->kind != SHAPE_UNKNOWN ? element : NULL;
}

const struct shape *plan_shape_of_item(struct plan_checking *checking, size_t at)
{
    const struct reference_place place = reference_place_around(checking->plan, at);
    const struct shape *all = of_value(checking, &place, checking->plan->steps[at].loop->each);
    const struct shape *item = &unknown_shape;
    unsigned types = plan_shape_types(checking, all);
    if (types == TYPE_OBJECT) {
        struct shape *pair = of_members(checking->arena, 2);
        add_member(pair, "key", of_type(checking->arena, "string"));
        add_member(pair, "value", &unknown_shape);
        return pair;
    }
    return types == TYPE_LIST && element_of(checking, all, &item) == SCHEMA_HAS ? item
                                                                                : &unknown_shape;
}

/* Of a number as the name of an element, too: "{s1.items.0.id}". */
static enum schema_answer part_of(struct plan_checking *checking, const struct shape *shape,
                                  const struct reference *reference, size_t part,
                                  const struct shape **out)
{
    const char *name = reference->parts[part];
    bool is_number = *name && strspn(name, "0123456789") == strlen(name);
    const json_t *schema = NULL;
    if (reference->is_index[part])
        return element_of(checking, shape, out);
    for (size_t i = 0; shape->kind == SHAPE_MEMBERS && i < shape->n; i++)
        if (strcmp(shape->names[i], name) == 0) {
            *out = shape->shapes[i];
            return (*out)->kind == SHAPE_UNKNOWN ? SCHEMA_UNKNOWN : SCHEMA_HAS;
        }
    enum schema_answer answer =
        shape->kind == SHAPE_SCHEMA
            ? schema_view_member(shape->root, shape->schema, name, &schema)
            : (shape->kind == SHAPE_UNKNOWN ? SCHEMA_UNKNOWN : SCHEMA_LACKS);
    *out = of_schema(checking->arena, shape->root, schema);
    return answer == SCHEMA_LACKS && is_number ? element_of(checking, shape, out) : answer;
}

static enum schema_answer follow_from(struct plan_checking *checking, const struct shape *shape,
                                      const struct reference *reference, size_t part,
                                      const struct shape **out, size_t *out_part)
{
    for (; part < reference->n_parts; part++) {
        const struct shape *next = &unknown_shape;
        bool is_list = reference_part_is_list(reference, part);
        enum schema_answer answer = part_of(checking, shape, reference, part, &next);
        *out = shape;
        *out_part = part;
        if (answer != SCHEMA_HAS)
            return answer;
        if (is_list && *reference->parts[part] == '*') {
            const struct shape *inner = next;
            answer = follow_from(checking, next, reference, part + 1, &inner, out_part);
            *out = answer == SCHEMA_LACKS
                       ? inner
                       : of_list(checking->arena, answer == SCHEMA_HAS ? inner : &unknown_shape);
            return answer == SCHEMA_LACKS ? answer : SCHEMA_HAS;
        }
        shape = is_list ? of_list(checking->arena, next) : next;
    }
    *out = shape;
    return shape->kind == SHAPE_UNKNOWN ? SCHEMA_UNKNOWN : SCHEMA_HAS;
}

const json_t *plan_inputs_at(const struct reference_place *place)
{
    const struct plan *plan = place->plan;
    const struct step *step = place->body_of ? &plan->steps[place->body_of - 1] : NULL;
    size_t unit = !step ? 0 : step->kind == STEP_USE ? place->body_of : step->unit;
    return unit ? plan->steps[unit - 1].use->inputs : plan->inputs;
}

enum schema_answer plan_shape_follow(struct plan_checking *checking,
                                     const struct reference_place *place,
                                     const struct reference *reference, const struct shape **out,
                                     size_t *out_part)
{
    struct arena *arena = checking->arena;
    const struct shape *from = &unknown_shape;
    const json_t *input = NULL;
    size_t part = 0;
    switch (reference->root) {
    case REFERENCE_VARS:
        input = json_object_get(plan_inputs_at(place), reference->parts[part++]);
        from = of_schema(arena, input, input);
        break;
    case REFERENCE_ITEM:
        from = plan_shape_of_item(checking, (size_t)reference->step);
        break;
    case REFERENCE_INDEX:
        from = of_type(arena, "integer");
        break;
    case REFERENCE_STEP:
        from = reference->step >= 0 ? plan_shape_of_step(checking, (size_t)reference->step) : from;
        if (reference->n_parts == 1 && strcmp(reference->parts[0], "text") == 0) {
            *out = of_type(arena, "string");
            return SCHEMA_HAS;
        }
        break;
    case REFERENCE_VERIFY:
        if (checking->verifier)
            from = of_schema(arena, checking->verifier->output_schema,
                             checking->verifier->output_schema);
        break;
    }
    return follow_from(checking, from, reference, part, out, out_part);
}

const json_t *plan_shape_schema(struct plan_checking *checking, const struct shape *shape,
                                const json_t **out_root)
{
    const char *type = shape->kind == SHAPE_LIST ? "array" : "object";
    *out_root = shape->root;
    if (shape->kind == SHAPE_SCHEMA)
        return shape->schema;
    return arena_keep_json(checking->arena, shape->kind == SHAPE_UNKNOWN
                                                ? json_object()
                                                : json_pack("{s:s}", "type", type));
}

unsigned plan_shape_types(struct plan_checking *checking, const struct shape *shape)
{
    static const struct {
        const char *name;
        enum value_type type;
    } types[] = { { "null", TYPE_NULL },     { "boolean", TYPE_BOOLEAN },
                  { "number", TYPE_NUMBER }, { "integer", TYPE_NUMBER },
                  { "string", TYPE_TEXT },   { "array", TYPE_LIST },
                  { "object", TYPE_OBJECT } };
    const json_t *root, *schema = plan_shape_schema(checking, shape, &root);
    const json_t *said = json_object_get(schema_view_resolve(root, schema), "type");
    unsigned all = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(types); i++)
        if (text_equal(json_string_value(said), types[i].name) ||
            json_array_has_text(said, types[i].name))
            all |= types[i].type;
    return all ? all : TYPE_ANY;
}

const char *plan_shape_names(struct plan_checking *checking, const struct shape *shape)
{
    const char *all = "";
    if (shape->kind == SHAPE_SCHEMA)
        return json_join_names(
            checking->arena,
            json_object_get(schema_view_resolve(shape->root, shape->schema), "properties"));
    for (size_t i = 0; i < shape->n; i++)
        all = arena_printf(checking->arena, "%s%s%s", all, i ? ", " : "", shape->names[i]);
    return all;
}
