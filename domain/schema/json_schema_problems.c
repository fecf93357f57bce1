/* What is reported about a value that does not fit: where, what it is, what the rule asks, and an
 * instruction that a small model can follow. Foreign text is quoted and cut.
 *
 * Of a value that fits no branch of anyOf or oneOf, the branch it comes nearest to is what its
 * author meant, so the problems of that one are reported and those of the others are not. When
 * the value is of the wrong type for all of them, one sentence names the types. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/schema/json_schema_internal.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SHOWN_COLUMNS 80
#define SHOWN_CHOICES 12
#define POINTER_MAX_BYTES 2000

const char *schema_show(struct evaluation *e, const json_t *value)
{
    if (!e->problems)
        return "";
    if (json_is_object(value) && json_object_size(value) > 8)
        return arena_printf(e->problems->arena, "an object of %zu properties",
                            json_object_size(value));
    if (json_is_array(value) && json_array_size(value) > 20)
        return arena_printf(e->problems->arena, "an array of %zu items", json_array_size(value));
    auto_str text = json_print(value);
    return text_one_line(e->problems->arena, text, strlen(text), SHOWN_COLUMNS);
}

const char *schema_format(struct evaluation *e, const char *format, ...)
{
    char text[640];
    va_list args;
    if (!e->problems)
        return "";
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    text_trim_broken_end(text);
    return arena_strdup(e->problems->arena, text);
}

/* Writes the path as a JSON Pointer; a pointer too long to be of use is cut. */
static void append_pointer(struct buf *out, const struct path *path)
{
    if (!path)
        return;
    append_pointer(out, path->parent);
    bool fits = path->key ? buf_puts(out, "/") : buf_printf(out, "/%zu", path->index);
    for (const char *at = path->key; fits && at && *at; at++)
        fits = *at == '~'   ? buf_puts(out, "~0")
               : *at == '/' ? buf_puts(out, "~1")
                            : buf_append(out, at, 1);
}

bool schema_complain(struct evaluation *e, const struct path *path, double distance,
                     const char *fix, const char *format, ...)
{
    if (!e->problems || e->limit)
        return false;
    e->distance += distance;
    if (e->problems->n >= e->most_problems)
        return false;
    char message[640];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    text_trim_broken_end(message);
    AUTO(buf) pointer;
    buf_init(&pointer, POINTER_MAX_BYTES);
    append_pointer(&pointer, path);
    problems_add(e->problems, NULL, buf_string(&pointer), "%s", message)->fix =
        arena_strdup(e->problems->arena, fix);
    return false;
}

static const char *types_text(struct evaluation *e, unsigned types)
{
    static const struct {
        unsigned bit;
        const char *name;
    } names[] = {
        { TYPE_BIT(JSON_STRING), "a string" }, { TYPE_BIT(JSON_INTEGER), "an integer" },
        { TYPE_BIT(JSON_REAL), "a number" },   { TYPE_BIT(JSON_TRUE), "true or false" },
        { TYPE_BIT(JSON_ARRAY), "an array" },  { TYPE_BIT(JSON_OBJECT), "an object" },
        { TYPE_BIT(JSON_NULL), "null" },
    };
    const char *text = "";
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        if (types & names[i].bit)
            text = schema_format(e, "%s%s%s", text, *text ? " or " : "", names[i].name);
    return text;
}

/* The value without its quotes, when it is a string that would fit as what it says. */
static const char *unquoted(const json_t *value, unsigned types)
{
    const char *text = json_string_value(value);
    json_t *inner = NULL;
    if (!text || strlen(text) > SHOWN_COLUMNS ||
        json_parse(text, strlen(text), JSON_OURS, &inner, NULL))
        return NULL;
    bool fits = schema_type_bits(inner) & types;
    json_decref(inner);
    return fits ? text : NULL;
}

bool schema_complain_type(struct evaluation *e, const struct frame *frame, unsigned types)
{
    const json_t *value = frame->value;
    if (!e->problems)
        return false;
    const char *wanted = types_text(e, types), *shown = schema_show(e, value);
    const char *without_quotes = unquoted(value, types);
    const char *fix = schema_format(e, "replace it by %s", wanted);
    if (without_quotes)
        fix = schema_format(e, "write %s without quotes", without_quotes);
    else if ((types & TYPE_BIT(JSON_STRING)) && !json_is_object(value) && !json_is_array(value))
        fix = schema_format(e, "write it as a string, in double quotes: \"%s\"", shown);
    else if ((types & TYPE_BIT(JSON_ARRAY)) && !json_is_object(value))
        fix = schema_format(e, "write it as an array: [%s]", shown);
    bool far = e->branch == frame->path;
    return schema_complain(e, frame->path, far ? DISTANCE_WRONG_BRANCH : DISTANCE_WRONG_TYPE, fix,
                           "is %s, must be %s", shown, wanted);
}

static const char *nearest_choice(const json_t *choices, const json_t *value)
{
    const char *names[64];
    size_t n = 0, nearest = 0;
    for (size_t i = 0; i < json_array_size(choices) && n < ARRAY_LENGTH(names); i++)
        if (json_is_string(json_array_get(choices, i)))
            names[n++] = json_string_value(json_array_get(choices, i));
    const char *text = json_string_value(value);
    return text && text_nearest(text, names, n, &nearest, 1) ? names[nearest] : NULL;
}

