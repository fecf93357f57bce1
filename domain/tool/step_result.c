#include "domain/tool/step_result.h"
#include "domain/base/base64.h"
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <stdio.h>
#include <string.h>

struct step_result_parts {
    struct arena *arena;
    size_t max_values;
    struct json_slice content, structured, first_text;      /* of the bytes */
    const json_t *value, *content_value, *structured_value; /* NULL until asked for */
};

/* The slice of the copy that corresponds to one of the original. */
static struct json_slice move_slice(struct json_slice slice, const char *from, const char *to)
{
    if (slice.length)
        slice.text = to + (slice.text - from);
    return slice;
}

static void keep(struct arena *arena, const struct result_outline *outline, struct step_result *out)
{
    struct json_slice text = outline->text;
    char *bytes = arena_strndup(arena, text.text, text.length);
    struct step_result_parts *parts = arena_new(arena, struct step_result_parts);
    *parts = (struct step_result_parts){
        .arena = arena,
        .max_values = SIZE_MAX,
        .content = move_slice(outline->content, text.text, bytes),
        .structured = move_slice(outline->structured, text.text, bytes),
        .first_text = move_slice(outline->first_text, text.text, bytes),
    };
    *out = (struct step_result){
        .bytes = bytes,
        .length = text.length,
        .is_error = outline->is_error,
        .parts = parts,
    };
}

enum err_code step_result_keep(struct arena *arena, const struct result_outline *outline,
                               struct step_result *out, struct err *err)
{
    enum err_code r = result_outline_check_tool(outline, err);
    if (!r)
        keep(arena, outline, out);
    return r;
}

enum err_code step_result_init(struct arena *arena, const char *bytes, size_t length,
                               struct step_result *out, struct err *err)
{
    struct json_scan scan;
    struct result_outline outline;
    json_scan_begin(&scan, bytes, length);
    result_outline_scan(&scan, &outline);
    if (json_scan_end(&scan) != JSON_SOUND)
        return err_set(err, ERR_INVALID, 0, "the result of a tool is not JSON");
    return step_result_keep(arena, &outline, out, err);
}

/* Text that is not UTF-8 (a program's stderr, say) is shown with escapes. */
static json_t *text_to_json(const char *text)
{
    json_t *string = json_string(text);
    AUTO(buf) escaped;
    buf_init(&escaped, strlen(text) * 8 + 1);
    if (!string && text_append_escaped(&escaped, text, strlen(text)))
        string = json_string(buf_string(&escaped));
    return string;
}

void step_result_from_text(struct arena *arena, const char *text, json_t *structured, bool is_error,
                           struct step_result *out)
{
    json_t *block = json_object();
    json_object_set_new(block, "type", json_string("text"));
    json_object_set_new(block, "text", text_to_json(text));
    json_t *content = json_array();
    json_array_append_new(content, block);
    json_auto_t *value = json_object();
    json_object_set_new(value, "content", content);
    if (structured)
        json_object_set_new(value, "structuredContent", structured);
    if (is_error)
        json_object_set_new(value, "isError", json_true());
    auto_str bytes = json_print(value);
    if (step_result_init(arena, bytes, strlen(bytes), out, NULL))
        step_result_from_text(arena, "a value that is nested too deep", NULL, true, out);
}

void step_result_limit(struct step_result *result, size_t max_values)
{
    result->parts->max_values = max_values;
}

size_t step_result_max_values(const struct step_result *result)
{
    return result->parts->max_values;
}

/* The text was found sound, so it can be read unless it has too many values. */
static const json_t *read_slice(const struct step_result_parts *parts, struct json_slice slice)
{
    json_t *value = NULL;
    if (!slice.length ||
        json_parse_message(slice.text, slice.length, parts->max_values, &value, NULL))
        return NULL;
    return arena_keep_json(parts->arena, value);
}

const json_t *step_result_value(const struct step_result *result)
{
    struct step_result_parts *parts = result->parts;
    struct json_slice all = { result->bytes, result->length };
    if (!parts->value)
        parts->value = read_slice(parts, all);
    return parts->value;
}

const json_t *step_result_content(const struct step_result *result)
{
    struct step_result_parts *parts = result->parts;
    if (!parts->content_value)
        parts->content_value = parts->content.length ? read_slice(parts, parts->content)
                                                     : arena_keep_json(parts->arena, json_array());
    return parts->content_value;
}

const json_t *step_result_structured(const struct step_result *result)
{
    struct step_result_parts *parts = result->parts;
    if (!parts->structured_value)
        parts->structured_value = read_slice(parts, parts->structured);
    return parts->structured_value;
}

struct json_scan step_result_blocks(const struct step_result *result)
{
    struct json_scan blocks;
    struct json_slice content = result->parts->content;
    json_scan_begin(&blocks, content.text, content.length);
    (void)json_scan_enter(&blocks, '[');
    return blocks;
}

struct json_slice step_result_first_text(const struct step_result *result)
{
    return result->parts->first_text;
}

/* The text blocks joined by newlines; *out_n counts them. */
static void join_texts(const struct step_result *result, struct buf *out, size_t *out_n)
{
    struct content_block block;
    struct json_scan blocks = step_result_blocks(result);
    buf_init(out, result->length + 2); /* each block is longer in the result than here */
    *out_n = 0;
    while (content_block_next(&blocks, &block))
        if (content_block_is_text(&block) && ((*out_n)++ == 0 || buf_puts(out, "\n")))
            (void)!json_string_append(out, block.text);
}

