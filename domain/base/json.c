#include "domain/base/json.h"
#include "domain/base/buf.h"
#include "domain/base/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* U+FFFD is longer than the byte it stands for: a message may not become three times as long. */
#define REPAIR_MAX_GROWTH ((size_t)16 << 20)
#define JOINED_MAX 8
#define JOINED_COLUMNS 40

/* How deep text nests and how many values it has, sound or not. Stops beyond max_depth. */
struct shape {
    unsigned depth;
    size_t n_values;
};

static struct shape shape_of(const char *text, size_t length, unsigned max_depth)
{
    struct shape shape = { 0 };
    unsigned depth = 0;
    bool in_string = false, in_scalar = false;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        bool was_scalar = in_scalar;
        in_scalar = false;
        if (in_string) {
            if (c == '\\')
                i++;
            else if (c == '"')
                in_string = false;
        } else if (c == '"') {
            in_string = true;
            shape.n_values++;
        } else if (c == '{' || c == '[') {
            shape.n_values += 2;
            if (++depth > shape.depth)
                shape.depth = depth;
            if (depth > max_depth)
                break;
        } else if (c == '}' || c == ']') {
            depth -= depth > 0;
        } else if (!strchr(", :\t\r\n", c)) {
            in_scalar = true;
            shape.n_values += !was_scalar;
        }
    }
    return shape;
}

bool json_depth_fits(const char *text, size_t length, unsigned max_depth)
{
    return shape_of(text, length, max_depth).depth <= max_depth;
}

/* Reads the four hex digits of a \u escape at text[at]; false when they are not there. */
static bool read_escape(const char *text, size_t length, size_t at, unsigned *out)
{
    if (at + 6 > length || text[at] != '\\' || text[at + 1] != 'u')
        return false;
    char digits[5] = { text[at + 2], text[at + 3], text[at + 4], text[at + 5], 0 };
    char *end = NULL;
    *out = (unsigned)strtoul(digits, &end, 16);
    return *end == '\0' && digits[0] != '-' && digits[0] != '+' && digits[0] != ' ';
}

/* The index behind the string whose quote is at `at`; past the end when the text is cut. */
static size_t skip_string(const char *text, size_t length, size_t at)
{
    for (at++; at < length && text[at] != '"'; at++)
        if (text[at] == '\\')
            at++;
    return at + 1;
}

static size_t skip_blanks(const char *text, size_t length, size_t at)
{
    while (at < length && strchr(" \t\r\n", text[at]) && text[at])
        at++;
    return at;
}

/* The bytes at text[*at] as they may stand in valid JSON text; moves *at behind them. */
static bool append_repaired(struct buf *out, const char *text, size_t length, size_t *at,
                            bool is_in_key)
{
    unsigned high, low;
    if (is_in_key && read_escape(text, length, *at, &high) && high == 0) {
        *at += 6;
        return buf_puts(out, "\\ufffd");
    }
    if (read_escape(text, length, *at, &high) && high >= 0xD800 && high <= 0xDFFF) {
        bool pair = high < 0xDC00 && read_escape(text, length, *at + 6, &low) && low >= 0xDC00 &&
                    low <= 0xDFFF;
        size_t from = *at;
        *at += pair ? 12 : 6;
        return pair ? buf_append(out, text + from, 12) : buf_puts(out, "\\ufffd");
    }
    if (text[*at] == '\\' && *at + 1 < length && (unsigned char)text[*at + 1] < 0x80) {
        *at += 2;
        return buf_append(out, text + *at - 2, 2);
    }
    size_t size = text_utf8_next(text + *at, length - *at, NULL);
    size_t from = *at;
    *at += size ? size : 1;
    return size ? buf_append(out, text + from, size) : buf_puts(out, "\xEF\xBF\xBD");
}

/* False when nothing had to be repaired, or the text would grow too much. */
static bool repair(struct buf *repaired, const char *text, size_t length)
{
    size_t behind_string = 0;
    bool is_key = false;
    buf_init(repaired, length + REPAIR_MAX_GROWTH);
    for (size_t at = 0; at < length;) {
        if (text[at] == '"' && at >= behind_string) {
            behind_string = skip_string(text, length, at);
            size_t next = skip_blanks(text, length, behind_string);
            is_key = next < length && text[next] == ':'; /* the string names a member */
        }
        if (!append_repaired(repaired, text, length, &at, is_key && at < behind_string))
            return false;
    }
    return repaired->length != length || memcmp(buf_string(repaired), text, length) != 0;
}

