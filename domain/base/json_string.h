/* A string as it stands in JSON text: found sound without being copied, and decoded once, where it
 * is used. Long text from a server is never more than such a slice until it is printed.
 *
 * Sixteen bytes at a time are looked at for whatever is not plain (a quote, a backslash, a control
 * character, anything beyond ASCII), so plain text is passed at the speed of memory. */
#ifndef DOMAIN_BASE_JSON_STRING_H
#define DOMAIN_BASE_JSON_STRING_H

#include "domain/base/attributes.h"
#include "domain/base/buf.h"
#include <stdbool.h>
#include <stddef.h>

/* The text of one value within a larger text, without blanks around it; a string has its quotes.
 * Borrowed. Zeroed when there is no value. */
struct json_slice {
    const char *text;
    size_t length;
};

enum json_verdict {
    JSON_SOUND,
    /* Bad UTF-8, half a surrogate pair, or U+0000 in a key, which json_parse_foreign replaces. */
    JSON_NEEDS_REPAIR,
    JSON_TOO_DEEP, /* more than JSON_MAX_DEPTH levels */
    JSON_MALFORMED,
};

/* Finds the end of the string whose opening quote is at `at`: *out_end is behind the closing one.
 * A key that holds U+0000 needs repair. */
MUST_CHECK
enum json_verdict json_string_find_end(const char *at, const char *end, bool is_key,
                                       const char **out_end);

/* Behind the plain bytes that are at `at`. */
const char *json_string_skip_plain(const char *at, const char *end);

/* The functions below are for slices that were found sound. */

static inline bool json_slice_is_string(struct json_slice slice)
{
    return slice.length && *slice.text == '"';
}
/* Whether it is this string; text has no U+0000. False when the slice is not a string. */
bool json_string_is(struct json_slice string, const char *text);
/* Appends what it says. False when the buffer is full. */
MUST_CHECK
bool json_string_append(struct buf *out, struct json_slice string);

/* Reads a string in pieces, for callers that do not need all of it at once. */
struct json_string_reader {
    const char *at, *end; /* of what was not read yet, between the quotes */
};
struct json_string_reader json_string_read(struct json_slice string);
/* Decodes the next whole characters into at most `room` bytes, which are at least 4; no NUL is
 * added. 0 at the end. */
size_t json_string_next(struct json_string_reader *reader, char *out, size_t room);

#endif
