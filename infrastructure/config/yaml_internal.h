/* Reading YAML into values with their places: yaml_read.c for yaml_documents.c. */
#ifndef INFRASTRUCTURE_CONFIG_YAML_INTERNAL_H
#define INFRASTRUCTURE_CONFIG_YAML_INTERNAL_H

#include "domain/base/err.h"
#include "domain/base/problem.h"
#include <jansson.h>

#define DOCUMENT_MAX_BYTES (4 * 1048576)
#define DOCUMENT_MAX_VALUES 200000 /* with every alias counted as what it stands for */

/* Reads one document; an empty text is null. Both outputs are owned by the caller. places mirrors
 * the value: [place, children, place of the key], children as an object or array of the same, null
 * or absent where there are none; a place is its line in the upper 32 bits and its column below.
 * With problems every fault is one, and of duplicate keys, which end nothing then, the first
 * counts. */
MUST_CHECK
enum err_code yaml_read(const char *text, size_t length, struct problems *problems,
                        json_t **out_value, json_t **out_places, struct err *err);
/* The places of a text that was read as JSON, of which it is the value; owned by the caller. */
json_t *json_places(const char *text, const json_t *value);
/* The entries of places; children is stolen and may be NULL. */
json_t *yaml_place(size_t line, size_t column, json_t *children);
void yaml_place_set_key(json_t *place, size_t line, size_t column);

/* What a plain scalar is in the core schema of YAML 1.2: null, true, 12, 0x1f, 0o17, 1.5e3; the
 * rest is text (yes, no, 1:30 as well). NULL for .inf and .nan, which JSON does not have. Owned by
 * the caller. */
json_t *yaml_scalar_value(const char *text, size_t length);

#endif
