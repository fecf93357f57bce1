#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/tool/tool.h"
#include <string.h>

#define SIGNATURE_MAX 200
#define CHOICES_SHOWN 8
#define NAME_COLUMNS 60
#define TYPE_DEPTH 4

static const char *type_text(struct arena *arena, const json_t *root, const json_t *schema,
                             unsigned depth);

static const char *shown(struct arena *arena, const char *text, size_t columns)
{
    return text_one_line(arena, text, strlen(text), columns);
}

/* "a|b|c" of an array's elements; each is printed by the function. */
static const char *choices_text(struct arena *arena, const json_t *choices)
{
    const char *text = "";
    const json_t *choice;
    size_t i;
    json_array_foreach (choices, i, choice) {
        const char *bar = i ? "|" : "";
        if (i == CHOICES_SHOWN)
            return arena_printf(arena, "%s|…", text);
        const char *word =
            json_is_string(choice) ? json_string_value(choice) : json_print_in(arena, choice);
        text = arena_printf(arena, "%s%s%s", text, bar, shown(arena, word, 40));
    }
    return text;
}

static const char *alternatives_text(struct arena *arena, const json_t *root,
                                     const json_t *alternatives, unsigned depth)
{
    const char *text = "";
    const json_t *schema;
    size_t i;
    json_array_foreach (alternatives, i, schema) {
        if (i == CHOICES_SHOWN)
            return arena_printf(arena, "%s|…", text);
        text = arena_printf(arena, "%s%s%s", text, i ? "|" : "",
                            type_text(arena, root, schema, depth + 1));
    }
    return text;
}

static const char *named_type_text(struct arena *arena, const json_t *root, const json_t *schema,
                                   const char *type, unsigned depth)
{
    const json_t *items = json_object_get(schema, "items");
    if (strcmp(type, "array") != 0 || !items)
        return shown(arena, type, 20);
    const char *of = type_text(arena, root, items, depth + 1);
    return arena_printf(arena, strchr(of, '|') ? "(%s)[]" : "%s[]", of);
}

static const char *type_text(struct arena *arena, const json_t *root, const json_t *schema,
                             unsigned depth)
{
    const char *reference = json_get_string(schema, "$ref");
    if (reference && reference[0] == '#' && depth < TYPE_DEPTH)
        return type_text(arena, root, json_path_find(root, reference + 1), depth + 1);
    if (depth >= TYPE_DEPTH)
        return "any";
    if (json_is_array(json_object_get(schema, "enum")))
        return choices_text(arena, json_object_get(schema, "enum"));
    if (json_object_get(schema, "const"))
        return shown(arena, json_print_in(arena, json_object_get(schema, "const")), 40);
    const json_t *type = json_object_get(schema, "type");
    if (json_is_string(type))
        return named_type_text(arena, root, schema, json_string_value(type), depth);
    if (json_is_array(type))
        return choices_text(arena, type);
    const json_t *any = json_object_get(schema, "anyOf");
    if (!any)
        any = json_object_get(schema, "oneOf");
    return json_array_size(any) ? alternatives_text(arena, root, any, depth) : "any";
}

static bool is_required(const json_t *schema, const char *name)
{
    const json_t *required;
    size_t i;
    json_array_foreach (json_object_get(schema, "required"), i, required)
        if (text_equal(json_string_value(required), name))
            return true;
    return false;
}

/* Adds the parameters that are (or are not) required; false when there was no room for all. */
static bool append_parameters(struct arena *arena, struct buf *out, const json_t *schema,
                              bool required, size_t *n)
{
    const char *name;
    const json_t *parameter;
    json_each_member (json_object_get(schema, "properties"), name, parameter) {
        if (is_required(schema, name) != required)
            continue;
        size_t before = out->length;
        if (!buf_puts(out, *n ? ", " : "") || !buf_puts(out, shown(arena, name, NAME_COLUMNS)) ||
            !buf_puts(out, required ? ": " : "?: ") ||
            !buf_puts(out, type_text(arena, schema, parameter, 0))) {
            out->length = before; /* all of a parameter or nothing */
            buf_terminate(out);
            return false;
        }
        ++*n;
    }
    return true;
}

const char *tool_signature(struct arena *arena, const struct tool *tool, const char *shown_name)
{
    static const char cut[] = ", …)";
    AUTO(buf) text;
    buf_init(&text, SIGNATURE_MAX - sizeof cut + 1);
    size_t n = 0;
    const char *name = shown_name ? shown_name : tool->full_name;
    name = shown(arena, name, NAME_COLUMNS * 2);
    bool all = buf_append(&text, name, text_cut(name, strlen(name), 180)) && buf_puts(&text, "(") &&
               append_parameters(arena, &text, tool->input_schema, true, &n) &&
               append_parameters(arena, &text, tool->input_schema, false, &n);
    return arena_printf(arena, "%s%s", buf_string(&text), all ? ")" : n ? cut : "…)");
}

/* Length of the text up to the end of its first sentence or line. */
static size_t first_sentence(const char *text)
{
    for (size_t i = 0; text[i]; i++) {
        if (text[i] == '\n' || text[i] == '\r')
            return i;
        if (text[i] == '.' && (text[i + 1] == ' ' || text[i + 1] == '\n' || !text[i + 1]))
            return i;
    }
    return strlen(text);
}

const char *tool_summary(struct arena *arena, const struct tool *tool, size_t max_columns)
{
    if (tool->title && *tool->title)
        return shown(arena, tool->title, max_columns);
    const char *text = tool->description ? tool->description : "";
    text += strspn(text, " \t\r\n");
    return text_one_line(arena, text, first_sentence(text), max_columns);
}

void tool_definition_append(struct buf *out, const struct tool *tool)
{
    static const char *const members[] = { "annotations", "description",  "inputSchema",
                                           "name",        "outputSchema", "title" };
    bool is_first = true;
    for (size_t i = 0; i < ARRAY_LENGTH(members); i++) {
        const json_t *member = json_object_get(tool->definition, members[i]);
        if (!member)
            continue;
        if (!buf_puts(out, is_first ? "{\"" : ",\"") || !buf_puts(out, members[i]) ||
            !buf_puts(out, "\":"))
            abort();
        json_append_sorted(out, member);
        is_first = false;
    }
    if (!buf_puts(out, is_first ? "{}" : "}"))
        abort();
}

char *tool_definition_text(const struct tool *tool)
{
    struct buf text;
    buf_init(&text, SIZE_MAX);
    tool_definition_append(&text, tool);
    return buf_take(&text);
}
