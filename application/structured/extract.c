#include "application/structured/extract.h"
#include "application/structured/repair.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <stddef.h>
#include <string.h>

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return at;
}

static const char *find_bracket(const char *at, const char *end)
{
    while (at < end && *at != '{' && *at != '[')
        at++;
    return at;
}

static bool starts_with(const char *at, const char *end, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(end - at) >= length && memcmp(at, text, length) == 0;
}

static bool starts_with_any(const char *at, const char *end, const char *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (starts_with(at, end, texts[i]))
            return true;
    return false;
}

/* Whether a bracket begins a value or is part of prose ("a { brace", "[sic]"). Names in single or
 * typographic quotation marks count, because they can be mended. */
static bool begins_value(const char *at, const char *end)
{
    if (at == end || (*at != '{' && *at != '['))
        return false;
    static const char *const quotes[] = { "\"", "'", "\xe2\x80\x9c", "\xe2\x80\x98" };
    static const char *const words[] = { "true", "false", "null", "True", "False", "None" };
    const char *next = skip_blanks(at + 1, end);
    if (next == end || starts_with_any(next, end, quotes, ARRAY_LENGTH(quotes)))
        return true;
    if (*at == '{')
        return *next == '}' ||
               (repair_skip_comment(next, end) < end && repair_skip_comment(next, end) > next + 1);
    bool is_value = *next && strchr("]{[-0123456789", *next);
    return is_value || starts_with_any(next, end, words, ARRAY_LENGTH(words));
}

/* The end of the value whose opening bracket is at `at`; NULL when the text ends before it. */
static const char *value_end(const char *at, const char *end)
{
    size_t depth = 0;
    for (bool in_string = false; at < end; at++) {
        if (!in_string)
            at = repair_skip_comment(at, end);
        if (at == end)
            break;
        if (*at == '"')
            in_string = !in_string;
        else if (in_string && *at == '\\')
            at++;
        else if (!in_string && (*at == '{' || *at == '['))
            depth++;
        else if (!in_string && (*at == '}' || *at == ']') && --depth == 0)
            return at + 1;
    }
    return NULL;
}

struct search {
    struct arena *arena; /* NULL: without repair */
    const char *text, *end;
    struct extraction *found;
};

/* Parses the span, mended if the search may. */
static bool parse_span(const struct search *search, const char *at, const char *end,
                       enum extract_kind kind)
{
    const char *text = at;
    size_t length = (size_t)(end - at);
    bool repair = search->arena != NULL;
    if (repair && !repair_json(search->arena, at, length, &text, &length))
        return false;
    if (json_parse(text, length, JSON_FOREIGN, &search->found->value, NULL))
        return false;
    search->found->kind = kind;
    search->found->is_repaired = repair;
    search->found->at = (size_t)(at - search->text);
    search->found->length = (size_t)(end - at);
    return true;
}

/* After the line of the next opening fence (``` at the beginning of a line); NULL: there is none.
 */
static const char *after_fence(const char *at, const char *end)
{
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *line_end = newline ? newline : end;
        const char *line = skip_blanks(at, line_end);
        if (starts_with(line, line_end, "```"))
            return newline ? newline + 1 : end;
        at = newline ? newline + 1 : end;
    }
    return NULL;
}

/* A fence counts when its first visible character begins a value. */
static enum extract_kind find_fenced(const struct search *search, const char *at)
{
    if (!memmem(at, (size_t)(search->end - at), "```", 3))
        return EXTRACT_NOTHING;
    while ((at = after_fence(at, search->end))) {
        const char *value = skip_blanks(at, search->end);
        if (!begins_value(value, search->end))
            continue;
        const char *end = value_end(value, search->end);
        if (!end)
            return EXTRACT_CUT;
        if (parse_span(search, value, end, EXTRACT_FENCED))
            return EXTRACT_FENCED;
        at = end;
    }
    return EXTRACT_NOTHING;
}

