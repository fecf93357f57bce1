/* Values as text. What is printed on every call, one compact line, is done here: jansson keeps a
 * table of the containers it is in, which costs more than the printing. */
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/json_string.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BYTES 255 /* most texts are shorter */
#define FEW_MEMBERS 8

/* Writes the shortest text of a real over the `length` bytes at `from`, which say the same number
 * with more digits; returns how long it is. */
static size_t shorten_real(char *to, const char *from, size_t length)
{
    char text[40], digits[40];
    if (length >= sizeof text)
        return length;
    memcpy(text, from, length);
    text[length] = '\0';
    double value = strtod(text, NULL);
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits - 2, "%.*g", precision, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    if (!digits[strcspn(digits, ".e")])
        memcpy(digits + strlen(digits), ".0", 3); /* stays a real when it is read back */
    size_t shorter = strlen(digits) < length ? strlen(digits) : length;
    memcpy(to, shorter < length ? digits : text, shorter);
    return shorter;
}

/* jansson prints all reals with the same number of digits. With 17 every one reads back, and 0.1
 * is "0.10000000000000001"; this gives each the digits it needs. */
static void shorten_reals(char *text)
{
    char *to = text;
    for (const char *at = text; *at;) {
        size_t string = *at == '"' ? 1 : 0;
        while (string && at[string] != '"')
            string += at[string] == '\\' ? 2 : 1;
        size_t number = strspn(at, "+-.0123456789eE");
        bool is_number = (*at == '-' || (*at >= '0' && *at <= '9'));
        size_t size = string ? string + 1 : is_number ? number : 1, kept = size;
        if (is_number && strcspn(at, ".e") < number)
            kept = shorten_real(to, at, size);
        else
            memmove(to, at, size);
        to += kept;
        at += size;
    }
    *to = '\0';
}

static char *print_with(const json_t *value, size_t flags)
{
    if (!value)
        return NULL;
    char *text = json_dumps(value, flags | JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY);
    if (!text)
        abort();
    shorten_reals(text);
    return text;
}

/* The NUL behind the bytes is written once, at the end. */
static inline void append(struct buf *out, const char *bytes, size_t length)
{
    if (out->capacity - out->length <= length && !buf_reserve(out, length))
        abort();
    memcpy(out->bytes + out->length, bytes, length);
    out->length += length;
}

static void append_escape(struct buf *out, unsigned char c)
{
    static const char named[] = "\bb\ff\nn\rr\tt\"\"\\\\";
    char text[8] = { '\\' };
    for (const char *at = named; *at; at += 2)
        if ((unsigned char)*at == c)
            text[1] = at[1];
    if (!text[1])
        snprintf(text, sizeof text, "\\u%04X", c);
    append(out, text, strlen(text));
}

/* Skips what needs no escape in JSON text, which includes everything beyond ASCII. */
static const char *skip_unescaped(const char *at, const char *end)
{
    do {
        at = json_string_skip_plain(at, end);
        while (at < end && (unsigned char)*at >= 0x80)
            at++;
    } while (at < end && (unsigned char)*at >= ' ' && *at != '"' && *at != '\\');
    return at;
}

static void append_string(struct buf *out, const char *text, size_t length)
{
    const char *end = text + length;
    append(out, "\"", 1);
    while (text < end) {
        const char *stop = skip_unescaped(text, end);
        append(out, text, (size_t)(stop - text));
        if (stop < end)
            append_escape(out, (unsigned char)*stop++);
        text = stop;
    }
    append(out, "\"", 1);
}

static void append_value(struct buf *out, const json_t *value, bool sorted);

struct member {
    const char *key;
    const json_t *value;
};

static int by_key(const void *a, const void *b)
{
    const struct member *left = a, *right = b;
    return strcmp(left->key, right->key);
}

