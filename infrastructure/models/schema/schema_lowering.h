/* A schema in the subset that engines of constrained decoding really enforce: what llama.cpp turns
 * into a grammar, and vLLM, TGI and Ollama take as well.
 *
 * What they would refuse or silently ignore is rewritten or left out: unknown keywords and types,
 * true and false as schemas, references (inlined), alternatives beside properties, patterns and
 * bounds they cannot count. The lowered schema accepts at least what the original accepts wherever
 * something is left out, but for members that an object does not name: those are taken only where
 * the original says so. Answers are held against the original afterwards. Pure. */
#ifndef INFRASTRUCTURE_MODELS_SCHEMA_SCHEMA_LOWERING_H
#define INFRASTRUCTURE_MODELS_SCHEMA_SCHEMA_LOWERING_H

#include "domain/base/arena.h"
#include <jansson.h>

#define SCHEMA_LOWERING_MAX_REFS 4        /* references inside references; then anything goes */
#define SCHEMA_LOWERING_MAX_DEPTH 32      /* nesting of schemas; then anything goes */
#define SCHEMA_LOWERING_MAX_LENGTH 2000   /* llama.cpp ignores longer bounds or refuses them */
#define SCHEMA_LOWERING_MAX_SCHEMAS 20000 /* references multiply; then anything goes */

/* For the family of llama.cpp, and for servers that take as much. In the arena. */
const json_t *schema_lower(struct arena *arena, const json_t *schema);
/* For a kind of server (struct model_status): TGI wants an object with properties at the root.
 * NULL when nothing can be sent to it. */
const json_t *schema_lower_for(struct arena *arena, const json_t *schema, const char *kind);

/* Where a part of a lowered schema comes from. path: JSON Pointer in schema_lower(…, original). The
 * pointer in the original, as deep as it can be followed; in the arena. */
const char *schema_origin_path(struct arena *arena, const json_t *original, const char *path);

#endif
