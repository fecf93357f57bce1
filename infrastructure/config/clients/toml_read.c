/* Reading goes on from byte to byte; the first flaw ends it, and every reader after that leaves its
 * output as it is. How a table came to be decides who may add to it, so each is remembered. */
#include "domain/base/arena.h"
#include "domain/base/buf.h"
#include "domain/base/text.h"
#include "infrastructure/config/clients/foreign_text.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum table_kind {
    TABLE_CLOSED,   /* an inline table, or an array that is a value: nothing is added */
    TABLE_HEADER,   /* of a header of its own */
    TABLE_IMPLICIT, /* of a header further down */
    TABLE_DOTTED,   /* of a key with dots */
    TABLE_LIST,     /* [[…]] */
};

struct toml_reader {
    const char *text, *at;
    struct text_flaw *flaw;
    struct arena arena; /* of keys */
    struct buf string;  /* the one that was read last */
    json_t *kinds;      /* by address */
    unsigned depth, n_values;
};

struct toml_key {
    const char *part[TOML_MAX_DEPTH];
    const char *start;
    size_t n;
};

static bool fail(struct toml_reader *r, const char *at, const char *why)
{
    if (!r->flaw->why)
        *r->flaw = text_flaw_at(r->text, at, why);
    return false;
}

static bool take(struct toml_reader *r, char c)
{
    bool is_there = *r->at == c;
    r->at += is_there;
    return is_there;
}

static void skip_blanks(struct toml_reader *r)
{
    r->at += strspn(r->at, " \t");
}

static bool take_newline(struct toml_reader *r)
{
    r->at += r->at[0] == '\r' && r->at[1] == '\n';
    return take(r, '\n');
}

static void skip_to_line_end(struct toml_reader *r)
{
    skip_blanks(r);
    if (*r->at == '#')
        r->at += strcspn(r->at, "\n");
}

static void skip_lines(struct toml_reader *r)
{
    do
        skip_to_line_end(r);
    while (take_newline(r));
}

/* There is room for all of the text. */
static bool append(struct toml_reader *r, const char *bytes, size_t length)
{
    return buf_append(&r->string, bytes, length);
}

static bool append_code(struct toml_reader *r, const char *at, int n_digits)
{
    uint32_t code = 0;
    for (int i = 0; i < n_digits; i++, r->at++) {
        int digit = text_hex_digit(*r->at);
        if (digit < 0)
            return fail(r, at, "an escape with too few hexadecimal digits");
        code = code << 4 | (uint32_t)digit;
    }
    if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        return fail(r, at, "an escape that is no character");
    size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    char bytes[4] = { (char)code };
    for (size_t i = n; n > 1 && i-- > 0; code >>= 6)
        bytes[i] = (char)(i ? 0x80 | (code & 0x3F) : (0xF00U >> n & 0xFF) | code);
    return append(r, bytes, n);
}

static bool read_escape(struct toml_reader *r, bool is_long)
{
    static const char letters[] = "btnfr\"\\", meant[] = "\b\t\n\f\r\"\\";
    const char *at = r->at++;
    const char *behind = r->at + strspn(r->at, " \t\r");
    if (is_long && *behind == '\n') { /* what is blank up to the next character goes as well */
        r->at = behind + strspn(behind, " \t\r\n");
        return true;
    }
    char letter = *r->at;
    const char *found = letter ? strchr(letters, letter) : NULL;
    if (!found && letter != 'u' && letter != 'U')
        return fail(r, at, "an escape that TOML does not have");
    r->at++;
    return found ? append(r, meant + (found - letters), 1)
                 : append_code(r, at, letter == 'u' ? 4 : 8);
}

/* Whether the string ends here; up to two quotes may stand in front of the three that end it. */
static bool take_end(struct toml_reader *r, char quote, bool is_long)
{
    size_t n = 0;
    if (!is_long)
        return take(r, quote);
    while (n < 5 && r->at[n] == quote)
        n++;
    if (n)
        append(r, r->at, n < 3 ? n : n - 3);
    r->at += n;
    return n >= 3;
}

/* The string at a quote, into r->string. */
static bool read_string(struct toml_reader *r, bool may_be_long)
{
    const char *start = r->at;
    char quote = *start;
    bool is_long = may_be_long && start[1] == quote && start[2] == quote;
    buf_clear(&r->string);
    r->at += is_long ? 3 : 1;
    if (is_long)
        (void)take_newline(r);
    while (*r->at) {
        if (*r->at == quote) {
            if (take_end(r, quote, is_long))
                return true;
        } else if (*r->at == '\\' && quote == '"') {
            if (!read_escape(r, is_long))
                return false;
        } else if (is_long && take_newline(r)) {
            append(r, "\n", 1);
        } else if (*r->at == '\n' || *r->at == '\r') {
            break;
        } else {
            append(r, r->at++, 1);
        }
    }
    return fail(r, start, "a string without its closing quote");
}

static bool is_bare(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-';
}

