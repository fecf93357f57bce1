#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/config/yaml_internal.h"
#include <ctype.h>
#include <string.h>

#define PRINT_MAX_BYTES (64 * 1048576)

/* Words that readers of YAML 1.1 take for something else than text. */
static bool is_old_keyword(const char *text)
{
    static const char *const words[] = { "y", "n", "yes", "no", "on", "off" };
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
        if (strcasecmp(text, words[i]) == 0)
            return true;
    return false;
}

static bool may_stand_plain(const char *text, size_t length)
{
    if (!length || length > 200 || !(isalnum((unsigned char)text[0]) || strchr("_/", text[0])))
        return false;
    for (size_t i = 0; i < length; i++) {
        bool inner_blank = text[i] == ' ' && i + 1 < length && text[i + 1] != ' ';
        if (!isalnum((unsigned char)text[i]) && !(text[i] && strchr("_-./@+", text[i])) &&
            !inner_blank)
            return false;
    }
    json_auto_t *read = yaml_scalar_value(text, length);
    return json_is_string(read) && !is_old_keyword(text);
}

static bool must_escape(uint32_t code)
{
    return code < 0x20 || code == '"' || code == '\\' || (code >= 0x7F && code <= 0x9F) ||
           (code >= 0x200E && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF || code == 0xFFFE || code == 0xFFFF;
}

static bool append_escape(struct buf *out, uint32_t code)
{
    switch (code) {
    case '"':
        return buf_puts(out, "\\\"");
    case '\\':
        return buf_puts(out, "\\\\");
    case '\n':
        return buf_puts(out, "\\n");
    case '\t':
        return buf_puts(out, "\\t");
    default:
        return buf_printf(out, "\\u%04X", code);
    }
}

static bool append_string(struct buf *out, const char *text, size_t length)
{
    if (may_stand_plain(text, length))
        return buf_append(out, text, length);
    bool fits = buf_puts(out, "\"");
    for (size_t at = 0; fits && at < length;) {
        uint32_t code = 0;
        size_t size = text_utf8_next(text + at, length - at, &code);
        fits = must_escape(code) ? append_escape(out, code) : buf_append(out, text + at, size);
        at += size ? size : 1;
    }
    return fits && buf_puts(out, "\"");
}

static bool append_indent(struct buf *out, unsigned indent)
{
    return buf_printf(out, "\n%*s", (int)indent, "");
}

static bool append_value(struct buf *out, const json_t *value, unsigned indent, bool in_list);

/* The first member stands behind the dash of a list, the others below it. */
static bool append_object(struct buf *out, const json_t *object, unsigned indent, bool in_list)
{
    const char *key;
    const json_t *member;
    bool first = in_list;
    json_each_member (object, key, member) {
        if ((!first && !append_indent(out, indent)) || !append_string(out, key, strlen(key)) ||
            !buf_puts(out, ":") || !append_value(out, member, indent + 2, false))
            return false;
        first = false;
    }
    return true;
}

static bool append_array(struct buf *out, const json_t *array, unsigned indent, bool in_list)
{
    const json_t *element;
    size_t i;
    json_array_foreach (array, i, element)
        if (((i || !in_list) && !append_indent(out, indent)) || !buf_puts(out, "-") ||
            !append_value(out, element, indent + 2, true))
            return false;
    return true;
}

/* What stands behind "key:" or "-", with the blank or the line break before it. */
static bool append_value(struct buf *out, const json_t *value, unsigned indent, bool in_list)
{
    if (json_object_size(value))
        return (!in_list || buf_puts(out, " ")) && append_object(out, value, indent, in_list);
    if (json_array_size(value))
        return (!in_list || buf_puts(out, " ")) && append_array(out, value, indent, in_list);
    if (!buf_puts(out, " "))
        return false;
    if (json_is_string(value))
        return append_string(out, json_string_value(value), json_string_length(value));
    auto_str text = json_print(value);
    return buf_puts(out, text);
}

bool yaml_print(struct arena *arena, const json_t *value, const char **out_text)
{
    AUTO(buf) out;
    buf_init(&out, PRINT_MAX_BYTES);
    if (!append_value(&out, value, 0, false) || !buf_puts(&out, "\n"))
        return false;
    const char *text = buf_string(&out);
    *out_text = arena_strdup(arena, text + strspn(text, " \n"));
    return true;
}
