/* Text to value, the fast way: what the scanner finds sound becomes jansson's values in the same
 * walk. jansson's own parser takes every byte through several functions and reads long strings at
 * an eighth of the speed; it is left with what is not sound, which has to be explained or repaired,
 * and with what is rare. Used by json.c, and by the fuzz target that holds the two against each
 * other. */
#ifndef DOMAIN_BASE_JSON_BUILD_H
#define DOMAIN_BASE_JSON_BUILD_H

#include "domain/base/json.h"

/* Owned by the caller. NULL: the text is not sound, holds what is left to jansson (a number of very
 * many digits, and with JSON_OURS a duplicate key), or has more than max_values values, counted as
 * json_parse_message does. */
json_t *json_build(const char *text, size_t length, enum json_source source, size_t max_values);

/* What json_parse does with text that json_build does not read; it reads all other text as well. */
MUST_CHECK
enum err_code json_parse_by_jansson(const char *text, size_t length, enum json_source source,
                                    size_t max_values, json_t **out_value, bool *out_repaired,
                                    struct err *err);

#endif