/* "[1]" and "["a"]" in prose: an array of anything but objects and arrays. */
static bool is_plain_array(const char *at, const char *end)
{
    const char *next = skip_blanks(at + 1, end);
    return *at == '[' && next < end && *next != '{' && *next != '[';
}

/* What balances but does not parse is skipped whole: a value inside a broken one is not an answer.
 */
static enum extract_kind find_balanced(const struct search *search, const char *at,
                                       bool take_plain_arrays)
{
    for (; (at = find_bracket(at, search->end)) < search->end; at++) {
        if (!begins_value(at, search->end))
            continue;
        const char *end = value_end(at, search->end);
        if (!end)
            return EXTRACT_CUT;
        bool wanted = take_plain_arrays || !is_plain_array(at, search->end);
        if (wanted && parse_span(search, at, end, EXTRACT_BALANCED))
            return EXTRACT_BALANCED;
        at = end - 1;
    }
    return EXTRACT_NOTHING;
}

/* From the first bracket to the last one of its kind: for values whose strings hide brackets from
 * the search above ('a "b', “}”) until they are mended. */
static bool find_outermost(const struct search *search, const char *at)
{
    while (at < search->end && !begins_value(at, search->end))
        at++;
    if (at == search->end)
        return false;
    const char *last = memrchr(at, *at == '{' ? '}' : ']', (size_t)(search->end - at));
    return last && parse_span(search, at, last + 1, EXTRACT_BALANCED);
}

static bool is_found(enum extract_kind kind)
{
    return kind == EXTRACT_WHOLE || kind == EXTRACT_FENCED || kind == EXTRACT_BALANCED;
}

/* Whether the text may be one value as it is. A reply may be long, so what surely is not one is not
 * parsed. */
static bool may_be_whole(const struct search *search, const char *at)
{
    const char *first = skip_blanks(at, search->end);
    if (first == search->end)
        return false;
    if (*first != '{' && *first != '[')
        return search->end - first <= EXTRACT_MAX_SCALAR_BYTES;
    const char *end = value_end(first, search->end);
    return !end || skip_blanks(end, search->end) == search->end;
}

static enum extract_kind find(const struct search *search, const char *at)
{
    if (may_be_whole(search, at) && parse_span(search, at, search->end, EXTRACT_WHOLE))
        return EXTRACT_WHOLE;
    enum extract_kind kind = find_fenced(search, at);
    if (kind == EXTRACT_NOTHING)
        kind = find_balanced(search, at, false);
    if (kind == EXTRACT_NOTHING)
        kind = find_balanced(search, at, true);
    if (search->arena && !is_found(kind) && find_outermost(search, at))
        kind = EXTRACT_BALANCED;
    return kind;
}

/* Behind the thinking in front of the answer; NULL when the thinking never came to an end. */
static const char *skip_thinking(const char *at, const char *end)
{
    static const char *const tags[][2] = { { "<think>", "</think>" }, { "[THINK]", "[/THINK]" } };
    const char *text = skip_blanks(at, end);
    for (size_t i = 0; i < ARRAY_LENGTH(tags); i++) {
        if (!starts_with(text, end, tags[i][0]))
            continue;
        const char *close = memmem(text, (size_t)(end - text), tags[i][1], strlen(tags[i][1]));
        return close ? close + strlen(tags[i][1]) : NULL;
    }
    return at;
}

