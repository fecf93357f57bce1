/* What was found out about an endpoint and its model and is worth not finding out again: what it
 * does with a schema. Kept in a small file of the user's data folder (JSON, 0600), by address,
 * kind, model name and the digest or version the endpoint reports, so that an upgrade asks anew;
 * bounded, the oldest entries leave. Losing it costs one request. */
#ifndef INFRASTRUCTURE_MODELS_ENDPOINT_MEMORY_H
#define INFRASTRUCTURE_MODELS_ENDPOINT_MEMORY_H

#include "application/ports/model.h"

#define ENDPOINT_MEMORY_MAX_ENTRIES 64

struct endpoint_memory;

/* path: of the file; NULL keeps nothing beyond the process. Never fails: a file that cannot be
 * read is an empty memory. */
struct endpoint_memory *endpoint_memory_create(const char *path);
void endpoint_memory_destroy(struct endpoint_memory *memory);

/* MODEL_SCHEMA_UNKNOWN when nothing is known. */
enum model_schema_support endpoint_memory_get(struct endpoint_memory *memory, const char *base_url,
                                              const char *kind, const char *model,
                                              const char *version);
void endpoint_memory_put(struct endpoint_memory *memory, const char *base_url, const char *kind,
                         const char *model, const char *version, enum model_schema_support support);

#endif
