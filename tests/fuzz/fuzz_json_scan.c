/* The scanner beside jansson: both accept and refuse the same bytes, what is sound was not
 * repaired, and every key, string and number stands where the walk says and decodes to what jansson
 * read. What is built in such a walk is what jansson makes. */
#include "domain/base/json.h"
#include "domain/base/json_scan.h"
#include "tests/fuzz/fuzz.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void insist(bool holds)
{
    if (!holds)
        abort();
}

static char *decode(struct json_slice string)
{
    AUTO(buf) text;
    buf_init(&text, string.length + 2);
    insist(json_string_append(&text, string));
    struct json_string_reader reader = json_string_read(string);
    char piece[7];
    size_t at = 0, n;
    while ((n = json_string_next(&reader, piece, sizeof piece))) {
        insist(n <= text.length - at && memcmp(text.bytes + at, piece, n) == 0);
        at += n;
    }
    insist(at == text.length);
    return buf_take(&text);
}

static void compare_scalar(struct json_slice slice, const json_t *value)
{
    json_t *alone = NULL;
    if (json_is_string(value)) {
        auto_str text = decode(slice);
        insist(memcmp(text ? text : "", json_string_value(value), json_string_length(value)) == 0);
        return;
    }
    /* Beside an integer beyond 64 bits the others are reals as well. */
    insist(json_parse(slice.text, slice.length, JSON_FOREIGN, &alone, NULL) == ERR_NONE);
    insist(json_is_number(value) ? json_number_value(alone) == json_number_value(value)
                                 : json_typeof(alone) == json_typeof(value));
    json_decref(alone);
}

static void compare(struct json_scan *scan, const json_t *value);

/* Of duplicate keys only the last is in the object. */
static void compare_object(struct json_scan *scan, const json_t *object)
{
    struct json_slice key, slice;
    while (json_scan_member(scan, &key)) {
        auto_str name = decode(key);
        json_t *member = json_object_get(object, name ? name : "");
        insist(member && json_string_is(key, name ? name : ""));
        json_scan_value(scan, &slice);
        struct json_slice last = slice;
        struct json_scan rest = *scan;
        while (json_scan_member(&rest, &key)) {
            json_scan_value(&rest, &slice);
            if (json_string_is(key, name ? name : ""))
                last = slice;
        }
        struct json_scan inner;
        json_scan_begin(&inner, last.text, last.length);
        compare(&inner, member);
    }
}

static void compare(struct json_scan *scan, const json_t *value)
{
    struct json_slice slice;
    size_t i = 0;
    if (json_scan_enter(scan, '{')) {
        insist(json_is_object(value));
        compare_object(scan, value);
    } else if (json_scan_enter(scan, '[')) {
        for (; json_scan_element(scan); i++)
            compare(scan, json_array_get(value, i));
        insist(json_is_array(value) && json_array_size(value) == i);
    } else {
        json_scan_value(scan, &slice);
        compare_scalar(slice, value);
    }
}

static void compare_built(const char *text, size_t size, bool is_sound, const json_t *parsed)
{
    json_auto_t *built = json_build(text, size, JSON_FOREIGN, SIZE_MAX);
    json_auto_t *ours = json_build(text, size, JSON_OURS, SIZE_MAX), *parsed_ours = NULL;
    bool repaired;
    insist(!built || (is_sound && json_equal(built, parsed)));
    insist(!ours || (json_parse_by_jansson(text, size, JSON_OURS, SIZE_MAX, &parsed_ours, &repaired,
                                           NULL) == ERR_NONE &&
                     json_equal(ours, parsed_ours)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST_TO_COMPARE = 512 }; /* members are walked again for every other */
    const char *text = (const char *)data;
    struct json_scan scan;
    struct json_slice all = { 0 };
    json_t *value = NULL;
    bool repaired = false;
    json_scan_begin(&scan, text, size);
    json_scan_value(&scan, &all);
    enum json_verdict verdict = json_scan_end(&scan);
    enum err_code r =
        json_parse_by_jansson(text, size, JSON_FOREIGN, SIZE_MAX, &value, &repaired, NULL);
    if (verdict == JSON_SOUND)
        insist(r == ERR_NONE && !repaired);
    else if (verdict == JSON_NEEDS_REPAIR)
        insist(r != ERR_NONE || repaired);
    else
        insist(r != ERR_NONE);
    compare_built(text, size, verdict == JSON_SOUND, value);
    if (verdict == JSON_SOUND && size <= MOST_TO_COMPARE) {
        json_scan_begin(&scan, all.text, all.length);
        compare(&scan, value);
        insist(json_scan_end(&scan) == JSON_SOUND);
    }
    json_decref(value);
    return 0;
}
