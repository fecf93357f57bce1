/* The eras of servers in one small file, {"version":1,"eras":{HASH:{"era":"legacy","at":MS}}}, the
 * oldest first. The identity of a server is secret, so its hash is the key. The file is read once;
 * what this process keeps goes to the file for the next one. */
#include "application/ports/digest.h"
#include "application/ports/runtime.h"
#include "domain/base/json.h"
#include "infrastructure/mcp/wire/era_memory.h"
#include "infrastructure/repositories/locked_json.h"
#include "infrastructure/repositories/repository_create.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <stdlib.h>
#include <string.h>

#define FILE_NAME "eras.json"

static const struct locked_json_form form = {
    .what = "eras",
    .member = "eras",
    .type = JSON_OBJECT,
    .max_bytes = ERA_MEMORY_MAX_BYTES,
    .is_cache = true,
};

struct json_era_memory {
    struct era_memory base;
    struct runtime *runtime;
    struct digest *digest;
    struct locked_json files;
    json_t *eras; /* as the file had them when it was read; NULL before */
};

/* One verdict on its way to the file; lies in the frame of the task that waits for it. */
struct verdict {
    char hash[DIGEST_HEX_SIZE];
    enum server_era era;
    int64_t now_ms;
};

static struct json_era_memory *memory_of(struct era_memory *m)
{
    return (struct json_era_memory *)m;
}

static const char *const names[] = {
    [ERA_AUTO] = "", [ERA_MODERN] = "modern", [ERA_LEGACY] = "legacy", [ERA_SSE] = "sse"
};

static enum server_era era_of(const char *name)
{
    for (size_t i = ERA_MODERN; i < ARRAY_LENGTH(names); i++)
        if (strcmp(name, names[i]) == 0)
            return (enum server_era)i;
    return ERA_AUTO;
}

static bool is_recent(const json_t *entry, int64_t now_ms)
{
    int64_t at_ms = json_get_int(entry, "at", 0);
    return at_ms <= now_ms && now_ms - at_ms <= ERA_MEMORY_MAX_AGE_MS;
}

static enum server_era json_find(struct era_memory *base, const char *identity)
{
    struct json_era_memory *memory = memory_of(base);
    char hash[DIGEST_HEX_SIZE];
    if (!memory->eras && locked_json_read(&memory->files, FILE_NAME, &memory->eras, NULL))
        return ERA_AUTO;
    if (!json_object_size(memory->eras)) /* the usual case, in which not even a hash is made */
        return ERA_AUTO;
    digest_sha256(memory->digest, identity, strlen(identity), hash);
    const json_t *entry = json_object_get(memory->eras, hash);
    const char *era = json_get_string(entry, "era");
    return era && is_recent(entry, runtime_wall_ms(memory->runtime)) ? era_of(era) : ERA_AUTO;
}

/* Makes room for the verdict, and puts it last. */
static bool put_verdict(void *context, json_t *eras)
{
    const struct verdict *verdict = context;
    const char *key;
    json_t *entry;
    void *next;
    size_t n = json_object_size(eras);
    size_t surplus = n < ERA_MEMORY_MAX_SERVERS ? 0 : n - ERA_MEMORY_MAX_SERVERS + 1;
    json_object_foreach_safe(eras, next, key, entry)
    {
        bool is_surplus = surplus > 0;
        surplus -= is_surplus;
        if (is_surplus || strcmp(key, verdict->hash) == 0 || !is_recent(entry, verdict->now_ms))
            json_object_del(eras, key);
    }
    if (verdict->era != ERA_AUTO)
        json_object_set_new(
            eras, verdict->hash,
            json_pack("{s:s, s:I}", "era", names[verdict->era], "at", (json_int_t)verdict->now_ms));
    return true;
}

static void json_keep(struct era_memory *base, const struct scope *sc, const char *identity,
                      enum server_era era)
{
    struct json_era_memory *memory = memory_of(base);
    struct verdict verdict = { .era = era, .now_ms = runtime_wall_ms(memory->runtime) };
    digest_sha256(memory->digest, identity, strlen(identity), verdict.hash);
    (void)!locked_json_change(&memory->files, sc, FILE_NAME, put_verdict, &verdict, NULL);
}

static void json_destroy(struct era_memory *base)
{
    struct json_era_memory *memory = memory_of(base);
    locked_json_finish(&memory->files);
    json_decref(memory->eras);
    free(memory);
}

struct era_memory *json_era_memory_create(struct uv_runtime *runtime, struct digest *digest,
                                          const char *folder)
{
    static const struct era_memory_ops ops = { json_find, json_keep, json_destroy };
    struct json_era_memory *memory = calloc(1, sizeof *memory);
    if (!memory)
        abort();
    *memory = (struct json_era_memory){ .base = { &ops },
                                        .runtime = uv_runtime_port(runtime),
                                        .digest = digest,
                                        .files = locked_json_of(runtime, folder, &form) };
    return &memory->base;
}
