/* libyaml's events become values: read_node for each, which counts values and depth, with an alias
 * counted as what it stands for. A plain scalar is read by the core schema of YAML 1.2. Values cost
 * much more than events, so a document that is long enough to have too many is counted first. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/config/yaml_internal.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

static bool is_one_of(const char *text, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return false;
}

/* 0x1f and 0o17; signs are not allowed there. */
static json_t *prefixed_number(const char *text)
{
    bool hex = text[0] == '0' && text[1] == 'x';
    bool octal = text[0] == '0' && text[1] == 'o';
    const char *digits = hex ? "0123456789abcdefABCDEF" : "01234567";
    if ((!hex && !octal) || !text[2] || text[2 + strspn(text + 2, digits)])
        return NULL;
    errno = 0;
    long long value = strtoll(text + 2, NULL, hex ? 16 : 8);
    return errno ? NULL : json_integer(value);
}

static json_t *decimal_number(const char *text)
{
    static const char ten[] = "0123456789";
    const char *at = text + (*text == '-' || *text == '+');
    size_t whole = strspn(at, ten);
    at += whole;
    if (!*at && whole) {
        int64_t value;
        if (text_to_int64(text + (*text == '+'), &value))
            return json_integer(value);
    }
    size_t fraction = 0;
    if (*at == '.') {
        fraction = strspn(at + 1, ten);
        at += 1 + fraction;
    }
    if (!whole && !fraction)
        return NULL;
    if (*at == 'e' || *at == 'E') {
        at += 1 + (at[1] == '-' || at[1] == '+');
        size_t exponent = strspn(at, ten);
        at += exponent;
        if (!exponent)
            return NULL;
    }
    return *at ? NULL : json_real(strtod(text, NULL));
}

json_t *yaml_scalar_value(const char *text, size_t length)
{
    static const char *const nulls[] = { "", "~", "null", "Null", "NULL" };
    static const char *const trues[] = { "true", "True", "TRUE" };
    static const char *const falses[] = { "false", "False", "FALSE" };
    static const char *const unknown[] = { ".inf",  ".Inf",  ".INF",  "+.inf", "+.Inf", "+.INF",
                                           "-.inf", "-.Inf", "-.INF", ".nan",  ".NaN",  ".NAN" };
    if (is_one_of(text, nulls, ARRAY_LENGTH(nulls)))
        return json_null();
    if (is_one_of(text, trues, ARRAY_LENGTH(trues)))
        return json_true();
    if (is_one_of(text, falses, ARRAY_LENGTH(falses)))
        return json_false();
    if (is_one_of(text, unknown, ARRAY_LENGTH(unknown)))
        return NULL;
    if (isdigit((unsigned char)*text) || strchr("+-.", *text)) {
        json_t *number = prefixed_number(text);
        if (!number)
            number = decimal_number(text);
        if (number)
            return number;
    }
    return json_stringn(text, length);
}

struct reader {
    yaml_parser_t parser;
    json_t *anchors; /* name: {"node": value, "count": n, "height": n} of finished nodes */
    size_t values;
    unsigned depth;
    const char *text;          /* all of it */
    const char *at, *end;      /* the text from where the last anchor or tag was */
    size_t index;              /* of `at`, in characters */
    struct problems *problems; /* NULL: a duplicate key ends it */
    struct err *err;
};

/* What one node gave; both references are owned. */
struct node {
    json_t *value, *place;
    size_t count;
    unsigned height;
};

#define auto_event __attribute__((cleanup(yaml_event_delete))) yaml_event_t

static struct problem *note(struct reader *reader, yaml_mark_t mark, const char *what,
                            const char *detail)
{
    struct problem *problem = problems_add(reader->problems, NULL, NULL, "%s%.100s", what, detail);
    problem->line = (int)mark.line + 1;
    problem->column = (int)mark.column + 1;
    return problem;
}

