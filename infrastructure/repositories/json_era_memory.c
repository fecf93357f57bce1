#include "infrastructure/repositories/json_era_memory.h"
#include "application/ports/runtime.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/repositories/stored_file.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "infrastructure/runtime/worker.h"
#include <stdlib.h>
#include <string.h>

#define FILE_NAME "eras.json"
#define FORMAT_VERSION 1

struct json_era_memory {
    struct era_memory base;
    struct uv_runtime *runtime;
    struct digest *digest;
    struct worker *worker; /* NULL before the first verdict is kept */
    char *folder;
    json_t *eras; /* as the file had them when it was read first; NULL when there was none */
    bool was_read;
};

/* One verdict on its way to the file; lies in the frame of the task that waits for it. */
struct keeping {
    const struct json_era_memory *memory;
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

/* The object of eras, owned by the caller; NULL when there is no file of a known form. */
static json_t *read_eras(const char *folder)
{
    AUTO(buf) text;
    json_auto_t *value = NULL;
    buf_init(&text, ERA_MEMORY_MAX_BYTES);
    if (stored_file_read(folder, FILE_NAME, &text, NULL) ||
        json_parse(buf_string(&text), text.length, JSON_OURS, &value, NULL) ||
        json_get_int(value, "version", 0) != FORMAT_VERSION)
        return NULL;
    json_t *eras = json_object_get(value, "eras");
    return json_is_object(eras) ? json_incref(eras) : NULL;
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
    if (!memory->was_read)
        memory->eras = read_eras(memory->folder);
    memory->was_read = true;
    if (!memory->eras) /* the usual case, in which not even a hash is made */
        return ERA_AUTO;
    digest_sha256(memory->digest, identity, strlen(identity), hash);
    const json_t *entry = json_object_get(memory->eras, hash);
    const char *era = json_get_string(entry, "era");
    if (!era || !is_recent(entry, runtime_wall_ms(uv_runtime_port(memory->runtime))))
        return ERA_AUTO;
    return era_of(era);
}

/* A fresh object with the entries that may stay beside a new one. */
static json_t *what_stays(const json_t *eras, const struct keeping *keeping)
{
    json_t *kept = json_object();
    const char *key;
    const json_t *entry;
    size_t surplus = json_object_size(eras);
    surplus = surplus < ERA_MEMORY_MAX_SERVERS ? 0 : surplus - ERA_MEMORY_MAX_SERVERS + 1;
    json_each_member (eras, key, entry) {
        if (surplus) /* the oldest are the first */
            surplus--;
        else if (strcmp(key, keeping->hash) != 0 && is_recent(entry, keeping->now_ms))
            json_object_set_new(kept, key, json_share(entry));
    }
    return kept;
}

static void keep_job(void *argument)
{
    const struct keeping *keeping = argument;
    const char *folder = keeping->memory->folder;
    auto_fd lock = -1;
    if (stored_folder_create(folder, NULL) || stored_folder_lock(folder, &lock, NULL))
        return;
    json_auto_t *before = read_eras(folder);
    json_t *eras = what_stays(before, keeping);
    json_auto_t *whole = json_pack("{s:i, s:o}", "version", FORMAT_VERSION, "eras", eras);
    if (keeping->era != ERA_AUTO)
        json_object_set_new(
            eras, keeping->hash,
            json_pack("{s:s, s:I}", "era", names[keeping->era], "at", (json_int_t)keeping->now_ms));
    auto_str text = json_print_pretty(whole);
    (void)!stored_file_replace(folder, FILE_NAME, text, strlen(text), NULL);
}

static void json_keep(struct era_memory *base, const struct scope *sc, const char *identity,
                      enum server_era era)
{
    struct json_era_memory *memory = memory_of(base);
    struct keeping keeping = { .memory = memory,
                               .era = era,
                               .now_ms = runtime_wall_ms(uv_runtime_port(memory->runtime)) };
    digest_sha256(memory->digest, identity, strlen(identity), keeping.hash);
    if (!memory->worker)
        memory->worker = worker_create(memory->runtime);
    (void)!worker_run(memory->worker, sc, keep_job, &keeping, NULL);
}

static void json_destroy(struct era_memory *base)
{
    struct json_era_memory *memory = memory_of(base);
    worker_destroy(memory->worker);
    json_decref(memory->eras);
    free(memory->folder);
    free(memory);
}

struct era_memory *json_era_memory_create(struct uv_runtime *runtime, struct digest *digest,
                                          const char *folder)
{
    static const struct era_memory_ops ops = { json_find, json_keep, json_destroy };
    struct json_era_memory *memory = calloc(1, sizeof *memory);
    char *copy = strdup(folder);
    if (!memory || !copy)
        abort();
    *memory = (struct json_era_memory){
        .base = { &ops }, .runtime = runtime, .digest = digest, .folder = copy
    };
    return &memory->base;
}