const char *step_result_text(struct arena *arena, const struct step_result *result)
{
    AUTO(buf) joined = { 0 };
    size_t n;
    join_texts(result, &joined, &n);
    return arena_strndup(arena, buf_string(&joined), joined.length);
}

const json_t *content_block_text(const json_t *block)
{
    const json_t *text = json_object_get(block, "text");
    if (!text)
        text = json_object_get(json_object_get(block, "resource"), "text");
    return json_is_string(text) ? text : NULL;
}

/* The base64 text of a block, wherever its kind keeps it; NULL for blocks without bytes. */
static const char *block_data(const json_t *block, const char **out_type)
{
    const json_t *resource = json_object_get(block, "resource");
    const json_t *holder = resource ? resource : block;
    const char *type = json_get_string(holder, "mimeType");
    *out_type = type ? type : "application/octet-stream";
    const char *data = json_get_string(holder, "data");
    return data ? data : json_get_string(holder, "blob");
}

const char *content_block_label(struct arena *arena, const json_t *block)
{
    const char *kind = json_get_string(block, "type"), *type = NULL;
    const char *data = block_data(block, &type), *uri = json_get_string(block, "uri");
    const char *what = uri ? uri : kind ? kind : "block";
    if (!data)
        return arena_printf(arena, "[%s]", text_one_line(arena, what, strlen(what), 400));
    size_t length = 0;
    auto_str bytes = base64_decode(data, &length);
    return arena_printf(arena, "[%s %s bytes]", text_one_line(arena, type, strlen(type), 80),
                        bytes ? text_grouped(arena, length) : "unreadable");
}

/* One block; only one without text is made a value. */
static bool append_shown(struct arena *arena, const struct content_block *block, struct buf *out)
{
    json_auto_t *value = NULL;
    if (json_slice_is_string(block->text))
        return json_string_append(out, block->text);
    if (json_parse(block->whole.text, block->whole.length, JSON_FOREIGN, &value, NULL))
        return buf_puts(out, "[block]");
    const json_t *own = content_block_text(value);
    return own ? buf_append(out, json_string_value(own), json_string_length(own))
               : buf_puts(out, content_block_label(arena, value));
}

const char *step_result_shown(struct arena *arena, const struct step_result *result)
{
    struct content_block block;
    struct json_scan blocks = step_result_blocks(result);
    AUTO(buf) all;
    buf_init(&all, result->length * 4 + 64); /* a label can be longer than its block */
    while (content_block_next(&blocks, &block))
        if (!all.length || buf_puts(&all, "\n"))
            (void)!append_shown(arena, &block, &all);
    return arena_strndup(arena, buf_string(&all), all.length);
}

char *step_result_bytes(const struct step_result *result, size_t *out_length)
{
    const json_t *block;
    size_t i;
    json_array_foreach ((json_t *)(uintptr_t)step_result_content(result), i, block) {
        const char *type, *data = block_data(block, &type);
        char *bytes = data ? base64_decode(data, out_length) : NULL;
        if (bytes)
            return bytes;
    }
    return NULL;
}

const json_t *step_result_data(struct arena *arena, const struct step_result *result)
{
    AUTO(buf) joined = { 0 };
    size_t n;
    if (result->parts->structured.length)
        return step_result_structured(result);
    join_texts(result, &joined, &n);
    const char *text = buf_string(&joined), *start = text + strspn(text, " \t\r\n");
    bool may_be_json = n == 1 && (*start == '{' || *start == '[');
    json_t *value = NULL;
    enum err_code r = may_be_json ? json_parse_message(text, joined.length,
                                                       result->parts->max_values, &value, NULL)
                                  : ERR_INVALID;
    if (r == ERR_LIMIT && json_depth_fits(text, joined.length, JSON_MAX_DEPTH))
        return NULL;
    if (r)
        value = json_stringn(text, joined.length);
    return arena_keep_json(arena, value);
}

/* The first characters that a string says, and how long it is when that is not all. */
static json_t *beginning(struct json_slice string)
{
    char text[RESULT_PREVIEW_TEXT_BYTES + 64];
    struct json_string_reader reader = json_string_read(string);
    size_t length = json_string_next(&reader, text, RESULT_PREVIEW_TEXT_BYTES);
    if (reader.at < reader.end)
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "… [%zu bytes of JSON in all]", string.length);
    return json_stringn(text, length);
}

/* The same of a value that is no string. */
static json_t *beginning_of_value(struct json_slice value)
{
    size_t length = text_cut(value.text, value.length, RESULT_PREVIEW_TEXT_BYTES);
    char note[64] = "";
    if (length < value.length)
        snprintf(note, sizeof note, "… [%zu bytes of JSON in all]", value.length);
    return json_sprintf("%.*s%s", (int)length, value.text, note);
}

json_t *result_preview(const struct step_result *result)
{
    const json_t *whole =
        result->length <= RESULT_PREVIEW_WHOLE_BYTES ? step_result_value(result) : NULL;
    if (whole)
        return json_share(whole);
    struct json_slice text = step_result_first_text(result), data = result->parts->structured;
    json_t *said = text.length ? beginning(text) : data.length ? beginning_of_value(data) : NULL;
    json_t *preview = said ? json_pack("{s:[{s:s, s:o}]}", "content", "type", "text", "text", said)
                           : json_pack("{s:[]}", "content");
    if (result->is_error)
        json_object_set_new(preview, "isError", json_true());
    json_object_set_new(preview, "cut", json_true());
    return preview;
}
