/* The documents port: YAML and JSON read into values (yaml_read.c), places found in them, and
 * values printed in block style. */
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/config/config.h"
#include "infrastructure/config/yaml_internal.h"
#include <ctype.h>
#include <string.h>

#define PRINT_MAX_BYTES (64 * 1048576)

/* Words that readers of YAML 1.1 do not take for text. */
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

static bool looks_like_json(const char *text, size_t length)
{
    size_t at = 0;
    while (at < length && text[at] && strchr(" \t\r\n", text[at]))
        at++;
    return at < length && (text[at] == '{' || text[at] == '[');
}

/* JSON is YAML but for details, in which JSON's own parser is right. What is almost JSON is read as
 * YAML, which says what is wrong. */
static enum err_code parse(struct documents *d, const char *text, size_t length,
                           struct arena *arena, struct problems *problems, struct document *out,
                           struct err *err)
{
    (void)d;
    json_t *json = NULL, *value = NULL, *places = NULL;
    struct err ignored;
    bool is_json = length <= DOCUMENT_MAX_BYTES && looks_like_json(text, length) &&
                   json_parse(text, length, JSON_OURS, &json, &ignored) == ERR_NONE;
    enum err_code r = is_json ? ERR_NONE : yaml_read(text, length, problems, &value, &places, err);
    if (r)
        return r;
    if (is_json) {
        value = json;
        places = json_places(text, json);
    }
    out->value = arena_keep_json(arena, value);
    out->places = arena_keep_json(arena, places);
    return ERR_NONE;
}

static const json_t *child_place(const json_t *place, char *part)
{
    const json_t *children = json_array_get(place, 1);
    if (json_is_array(children)) {
        char *end = NULL;
        unsigned long index = strtoul(part, &end, 10);
        return *part && !*end ? json_array_get(children, index) : NULL;
    }
    char *to = part;
    for (const char *from = part; *from; from++) {
        bool escaped = *from == '~' && (from[1] == '0' || from[1] == '1');
        *to++ = escaped ? (from[1] == '0' ? '~' : '/') : *from;
        from += escaped;
    }
    *to = '\0';
    return json_object_get(children, part);
}

static bool place(struct documents *d, const struct document *document, const char *path,
                  bool of_key, int *out_line, int *out_column)
{
    (void)d;
    AUTO(arena) scratch = { 0 };
    const json_t *found = document->places;
    if (!found)
        return false;
    while (*path == '/') {
        size_t length = strcspn(path + 1, "/");
        const json_t *next = child_place(found, arena_strndup(&scratch, path + 1, length));
        if (!next) {
            of_key = false;
            break;
        }
        found = next;
        path += 1 + length;
    }
    const json_t *key = of_key ? json_array_get(found, 2) : NULL;
    int64_t packed = json_integer_value(key ? key : json_array_get(found, 0));
    *out_line = (int)(packed >> 32);
    *out_column = (int)(packed & 0xFFFFFFFF);
    return true;
}

static enum err_code print(struct documents *d, const json_t *value, struct arena *arena,
                           const char **out_text, struct err *err)
{
    AUTO(buf) out;
    (void)d;
    buf_init(&out, PRINT_MAX_BYTES);
    if (!append_value(&out, value, 0, false) || !buf_puts(&out, "\n"))
        return err_set(err, ERR_LIMIT, 0, "too large to print as YAML");
    const char *text = buf_string(&out);
    *out_text = arena_strdup(arena, text + strspn(text, " \n"));
    return ERR_NONE;
}

struct documents *yaml_documents(void)
{
    static const struct documents_ops ops = { .parse = parse, .place = place, .print_yaml = print };
    static struct documents documents = { &ops };
    return &documents;
}
