#include "infrastructure/mcp/wire/jsonrpc.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <limits.h>
#include <math.h>
#include <string.h>

#define MESSAGE_MAX_COLUMNS 200
#define MAX_ID_BYTES 64              /* no id of ours is longer, however it is written */
#define MAX_EXACT 9007199254740992.0 /* 2^53: whole numbers up to here are exact in a double */

struct jsonrpc_message jsonrpc_classify(json_t *value)
{
    struct jsonrpc_message message = { .kind = JSONRPC_JUNK };
    if (!json_is_object(value) || !json_object_get(value, "jsonrpc"))
        return message;
    json_t *method = json_object_get(value, "method"), *params = json_object_get(value, "params");
    message.id = json_object_get(value, "id");
    message.params = json_is_object(params) ? params : NULL;
    if (json_is_string(method) && !json_string_has_nul(method)) {
        message.method = json_string_value(method);
        message.kind = message.id ? JSONRPC_REQUEST : JSONRPC_NOTIFICATION;
        return message;
    }
    message.error = json_object_get(value, "error");
    message.result = json_object_get(value, "result");
    if (method)
        return message;
    if (json_is_object(message.error))
        message.kind = JSONRPC_ERROR;
    else if (message.result && message.id)
        message.kind = JSONRPC_RESULT;
    return message;
}

static bool read_text_id(const char *text, struct jsonrpc_id *out_id)
{
    int64_t number;
    if (!text_starts_with(text, "era-") || !text_to_int64(text + 4, &number))
        return false;
    *out_id = (struct jsonrpc_id){ .number = number, .is_text = true };
    return true;
}

bool jsonrpc_read_whole(const json_t *value, int64_t *out_number)
{
    double real = json_real_value(value);
    bool is_whole = json_is_real(value) && real == floor(real) && fabs(real) <= MAX_EXACT;
    if (!is_whole && !json_is_integer(value))
        return false;
    *out_number = is_whole ? (int64_t)real : json_integer_value(value);
    return true;
}

bool jsonrpc_read_id(const json_t *id, struct jsonrpc_id *out_id)
{
    if (json_is_string(id))
        return read_text_id(json_string_value(id), out_id);
    *out_id = (struct jsonrpc_id){ 0 };
    return jsonrpc_read_whole(id, &out_id->number);
}

