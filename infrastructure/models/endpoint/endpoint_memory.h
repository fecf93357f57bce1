/* What was found out about an endpoint and its model and need not be found out again: what it does
 * with a schema. Kept in a small file of the user's data folder (locked_json.h) by address, kind,
 * model name and the digest or version the endpoint reports, so that an upgrade is asked anew. It
 * is a bounded cache from which the oldest entries leave: losing it costs one request, and nothing
 * here fails.
 *
 * Within the process it also has the queue in front of each address: two models there are two names
 * for one server, which answers one request at a time. */
#ifndef INFRASTRUCTURE_MODELS_ENDPOINT_ENDPOINT_MEMORY_H
#define INFRASTRUCTURE_MODELS_ENDPOINT_ENDPOINT_MEMORY_H

#include "application/ports/model.h"

#define ENDPOINT_MEMORY_MAX_ENTRIES 64
#define ENDPOINT_MEMORY_MAX_BYTES 262144
/* Bytes of the four texts of a key; an entry with a longer one is not kept. */
#define ENDPOINT_MEMORY_MAX_KEY 1024
/* Not every server says its version: what it does is asked anew after a while. */
#define ENDPOINT_MEMORY_MAX_AGE_MS (30 * (int64_t)86400000)

struct endpoint_memory;
struct task_lock;
struct uv_runtime;

/* A model at an endpoint; base_url is without user and password. */
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
/* Nothing is kept when memory is NULL, and nothing goes into the file when the scope has ended. */
awaits void endpoint_memory_put(struct endpoint_memory *memory, const struct scope *scope,
                                const struct endpoint_key *key, enum model_schema_support support);
/* The queue in front of an address, shared by all models there; lives as long as the memory. */
struct task_lock *endpoint_memory_queue(struct endpoint_memory *memory, const char *base_url);

#endif
