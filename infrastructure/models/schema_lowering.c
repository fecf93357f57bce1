#include "infrastructure/models/schema_lowering.h"
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct lowering {
    const json_t *root;
    unsigned refs, depth; /* of the place being lowered */
    size_t schemas;
};

static json_t *lower(struct lowering *lowering, const json_t *schema);

static json_t *unconst(const json_t *value)
{
    return (json_t *)(uintptr_t)value; /* jansson's getters and iterators take no const */
}

/* Copied as they are. Annotations help nobody: the grammar does not show them to the model. */
static const char *const kept[] = { "type",
                                    "enum",
                                    "const",
                                    "required",
                                    "minimum",
                                    "maximum",
                                    "exclusiveMinimum",
                                    "exclusiveMaximum" };
static const char *const formats[] = { "date", "time", "date-time", "uuid" };

/* An engine refuses the whole schema for a type it does not know. */
static bool is_type(const json_t *type)
{
    static const char *const types[] = { "object",  "array",   "string", "number",
                                         "integer", "boolean", "null" };
    for (size_t i = 0; json_is_string(type) && i < ARRAY_LENGTH(types); i++)
        if (strcmp(json_string_value(type), types[i]) == 0)
            return true;
    size_t known = 0;
    for (size_t i = 0; i < json_array_size(type); i++)
        known += json_is_string(json_array_get(type, i)) && is_type(json_array_get(type, i));
    return known > 0 && known == json_array_size(type);
}

static bool is_usable(const char *keyword, const json_t *value)
{
    if (strcmp(keyword, "type") == 0)
        return is_type(value);
    if (strcmp(keyword, "enum") == 0 || strcmp(keyword, "required") == 0)
        return json_array_size(value) > 0;
    return strcmp(keyword, "const") == 0 || json_is_number(value);
}

static void copy_kept(const json_t *schema, json_t *out)
{
    for (size_t i = 0; i < ARRAY_LENGTH(kept); i++) {
        json_t *value = json_object_get(schema, kept[i]);
        if (value && is_usable(kept[i], value))
            json_object_set_new(out, kept[i], json_deep_copy(value));
    }
    const char *format = json_get_string(schema, "format");
    for (size_t i = 0; format && i < ARRAY_LENGTH(formats); i++)
        if (strcmp(format, formats[i]) == 0)
            json_object_set(out, "format", json_object_get(schema, "format"));
}

/* A lower bound may be lowered and an upper one raised or dropped without refusing anything. */
static void copy_bounds(const json_t *schema, json_t *out)
{
    static const char *const low[] = { "minLength", "minItems" };
    static const char *const high[] = { "maxLength", "maxItems" };
    for (size_t i = 0; i < ARRAY_LENGTH(low); i++) {
        int64_t bound = json_get_int(schema, low[i], 0);
        if (bound > 0)
            json_object_set_new(out, low[i],
                                json_integer(bound < SCHEMA_LOWERING_MAX_LENGTH
                                                 ? bound
                                                 : SCHEMA_LOWERING_MAX_LENGTH));
    }
    for (size_t i = 0; i < ARRAY_LENGTH(high); i++) {
        int64_t bound = json_get_int(schema, high[i], -1);
        if (bound >= 0)
            json_object_set_new(out, high[i],
                                json_integer(bound < SCHEMA_LOWERING_MAX_LENGTH
                                                 ? bound
                                                 : SCHEMA_LOWERING_MAX_LENGTH));
    }
}

static const char *class_text(char letter, bool in_brackets)
{
    switch (letter) {
    case 'd':
        return in_brackets ? "0-9" : "[0-9]";
    case 'w':
        return in_brackets ? "A-Za-z0-9_" : "[A-Za-z0-9_]";
    case 's':
        return in_brackets ? " \\t\\n" : "[ \\t\\n]";
    default:
        return NULL;
    }
}

/* \d \w \s spelled out; NULL for what grammars do not know: look-around, \b, \p, other escapes of
 * letters, back references. */
static char *plain_pattern(const char *pattern)
{
    static const char unknown_escapes[] =
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcefghijklmopquvxyz";
    AUTO(buf) plain = { 0 };
    buf_init(&plain, 65536);
    bool in_brackets = false, ok = true;
    for (const char *at = pattern; ok && *at; at++) {
        if (*at == '(' && at[1] == '?' && at[2] != ':')
            return NULL;
        if (*at != '\\') {
            in_brackets = (in_brackets || *at == '[') && *at != ']';
            ok = buf_append(&plain, at, 1);
            continue;
        }
        const char *spelled = class_text(*++at, in_brackets);
        bool known = spelled || !*at || !strchr(unknown_escapes, *at);
        if (!*at || !known)
            return NULL;
        ok = spelled ? buf_puts(&plain, spelled) : buf_append(&plain, at - 1, 2);
    }
    return ok ? buf_take(&plain) : NULL;
}

static void copy_pattern(const json_t *schema, json_t *out)
{
    const char *pattern = json_get_string(schema, "pattern");
    if (!pattern || pattern[0] != '^' || !text_ends_with(pattern, "$") ||
        text_ends_with(pattern, "\\$"))
        return;
    auto_str plain = plain_pattern(pattern);
    if (plain)
        json_object_set_new(out, "pattern", json_string(plain));
}