static bool read_key_part(struct toml_reader *r, struct toml_key *key)
{
    const char *start = r->at;
    if (key->n == TOML_MAX_DEPTH)
        return fail(r, start, "a key of too many parts");
    if (*start == '"' || *start == '\'') {
        if (!read_string(r, false))
            return false;
        if (memchr(buf_string(&r->string), '\0', r->string.length))
            return fail(r, start, "a key with U+0000");
        key->part[key->n++] = arena_strdup(&r->arena, buf_string(&r->string));
        return true;
    }
    while (is_bare(*r->at))
        r->at++;
    if (r->at == start)
        return fail(r, start, "a key is missing");
    key->part[key->n++] = arena_strndup(&r->arena, start, (size_t)(r->at - start));
    return true;
}

static bool read_key(struct toml_reader *r, struct toml_key *key)
{
    do {
        skip_blanks(r);
        key->start = key->n ? key->start : r->at;
        if (!read_key_part(r, key))
            return false;
        skip_blanks(r);
    } while (take(r, '.'));
    return true;
}

static void set_kind(struct toml_reader *r, const json_t *value, enum table_kind kind)
{
    json_object_set_new(r->kinds, arena_printf(&r->arena, "%p", (const void *)value),
                        json_integer(kind));
}

/* What is in no list is a value, which is closed. */
static enum table_kind kind_of(struct toml_reader *r, const json_t *value)
{
    const char *address = arena_printf(&r->arena, "%p", (const void *)value);
    return (enum table_kind)json_integer_value(json_object_get(r->kinds, address));
}

static json_t *add_table(struct toml_reader *r, json_t *to, const char *key, enum table_kind kind)
{
    json_t *table = json_object();
    set_kind(r, table, kind);
    (void)(key ? json_object_set_new(to, key, table) : json_array_append_new(to, table));
    return table;
}

/* The table in which the last part of the key stands; tables on the way are made. NULL: a flaw. */
static json_t *walk(struct toml_reader *r, json_t *table, const struct toml_key *key,
                    bool is_header)
{
    for (size_t i = 0; i + 1 < key->n; i++) {
        json_t *next = json_object_get(table, key->part[i]);
        if (!next)
            next = add_table(r, table, key->part[i], is_header ? TABLE_IMPLICIT : TABLE_DOTTED);
        enum table_kind kind = kind_of(r, next);
        if (is_header ? kind == TABLE_CLOSED : kind != TABLE_DOTTED && kind != TABLE_IMPLICIT) {
            fail(r, key->start, "a key of something that nothing can be added to");
            return NULL;
        }
        table = kind == TABLE_LIST ? json_array_get(next, json_array_size(next) - 1) : next;
    }
    return table;
}

static json_t *read_value(struct toml_reader *r);

/* key = value */
static bool read_pair(struct toml_reader *r, json_t *table)
{
    struct toml_key key = { 0 };
    if (!read_key(r, &key))
        return false;
    if (!take(r, '='))
        return fail(r, r->at, "\"=\" is missing");
    table = walk(r, table, &key, false);
    if (!table)
        return false;
    if (json_object_get(table, key.part[key.n - 1]))
        return fail(r, key.start, "a key that is there already");
    skip_blanks(r);
    json_t *value = read_value(r);
    return value && json_object_set_new(table, key.part[key.n - 1], value) == 0;
}

static bool read_elements(struct toml_reader *r, json_t *array)
{
    const char *start = r->at++;
    for (skip_lines(r); !take(r, ']'); skip_lines(r)) {
        json_t *value = *r->at ? read_value(r) : NULL;
        if (!value)
            return fail(r, start, "an array without its end");
        json_array_append_new(array, value);
        skip_lines(r);
        if (!take(r, ',') && *r->at != ']')
            return fail(r, *r->at ? r->at : start, "\",\" or \"]\" is missing");
    }
    return true;
}

static bool read_members(struct toml_reader *r, json_t *table)
{
    r->at++;
    skip_blanks(r);
    if (take(r, '}'))
        return true;
    do {
        if (!read_pair(r, table))
            return false;
        skip_blanks(r);
    } while (take(r, ','));
    return take(r, '}') || fail(r, r->at, "\",\" or \"}\" is missing");
}

/* Dates and times stay text, so nothing depends on whether there is such a day. */
static bool is_time(const char *text, size_t length)
{
    return length >= 8 && (text[4] == '-' || text[2] == ':') && isdigit((unsigned char)*text) &&
           strspn(text, "0123456789-:.+ TtZz") == length;
}

/* Each underscore must stand between two digits. */
static bool drop_underscores(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++) {
        if (*from != '_')
            *to++ = *from;
        else if (from == text || text_hex_digit(from[-1]) < 0 || text_hex_digit(from[1]) < 0)
            return false;
    }
    *to = '\0';
    return true;
}

static const char *skip_digits(const char *at, int base)
{
    while (text_hex_digit(*at) >= 0 && text_hex_digit(*at) < base)
        at++;
    return at;
}

