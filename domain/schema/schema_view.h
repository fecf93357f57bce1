/* Looking into a JSON Schema without evaluating anything: which members a value of it has and of
 * which types they can be. For messages, signatures and the check of references; whether a value
 * fits is decided by json_schema.h alone. References within the document are followed. Pure. */
#ifndef DOMAIN_SCHEMA_SCHEMA_VIEW_H
#define DOMAIN_SCHEMA_SCHEMA_VIEW_H

#include "domain/base/arena.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define SCHEMA_VIEW_MAX_HOPS 16

enum schema_answer {
    SCHEMA_HAS,     /* and this is its schema */
    SCHEMA_UNKNOWN, /* the schema does not say */
    SCHEMA_LACKS,
};

/* The schema itself, or what its local "$ref" leads to; NULL when that is nowhere. */
const json_t *schema_view_resolve(const json_t *root, const json_t *schema);
/* A schema that lists properties and says nothing of others is taken to mean that there are no
 * others: servers that leave additionalProperties out list what they have. */
enum schema_answer schema_view_member(const json_t *root, const json_t *schema, const char *name,
                                      const json_t **out_schema);
enum schema_answer schema_view_element(const json_t *root, const json_t *schema, size_t index,
                                       const json_t **out_schema);
/* The schema of the value that a JSON Pointer names in `value`; NULL when it is not known. */
const json_t *schema_view_at(const json_t *root, const json_t *value, const char *path);

bool schema_view_requires(const json_t *schema, const char *name);
/* Where anyOf wants one of several members, as in {"anyOf": [{"required": ["path"]}, …]}, and the
 * values have none of them: the first. NULL: nothing is lacking. */
const char *schema_view_lacks_one_of(const json_t *schema, const json_t *values);
/* False only when both schemas say their types and no type is in both. */
bool schema_view_types_meet(const json_t *root_a, const json_t *a, const json_t *root_b,
                            const json_t *b);
/* "string", "integer or null", "one of a, b"; for sentences. In the arena. */
const char *schema_view_type_text(struct arena *arena, const json_t *root, const json_t *schema);

#endif