const char *extract_without_thinking(struct arena *arena, const char *text, const char *member)
{
    const char *end = text + strlen(text), *at = skip_thinking(text, end), *from = at, *object;
    AUTO(buf) kept;
    buf_init(&kept, SIZE_MAX); /* no bound, so that nothing which is appended is lost */
    if (!at || !member)
        return at ? at : "";
    const char *key = arena_printf(arena, "\"%s\"", member);
    while ((object = memchr(at, '{', (size_t)(end - at)))) {
        const char *stop = value_end(object, end), *value = NULL;
        size_t length = 0;
        if (!stop) { /* the reply was cut within the object, perhaps within its thinking */
            const char *open = memmem(object, (size_t)(end - object), key, strlen(key));
            end = open ? open : end;
            break;
        }
        if (json_member_text(object, (size_t)(stop - object), member, &value, &length)) {
            (void)(!buf_append(&kept, from, (size_t)(value - from)) || !buf_puts(&kept, "\"\""));
            from = value + length;
        }
        at = stop;
    }
    (void)!buf_append(&kept, from, (size_t)(end - from));
    return arena_strndup(arena, kept.bytes ? kept.bytes : "", kept.length);
}

static bool has_trailing(const char *at, const char *end)
{
    at = skip_blanks(at, end);
    if (starts_with(at, end, "```"))
        at = skip_blanks(at + 3, end);
    return at < end;
}

static void extract(struct arena *arena, const char *text, size_t length, struct extraction *found)
{
    const char *end = text + length;
    const char *at = starts_with(text, end, "\xef\xbb\xbf") ? text + 3 : text;
    const char *answer = skip_thinking(at, end);
    if (!answer) {
        found->kind = EXTRACT_CUT;
        return;
    }
    struct search search = { .text = text, .end = end, .found = found };
    found->kind = find(&search, answer);
    if (arena && !is_found(found->kind)) {
        search.arena = arena;
        enum extract_kind kind = find(&search, answer);
        found->kind = is_found(kind) ? kind : found->kind;
    }
    if (found->kind == EXTRACT_WHOLE && answer != at)
        found->kind = EXTRACT_BALANCED;
    found->has_trailing = found->value && has_trailing(text + found->at + found->length, end);
}

enum extract_kind extract_json(const char *text, size_t length, json_t **out)
{
    struct extraction found = { 0 };
    extract(NULL, text, length, &found);
    if (found.value)
        *out = found.value;
    return found.kind;
}

struct extraction extract_value(struct arena *arena, const char *text, size_t length)
{
    struct extraction found = { 0 };
    extract(arena, text, length, &found);
    found.value = arena_keep_json(arena, found.value);
    return found;
}

#define MARK "[TOOL_CALLS]"
#define ARGUMENTS "[ARGS]"
#define CALL_ID "[CALL_ID]"
#define TAG "<tool_call>"

struct reader {
    struct arena *arena;
    const char *end;
    json_t *calls;
};

static const char *find_text(const char *at, const char *end, const char *text)
{
    return at < end ? memmem(at, (size_t)(end - at), text, strlen(text)) : NULL;
}

/* A value, mended if need be; NULL when the text is not one. In the arena. */
static const json_t *read_value(struct arena *arena, const char *text, size_t length)
{
    json_t *value = NULL;
    const char *mended;
    size_t mended_length;
    if (!json_parse(text, length, JSON_FOREIGN, &value, NULL))
        return arena_keep_json(arena, value);
    if (!repair_json(arena, text, length, &mended, &mended_length) ||
        json_parse(mended, mended_length, JSON_FOREIGN, &value, NULL))
        return NULL;
    return arena_keep_json(arena, value);
}

/* An object, also one that is written as a string of JSON; NULL when it is neither. */
static const json_t *as_object(struct arena *arena, const json_t *arguments)
{
    if (json_is_string(arguments))
        arguments = read_value(arena, json_string_value(arguments), json_string_length(arguments));
    return json_is_object(arguments) ? arguments : NULL;
}

/* False when it is not a call. Calls beyond NATIVE_CALLS_MAX are dropped. */
static bool add_call(struct reader *reader, const char *name, size_t length,
                     const json_t *arguments)
{
    if (!length || !arguments || !text_is_utf8(name, length))
        return false;
    if (json_array_size(reader->calls) == NATIVE_CALLS_MAX)
        return true;
    json_t *call = json_object();
    json_object_set_new(call, "name", json_stringn(name, length));
    json_object_set_new(call, "arguments", json_share(arguments));
    json_array_append_new(reader->calls, call);
    return true;
}