enum err_code json_parse_by_jansson(const char *text, size_t length, enum json_source source,
                                    size_t max_values, json_t **out_value, bool *out_repaired,
                                    struct err *err)
{
    if (source == JSON_FOREIGN && length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3;
        length -= 3;
    }
    /* jansson steps over one that follows a number or a word. */
    if (memchr(text, '\0', length))
        return err_set(err, ERR_INVALID, 0, "not JSON: there is a NUL byte in it");
    struct shape shape = shape_of(text, length, JSON_MAX_DEPTH);
    if (shape.depth > JSON_MAX_DEPTH)
        return err_set(err, ERR_LIMIT, 0, "JSON nested deeper than %d levels", JSON_MAX_DEPTH);
    if (shape.n_values > max_values) {
        err_set(err, ERR_LIMIT, 0, "more than %zu JSON values (mcp.max_values)", max_values);
        return err_hint(err, ERR_LIMIT, "raise mcp.max_values if so many are right");
    }
    if (source == JSON_FOREIGN && length > JSON_MAX_REPAIRED_BYTES)
        return err_set(err, ERR_INVALID, 0,
                       "not sound JSON, and more than %d MiB, too long to be repaired or explained",
                       JSON_MAX_REPAIRED_BYTES >> 20);
    size_t flags = JSON_DECODE_ANY | JSON_ALLOW_NUL;
    if (source == JSON_OURS)
        flags |= JSON_REJECT_DUPLICATES;
    json_error_t why = { 0 };
    AUTO(buf) repaired = { 0 };
    json_t *value = NULL;
    *out_repaired = source == JSON_FOREIGN && repair(&repaired, text, length);
    if (*out_repaired) {
        text = buf_string(&repaired);
        length = repaired.length;
        value = json_build(text, length, source, SIZE_MAX);
    } else {
        buf_finish(&repaired); /* jansson needs the room */
    }
    if (!value)
        value = json_loadb(text, length, flags, &why);
    if (!value && source == JSON_FOREIGN && json_error_code(&why) == json_error_numeric_overflow)
        value = json_loadb(text, length, flags | JSON_DECODE_INT_AS_REAL, &why);
    if (!value)
        return err_set(err, ERR_INVALID, 0, "not JSON: line %d, column %d: %s", why.line,
                       why.column, why.text);
    *out_value = value;
    return ERR_NONE;
}

static enum err_code parse(const char *text, size_t length, enum json_source source,
                           size_t max_values, json_t **out_value, bool *out_repaired,
                           struct err *err)
{
    json_t *value = json_build(text, length, source, max_values);
    if (!value)
        return json_parse_by_jansson(text, length, source, max_values, out_value, out_repaired,
                                     err);
    *out_value = value;
    *out_repaired = false;
    return ERR_NONE;
}

enum err_code json_parse(const char *text, size_t length, enum json_source source,
                         json_t **out_value, struct err *err)
{
    bool repaired;
    return parse(text, length, source, SIZE_MAX, out_value, &repaired, err);
}

enum err_code json_parse_message(const char *text, size_t length, size_t max_values,
                                 json_t **out_value, struct err *err)
{
    bool repaired;
    return parse(text, length, JSON_FOREIGN, max_values, out_value, &repaired, err);
}

enum err_code json_parse_foreign(const char *text, size_t length, json_t **out_value,
                                 bool *out_repaired, struct err *err)
{
    return parse(text, length, JSON_FOREIGN, SIZE_MAX, out_value, out_repaired, err);
}

bool json_append_on_one_line(struct buf *out, const char *text, size_t length)
{
    const char *end = text + length;
    for (const char *at; (at = memchr(text, '\n', (size_t)(end - text))); text = at + 1)
        if (!buf_append(out, text, (size_t)(at - text)) || !buf_puts(out, " "))
            return false;
    return buf_append(out, text, (size_t)(end - text));
}

/* The index behind the value that starts at `at`; past the end when the text is cut. */
static size_t skip_value(const char *text, size_t length, size_t at)
{
    unsigned depth = 0;
    while (at < length) {
        char c = text[at];
        if (c == '"') {
            at = skip_string(text, length, at);
        } else if (c == '{' || c == '[') {
            depth++;
            at++;
        } else if (c == '}' || c == ']') {
            if (!depth)
                return at;
            depth--;
            at++;
        } else if (!depth && (c == ',' || c == ' ' || c == '\t' || c == '\r' || c == '\n')) {
            return at;
        } else {
            at++;
            continue;
        }
        if (!depth)
            return at;
    }
    return at;
}

bool json_member_text(const char *text, size_t length, const char *key, const char **out_value,
                      size_t *out_length)
{
    bool found = false;
    size_t at = skip_blanks(text, length, 0), key_length = strlen(key);
    if (at >= length || text[at] != '{')
        return false;
    for (at = skip_blanks(text, length, at + 1); at < length && text[at] == '"';) {
        size_t name = at + 1, behind = skip_string(text, length, at);
        bool same = behind <= length && behind - 1 - name == key_length &&
                    memcmp(text + name, key, key_length) == 0;
        at = skip_blanks(text, length, behind);
        if (at >= length || text[at] != ':')
            break;
        size_t from = skip_blanks(text, length, at + 1), to = skip_value(text, length, from);
        if (to > length)
            break;
        if (same) {
            found = true;
            *out_value = text + from;
            *out_length = to - from;
        }
        at = skip_blanks(text, length, to);
        if (at < length && text[at] == ',')
            at = skip_blanks(text, length, at + 1);
    }
    return found;
}

