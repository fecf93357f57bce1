/* Reading YAML into values with their places: yaml_read.c for yaml_documents.c. */
#ifndef INFRASTRUCTURE_CONFIG_YAML_INTERNAL_H
#define INFRASTRUCTURE_CONFIG_YAML_INTERNAL_H

#include "domain/base/err.h"
#include <jansson.h>

#define DOCUMENT_MAX_BYTES (4 * 1048576)
#define DOCUMENT_MAX_VALUES 200000 /* with every alias counted as what it stands for */

/* Reads one document; an empty text is null. Both outputs are owned by the caller. places mirrors
 * the value: [line, column, children], children as an object or array of the same. */
MUST_CHECK
enum err_code yaml_read(const char *text, size_t length, json_t **out_value, json_t **out_places,
                        struct err *err);

/* What a plain scalar is in the core schema of YAML 1.2: null, true, 12, 0x1f, 0o17, 1.5e3; the
 * rest is text (yes, no, 1:30 as well). NULL for .inf and .nan, which JSON does not have. Owned by
 * the caller. */
json_t *yaml_scalar_value(const char *text, size_t length);

#endif