bool schema_complain_choice(struct evaluation *e, const struct frame *frame, const json_t *choices)
{
    if (!e->problems)
        return false;
    const char *list = "";
    size_t n = json_array_size(choices), shown = n < SHOWN_CHOICES ? n : SHOWN_CHOICES;
    for (size_t i = 0; i < shown; i++)
        list = schema_format(e, "%s%s%s", list, i ? ", " : "",
                             schema_show(e, json_array_get(choices, i)));
    if (shown < n)
        list = schema_format(e, "%s and %zu more", list, n - shown);
    const char *nearest = nearest_choice(choices, frame->value);
    const char *fix =
        nearest ? schema_format(e, "write exactly \"%.80s\", or one of: %s", nearest, list)
                : schema_format(e, "use one of: %s", list);
    return schema_complain(e, frame->path, DISTANCE_WRONG_CONSTANT, fix,
                           "is %s, must be one of: %s", schema_show(e, frame->value), list);
}

/* The type that the schema has for a member, in brackets, or "". */
static const char *member_kind(struct evaluation *e, const struct node *node, const char *name)
{
    const struct child *child = schema_find_child(schema_node_rule(node, KEYWORD_PROPERTIES), name);
    const struct rule *type = child ? schema_node_rule(child->node, KEYWORD_TYPE) : NULL;
    if (!type)
        return "";
    const char *text = json_string_value(type->value);
    return text ? schema_format(e, " (%s)", text)
                : schema_format(e, " (%s)", types_text(e, type->types));
}

bool schema_complain_missing(struct evaluation *e, const struct frame *frame, const char *name)
{
    const char *kind = member_kind(e, frame->node, name);
    const char *fix = schema_format(e, "add the property \"%.80s\"%s", name, kind);
    return schema_complain(e, frame->path, DISTANCE_DEFAULT, fix, "lacks the property \"%.80s\"",
                           name);
}

bool schema_complain_unknown(struct evaluation *e, const struct frame *frame, const char *name)
{
    if (!e->problems)
        return false;
    const struct rule *known = schema_node_rule(frame->node, KEYWORD_PROPERTIES);
    const char *names[64];
    size_t n = 0, nearest = 0;
    for (size_t i = 0; known && i < known->n_children && n < ARRAY_LENGTH(names); i++)
        names[n++] = known->children[i].name;
    bool has_nearest =
        text_nearest(name, names, n, &nearest, 1) && strcmp(names[nearest], name) != 0;
    const char *fix =
        has_nearest ? schema_format(e, "rename it to \"%.80s\", or remove it if \"%.80s\" is there",
                                    names[nearest], names[nearest])
                    : schema_format(e, "remove the property \"%.80s\"", name);
    struct path path = { frame->path, name, 0 };
    return schema_complain(e, &path, DISTANCE_DEFAULT, fix,
                           "\"%.80s\" is not a property allowed here", name);
}

struct attempt {
    struct problems problems;
    double distance;
};

static void try_branch(struct evaluation *e, const struct frame *frame, const struct node *node,
                       struct attempt *out)
{
    struct evaluation outer = *e;
    *out = (struct attempt){ .problems = { .arena = e->problems->arena } };
    e->problems = &out->problems;
    e->most_problems = JSON_SCHEMA_MAX_PROBLEMS;
    e->branch = frame->path;
    e->distance = 0;
    schema_evaluate(e, frame, node, frame->value, frame->path, NULL);
    out->distance = e->distance;
    e->problems = outer.problems;
    e->most_problems = outer.most_problems;
    e->branch = outer.branch;
    e->distance = outer.distance;
}

/* The types of all branches, 0 when a branch asks for more than a type that the value lacks. */
static unsigned wanted_types(const struct rule *rule, const json_t *value)
{
    unsigned types = 0;
    for (size_t i = 0; i < rule->n_children; i++) {
        const struct rule *type = schema_node_rule(rule->children[i].node, KEYWORD_TYPE);
        if (!type || (schema_type_bits(value) & type->types))
            return 0;
        types |= type->types;
    }
    return types;
}

bool schema_complain_branches(struct evaluation *e, const struct frame *frame,
                              const struct rule *rule)
{
    if (!e->problems || e->limit)
        return false;
    unsigned types = wanted_types(rule, frame->value);
    if (types)
        return schema_complain_type(e, frame, types);
    struct attempt nearest = { .distance = INFINITY };
    for (size_t i = 0; i < rule->n_children && !e->limit; i++) {
        struct attempt attempt;
        try_branch(e, frame, rule->children[i].node, &attempt);
        if (attempt.distance < nearest.distance)
            nearest = attempt;
    }
    e->distance += nearest.distance;
    for (size_t i = 0; i < nearest.problems.n && e->problems->n < e->most_problems; i++) {
        const struct problem *problem = &nearest.problems.list[i];
        problems_add(e->problems, NULL, problem->path, "%s", problem->message)->fix = problem->fix;
    }
    return false;
}
