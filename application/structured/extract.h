/* Finds the one JSON value in what a model said: the whole text, else inside a code fence, else
 * the first balanced object or array, with strings and escapes respected. Pure. */
#ifndef APPLICATION_STRUCTURED_EXTRACT_H
#define APPLICATION_STRUCTURED_EXTRACT_H

#include "domain/base/attributes.h"
#include "domain/base/err.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum extract_kind { EXTRACT_NOTHING, EXTRACT_WHOLE, EXTRACT_FENCED, EXTRACT_BALANCED, EXTRACT_CUT };

/* *out (owned by the caller) is written for WHOLE, FENCED and BALANCED. CUT: a value began and the
 * text ended before it did; it is never closed by guessing (C4). */
enum extract_kind extract_json(const char *text, size_t length, json_t **out);

#endif
