/* The parts of lowering a schema (schema_lowering.h), private to this folder. All pure. */
#ifndef INFRASTRUCTURE_MODELS_SCHEMA_SCHEMA_LOWERING_INTERNAL_H
#define INFRASTRUCTURE_MODELS_SCHEMA_SCHEMA_LOWERING_INTERNAL_H

#include "domain/base/arena.h"
#include <jansson.h>
#include <stddef.h>

/* Two lowered schemas made one that both describe: siblings of alternatives, the parts of `allOf`,
 * what stands beside a reference. A lowered schema is either plain or nothing but {"anyOf":[…]},
 * since llama.cpp drops what stands beside it; so is the merged one. Values are shared, not copied:
 * a lowered schema is never changed. Where both say something about the same keyword, `second`
 * counts. *budget is counted down by what is made; where it is spent, what `second` demands is left
 * out. Owned by the caller. */
json_t *schema_merge(const json_t *first, const json_t *second, size_t *budget);

/* Some engines want an object with properties at the root: alternatives become one object that
 * takes what any of them takes. NULL where that cannot be; else owned by the caller. */
json_t *schema_merge_alternatives(const json_t *schema);

#define SCHEMA_PATTERN_MAX_BYTES 4096
#define SCHEMA_PATTERN_MAX_GROUPS 16   /* inside each other */
#define SCHEMA_PATTERN_MAX_LENGTH 2000 /* of what counted repetitions spell out */

/* A regular expression of a schema as engines of constrained decoding take it: anchored at both
 * ends, and of literals, classes, groups and quantifiers only. Where it says more, there is no
 * pattern (NULL): an engine would ignore it, refuse the schema, or (for a class that holds a
 * quotation mark, a backslash or a control character) write a string that is not JSON. Owned by the
 * caller. */
char *schema_pattern_lower(const char *pattern);

/* Removes pairs of bounds that leave nothing between them; changed in place. llama.cpp counts from
 * the lower to the upper one all the same and does not end before the memory of the machine does
 * (or, for integers, fails in the middle of the answer), so one careless tool would take the model
 * server down. The answer is checked against the original schema all the same. */
void schema_bounds_reconcile(json_t *schema);

/* The JSON Pointer of "#", "#/$defs/a" or "#/$defs/a%25b"; NULL for any other reference. */
const char *schema_reference_path(struct arena *arena, const char *reference);

#endif
