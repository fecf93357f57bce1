/* Types are shown in the words of JSON Schema, choices as a|b, references within the schema
 * followed a few steps.
 *
 * A line for a model has three parts with a bound each: parameters, outputs, purpose. Of the
 * parameters the required ones are shortened last: the optional ones lose their meanings first,
 * then some of them leave, and only then do the required ones lose theirs. */
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/tool/tool.h"
#include <string.h>

#define SIGNATURE_MAX 200
#define CHOICES_SHOWN 8
#define NAME_COLUMNS 60
#define TYPE_DEPTH 4
#define MEANING_COLUMNS 40 /* of a parameter in a line */
#define SHORT_MEANING 28   /* a longer one ends at its first comma */
#define PARAMETERS_MAX 160 /* bytes with which every parameter has its meaning */
#define REQUIRED_MAX 4000  /* bytes of the names of required parameters */
#define OUTPUTS_MAX 60
#define OUTPUT_DEPTH 4
#define SUMMARY_COLUMNS 72
#define CHARACTER_MAX 8 /* bytes of text for one column */

static const char *type_text(struct arena *arena, const json_t *root, const json_t *schema,
                             unsigned depth);

static const char *shown(struct arena *arena, const char *text, size_t columns)
{
    return text_one_line(arena, text, strlen(text), columns);
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
        return json_join_elements(arena, json_object_get(schema, "enum"), "|");
    if (json_object_get(schema, "const"))
        return shown(arena, json_print_in(arena, json_object_get(schema, "const")), 40);
    const json_t *type = json_object_get(schema, "type");
    if (json_is_string(type))
        return named_type_text(arena, root, schema, json_string_value(type), depth);
    if (json_is_array(type))
        return json_join_elements(arena, type, "|");
    const json_t *any = json_object_get(schema, "anyOf");
    if (!any)
        any = json_object_get(schema, "oneOf");
    return json_array_size(any) ? alternatives_text(arena, root, any, depth) : "any";
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

/* The text, cut between words where it is too long. */
static const char *cut_words(struct arena *arena, const char *text, size_t length, size_t columns)
{
    length = text_cut(text, length, columns * CHARACTER_MAX);
    const char *line = text_one_line(arena, text, length, length * CHARACTER_MAX);
    size_t kept = text_cut_columns(line, columns - 1), word = kept;
    if (text_columns(line) <= columns)
        return line;
    while (word > kept / 2 && line[word] != ' ')
        word--;
    return arena_printf(arena, "%.*s…", (int)(word > kept / 2 ? word : kept), line);
}

/* Length of what says most: up to the end of the first sentence, line or remark; of a long one up
 * to the first comma, unless that ends a condition. */
static size_t first_clause(const char *text)
{
    size_t length = first_sentence(text);
    for (size_t i = 1; i < length; i++)
        if (text[i] == ';' || (text[i] == ' ' && text[i + 1] == '('))
            length = i;
    size_t comma = strcspn(text, ",");
    bool is_condition = strncasecmp(text, "if ", 3) == 0 || strncasecmp(text, "when ", 5) == 0;
    return length > SHORT_MEANING && comma && comma < length && !is_condition ? comma : length;
}

/* What the schema refers to, within `root`; itself where it does not. */
static const json_t *resolved(const json_t *root, const json_t *schema)
{
    const char *reference = json_get_string(schema, "$ref");
    return reference && reference[0] == '#' ? json_path_find(root, reference + 1) : schema;
}

/* "{name, type}" */
static const char *member_names(struct arena *arena, const json_t *schema)
{
    const char *names = json_join_names(arena, json_object_get(schema, "properties"));
    return arena_printf(arena, "{%s}", shown(arena, names, MEANING_COLUMNS * 2));
}

/* What to write for a parameter: its choices, its members, what it is described as, or its type.
 * Brackets stand for a list. */
static const char *meaning_text(struct arena *arena, const json_t *root, const json_t *schema)
{
    const char *what = json_get_string(schema, "description");
    const json_t *target = resolved(root, schema);
    const json_t *items = resolved(root, json_object_get(target, "items"));
    if (json_object_get(target, "enum") || json_object_get(target, "const"))
        return shown(arena, type_text(arena, root, target, 0), MEANING_COLUMNS * 2);
    if (json_object_size(json_object_get(target, "properties")))
        return member_names(arena, target);
    if (json_object_size(json_object_get(items, "properties")))
        return arena_printf(arena, "[%s]", member_names(arena, items));
    if (!what || !what[strspn(what, " \t\r\n")])
        return shown(arena, type_text(arena, root, schema, 0), MEANING_COLUMNS * 2);
    what += strspn(what, " \t\r\n");
    what = cut_words(arena, what, first_clause(what), MEANING_COLUMNS);
    return arena_printf(arena, items ? "[%s]" : "%s", what);
}

/* How much is said of a parameter beside its name. */
enum detail { DETAIL_NONE, DETAIL_TYPE, DETAIL_MEANING };

static bool append_detail(struct arena *arena, struct buf *out, const json_t *root,
                          const json_t *parameter, enum detail detail)
{
    if (detail == DETAIL_NONE)
        return true;
    return buf_puts(out, ": ") &&
           buf_puts(out, detail == DETAIL_TYPE ? type_text(arena, root, parameter, 0)
                                               : meaning_text(arena, root, parameter));
}

/* Adds the parameters that are (or are not) required; false when there was no room for all. */
static bool append_parameters(struct arena *arena, struct buf *out, const json_t *schema,
                              bool required, enum detail detail)
{
    const char *name;
    const json_t *parameter, *list = json_object_get(schema, "required");
    json_each_member (json_object_get(schema, "properties"), name, parameter) {
        size_t before = out->length;
        if (json_array_has_text(list, name) != required)
            continue;
        if (buf_puts(out, out->bytes[before - 1] == '(' ? "" : ", ") &&
            buf_puts(out, shown(arena, name, NAME_COLUMNS)) && buf_puts(out, required ? "" : "?") &&
            append_detail(arena, out, schema, parameter, detail))
            continue;
        out->length = before; /* without the beginning of this one */
        buf_terminate(out);
        return false;
    }
    return true;
}

static const char *cut_list(struct arena *arena, const struct buf *text, bool is_whole)
{
    bool is_empty = buf_string(text)[text->length - 1] == '(';
    return arena_printf(arena, "%s%s", buf_string(text), is_whole ? ")" : is_empty ? "…)" : ", …)");
}

const char *tool_signature(struct arena *arena, const struct tool *tool, const char *shown_name)
{
    AUTO(buf) text;
    buf_init(&text, SIGNATURE_MAX - strlen(", …)"));
    const char *name = shown_name ? shown_name : tool->full_name;
    name = shown(arena, name, NAME_COLUMNS * 2);
    bool all = buf_append(&text, name, text_cut(name, strlen(name), 180)) && buf_puts(&text, "(") &&
               append_parameters(arena, &text, tool->input_schema, true, DETAIL_TYPE) &&
               append_parameters(arena, &text, tool->input_schema, false, DETAIL_TYPE);
    return cut_list(arena, &text, all);
}

const char *tool_summary(struct arena *arena, const struct tool *tool, size_t max_columns)
{
    if (tool->title && *tool->title)
        return shown(arena, tool->title, max_columns);
    const char *text = tool->description ? tool->description : "";
    text += strspn(text, " \t\r\n");
    return text_one_line(arena, text, first_sentence(text), max_columns);
}

/* "(path: file to read, lines?: how many)" */
static const char *parameters_text(struct arena *arena, const json_t *schema)
{
    static const struct {
        enum detail required, optional;
    } tries[] = { { DETAIL_MEANING, DETAIL_MEANING },
                  { DETAIL_MEANING, DETAIL_NONE },
                  { DETAIL_NONE, DETAIL_NONE } };
    for (size_t i = 0;; i++) {
        bool is_last = i + 1 == ARRAY_LENGTH(tries);
        AUTO(buf) text;
        buf_init(&text, is_last ? REQUIRED_MAX : PARAMETERS_MAX);
        bool all = buf_puts(&text, "(") &&
                   append_parameters(arena, &text, schema, true, tries[i].required);
        if (!all && !is_last)
            continue;
        text.max_bytes = text.length > PARAMETERS_MAX ? text.length : PARAMETERS_MAX;
        bool whole = all && append_parameters(arena, &text, schema, false, tries[i].optional);
        if (whole || i > 0)
            return cut_list(arena, &text, whole);
    }
}

/* Adds "matches[].path" for what is at the end of each branch; false when there was no room. */
static bool append_outputs(struct arena *arena, struct buf *out, const json_t *root,
                           const json_t *schema, const char *path, unsigned depth)
{
    const char *name;
    const json_t *member;
    json_each_member (json_object_get(schema, "properties"), name, member) {
        const json_t *target = resolved(root, member), *items = json_object_get(target, "items");
        const json_t *inner = items ? resolved(root, items) : target;
        bool is_branch =
            depth < OUTPUT_DEPTH && json_object_size(json_object_get(inner, "properties"));
        const char *at = arena_printf(arena, "%s%s%s%s", path, *path ? "." : "",
                                      shown(arena, name, NAME_COLUMNS), items ? "[]" : "");
        bool ok = is_branch
                      ? append_outputs(arena, out, root, inner, at, depth + 1)
                      : buf_puts(out, arena_printf(arena, "%s%s", out->length ? ", " : " -> ", at));
        if (!ok)
            return false;
    }
    return true;
}

static const char *outputs_text(struct arena *arena, const struct tool *tool)
{
    AUTO(buf) text;
    buf_init(&text, OUTPUTS_MAX);
    bool all = append_outputs(arena, &text, tool->output_schema, tool->output_schema, "", 0);
    return arena_printf(arena, "%s%s", buf_string(&text), all ? "" : text.length ? ", …" : " -> …");
}

static const char *purpose_text(struct arena *arena, const struct tool *tool)
{
    const char *text = tool->description ? tool->description : "";
    text += strspn(text, " \t\r\n");
    if (!*text && tool->title)
        text = tool->title;
    return cut_words(arena, text, first_sentence(text), SUMMARY_COLUMNS);
}

const char *tool_line(struct arena *arena, const struct tool *tool, const char *shown_name)
{
    const char *name = shown(arena, shown_name ? shown_name : tool->full_name, NAME_COLUMNS * 2);
    const char *purpose = purpose_text(arena, tool);
    return arena_printf(arena, "%s%s%s%s%s", name, parameters_text(arena, tool->input_schema),
                        outputs_text(arena, tool), *purpose ? ": " : "", purpose);
}