static void lower_properties(struct lowering *lowering, const json_t *schema, json_t *out)
{
    const json_t *properties = json_object_get(schema, "properties");
    if (!json_is_object(properties))
        return;
    json_t *lowered = json_object();
    const char *name;
    json_t *property;
    json_object_foreach (unconst(properties), name, property)
        json_object_set_new(lowered, name, lower(lowering, property));
    json_object_set_new(out, "properties", lowered);
}

static json_t *lower_all(struct lowering *lowering, const json_t *schemas)
{
    json_t *lowered = json_array();
    size_t i;
    json_t *schema;
    json_array_foreach (unconst(schemas), i, schema)
        json_array_append_new(lowered, lower(lowering, schema));
    return lowered;
}

static void lower_items(struct lowering *lowering, const json_t *schema, json_t *out)
{
    const json_t *prefix = json_object_get(schema, "prefixItems");
    const json_t *items = json_object_get(schema, "items");
    if (json_is_array(prefix))
        json_object_set_new(out, "prefixItems", lower_all(lowering, prefix));
    else if (json_is_object(items) || json_is_true(items))
        json_object_set_new(out, "items", lower(lowering, items));
}

/* Absent means false to llama.cpp, unlike to the specification. That is left: a model that invents
 * members helps nobody. */
static void lower_additional(struct lowering *lowering, const json_t *schema, json_t *out)
{
    const json_t *additional = json_object_get(schema, "additionalProperties");
    if (json_is_false(additional))
        json_object_set_new(out, "additionalProperties", json_false());
    else if (json_is_object(additional) && json_object_size(additional))
        json_object_set_new(out, "additionalProperties", lower(lowering, additional));
}

/* The first alternative may bring members of its own; the siblings come into every branch. */
static json_t *merge(json_t *base, const json_t *branch)
{
    json_t *merged = json_deep_copy(base);
    const char *name;
    json_t *value;
    json_object_foreach (unconst(branch), name, value) {
        json_t *had = json_object_get(merged, name);
        if (json_is_object(had) && json_is_object(value))
            json_object_update(had, value);
        else if (json_is_array(had) && strcmp(name, "required") == 0)
            json_array_extend(had, value);
        else
            json_object_set(merged, name, value);
    }
    return merged;
}

static json_t *branches(struct lowering *lowering, json_t *siblings, const json_t *alternatives)
{
    json_t *any_of = json_array(), *out = json_object();
    size_t i;
    json_t *alternative;
    json_array_foreach (unconst(alternatives), i, alternative) {
        json_auto_t *lowered = lower(lowering, alternative);
        json_array_append_new(any_of, merge(siblings, lowered));
    }
    json_object_set_new(out, "anyOf", any_of);
    json_decref(siblings);
    return out;
}

/* "#/$defs/a": NULL for anything else, and for escapes, which llama.cpp does not resolve. */
static const json_t *local_target(const struct lowering *lowering, const char *reference)
{
    if (strcmp(reference, "#") == 0)
        return lowering->root;
    if (!text_starts_with(reference, "#/") || strpbrk(reference, "~%"))
        return NULL;
    const json_t *at = lowering->root;
    for (const char *part = reference + 2; at;) {
        size_t length = strcspn(part, "/");
        at = json_is_array(at) ? json_array_get(at, strtoul(part, NULL, 10))
                               : json_object_getn(at, part, length);
        if (!part[length])
            return at;
        part += length + 1;
    }
    return NULL;
}

static json_t *lower_reference(struct lowering *lowering, const char *reference)
{
    const json_t *target = local_target(lowering, reference);
    if (!target || lowering->refs == SCHEMA_LOWERING_MAX_REFS)
        return json_object();
    lowering->refs++;
    json_t *lowered = lower(lowering, target);
    lowering->refs--;
    return lowered;
}

static json_t *lower_object(struct lowering *lowering, const json_t *schema)
{
    const char *reference = json_get_string(schema, "$ref");
    if (reference)
        return lower_reference(lowering, reference);
    json_t *out = json_object();
    copy_kept(schema, out);
    copy_bounds(schema, out);
    copy_pattern(schema, out);
    lower_properties(lowering, schema, out);
    lower_items(lowering, schema, out);
    lower_additional(lowering, schema, out);
    const json_t *alternatives = json_object_get(schema, "anyOf");
    if (!json_is_array(alternatives))
        alternatives = json_object_get(schema, "oneOf");
    const json_t *all = json_object_get(schema, "allOf");
    size_t i;
    json_t *part;
    json_array_foreach (unconst(all), i, part) {
        json_auto_t *lowered = lower(lowering, part);
        json_t *merged = merge(out, lowered);
        json_decref(out);
        out = merged;
    }
    return json_array_size(alternatives) ? branches(lowering, out, alternatives) : out;
}

static json_t *lower(struct lowering *lowering, const json_t *schema)
{
    bool too_much = lowering->depth == SCHEMA_LOWERING_MAX_DEPTH ||
                    lowering->schemas == SCHEMA_LOWERING_MAX_SCHEMAS;
    if (too_much || !json_is_object(schema))
        return json_object();
    lowering->depth++;
    lowering->schemas++;
    json_t *lowered = lower_object(lowering, schema);
    lowering->depth--;
    return lowered;
}

const json_t *schema_lower(struct arena *arena, const json_t *schema)
{
    struct lowering lowering = { .root = schema };
    return arena_keep_json(arena, lower(&lowering, schema));
}
