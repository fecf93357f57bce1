#include "domain/base/json.h"
#include "domain/base/json_scan.h"
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX_BYTES 64

struct builder {
    struct json_scan scan;
    struct buf decoded; /* of the string at hand */
    bool refuses_duplicates;
    size_t values_left; /* until there are too many */
};

/* False when there is no room for n values more. */
static bool count(struct builder *builder, size_t n)
{
    bool fits = builder->values_left >= n;
    builder->values_left -= fits ? n : builder->values_left;
    return fits;
}

/* What a sound string says, mostly the text itself; valid until the next string is read. */
static struct json_slice read_string(struct builder *builder, struct json_slice string)
{
    if (!memchr(string.text, '\\', string.length))
        return (struct json_slice){ string.text + 1, string.length - 2 };
    buf_clear(&builder->decoded);
    (void)!json_string_append(&builder->decoded, string); /* the buffer has no bound */
    return (struct json_slice){ buf_string(&builder->decoded), builder->decoded.length };
}

/* NULL when 64 bits do not hold it. */
static json_t *make_integer(const char *digits)
{
    bool is_negative = *digits == '-';
    json_int_t number = 0;
    for (digits += is_negative; *digits; digits++) {
        json_int_t digit = *digits - '0';
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, is_negative ? -digit : digit, &number))
            return NULL;
    }
    return json_integer(number);
}

static json_t *make_number(struct json_slice slice)
{
    char text[NUMBER_MAX_BYTES];
    if (slice.length >= sizeof text)
        return NULL;
    memcpy(text, slice.text, slice.length);
    text[slice.length] = '\0';
    return text[strcspn(text, ".eE")] ? json_real(strtod(text, NULL)) : make_integer(text);
}

static json_t *make_scalar(struct builder *builder)
{
    struct json_slice slice = { 0 };
    json_scan_value(&builder->scan, &slice);
    if (!slice.length || !count(builder, 1))
        return NULL;
    switch (*slice.text) {
    case '"':
        slice = read_string(builder, slice);
        return json_stringn_nocheck(slice.text, slice.length);
    case 't':
        return json_true();
    case 'f':
        return json_false();
    case 'n':
        return json_null();
    default:
        return make_number(slice);
    }
}

static json_t *make_value(struct builder *builder);

static json_t *make_object(struct builder *builder)
{
    json_auto_t *object = json_object();
    struct json_slice key;
    while (json_scan_member(&builder->scan, &key)) {
        json_t *value = count(builder, 1) ? make_value(builder) : NULL;
        key = read_string(builder, key);
        if (value && builder->refuses_duplicates &&
            json_object_getn(object, key.text, key.length)) {
            json_decref(value);
            return NULL;
        }
        if (json_object_setn_new_nocheck(object, key.text, key.length, value))
            return NULL;
    }
    return json_incref(object);
}

static json_t *make_array(struct builder *builder)
{
    json_auto_t *array = json_array();
    while (json_scan_element(&builder->scan))
        if (json_array_append_new(array, make_value(builder)))
            return NULL;
    return json_incref(array);
}

/* As deep as the scanner goes, which is JSON_MAX_DEPTH. */
static json_t *make_value(struct builder *builder)
{
    if (json_scan_enter(&builder->scan, '{'))
        return count(builder, 2) ? make_object(builder) : NULL;
    if (json_scan_enter(&builder->scan, '['))
        return count(builder, 2) ? make_array(builder) : NULL;
    return make_scalar(builder);
}

json_t *json_build(const char *text, size_t length, enum json_source source, size_t max_values)
{
    struct builder builder = { .refuses_duplicates = source == JSON_OURS,
                               .values_left = max_values };
    json_scan_begin(&builder.scan, text, length);
    if (source == JSON_OURS && builder.scan.at != text)
        return NULL; /* ours have no BOM */
    buf_init(&builder.decoded, SIZE_MAX);
    json_t *value = make_value(&builder);
    if (value && json_scan_end(&builder.scan) != JSON_SOUND) {
        json_decref(value);
        value = NULL;
    }
    buf_finish(&builder.decoded);
    return value;
}
