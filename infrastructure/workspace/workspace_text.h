/* Foreign bytes on their way into JSON, and what tools count in them. Pure functions. */
#ifndef INFRASTRUCTURE_WORKSPACE_WORKSPACE_TEXT_H
#define INFRASTRUCTURE_WORKSPACE_WORKSPACE_TEXT_H

#include "domain/base/buf.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* A JSON string; each invalid byte and U+0000 become U+FFFD, and *was_changed is set then (it is
 * never cleared; may be NULL). */
json_t *workspace_json_text(const char *bytes, size_t length, bool *was_changed);

/* True for what no person reads: a NUL byte near the beginning. */
bool workspace_is_binary(const char *bytes, size_t length);

struct text_counts {
    size_t lines; /* a last line without a newline counts */
    size_t words, characters, bytes;
    bool has_invalid_utf8;
};
struct text_counts workspace_count(const char *bytes, size_t length);

/* The bytes of lines first..last (from 1; last 0 = to the end). *out_length is 0 beyond the end. */
const char *workspace_lines(const char *bytes, size_t length, size_t first, size_t last,
                            size_t *out_length);

/* The number of the line that holds the byte at `offset`, from 1. */
size_t workspace_line_of(const char *bytes, size_t offset);

#endif
