/* The eras of servers in one small file, {"version":1,"eras":{HASH:{"era":"legacy","at":MS}}}. It
 * is a cache: a file that cannot be read is an empty one, and is replaced by the next verdict. */
#ifndef INFRASTRUCTURE_REPOSITORIES_JSON_ERA_MEMORY_H
#define INFRASTRUCTURE_REPOSITORIES_JSON_ERA_MEMORY_H

#include "application/ports/digest.h"
#include "infrastructure/mcp/wire/era_memory.h"

#define ERA_MEMORY_MAX_BYTES 65536
#define ERA_MEMORY_MAX_SERVERS 200
/* Servers are updated: an older verdict is asked for again. */
#define ERA_MEMORY_MAX_AGE_MS (30 * (int64_t)86400000)

struct uv_runtime;

/* folder/eras.json. Nothing is opened before the first use; folder is copied, digest borrowed. */
struct era_memory *json_era_memory_create(struct uv_runtime *runtime, struct digest *digest,
                                          const char *folder);

#endif
