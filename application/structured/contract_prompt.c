#include "application/structured/contracts.h"
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

#define PROMPT_MAX_BYTES (1024 * 1024)

static const char *type_text(struct arena *arena, const json_t *schema, unsigned depth);

/* "from 1 to 100", "at least 1", "at most 200", "" */
static const char *bounds_text(struct arena *arena, const json_t *schema, const char *low_key,
                               const char *high_key)
{
    const json_t *low = json_object_get(schema, low_key), *high = json_object_get(schema, high_key);
    if (low && high)
        return arena_printf(arena, "from %s to %s", json_print_in(arena, low),
                            json_print_in(arena, high));
    if (low)
        return arena_printf(arena, "at least %s", json_print_in(arena, low));
    return high ? arena_printf(arena, "at most %s", json_print_in(arena, high)) : "";
}

static const char *alternatives_text(struct arena *arena, const json_t *list, unsigned depth,
                                     bool are_schemas)
{
    const char *text = "";
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        const char *word =
            are_schemas ? type_text(arena, item, depth + 1) : json_print_in(arena, item);
        text = arena_printf(arena, "%s%s%s", text, i ? " | " : "", word);
    }
    return text;
}

static const char *string_text(struct arena *arena, const json_t *schema)
{
    const char *bounds = bounds_text(arena, schema, "minLength", "maxLength");
    const char *pattern = json_get_string(schema, "pattern");
    const char *like = pattern ? arena_printf(arena, " like %s", pattern) : "";
    return *bounds ? arena_printf(arena, "string%s, %s characters", like, bounds)
                   : arena_printf(arena, "string%s", like);
}

static const char *number_text(struct arena *arena, const json_t *schema, const char *type)
{
    const char *bounds = bounds_text(arena, schema, "minimum", "maximum");
    return arena_printf(arena, "%s%s%s", type, *bounds ? ", " : "", bounds);
}

static const char *array_text(struct arena *arena, const json_t *schema, unsigned depth)
{
    const char *bounds = bounds_text(arena, schema, "minItems", "maxItems");
    return arena_printf(arena, "[%s, …]%s%s",
                        type_text(arena, json_object_get(schema, "items"), depth + 1),
                        *bounds ? ", how many: " : "", bounds);
}

static bool is_required(const json_t *schema, const char *name)
{
    const json_t *required = json_object_get(schema, "required");
    for (size_t i = 0; i < json_array_size(required); i++)
        if (text_equal(json_string_value(json_array_get(required, i)), name))
            return true;
    return false;
}

static const char *object_text(struct arena *arena, const json_t *schema, unsigned depth)
{
    const json_t *properties = json_object_get(schema, "properties");
    const char *text = "", *name;
    json_t *member;
    if (json_object_size(properties) == 0)
        return "object";
    json_each_member (properties, name, member)
        text =
            arena_printf(arena, "%s%s\"%s\"%s: %s", text, *text ? ", " : "", name,
                         is_required(schema, name) ? "" : "?", type_text(arena, member, depth + 1));
    return arena_printf(arena, "{%s}", text);
}

static const char *type_text(struct arena *arena, const json_t *schema, unsigned depth)
{
    const char *type = json_get_string(schema, "type");
    if (depth > CONTRACT_MAX_SHOWN_DEPTH)
        return "…";
    if (json_object_get(schema, "enum"))
        return alternatives_text(arena, json_object_get(schema, "enum"), depth, false);
    if (json_object_get(schema, "const"))
        return json_print_in(arena, json_object_get(schema, "const"));
    if (json_object_get(schema, "anyOf"))
        return alternatives_text(arena, json_object_get(schema, "anyOf"), depth, true);
    if (!type)
        return "any value";
    if (strcmp(type, "string") == 0)
        return string_text(arena, schema);
    if (strcmp(type, "integer") == 0)
        return number_text(arena, schema, "whole number");
    if (strcmp(type, "number") == 0)
        return number_text(arena, schema, "number");
    if (strcmp(type, "array") == 0)
        return array_text(arena, schema, depth);
    if (strcmp(type, "object") == 0)
        return object_text(arena, schema, depth);
    return strcmp(type, "boolean") == 0 ? "true | false" : type;
}

/* One line, and below it a line for each member of an object in a list that has a purpose. */
static bool add_member(struct buf *text, struct arena *arena, const json_t *schema,
                       const char *name, const json_t *member)
{
    const char *what = json_get_string(member, "description"), *inner;
    json_t *each;
    const json_t *items = json_object_get(member, "items");
    bool ok = buf_printf(text, "- \"%s\"%s: %s%s%s\n", name,
                         is_required(schema, name) ? "" : " (optional)",
                         type_text(arena, member, 1), what ? ". " : "", what ? what : "");
    json_each_member (json_object_get(items, "properties"), inner, each) {
        const char *purpose = json_get_string(each, "description");
        if (purpose)
            ok = ok && buf_printf(text, "  - \"%s\": %s\n", inner, purpose);
    }
    return ok;
}

static bool add_shape(struct buf *text, struct arena *arena, const struct contract *contract)
{
    static const char *const what[] = {
        [CONTRACT_OBJECT] = "One JSON object with these members, in this order:\n",
        [CONTRACT_TEXT_AND_OBJECT] = "First text for the person. Then a line that is only ---. "
                                     "Then one JSON object with these members, in this order, and "
                                     "nothing behind it:\n",
        [CONTRACT_TEXT] = "Plain text.\n",
    };
    const char *name;
    json_t *member;
    bool ok = buf_puts(text, what[contract->shape]);
    json_each_member (json_object_get(contract->schema, "properties"), name, member)
        ok = ok && add_member(text, arena, contract->schema, name, member);
    return ok;
}

const char *contract_prompt_text(struct arena *arena, const struct contract *contract)
{
    AUTO(buf) text = { 0 };
    buf_init(&text, PROMPT_MAX_BYTES);
    bool ok = add_shape(&text, arena, contract);
    if (contract->good)
        ok = ok && buf_printf(&text, "\nA good answer:\n%s\n", contract->good);
    return ok ? arena_strdup(arena, buf_string(&text)) : "";
}
