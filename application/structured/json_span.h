/* Where a JSON value stands in other text, found by its brackets; strings and escapes respected.
 * Nothing is parsed here. Pure. */
#ifndef APPLICATION_STRUCTURED_JSON_SPAN_H
#define APPLICATION_STRUCTURED_JSON_SPAN_H

#include <stdbool.h>

const char *json_span_skip_blanks(const char *at, const char *end);
/* The next opening bracket, or the end. */
const char *json_span_find_bracket(const char *at, const char *end);
/* Whether a bracket begins a value or is part of prose ("a { brace", "[sic]"). Names in single or
 * typographic quotation marks count: they can be mended. */
bool json_span_begins(const char *at, const char *end);
/* The end of the value whose opening bracket is at `at`; NULL when the text ends before it. */
const char *json_span_end(const char *at, const char *end);

#endif
