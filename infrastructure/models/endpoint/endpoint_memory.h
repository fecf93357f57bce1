/* What was found out about an endpoint and its model and is worth not finding out again: what it
 * does with a schema. Kept in a small file of the user's data folder (JSON, 0600), by address,
 * kind, model name and the digest or version the endpoint reports, so that an upgrade asks anew;
 * bounded, the oldest entries leave. It is a cache: losing it costs one request, a file that cannot
 * be read is an empty one, and nothing here fails.
 *
 * Within the process it also knows whose turn it is at an address: two models there are two names
 * for one server, which answers one request at a time. */
#ifndef INFRASTRUCTURE_MODELS_ENDPOINT_ENDPOINT_MEMORY_H
#define INFRASTRUCTURE_MODELS_ENDPOINT_ENDPOINT_MEMORY_H

#include "application/ports/model.h"

#define ENDPOINT_MEMORY_MAX_ENTRIES 64
#define ENDPOINT_MEMORY_MAX_BYTES 262144
#define ENDPOINT_MEMORY_MAX_KEY                                                                    \
    1024 /* bytes of an entry's four words; a longer one is not kept                               \
          */
/* Not every server says its version: what it does is asked anew after a while. */
#define ENDPOINT_MEMORY_MAX_AGE_MS (30 * (int64_t)86400000)

struct endpoint_memory;
struct task_lock;
struct uv_runtime;

/* Of which model at which endpoint; base_url without user and password. */
struct endpoint_key {
    const char *base_url, *kind, *model, *version;
};

/* folder/endpoints.json, copied; NULL keeps nothing beyond the process. Nothing is opened before
 * the first use. */
struct endpoint_memory *endpoint_memory_create(struct uv_runtime *runtime, const char *folder);
/* NULL is fine. */
void endpoint_memory_destroy(struct endpoint_memory *memory);

/* MODEL_SCHEMA_UNKNOWN when nothing is known, or memory is NULL. */
enum model_schema_support endpoint_memory_get(struct endpoint_memory *memory,
                                              const struct endpoint_key *key);
/* Nothing is kept when the scope has ended, or memory is NULL. */
awaits void endpoint_memory_put(struct endpoint_memory *memory, const struct scope *scope,
                                const struct endpoint_key *key, enum model_schema_support support);
/* The queue in front of an address, shared by all who ask there; lives as long as the memory. */
struct task_lock *endpoint_memory_queue(struct endpoint_memory *memory, const char *base_url);

#endif