const char *json_get_string(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

int64_t json_get_int(const json_t *object, const char *key, int64_t fallback)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_integer(value))
        return json_integer_value(value);
    if (json_is_real(value) && json_real_value(value) >= -9e18 && json_real_value(value) <= 9e18)
        return (int64_t)json_real_value(value);
    return fallback;
}

double json_get_number(const json_t *object, const char *key, double fallback)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : fallback;
}

bool json_get_bool(const json_t *object, const char *key, bool fallback)
{
    const json_t *value = json_object_get(object, key);
    return json_is_boolean(value) ? json_is_true(value) : fallback;
}

bool json_string_has_nul(const json_t *string)
{
    return json_is_string(string) &&
           strlen(json_string_value(string)) != json_string_length(string);
}

bool json_array_has_text(const json_t *array, const char *text)
{
    const json_t *element;
    size_t i;
    json_array_foreach (array, i, element)
        if (text_equal(json_string_value(element), text))
            return true;
    return false;
}

json_t *json_from_texts(const char *const *texts, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_string(texts[i]));
    return list;
}

static const char *join(struct arena *arena, const char *before, const char *between,
                        const char *text)
{
    return arena_printf(arena, "%s%s%s", before, between,
                        text_one_line(arena, text, strlen(text), JOINED_COLUMNS));
}

const char *json_join_elements(struct arena *arena, const json_t *array, const char *between)
{
    const char *text = "";
    const json_t *element;
    size_t i;
    json_array_foreach (array, i, element) {
        if (i == JOINED_MAX)
            return join(arena, text, between, "…");
        const char *one = json_string_value(element);
        text = join(arena, text, i ? between : "", one ? one : json_print_in(arena, element));
    }
    return text;
}

const char *json_join_names(struct arena *arena, const json_t *object)
{
    const char *text = "", *key;
    const json_t *member;
    size_t n = 0;
    json_each_member (object, key, member) {
        if (n == JOINED_MAX)
            return join(arena, text, ", ", "…");
        text = join(arena, text, n++ ? ", " : "", key);
    }
    return text;
}

const char *json_path_member(struct arena *arena, const char *path, const char *key)
{
    size_t extra = 0;
    for (const char *at = key; *at; at++)
        extra += *at == '~' || *at == '/';
    size_t length = strlen(path);
    char *whole = arena_alloc(arena, length + 1 + strlen(key) + extra + 1);
    memcpy(whole, path, length + 1);
    whole[length++] = '/';
    for (const char *at = key; *at; at++) {
        if (*at == '~' || *at == '/') {
            whole[length++] = '~';
            whole[length++] = *at == '~' ? '0' : '1';
        } else {
            whole[length++] = *at;
        }
    }
    return whole;
}

const char *json_path_element(struct arena *arena, const char *path, size_t index)
{
    return arena_printf(arena, "%s/%zu", path, index);
}

const char *json_path_part(struct arena *arena, const char **path)
{
    const char *at = *path + 1;
    size_t length = strcspn(at, "/"), n = 0;
    char *part = arena_alloc(arena, length + 1);
    *path = at + length;
    for (size_t i = 0; i < length; i++) {
        bool escaped = at[i] == '~' && i + 1 < length && (at[i + 1] == '0' || at[i + 1] == '1');
        part[n++] = at[i];
        if (escaped)
            part[n - 1] = at[++i] == '0' ? '~' : '/';
    }
    return part;
}

const json_t *json_path_step(struct arena *arena, const json_t *value, const char **path)
{
    int64_t index;
    const char *part = json_path_part(arena, path);
    if (json_is_object(value))
        return json_object_get(value, part);
    bool is_index = json_is_array(value) && text_to_int64(part, &index) && index >= 0 &&
                    !strchr("-+", part[0]) && (part[0] != '0' || !part[1]);
    return is_index ? json_array_get(value, (size_t)index) : NULL;
}

const json_t *json_path_find(const json_t *value, const char *path)
{
    AUTO(arena) scratch = { 0 };
    while (value && *path == '/')
        value = json_path_step(&scratch, value, &path);
    return *path ? NULL : value;
}

json_t *json_map_strings(struct arena *arena, const char *path, const json_t *value,
                         json_map_fn *map, void *context)
{
    const char *key;
    json_t *member;
    if (json_is_string(value))
        return map(context, path, value);
    if (!json_is_object(value) && !json_is_array(value))
        return json_share(value);
    json_auto_t *mapped = json_is_object(value) ? json_object() : json_array();
    json_each_member (value, key, member) {
        const char *at = path ? json_path_member(arena, path, key) : NULL;
        if (json_object_set_new(mapped, key, json_map_strings(arena, at, member, map, context)))
            return NULL;
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        const char *at = path ? json_path_element(arena, path, i) : NULL;
        member = json_map_strings(arena, at, json_array_get(value, i), map, context);
        if (json_array_append_new(mapped, member))
            return NULL;
    }
    return steal(&mapped);
}