static bool read_id_text(const char *text, size_t length, struct jsonrpc_id *out_id)
{
    char copy[32];
    bool is_string = length >= 2 && text[0] == '"' && text[length - 1] == '"';
    if (is_string) {
        text++;
        length -= 2;
    }
    if (length == 0 || length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (is_string)
        return read_text_id(copy, out_id);
    *out_id = (struct jsonrpc_id){ 0 };
    return text_to_int64(copy, &out_id->number);
}

/* The last `"id":` of the text with the number or string behind it: for text in which members can
 * no longer be told apart. */
static bool find_last_id(const char *text, size_t length, struct jsonrpc_id *out_id)
{
    static const char key[] = "\"id\":";
    const char *found = NULL, *at = text, *end = text + length;
    while ((at = memmem(at, (size_t)(end - at), key, sizeof key - 1)))
        found = at += sizeof key - 1;
    if (!found)
        return false;
    size_t size = 0;
    while (found + size < end && !strchr(",}] \t\r\n", found[size]))
        size++;
    return read_id_text(found, size, out_id);
}

bool jsonrpc_salvage_id(const char *text, size_t length, struct jsonrpc_id *out_id)
{
    const char *id;
    size_t id_length;
    if (!memmem(text, length, "\"jsonrpc\"", 9) ||
        (!memmem(text, length, "\"result\"", 8) && !memmem(text, length, "\"error\"", 7)))
        return false;
    if (json_member_text(text, length, "id", &id, &id_length))
        return read_id_text(id, id_length, out_id);
    return find_last_id(text, length, out_id);
}

static struct json_slice *slot_of(struct jsonrpc_outline *outline, struct json_slice key,
                                  struct json_slice *other)
{
    if (json_string_is(key, "jsonrpc"))
        return &outline->version;
    if (json_string_is(key, "id"))
        return &outline->id;
    if (json_string_is(key, "method"))
        return &outline->method;
    if (json_string_is(key, "params"))
        return &outline->params;
    return json_string_is(key, "error") ? &outline->error : other;
}

enum json_verdict jsonrpc_scan(const char *text, size_t length, struct jsonrpc_outline *out)
{
    struct json_scan scan;
    struct json_slice key, other;
    *out = (struct jsonrpc_outline){ 0 };
    json_scan_begin(&scan, text, length);
    if (!json_scan_enter(&scan, '{')) {
        json_scan_value(&scan, &other);
        return json_scan_end(&scan);
    }
    while (json_scan_member(&scan, &key)) {
        if (json_string_is(key, "result"))
            result_outline_scan(&scan, &out->result);
        else
            json_scan_value(&scan, slot_of(out, key, &other));
    }
    return json_scan_end(&scan);
}

bool jsonrpc_is_result(const struct jsonrpc_outline *outline)
{
    bool is_error = outline->error.length && *outline->error.text == '{';
    return outline->version.length && outline->id.length && outline->result.text.length &&
           !outline->method.length && !is_error;
}

bool jsonrpc_scan_id(struct json_slice id, struct jsonrpc_id *out_id)
{
    json_auto_t *value = NULL;
    if (id.length > MAX_ID_BYTES)
        return false;
    if (read_id_text(id.text, id.length, out_id))
        return true;
    return !json_parse(id.text, id.length, JSON_FOREIGN, &value, NULL) &&
           jsonrpc_read_id(value, out_id);
}

bool jsonrpc_append_head(struct buf *out, struct jsonrpc_id id, const char *method)
{
    return buf_puts(out, "{\"jsonrpc\":\"2.0\",\"id\":") &&
           (!id.is_text || buf_puts(out, "\"era-")) && buf_append_integer(out, id.number) &&
           buf_puts(out, id.is_text ? "\",\"method\":\"" : ",\"method\":\"") &&
           buf_puts(out, method) && buf_puts(out, "\"");
}

static bool append_escape(struct buf *out, unsigned char c)
{
    switch (c) {
    case '"':
        return buf_puts(out, "\\\"");
    case '\\':
        return buf_puts(out, "\\\\");
    case '\n':
        return buf_puts(out, "\\n");
    case '\t':
        return buf_puts(out, "\\t");
    default:
        return buf_printf(out, "\\u%04x", c);
    }
}

bool jsonrpc_append_string(struct buf *out, const char *text)
{
    bool fits = buf_puts(out, "\"");
    while (fits && *text) {
        size_t plain = 0;
        while ((unsigned char)text[plain] >= 0x20 && text[plain] != '"' && text[plain] != '\\')
            plain++;
        fits = buf_append(out, text, plain);
        text += plain;
        if (fits && *text)
            fits = append_escape(out, (unsigned char)*text++);
    }
    return fits && buf_puts(out, "\"");
}

bool jsonrpc_append_json(struct buf *out, const json_t *value)
{
    auto_str text = json_print(value);
    return buf_puts(out, text);
}

bool jsonrpc_append_request(struct buf *out, struct jsonrpc_id id, const char *method,
                            const json_t *params)
{
    return jsonrpc_append_head(out, id, method) &&
           (!params || (buf_puts(out, ",\"params\":") && jsonrpc_append_json(out, params))) &&
           buf_puts(out, "}\n");
}

bool jsonrpc_append_notification(struct buf *out, const char *method, const json_t *params)
{
    return buf_puts(out, "{\"jsonrpc\":\"2.0\",\"method\":") &&
           jsonrpc_append_string(out, method) &&
           (!params || (buf_puts(out, ",\"params\":") && jsonrpc_append_json(out, params))) &&
           buf_puts(out, "}\n");
}

static bool append_id(struct buf *out, const json_t *id)
{
    return buf_puts(out, "{\"jsonrpc\":\"2.0\",\"id\":") &&
           (id ? jsonrpc_append_json(out, id) : buf_puts(out, "null"));
}

bool jsonrpc_append_result(struct buf *out, const json_t *id, const char *result, size_t length)
{
    return append_id(out, id) && buf_puts(out, ",\"result\":") && buf_append(out, result, length) &&
           buf_puts(out, "}\n");
}

bool jsonrpc_append_error(struct buf *out, const json_t *id, int code, const char *message,
                          const json_t *data)
{
    return append_id(out, id) && buf_printf(out, ",\"error\":{\"code\":%d,\"message\":", code) &&
           jsonrpc_append_string(out, message) &&
           (!data || (buf_puts(out, ",\"data\":") && jsonrpc_append_json(out, data))) &&
           buf_puts(out, "}}\n");
}

int jsonrpc_error_code(const json_t *error)
{
    int64_t code = json_get_int(error, "code", 0);
    return code < INT_MIN || code > INT_MAX ? 0 : (int)code;
}

static enum err_code decide(int code)
{
    switch (code) {
    case JSONRPC_INVALID_PARAMS:
        return ERR_INVALID;
    case JSONRPC_PARSE_ERROR:
    case JSONRPC_INVALID_REQUEST:
    case JSONRPC_METHOD_NOT_FOUND:
    case JSONRPC_UNSUPPORTED_VERSION:
        return ERR_PROTOCOL;
    default:
        return ERR_FAILED;
    }
}

/* What a server misses that says what it needs. */
static const char *missing_capability(const json_t *error)
{
    const json_t *data = json_object_get(error, "data");
    if (json_object_get(json_object_get(data, "requiredCapabilities"), "elicitation"))
        return "it asks a person something: call it on a terminal";
    return "it needs something of its client that mistro does not offer";
}

enum err_code jsonrpc_explain_error(const json_t *error, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    int code = jsonrpc_error_code(error);
    const json_t *message = json_object_get(error, "message");
    const char *said = "";
    if (json_is_string(message))
        said = text_one_line(&scratch, json_string_value(message), json_string_length(message),
                             MESSAGE_MAX_COLUMNS);
    enum err_code r = err_set(err, decide(code), code, "error %d: \"%s\"", code, said);
    if (code == JSONRPC_MISSING_CAPABILITY)
        err_hint(err, r, "%s", missing_capability(error));
    return r;
}
