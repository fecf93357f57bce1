#include "application/structured/native_calls.h"
#include "application/structured/extract.h"
#include "application/structured/json_span.h"
#include "application/structured/repair.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

#define MARK "[TOOL_CALLS]"
#define ARGUMENTS "[ARGS]"
#define CALL_ID "[CALL_ID]"
#define TAG "<tool_call>"

struct reader {
    struct arena *arena;
    const char *end;
    json_t *calls;
};

static const char *find(const char *at, const char *end, const char *text)
{
    return at < end ? memmem(at, (size_t)(end - at), text, strlen(text)) : NULL;
}

/* A value, mended if need be; NULL when it is none. In the arena. */
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

/* False when it is no call. The calls beyond the last that are kept say nothing new. */
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
    const char *from = json_span_skip_blanks(*at, reader->end);
    if (from == reader->end || (*from != '{' && *from != '['))
        return NULL;
    const char *to = json_span_end(from, reader->end);
    if (!to)
        return NULL;
    *at = to;
    return read_value(reader->arena, from, (size_t)(to - from));
}

/* name[ARGS]{…}, and between them perhaps [CALL_ID]… */
static bool add_named(struct reader *reader, const char **at)
{
    const char *name = json_span_skip_blanks(*at, reader->end);
    const char *args = find(name, reader->end, ARGUMENTS);
    if (!args)
        return false;
    const char *id = find(name, args, CALL_ID), *name_end = id ? id : args;
    while (name_end > name && strchr(" \t\r\n", name_end[-1]))
        name_end--;
    *at = args + strlen(ARGUMENTS);
    const json_t *arguments = next_value(reader, at);
    return add_call(reader, name, (size_t)(name_end - name), as_object(reader->arena, arguments));
}

/* All calls behind marks; false when one of them cannot be read, for half of what a model wanted
 * is not what it wanted. */
static bool add_marked(struct reader *reader, const char *at)
{
    while ((at = find(at, reader->end, MARK))) {
        at = json_span_skip_blanks(at + strlen(MARK), reader->end);
        bool is_value = at < reader->end && (*at == '[' || *at == '{');
        bool added =
            is_value ? add_value(reader, next_value(reader, &at), true) : add_named(reader, &at);
        if (!added)
            return false;
    }
    return true;
}

static bool add_tagged(struct reader *reader, const char *at)
{
    while ((at = find(at, reader->end, TAG))) {
        at += strlen(TAG);
        if (!add_value(reader, next_value(reader, &at), true))
            return false;
    }
    return true;
}

static bool read_calls(struct reader *reader, const char *text)
{
    if (find(text, reader->end, MARK))
        return add_marked(reader, text);
    if (find(text, reader->end, TAG))
        return add_tagged(reader, text);
    struct extraction found = extract_value(reader->arena, text, (size_t)(reader->end - text));
    return add_value(reader, found.value, false);
}

const json_t *native_calls_find(struct arena *arena, const char *text, size_t length)
{
    json_t *calls = arena_keep_json(arena, json_array());
    struct reader reader = { .arena = arena, .end = text + length, .calls = calls };
    return read_calls(&reader, text) && json_array_size(calls) ? calls : NULL;
}