/* NULL: it is no number. */
static json_t *number(char *text)
{
    if (!drop_underscores(text))
        return NULL;
    const char *at = text + (*text == '+' || *text == '-'), *end;
    if (strcmp(at, "inf") == 0 || strcmp(at, "nan") == 0)
        return json_string(text);
    int base = *text != '0' || !text[1] ? 10
               : text[1] == 'x'         ? 16
               : text[1] == 'o'         ? 8
               : text[1] == 'b'         ? 2
                                        : 10;
    at += base == 10 ? 0 : 2;
    end = skip_digits(at, base);
    errno = 0;
    if (end == at || (base == 10 && *at == '0' && end > at + 1))
        return NULL;
    if (!*end) {
        long long value = strtoll(base == 10 ? text : at, NULL, base);
        return errno ? NULL : json_integer(value);
    }
    if (*end == '.') {
        at = end + 1;
        end = skip_digits(at, 10);
    }
    if (end > at && (*end | ' ') == 'e') {
        at = end + 1 + (end[1] == '+' || end[1] == '-');
        end = skip_digits(at, 10);
    }
    double value = strtod(text, NULL);
    return base == 10 && end > at && !*end && isfinite(value) ? json_real(value) : NULL;
}

static json_t *read_word(struct toml_reader *r)
{
    const char *start = r->at;
    while (is_bare(*r->at) || (*r->at && strchr("+.:", *r->at)) ||
           (*r->at == ' ' && r->at - start == 10 && start[4] == '-' &&
            isdigit((unsigned char)r->at[1])))
        r->at++;
    char *text = arena_strndup(&r->arena, start, (size_t)(r->at - start));
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        return json_boolean(*text == 't');
    json_t *value = is_time(text, strlen(text)) ? json_string(text) : number(text);
    if (!value)
        fail(r, start, "a value that is not TOML");
    return value;
}

static json_t *read_nested(struct toml_reader *r)
{
    bool is_array = *r->at == '[';
    json_t *value = is_array ? json_array() : json_object();
    r->depth++;
    if (!(is_array ? read_elements(r, value) : read_members(r, value))) {
        json_decref(value);
        value = NULL;
    }
    r->depth--;
    return value;
}

/* A new reference; NULL: a flaw. */
static json_t *read_value(struct toml_reader *r)
{
    char first = *r->at;
    if (r->depth >= TOML_MAX_DEPTH || ++r->n_values > FOREIGN_MAX_VALUES) {
        fail(r, r->at, "too many values, or too deep in each other");
        return NULL;
    }
    if (first == '"' || first == '\'')
        return read_string(r, true) ? json_stringn(buf_string(&r->string), r->string.length) : NULL;
    return first == '[' || first == '{' ? read_nested(r) : read_word(r);
}

/* [table] or [[table]]; *out is the one that follows. */
static bool read_header(struct toml_reader *r, json_t *root, json_t **out)
{
    struct toml_key key = { 0 };
    bool is_list = r->at[1] == '[';
    r->at += is_list ? 2 : 1;
    if (!read_key(r, &key))
        return false;
    if (!take(r, ']') || (is_list && !take(r, ']')))
        return fail(r, r->at, "\"]\" is missing");
    json_t *table = walk(r, root, &key, true);
    if (!table)
        return false;
    const char *last = key.part[key.n - 1];
    json_t *old = json_object_get(table, last);
    if (old && kind_of(r, old) != (is_list ? TABLE_LIST : TABLE_IMPLICIT))
        return fail(r, key.start, "a table that is there already");
    if (is_list && !old) {
        json_object_set_new(table, last, old = json_array());
        set_kind(r, old, TABLE_LIST);
    }
    *out = is_list || !old
               ? add_table(r, is_list ? old : table, is_list ? NULL : last, TABLE_HEADER)
               : old;
    set_kind(r, *out, TABLE_HEADER);
    return true;
}

static bool read_document(struct toml_reader *r, json_t *root)
{
    json_t *table = root;
    for (skip_lines(r); *r->at; skip_lines(r)) {
        if (++r->n_values > FOREIGN_MAX_VALUES)
            return fail(r, r->at, "too many values");
        if (!(*r->at == '[' ? read_header(r, root, &table) : read_pair(r, table)))
            return false;
        skip_to_line_end(r);
        if (*r->at && *r->at != '\n' && *r->at != '\r')
            return fail(r, r->at, "something behind the value");
    }
    return true;
}

json_t *toml_read(const char *text, size_t length, struct text_flaw *out_flaw)
{
    bool has_mark = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0;
    struct toml_reader reader = {
        .text = text, .at = text + (has_mark ? 3 : 0), .flaw = out_flaw, .kinds = json_object()
    };
    json_t *root = json_object();
    *out_flaw = (struct text_flaw){ 0 };
    buf_init(&reader.string, length + 8);
    bool is_read = text_flaw_check_bytes(text, length, out_flaw) && read_document(&reader, root);
    if (!is_read)
        json_decref(root);
    buf_finish(&reader.string);
    arena_finish(&reader.arena);
    json_decref(reader.kinds);
    return is_read ? root : NULL;
}
