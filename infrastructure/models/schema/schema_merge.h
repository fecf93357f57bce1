/* Two lowered schemas made one that both describe: siblings of alternatives, the parts of `allOf`,
 * what stands beside a reference. A lowered schema is either plain or nothing but {"anyOf":[…]},
 * since llama.cpp drops what stands beside it; the merged one is so again. Values are shared, not
 * copied: nobody changes a lowered schema. Pure. */
#ifndef INFRASTRUCTURE_MODELS_SCHEMA_SCHEMA_MERGE_H
#define INFRASTRUCTURE_MODELS_SCHEMA_SCHEMA_MERGE_H

#include <jansson.h>
#include <stddef.h>

/* Where both say something about the same, `second` counts. *budget is counted down by what is
 * made; where it is spent, what `second` demands is left out. Owned by the caller. */
json_t *schema_merge(const json_t *first, const json_t *second, size_t *budget);

/* Some engines want an object with properties at the root: alternatives become one object that
 * takes what any of them takes. NULL where that cannot be; else owned by the caller. */
json_t *schema_merge_alternatives(const json_t *schema);

#endif
