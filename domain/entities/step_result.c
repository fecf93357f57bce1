#include "domain/entities/step_result.h"
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

static enum err_code check_block(const json_t *block, size_t index, struct err *err)
{
    const char *type = json_get_string(block, "type");
    if (!type)
        return err_set(err, ERR_PROTOCOL, 0, "content block %zu has no type", index);
    if (strcmp(type, "text") == 0 && !json_get_string(block, "text"))
        return err_set(err, ERR_PROTOCOL, 0, "text block %zu has no text", index);
    return ERR_NONE;
}

static enum err_code check_shape(const json_t *value, struct err *err)
{
    const json_t *content = json_object_get(value, "content");
    const json_t *is_error = json_object_get(value, "isError");
    const json_t *block;
    size_t i;
    if (!json_is_object(value))
        return err_set(err, ERR_PROTOCOL, 0, "the result of a tool is no object");
    if (content && !json_is_array(content))
        return err_set(err, ERR_PROTOCOL, 0, "content is no array");
    if (is_error && !json_is_boolean(is_error))
        return err_set(err, ERR_PROTOCOL, 0, "isError is no boolean");
    json_array_foreach (content, i, block) {
        enum err_code r = check_block(block, i, err);
        if (r)
            return r;
    }
    return ERR_NONE;
}

struct step_result_parts {
    const json_t *value, *content, *structured;
};

static void fill(struct arena *arena, const char *bytes, size_t length, json_t *value,
                 struct step_result *out)
{
    const json_t *content = json_object_get(value, "content");
    struct step_result_parts *parts = arena_new(arena, struct step_result_parts);
    *parts = (struct step_result_parts){
        .value = arena_keep_json(arena, value),
        .content = content ? content : arena_keep_json(arena, json_array()),
        .structured = json_object_get(value, "structuredContent"),
    };
    *out = (struct step_result){
        .bytes = arena_strndup(arena, bytes, length),
        .length = length,
        .is_error = json_get_bool(value, "isError", false),
        .parts = parts,
    };
}

enum err_code step_result_init(struct arena *arena, const char *bytes, size_t length,
                               struct step_result *out, struct err *err)
{
    json_auto_t *value = NULL;
    enum err_code r = json_parse(bytes, length, JSON_FOREIGN, &value, err);
    if (!r)
        r = check_shape(value, err);
    if (r)
        return r;
    fill(arena, bytes, length, json_incref(value), out);
    return ERR_NONE;
}

const json_t *step_result_value(const struct step_result *result)
{
    return result->parts->value;
}

const json_t *step_result_content(const struct step_result *result)
{
    return result->parts->content;
}

const json_t *step_result_structured(const struct step_result *result)
{
    return result->parts->structured;
}

/* Text that is no UTF-8 (a program's stderr, say) is shown with escapes. */
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
    fill(arena, bytes, strlen(bytes), json_incref(value), out);
}

/* The text blocks as one JSON string, which knows its length; *out_n counts them. */
static const json_t *join_texts(struct arena *arena, const struct step_result *result,
                                size_t *out_n)
{
    AUTO(buf) joined;
    buf_init(&joined, result->length + 2); /* each block is longer in the result than here */
    const json_t *block, *only = NULL;
    size_t i, n = 0;
    json_array_foreach (step_result_content(result), i, block) {
        const char *type = json_get_string(block, "type");
        const json_t *text = json_object_get(block, "text");
        if (!type || strcmp(type, "text") != 0 || !json_is_string(text))
            continue;
        only = text;
        if ((n++ && !buf_puts(&joined, "\n")) ||
            !buf_append(&joined, json_string_value(text), json_string_length(text)))
            break;
    }
    *out_n = n;
    if (n == 1)
        return only;
    return arena_keep_json(arena, json_stringn(buf_string(&joined), joined.length));
}

const char *step_result_text(struct arena *arena, const struct step_result *result)
{
    size_t n;
    return json_string_value(join_texts(arena, result, &n));
}

const json_t *step_result_data(struct arena *arena, const struct step_result *result)
{
    const json_t *structured = step_result_structured(result);
    if (structured)
        return structured;
    size_t n;
    const json_t *text = join_texts(arena, result, &n);
    const char *start = json_string_value(text) + strspn(json_string_value(text), " \t\r\n");
    if (n != 1 || (*start != '{' && *start != '['))
        return text;
    json_t *value = NULL;
    if (json_parse(json_string_value(text), json_string_length(text), JSON_FOREIGN, &value, NULL))
        return text;
    return arena_keep_json(arena, value);
}