/* {"name":…,"arguments":{…}}, also inside {"type":"function","function":…}; a model may write
 * "parameters" for "arguments", and none at all where a mark says that it is a call. */
static bool add_object(struct reader *reader, const json_t *call, bool is_marked)
{
    const json_t *function = json_object_get(call, "function");
    if (json_is_object(function))
        call = function;
    const json_t *name = json_object_get(call, "name");
    const json_t *arguments = json_object_get(call, "arguments");
    if (!arguments)
        arguments = json_object_get(call, "parameters");
    if (is_marked && (!arguments || json_is_null(arguments)))
        arguments = arena_keep_json(reader->arena, json_object());
    return json_is_string(name) &&
           add_call(reader, json_string_value(name), json_string_length(name),
                    as_object(reader->arena, arguments));
}

static bool add_value(struct reader *reader, const json_t *value, bool is_marked)
{
    if (!json_is_array(value))
        return json_is_object(value) && add_object(reader, value, is_marked);
    for (size_t i = 0; i < json_array_size(value); i++)
        if (!add_object(reader, json_array_get(value, i), is_marked))
            return false;
    return json_array_size(value) > 0;
}

/* The value whose bracket is next; NULL when there is none. *at moves behind it. */
static const json_t *next_value(const struct reader *reader, const char **at)
{
    const char *from = skip_blanks(*at, reader->end);
    if (from == reader->end || (*from != '{' && *from != '['))
        return NULL;
    const char *to = value_end(from, reader->end);
    if (!to)
        return NULL;
    *at = to;
    return read_value(reader->arena, from, (size_t)(to - from));
}

/* name[ARGS]{…}, and between them perhaps [CALL_ID]… */
static bool add_named(struct reader *reader, const char **at)
{
    const char *name = skip_blanks(*at, reader->end);
    const char *args = find_text(name, reader->end, ARGUMENTS);
    if (!args)
        return false;
    const char *id = find_text(name, args, CALL_ID), *name_end = id ? id : args;
    while (name_end > name && strchr(" \t\r\n", name_end[-1]))
        name_end--;
    *at = args + strlen(ARGUMENTS);
    const json_t *arguments = next_value(reader, at);
    return add_call(reader, name, (size_t)(name_end - name), as_object(reader->arena, arguments));
}

/* Adds all calls behind marks; false when one of them cannot be read, because half of what a model
 * wanted is not what it wanted. */
static bool add_marked(struct reader *reader, const char *at)
{
    while ((at = find_text(at, reader->end, MARK))) {
        at = skip_blanks(at + strlen(MARK), reader->end);
        bool is_value = at < reader->end && (*at == '[' || *at == '{');
        bool added =
            is_value ? add_value(reader, next_value(reader, &at), true) : add_named(reader, &at);
        if (!added)
            return false;
    }
    return true;
}

static bool read_calls(struct reader *reader, const char *text)
{
    if (find_text(text, reader->end, MARK))
        return add_marked(reader, text);
    bool is_tagged = false;
    for (const char *at = text; (at = find_text(at, reader->end, TAG)); is_tagged = true) {
        at += strlen(TAG);
        if (!add_value(reader, next_value(reader, &at), true))
            return false;
    }
    if (is_tagged)
        return true;
    struct extraction found = extract_value(reader->arena, text, (size_t)(reader->end - text));
    return add_value(reader, found.value, false);
}

const json_t *native_calls_find(struct arena *arena, const char *text, size_t length)
{
    json_t *calls = arena_keep_json(arena, json_array());
    struct reader reader = { .arena = arena, .end = text + length, .calls = calls };
    return read_calls(&reader, text) && json_array_size(calls) ? calls : NULL;
}
