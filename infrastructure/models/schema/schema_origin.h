/* Where a part of a lowered schema comes from: lowering follows references, merges `allOf`, writes
 * `anyOf` for `oneOf` and repeats what stands beside alternatives in each of them. Pure. */
#ifndef INFRASTRUCTURE_MODELS_SCHEMA_SCHEMA_ORIGIN_H
#define INFRASTRUCTURE_MODELS_SCHEMA_SCHEMA_ORIGIN_H

#include "domain/base/arena.h"

#define SCHEMA_ORIGIN_MAX_PLACES 64 /* looked at for one step of a path */

/* path: JSON Pointer in schema_lower(…, original). The pointer in the original, as deep as it can
 * be followed; in the arena. */
const char *schema_origin_path(struct arena *arena, const json_t *original, const char *path);

#endif