/* Most objects are small, where insertion beats the calls of qsort. */
static void sort_members(struct member *members, size_t n)
{
    if (n > FEW_MEMBERS) {
        qsort(members, n, sizeof *members, by_key);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        struct member member = members[i];
        size_t at = i;
        for (; at && by_key(&members[at - 1], &member) > 0; at--)
            members[at] = members[at - 1];
        members[at] = member;
    }
}

static void append_sorted_members(struct buf *out, const json_t *object)
{
    struct member few[FEW_MEMBERS], *many = NULL, *members = few;
    if (json_object_size(object) > FEW_MEMBERS)
        members = many = calloc(json_object_size(object), sizeof *many);
    size_t n = 0;
    const char *key;
    const json_t *value;
    if (!members)
        abort();
    json_each_member (object, key, value) {
        members[n++] = (struct member){ key, value };
    }
    sort_members(members, n);
    for (size_t i = 0; i < n; i++) {
        append(out, i ? "," : "{", 1);
        append_string(out, members[i].key, strlen(members[i].key));
        append(out, ":", 1);
        append_value(out, members[i].value, true);
    }
    append(out, n ? "}" : "{}", n ? 1 : 2);
    free(many);
}

static void append_object(struct buf *out, const json_t *object)
{
    const char *key, *before = "{";
    const json_t *member;
    json_each_member (object, key, member) {
        append(out, before, 1);
        append_string(out, key, strlen(key));
        append(out, ":", 1);
        append_value(out, member, false);
        before = ",";
    }
    bool is_empty = *before != ',';
    append(out, is_empty ? "{}" : "}", is_empty ? 2 : 1);
}

static void append_array(struct buf *out, const json_t *array, bool sorted)
{
    const char *before = "[";
    const json_t *element;
    size_t i;
    json_array_foreach (array, i, element) {
        append(out, before, 1);
        append_value(out, element, sorted);
        before = ",";
    }
    bool is_empty = *before != ',';
    append(out, is_empty ? "[]" : "]", is_empty ? 2 : 1);
}

static void append_real(struct buf *out, const json_t *real)
{
    auto_str text = print_with(real, 0);
    append(out, text, strlen(text));
}

static void append_value(struct buf *out, const json_t *value, bool sorted)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        if (sorted)
            append_sorted_members(out, value);
        else
            append_object(out, value);
        break;
    case JSON_ARRAY:
        append_array(out, value, sorted);
        break;
    case JSON_STRING:
        append_string(out, json_string_value(value), json_string_length(value));
        break;
    case JSON_INTEGER:
        if (!buf_append_integer(out, json_integer_value(value)))
            abort();
        break;
    case JSON_REAL:
        append_real(out, value);
        break;
    case JSON_TRUE:
        append(out, "true", 4);
        break;
    case JSON_FALSE:
        append(out, "false", 5);
        break;
    case JSON_NULL:
        append(out, "null", 4);
        break;
    }
}

char *json_print(const json_t *value)
{
    struct buf out;
    if (!value)
        return NULL;
    buf_init(&out, SIZE_MAX);
    if (!buf_reserve(&out, FIRST_BYTES))
        abort();
    append_value(&out, value, false);
    buf_terminate(&out);
    return buf_take(&out);
}

void json_append(struct buf *out, const json_t *value)
{
    append_value(out, value, false);
    buf_terminate(out);
}

void json_append_string(struct buf *out, const char *text)
{
    append_string(out, text, strlen(text));
    buf_terminate(out);
}

void json_append_sorted(struct buf *out, const json_t *value)
{
    append_value(out, value, true);
    buf_terminate(out);
}

char *json_print_sorted(const json_t *value)
{
    struct buf out;
    if (!value)
        return NULL;
    buf_init(&out, SIZE_MAX);
    json_append_sorted(&out, value);
    return buf_take(&out);
}

char *json_print_pretty(const json_t *value)
{
    return print_with(value, JSON_INDENT(2));
}

char *json_print_in(struct arena *arena, const json_t *value)
{
    auto_str text = json_print(value);
    return arena_strdup(arena, text);
}
