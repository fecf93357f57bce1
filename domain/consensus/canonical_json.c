/* JSON by its text and not by jansson's values, which keep 64 bits of a whole number and of others
 * what a double can: each number becomes its canonical self, digit by digit. */
#include "domain/base/arena.h"
#include "domain/base/json.h"
#include "domain/base/json_scan.h"
#include "domain/base/text.h"
#include "domain/consensus/canonical_text.h"
#include "domain/consensus/consensus_internal.h"
#include <stdlib.h>
#include <string.h>

#define KEY_COLUMNS 60

struct member {
    const char *key; /* decoded */
    struct json_slice value;
};

struct printing {
    struct arena *arena; /* of this printing alone */
    struct buf *out;
    struct err *err;
};

static enum err_code print_value(struct printing *p, struct json_slice value);

static enum err_code add(struct printing *p, const char *text)
{
    return buf_puts(p->out, text) ? ERR_NONE : canonical_full(p->err);
}

static enum err_code decode(struct printing *p, struct json_slice string, const char **out)
{
    AUTO(buf) decoded = { 0 };
    buf_init(&decoded, ENVELOPE_MAX_CANONICAL_BYTES);
    if (!json_string_append(&decoded, string))
        return canonical_full(p->err);
    const char *text = buf_string(&decoded);
    if (strlen(text) != decoded.length) {
        err_set(p->err, ERR_INVALID, 0, "a string holds U+0000");
        return err_hint(p->err, ERR_INVALID, "leave it out");
    }
    *out = arena_strdup(p->arena, text);
    return ERR_NONE;
}

static enum err_code print_text(struct printing *p, const char *text)
{
    AUTO(buf) quoted = { 0 };
    buf_init(&quoted, SIZE_MAX);
    json_append_string(&quoted, text);
    return add(p, buf_string(&quoted));
}

static enum err_code print_string(struct printing *p, struct json_slice string)
{
    const char *text = "";
    enum err_code r = decode(p, string, &text);
    return r ? r : print_text(p, text);
}

static int compare_keys(const void *a, const void *b)
{
    return strcmp(((const struct member *)a)->key, ((const struct member *)b)->key);
}

static enum err_code read_members(struct printing *p, struct json_slice object, struct member **out,
                                  size_t *out_n)
{
    struct json_scan scan;
    struct json_slice key = { 0 };
    struct member *members = NULL;
    size_t n = 0, capacity = 0;
    json_scan_begin(&scan, object.text, object.length);
    (void)json_scan_enter(&scan, '{');
    while (json_scan_member(&scan, &key)) {
        struct member *member = arena_push(p->arena, members, n, capacity);
        *member = (struct member){ 0 };
        json_scan_value(&scan, &member->value);
        enum err_code r = decode(p, key, &member->key);
        if (r)
            return r;
    }
    if (n)
        qsort(members, n, sizeof *members, compare_keys);
    *out = members;
    *out_n = n;
    return ERR_NONE;
}

static enum err_code print_object(struct printing *p, struct json_slice object)
{
    struct member *members = NULL;
    size_t n = 0;
    enum err_code r = read_members(p, object, &members, &n);
    if (!r)
        r = add(p, "{");
    for (size_t i = 0; i < n && !r; i++) {
        if (i && strcmp(members[i - 1].key, members[i].key) == 0) {
            err_set(p->err, ERR_INVALID, 0, "\"%s\" is there twice",
                    text_one_line(p->arena, members[i].key, strlen(members[i].key), KEY_COLUMNS));
            return err_hint(p->err, ERR_INVALID, "keep one of the two");
        }
        if (i)
            r = add(p, ",");
        if (!r)
            r = print_text(p, members[i].key);
        if (!r)
            r = add(p, ":");
        if (!r)
            r = print_value(p, members[i].value);
    }
    return r ? r : add(p, "}");
}

static enum err_code print_array(struct printing *p, struct json_slice array)
{
    struct json_scan scan;
    enum err_code r = add(p, "[");
    json_scan_begin(&scan, array.text, array.length);
    (void)json_scan_enter(&scan, '[');
    for (bool first = true; !r && json_scan_element(&scan); first = false) {
        struct json_slice element = { 0 };
        json_scan_value(&scan, &element);
        if (!first)
            r = add(p, ",");
        if (!r)
            r = print_value(p, element);
    }
    return r ? r : add(p, "]");
}

/* As deep as JSON_MAX_DEPTH, which the scanner held it to. */
static enum err_code print_value(struct printing *p, struct json_slice value)
{
    switch (*value.text) {
    case '"':
        return print_string(p, value);
    case '{':
        return print_object(p, value);
    case '[':
        return print_array(p, value);
    case 't':
    case 'f':
    case 'n':
        return buf_append(p->out, value.text, value.length) ? ERR_NONE : canonical_full(p->err);
    default:
        return canonical_number(p->out, (struct span){ value.text, value.length }, p->err);
    }
}

/* Line and column, from who can tell. */
static enum err_code explain(struct span text, struct err *err)
{
    json_t *value = NULL;
    if (json_parse(text.text, text.length, JSON_OURS, &value, err) == ERR_NONE) {
        json_decref(value);
        err_set(err, ERR_INVALID, 0, "a number or a string no JSON can be read back from");
    }
    return err_hint(err, ERR_INVALID, "give one JSON value and nothing else");
}

enum err_code canonical_json(struct buf *out, struct span text, struct err *err)
{
    AUTO(arena) arena = { 0 };
    struct json_scan scan;
    struct json_slice value = { 0 };
    text = canonical_trim(text);
    json_scan_begin(&scan, text.text, text.length);
    json_scan_value(&scan, &value);
    if (json_scan_end(&scan) != JSON_SOUND)
        return explain(text, err);
    struct printing printing = { &arena, out, err };
    return print_value(&printing, value);
}