/* A tab before what a line says, or {s1.n} > 2, which would have to be quoted. */
static const char *fix_of(const struct reader *reader, yaml_mark_t mark)
{
    struct arena *arena = reader->problems->arena;
    const char *line = reader->text, *next;
    for (size_t i = 0; i < mark.line; i++)
        if ((next = memchr(line, '\n', (size_t)(reader->end - line))))
            line = next + 1;
    next = memchr(line, '\n', (size_t)(reader->end - line));
    line = arena_strndup(arena, line, (size_t)((next ? next : reader->end) - line));
    if (mark.column < strspn(line, " \t") && line[strspn(line, " ")] == '\t')
        return "indent with spaces";
    for (const char *at = line; (at = strchr(at, '{')); at++) {
        const char *close = at + 1 + strcspn(at + 1, "{},: ");
        bool is_begin = at > line && strchr(" [,", at[-1]) && *close == '}';
        if (is_begin && !strchr(",]}#\r", close[1 + strspn(close + 1, " ")]))
            return arena_printf(arena, "put all of the value that begins with %.*s in quotes",
                                (int)(close + 1 - at), at);
    }
    return "write YAML or JSON that can be read";
}

static enum err_code refuse(struct reader *reader, enum err_code code, yaml_mark_t mark,
                            const char *what, const char *detail)
{
    if (reader->problems)
        note(reader, mark, what, detail)->fix = fix_of(reader, mark);
    return err_set(reader->err, code, 0, "line %zu, column %zu: %s%.100s", mark.line + 1,
                   mark.column + 1, what, detail);
}

static enum err_code next_event(struct reader *reader, yaml_event_t *out)
{
    if (yaml_parser_parse(&reader->parser, out))
        return ERR_NONE;
    memset(out, 0, sizeof *out);
    const char *problem = reader->parser.problem ? reader->parser.problem : "not YAML";
    return refuse(reader, ERR_INVALID, reader->parser.problem_mark, problem, "");
}

static void node_drop(struct node *node)
{
    json_decref(node->value);
    json_decref(node->place);
    *node = (struct node){ 0 };
}

static int64_t packed(size_t line, size_t column)
{
    return (int64_t)line << 32 | (int64_t)(column & 0xFFFFFFFF);
}

json_t *yaml_place(size_t line, size_t column, json_t *children)
{
    json_t *place = json_array();
    json_array_append_new(place, json_integer(packed(line, column)));
    if (children)
        json_array_append_new(place, children);
    return place;
}

void yaml_place_set_key(json_t *place, size_t line, size_t column)
{
    if (json_array_size(place) == 1)
        json_array_append_new(place, json_null());
    json_array_append_new(place, json_integer(packed(line, column)));
}

static json_t *place_of(yaml_mark_t mark, json_t *children)
{
    return yaml_place(mark.line + 1, mark.column + 1, children);
}

