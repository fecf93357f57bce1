#include "infrastructure/workspace/workspace_text.h"
#include "domain/base/text.h"
#include <stdlib.h>
#include <string.h>

enum { BINARY_PROBE_BYTES = 8192 };

static const char replacement[] = "\xef\xbf\xbd";

json_t *workspace_json_text(const char *bytes, size_t length, bool *was_changed)
{
    if (text_is_utf8(bytes, length) && !memchr(bytes, '\0', length))
        return json_stringn_nocheck(bytes, length);
    if (was_changed)
        *was_changed = true;
    AUTO(buf) clean;
    buf_init(&clean, 3 * length + 1);
    bool fits = true;
    for (size_t i = 0; i < length && fits;) {
        size_t n = bytes[i] ? text_utf8_next(bytes + i, length - i, NULL) : 0;
        fits = n ? buf_append(&clean, bytes + i, n) : buf_puts(&clean, replacement);
        i += n ? n : 1;
    }
    return json_stringn_nocheck(buf_string(&clean), clean.length);
}

bool workspace_is_binary(const char *bytes, size_t length)
{
    return memchr(bytes, '\0', length < BINARY_PROBE_BYTES ? length : BINARY_PROBE_BYTES) != NULL;
}

struct text_counts workspace_count(const char *bytes, size_t length)
{
    struct text_counts counts = { .bytes = length };
    bool in_word = false;
    for (size_t i = 0; i < length; i++) {
        bool is_blank = strchr(" \t\r\n\v\f", bytes[i]) && bytes[i];
        counts.lines += bytes[i] == '\n';
        counts.words += !is_blank && !in_word;
        in_word = !is_blank;
    }
    counts.lines += length && bytes[length - 1] != '\n';
    counts.characters = text_code_points(bytes, length);
    counts.has_invalid_utf8 = !text_is_utf8(bytes, length);
    return counts;
}

/* Where the line after n newlines begins; the end when there are fewer. */
static const char *after_newlines(const char *at, const char *end, size_t n)
{
    while (n && at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
        n--;
    }
    return at;
}

const char *workspace_lines(const char *bytes, size_t length, size_t first, size_t last,
                            size_t *out_length)
{
    const char *end = bytes + length;
    const char *from = after_newlines(bytes, end, first ? first - 1 : 0);
    const char *to = last ? after_newlines(bytes, end, last) : end;
    *out_length = to > from ? (size_t)(to - from) : 0;
    return from;
}

size_t workspace_line_of(const char *bytes, size_t offset)
{
    size_t line = 1;
    for (size_t i = 0; i < offset; i++)
        line += bytes[i] == '\n';
    return line;
}
