#include "domain/base/text.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include <utf8proc.h>

bool text_equal(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

int text_find(const char *text, const char *const *words, size_t n)
{
    for (size_t i = 0; text && i < n; i++)
        if (strcmp(words[i], text) == 0)
            return (int)i;
    return -1;
}

bool text_starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool text_ends_with(const char *text, const char *suffix)
{
    size_t length = strlen(text), tail = strlen(suffix);
    return length >= tail && memcmp(text + length - tail, suffix, tail) == 0;
}

size_t text_utf8_next(const char *bytes, size_t length, uint32_t *out_code)
{
    static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
    if (!length)
        return 0;
    unsigned char first = (unsigned char)bytes[0];
    size_t size = first < 0x80   ? 1
                  : first < 0xC2 ? 0
                  : first < 0xE0 ? 2
                  : first < 0xF0 ? 3
                  : first < 0xF5 ? 4
                                 : 0;
    if (!size || size > length)
        return 0;
    uint32_t code = size == 1 ? first : (uint32_t)(first & (0x7F >> size));
    for (size_t i = 1; i < size; i++) {
        unsigned char next = (unsigned char)bytes[i];
        if ((next & 0xC0) != 0x80)
            return 0;
        code = code << 6 | (next & 0x3F);
    }
    if (code < smallest[size] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        return 0;
    if (out_code)
        *out_code = code;
    return size;
}

bool text_is_utf8(const char *bytes, size_t length)
{
    for (size_t at = 0; at < length;) {
        size_t size = text_utf8_next(bytes + at, length - at, NULL);
        if (!size)
            return false;
        at += size;
    }
    return true;
}

size_t text_code_points(const char *bytes, size_t length)
{
    size_t n = 0;
    for (size_t at = 0; at < length; n++) {
        size_t size = text_utf8_next(bytes + at, length - at, NULL);
        at += size ? size : 1;
    }
    return n;
}

static unsigned code_columns(uint32_t code)
{
    bool is_known = code >= 0x80 && utf8proc_category((int32_t)code) != UTF8PROC_CATEGORY_CN &&
                    utf8proc_category((int32_t)code) != UTF8PROC_CATEGORY_CC;
    return is_known ? (unsigned)utf8proc_charwidth((int32_t)code) : 1;
}

size_t text_columns(const char *text)
{
    size_t columns = 0, length = strlen(text);
    for (size_t at = 0; at < length;) {
        uint32_t code = '?';
        size_t size = text_utf8_next(text + at, length - at, &code);
        columns += code_columns(code);
        at += size ? size : 1;
    }
    return columns;
}

size_t text_cut_columns(const char *text, size_t max_columns)
{
    size_t columns = 0, length = strlen(text), at = 0;
    while (at < length) {
        uint32_t code = '?';
        size_t size = text_utf8_next(text + at, length - at, &code);
        columns += code_columns(code);
        if (columns > max_columns)
            break;
        at += size ? size : 1;
    }
    return at;
}

size_t text_cut(const char *bytes, size_t length, size_t max_bytes)
{
    if (length <= max_bytes)
        return length;
    size_t at = max_bytes;
    while (at && ((unsigned char)bytes[at] & 0xC0) == 0x80)
        at--;
    return at;
}

size_t text_fold(const char *text, size_t max_bytes)
{
    size_t length = strlen(text), cut = text_cut(text, length, max_bytes);
    for (size_t at = cut; cut < length && at > max_bytes / 2; at--)
        if (text[at - 1] == ' ')
            return at;
    return cut;
}

void text_trim_broken_end(char *text)
{
    size_t length = strlen(text), at = length;
    while (at && length - at < 4 && ((unsigned char)text[at - 1] & 0xC0) == 0x80)
        at--;
    if (at && (unsigned char)text[at - 1] >= 0xC0 &&
        !text_utf8_next(text + at - 1, length - at + 1, NULL))
        text[at - 1] = '\0';
}

bool text_is_listed(const char *list, const char *word, size_t length)
{
    for (const char *at = list; length && (at = strchr(at, ' ')) && at[1]; at++)
        if (((at[1] ^ *word) & ~0x20) == 0 && strncasecmp(at + 1, word, length) == 0 &&
            at[1 + length] == ' ')
            return true;
    return false;
}

const char *text_with_single_blanks(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_strndup(arena, text, length), *to = copy;
    for (const char *at = copy; *at; at++) {
        bool is_blank = isspace((unsigned char)*at);
        if (!is_blank)
            *to++ = *at;
        else if (to > copy && to[-1] != ' ')
            *to++ = ' ';
    }
    *to = '\0';
    return copy;
}

/* Matches one bracket expression at *glob against c and moves *glob behind it. */
static bool bracket_matches(const char **glob, char c)
{
    const char *p = *glob + 1;
    bool negated = *p == '!' || *p == '^', found = false;
    p += negated;
    for (bool first = true; *p && (first || *p != ']'); first = false) {
        char low = *p++, high = low;
        if (*p == '-' && p[1] && p[1] != ']') {
            high = p[1];
            p += 2;
        }
        found = found || (c >= low && c <= high);
    }
    *glob = *p ? p + 1 : p;
    return found != negated;
}

bool text_matches_glob(const char *glob, const char *text)
{
    const char *retry_glob = NULL, *retry_text = NULL;
    while (*text) {
        const char *next = glob;
        bool matched;
        if (*glob == '*') {
            retry_glob = ++glob;
            retry_text = text;
            continue;
        }
        if (*glob == '[' && strchr(glob + 1, ']')) {
            matched = bracket_matches(&next, *text);
        } else {
            if (*glob == '\\' && glob[1])
                next++;
            matched = *glob == '?' || *next == *text;
            next += *glob != '\0';
        }
        if (matched && *glob) {
            glob = next;
            text++;
        } else if (retry_glob) {
            glob = retry_glob;
            text = ++retry_text;
        } else {
            return false;
        }
    }
    while (*glob == '*')
        glob++;
    return *glob == '\0';
}

bool text_to_int64(const char *text, int64_t *out_value)
{
    if (!*text || strspn(text, "+-0123456789") != strlen(text))
        return false;
    char *end = NULL;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno || *end)
        return false;
    *out_value = value;
    return true;
}

bool text_to_double(const char *text, double *out_value)
{
    if (!*text || strspn(text, "+-.0123456789eE") != strlen(text))
        return false;
    char *end = NULL;
    double value = strtod(text, &end);
    if (*end || !isfinite(value))
        return false;
    *out_value = value;
    return true;
}

const char *text_grouped(struct arena *arena, size_t number)
{
    if (number < 1000)
        return arena_printf(arena, "%zu", number);
    return arena_printf(arena, "%s,%03zu", text_grouped(arena, number / 1000), number % 1000);
}