static bool is_continued(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

static yaml_mark_t skip_character(struct reader *reader, yaml_mark_t mark)
{
    bool is_break = *reader->at == '\n' ||
                    (*reader->at == '\r' && reader->at + 1 < reader->end && reader->at[1] != '\n');
    while (++reader->at < reader->end && is_continued(*reader->at))
        ;
    reader->index++;
    mark.line += is_break;
    mark.column = is_break ? 0 : mark.column + 1;
    return mark;
}

/* The events of a node begin at its anchor or tag; its value begins behind them. Nodes come in the
 * order of the text, so all of it is passed once. */
static yaml_mark_t value_mark(struct reader *reader, yaml_mark_t mark, const yaml_char_t *anchor,
                              const yaml_char_t *tag)
{
    yaml_mark_t passed = { 0 };
    if (!anchor && !tag)
        return mark;
    while (reader->at < reader->end && reader->index < mark.index)
        passed = skip_character(reader, passed);
    while (reader->at < reader->end && strchr("&!#", *reader->at)) {
        const char *stop = *reader->at == '#' ? "\r\n" : " \t\r\n";
        while (reader->at < reader->end && !strchr(stop, *reader->at))
            mark = skip_character(reader, mark);
        while (reader->at < reader->end && strchr(" \t\r\n", *reader->at))
            mark = skip_character(reader, mark);
    }
    return mark;
}

static bool has_tag(const yaml_char_t *tag, const char *name)
{
    static const char prefix[] = "tag:yaml.org,2002:";
    const char *text = (const char *)tag;
    return strncmp(text, prefix, sizeof prefix - 1) == 0 &&
           strcmp(text + sizeof prefix - 1, name) == 0;
}

static enum err_code read_scalar(struct reader *reader, const yaml_event_t *event, struct node *out)
{
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    const yaml_char_t *tag = event->data.scalar.tag;
    bool is_text = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    if (tag && (has_tag(tag, "str") || strcmp((const char *)tag, "!") == 0))
        is_text = true;
    else if (tag && (has_tag(tag, "int") || has_tag(tag, "float") || has_tag(tag, "bool") ||
                     has_tag(tag, "null")))
        is_text = false;
    else if (tag)
        return refuse(reader, ERR_INVALID, event->start_mark,
                      "a tag that is not known: ", (const char *)tag);
    json_t *value = is_text ? json_stringn(text, length) : yaml_scalar_value(text, length);
    if (!value)
        return refuse(reader, ERR_INVALID, event->start_mark, "JSON cannot hold ", text);
    yaml_mark_t mark = value_mark(reader, event->start_mark, event->data.scalar.anchor, tag);
    *out = (struct node){ value, place_of(mark, NULL), 1, 1 };
    return ERR_NONE;
}

static enum err_code read_alias(struct reader *reader, const yaml_event_t *event, struct node *out)
{
    const char *name = (const char *)event->data.alias.anchor;
    const json_t *anchor = json_object_get(reader->anchors, name);
    if (!anchor)
        return refuse(reader, ERR_INVALID, event->start_mark,
                      "no anchor before this alias: ", name);
    *out = (struct node){
        .value = json_share(json_object_get(anchor, "node")),
        .place = place_of(event->start_mark, NULL),
        .count = (size_t)json_get_int(anchor, "count", 0),
        .height = (unsigned)json_get_int(anchor, "height", 0),
    };
    return ERR_NONE;
}

static void remember_anchor(struct reader *reader, const yaml_char_t *anchor,
                            const struct node *node)
{
    if (!anchor)
        return;
    json_t *entry = json_object();
    json_object_set(entry, "node", node->value);
    json_object_set_new(entry, "count", json_integer((json_int_t)node->count));
    json_object_set_new(entry, "height", json_integer(node->height));
    json_object_set_new(reader->anchors, (const char *)anchor, entry);
}

static enum err_code read_node(struct reader *reader, const yaml_event_t *event, struct node *out);

/* Reads the node behind a key or a dash and adds what it costs to its parent. */
static enum err_code read_child(struct reader *reader, const yaml_event_t *event,
                                struct node *parent, struct node *out)
{
    enum err_code r = read_node(reader, event, out);
    if (r)
        return r;
    parent->count += out->count;
    parent->height = out->height + 1 > parent->height ? out->height + 1 : parent->height;
    return ERR_NONE;
}

static enum err_code read_sequence(struct reader *reader, struct node *parent, json_t *children)
{
    for (;;) {
        auto_event event = { 0 };
        struct node child = { 0 };
        enum err_code r = next_event(reader, &event);
        if (r || event.type == YAML_SEQUENCE_END_EVENT)
            return r;
        r = read_child(reader, &event, parent, &child);
        if (r)
            return r;
        json_array_append_new(parent->value, child.value);
        json_array_append_new(children, child.place);
    }
}

static enum err_code check_key(struct reader *reader, const yaml_event_t *key,
                               const struct node *parent)
{
    if (key->type != YAML_SCALAR_EVENT)
        return refuse(reader, ERR_INVALID, key->start_mark, "a key must be text", "");
    const char *text = (const char *)key->data.scalar.value;
    size_t length = key->data.scalar.length;
    if (!length && key->data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
        return refuse(reader, ERR_INVALID, key->start_mark, "a key is missing", "");
    if (strlen(text) != length)
        return refuse(reader, ERR_INVALID, key->start_mark, "a key with a NUL in it", "");
    if (!json_object_get(parent->value, text))
        return ERR_NONE;
    static const char what[] = "the key is there already: ";
    if (!reader->problems)
        return refuse(reader, ERR_INVALID, key->start_mark, what, text);
    note(reader, key->start_mark, what, text)->fix = "remove one of the two";
    return ERR_NONE;
}

static enum err_code read_mapping(struct reader *reader, struct node *parent, json_t *children)
{
    for (;;) {
        auto_event key = { 0 };
        auto_event event = { 0 };
        struct node child = { 0 };
        enum err_code r = next_event(reader, &key);
        if (r || key.type == YAML_MAPPING_END_EVENT)
            return r;
        r = check_key(reader, &key, parent);
        if (!r)
            r = next_event(reader, &event);
        if (!r)
            r = read_child(reader, &event, parent, &child);
        if (r)
            return r;
        const char *text = (const char *)key.data.scalar.value;
        if (json_object_get(parent->value, text)) {
            node_drop(&child);
            continue;
        }
        yaml_place_set_key(child.place, key.start_mark.line + 1, key.start_mark.column + 1);
        json_object_set_new(parent->value, text, child.value);
        json_object_set_new(children, text, child.place);
    }
}

static enum err_code read_collection(struct reader *reader, const yaml_event_t *event,
                                     struct node *out)
{
    bool is_list = event->type == YAML_SEQUENCE_START_EVENT;
    struct node node = { .value = is_list ? json_array() : json_object(), .count = 1, .height = 1 };
    json_t *children = is_list ? json_array() : json_object();
    const yaml_char_t *anchor =
        is_list ? event->data.sequence_start.anchor : event->data.mapping_start.anchor;
    const yaml_char_t *tag =
        is_list ? event->data.sequence_start.tag : event->data.mapping_start.tag;
    node.place = place_of(value_mark(reader, event->start_mark, anchor, tag), children);
    enum err_code r =
        is_list ? read_sequence(reader, &node, children) : read_mapping(reader, &node, children);
    if (r)
        node_drop(&node);
    else
        *out = node;
    return r;
}

static enum err_code read_inside(struct reader *reader, const yaml_event_t *event, struct node *out)
{
    const yaml_char_t *anchor = NULL;
    enum err_code r;
    if (event->type == YAML_ALIAS_EVENT)
        return read_alias(reader, event, out);
    if (event->type == YAML_SCALAR_EVENT) {
        anchor = event->data.scalar.anchor;
        r = read_scalar(reader, event, out);
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        anchor = event->data.sequence_start.anchor;
        r = read_collection(reader, event, out);
    } else {
        anchor = event->data.mapping_start.anchor;
        r = read_collection(reader, event, out);
    }
    if (!r)
        remember_anchor(reader, anchor, out);
    return r;
}

/* Every node, an alias as well, is held against the bounds with all that it stands for. */
static enum err_code read_node(struct reader *reader, const yaml_event_t *event, struct node *out)
{
    struct node node = { 0 };
    if (++reader->depth > JSON_MAX_DEPTH)
        return refuse(reader, ERR_LIMIT, event->start_mark, "nested too deeply", "");
    enum err_code r = read_inside(reader, event, &node);
    if (r)
        return r;
    reader->depth--;
    reader->values += event->type == YAML_ALIAS_EVENT ? node.count : 1;
    if (reader->values > DOCUMENT_MAX_VALUES)
        r = refuse(reader, ERR_LIMIT, event->start_mark, "too many values", "");
    else if (reader->depth + node.height > JSON_MAX_DEPTH)
        r = refuse(reader, ERR_LIMIT, event->start_mark, "nested too deeply", "");
    if (r)
        node_drop(&node);
    else
        *out = node;
    return r;
}

static enum err_code skip_event(struct reader *reader, yaml_event_type_t *out_type)
{
    auto_event event = { 0 };
    enum err_code r = next_event(reader, &event);
    if (!r)
        *out_type = event.type;
    return r;
}

static enum err_code read_document(struct reader *reader, struct node *out)
{
    yaml_event_type_t type = YAML_NO_EVENT;
    enum err_code r = skip_event(reader, &type); /* the stream's start */
    if (!r)
        r = skip_event(reader, &type);
    if (r)
        return r;
    if (type == YAML_STREAM_END_EVENT) {
        yaml_mark_t start = { 0 };
        *out = (struct node){ json_null(), place_of(start, NULL), 1, 1 };
        return ERR_NONE;
    }
    auto_event event = { 0 };
    struct node node = { 0 };
    r = next_event(reader, &event);
    if (!r)
        r = read_node(reader, &event, &node);
    if (!r)
        r = skip_event(reader, &type); /* the document's end */
    if (!r)
        r = skip_event(reader, &type);
    if (!r && type != YAML_STREAM_END_EVENT)
        r = refuse(reader, ERR_INVALID, reader->parser.mark, "only one document is read", "");
    if (r)
        node_drop(&node);
    else
        *out = node;
    return r;
}

static void begin_parser(struct reader *reader, const char *text, size_t length)
{
    if (!yaml_parser_initialize(&reader->parser))
        abort();
    yaml_parser_set_input_string(&reader->parser, (const unsigned char *)text, length);
}

/* Where an event stands: in a mapping every other node is a key, which is no value. */
struct levels {
    bool is_mapping[JSON_MAX_DEPTH + 2], is_key[JSON_MAX_DEPTH + 2];
    size_t n; /* the document is level 0 */
};

/* Whether it is a value; moves on behind it. False as well for what begins and ends nothing. */
static bool count_event(struct levels *at, yaml_event_type_t type)
{
    bool opens = type == YAML_MAPPING_START_EVENT || type == YAML_SEQUENCE_START_EVENT;
    if (type == YAML_MAPPING_END_EVENT || type == YAML_SEQUENCE_END_EVENT)
        at->n--;
    if (!opens && type != YAML_SCALAR_EVENT && type != YAML_ALIAS_EVENT)
        return false;
    bool is_value = !at->is_key[at->n];
    at->is_key[at->n] = at->is_mapping[at->n] && is_value;
    if (opens) {
        at->n++;
        at->is_mapping[at->n] = at->is_key[at->n] = type == YAML_MAPPING_START_EVENT;
    }
    return is_value;
}

/* ERR_LIMIT for too many values, aliases counted as one. What else is wrong with the document is
 * for who reads it. */
static enum err_code count_values(struct reader *reader)
{
    struct levels at = { 0 };
    enum err_code r = ERR_NONE;
    bool is_over = false;
    size_t n = 0;
    while (!r && !is_over) {
        auto_event event = { 0 };
        is_over = !yaml_parser_parse(&reader->parser, &event) || at.n > JSON_MAX_DEPTH ||
                  event.type == YAML_DOCUMENT_END_EVENT || event.type == YAML_NO_EVENT;
        if (!is_over && count_event(&at, event.type) && ++n > DOCUMENT_MAX_VALUES)
            r = refuse(reader, ERR_LIMIT, event.start_mark, "too many values", "");
    }
    return r;
}

enum err_code yaml_read(const char *text, size_t length, struct problems *problems,
                        json_t **out_value, json_t **out_places, struct err *err)
{
    bool has_mark = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0;
    struct reader reader = { .text = text,
                             .at = text + (has_mark ? 3 : 0),
                             .end = text + length,
                             .problems = problems,
                             .err = err };
    struct node node = { 0 };
    enum err_code r = ERR_NONE;
    if (length > DOCUMENT_MAX_BYTES)
        return refuse(&reader, ERR_LIMIT, (yaml_mark_t){ 0 }, "larger than 4 MiB", "");
    if (length > DOCUMENT_MAX_VALUES) {
        begin_parser(&reader, text, length);
        r = count_values(&reader);
        yaml_parser_delete(&reader.parser);
    }
    if (r)
        return r;
    begin_parser(&reader, text, length);
    reader.anchors = json_object();
    r = read_document(&reader, &node);
    yaml_parser_delete(&reader.parser);
    json_decref(reader.anchors);
    if (r)
        return r;
    *out_value = node.value;
    *out_places = node.place;
    return ERR_NONE;
}
