#include "domain/base/json_scan.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A number with at most so many digits before the point and in the exponent fits into a double. */
enum { SAFE_DIGITS = 200, SAFE_EXPONENT_DIGITS = 2 };

static void find_flaw(struct json_scan *scan, enum json_verdict verdict)
{
    if (scan->verdict == JSON_SOUND)
        scan->verdict = verdict;
    scan->at = scan->end;
    scan->depth = 0;
}

void json_scan_begin(struct json_scan *scan, const char *text, size_t length)
{
    static const char bom[] = "\xEF\xBB\xBF";
    *scan = (struct json_scan){ .at = text, .end = text + length };
    if (length >= strlen(bom) && memcmp(text, bom, strlen(bom)) == 0)
        scan->at += strlen(bom);
}

char json_scan_peek(struct json_scan *scan)
{
    while (scan->at < scan->end &&
           (*scan->at == ' ' || *scan->at == '\n' || *scan->at == '\r' || *scan->at == '\t'))
        scan->at++;
    return scan->at < scan->end ? *scan->at : '\0';
}

static bool is_in_object(const struct json_scan *scan)
{
    unsigned level = scan->depth - 1;
    return scan->objects[level / 64] >> level % 64 & 1;
}

bool json_scan_enter(struct json_scan *scan, char bracket)
{
    if (json_scan_peek(scan) != bracket)
        return false;
    if (scan->depth == JSON_MAX_DEPTH) {
        find_flaw(scan, JSON_TOO_DEEP);
        return false;
    }
    uint64_t bit = UINT64_C(1) << scan->depth % 64, *word = &scan->objects[scan->depth / 64];
    *word = bracket == '{' ? *word | bit : *word & ~bit;
    scan->depth++;
    scan->at++;
    scan->is_first = true;
    return true;
}

bool json_scan_element(struct json_scan *scan)
{
    char next = json_scan_peek(scan);
    if (!scan->depth)
        return false;
    if (next == (is_in_object(scan) ? '}' : ']')) {
        scan->at++;
        scan->depth--;
        scan->is_first = false;
        return false;
    }
    if (!scan->is_first && next != ',') {
        find_flaw(scan, JSON_MALFORMED);
        return false;
    }
    scan->at += !scan->is_first;
    scan->is_first = false;
    return true;
}

static bool walk_string(struct json_scan *scan, bool is_key)
{
    const char *behind = scan->end;
    enum json_verdict verdict = json_string_find_end(scan->at, scan->end, is_key, &behind);
    if (verdict != JSON_SOUND)
        find_flaw(scan, verdict);
    else
        scan->at = behind;
    return verdict == JSON_SOUND;
}

bool json_scan_member(struct json_scan *scan, struct json_slice *out_key)
{
    if (!json_scan_element(scan))
        return false;
    bool is_string = json_scan_peek(scan) == '"';
    const char *from = scan->at;
    if (is_string && !walk_string(scan, true))
        return false;
    const char *to = scan->at;
    if (!is_string || json_scan_peek(scan) != ':') {
        find_flaw(scan, JSON_MALFORMED);
        return false;
    }
    scan->at++;
    *out_key = (struct json_slice){ from, (size_t)(to - from) };
    return true;
}

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at;
}

/* A number that no double can hold is refused, whether its exponent or its length makes it so. */
static bool is_beyond_doubles(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (!copy)
        abort();
    memcpy(copy, text, length);
    copy[length] = '\0';
    double number = strtod(copy, NULL);
    free(copy);
    return isinf(number);
}

static void walk_number(struct json_scan *scan)
{
    const char *end = scan->end, *from = scan->at, *at = from + (*from == '-');
    const char *whole = at;
    at = skip_digits(whole, end);
    size_t n_whole = (size_t)(at - whole), n_exponent = 0;
    bool is_sound = n_whole == 1 || (n_whole && *whole != '0');
    if (at < end && *at == '.') {
        const char *fraction = at + 1;
        at = skip_digits(fraction, end);
        is_sound = is_sound && at > fraction;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        const char *exponent = at + (at < end && (*at == '+' || *at == '-'));
        at = skip_digits(exponent, end);
        n_exponent = (size_t)(at - exponent);
        is_sound = is_sound && n_exponent;
    }
    bool may_be_huge = n_whole > SAFE_DIGITS || n_exponent > SAFE_EXPONENT_DIGITS;
    if (!is_sound || (may_be_huge && is_beyond_doubles(from, (size_t)(at - from))))
        find_flaw(scan, JSON_MALFORMED);
    else
        scan->at = at;
}

static void walk_word(struct json_scan *scan, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(scan->end - scan->at) < length || memcmp(scan->at, word, length) != 0)
        find_flaw(scan, JSON_MALFORMED);
    else
        scan->at += length;
}

/* A whole string, number or word; of an object or array its bracket, which is entered. */
static void begin_value(struct json_scan *scan)
{
    char next = json_scan_peek(scan);
    if (next == '"')
        (void)walk_string(scan, false);
    else if (next == '{' || next == '[')
        (void)json_scan_enter(scan, next);
    else if (next == '-' || (next >= '0' && next <= '9'))
        walk_number(scan);
    else
        walk_word(scan, next == 't' ? "true" : next == 'f' ? "false" : "null");
}

void json_scan_value(struct json_scan *scan, struct json_slice *out)
{
    struct json_slice key;
    unsigned outside = scan->depth;
    (void)json_scan_peek(scan);
    const char *from = scan->at;
    begin_value(scan);
    while (scan->depth > outside)
        if (is_in_object(scan) ? json_scan_member(scan, &key) : json_scan_element(scan))
            begin_value(scan);
    if (scan->verdict == JSON_SOUND)
        *out = (struct json_slice){ from, (size_t)(scan->at - from) };
}

enum json_verdict json_scan_end(struct json_scan *scan)
{
    if (json_scan_peek(scan) || scan->at < scan->end)
        find_flaw(scan, JSON_MALFORMED);
    return scan->verdict;
}

struct json_slice json_slice_member(struct json_slice object, const char *key)
{
    struct json_scan scan;
    struct json_slice found = { 0 }, name, other;
    json_scan_begin(&scan, object.text, object.length);
    if (json_scan_enter(&scan, '{'))
        while (json_scan_member(&scan, &name))
            json_scan_value(&scan, json_string_is(name, key) ? &found : &other);
    return found;
}
