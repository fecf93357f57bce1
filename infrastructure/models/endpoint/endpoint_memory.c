/* The file is {"version":1,"endpoints":[{"base_url","kind","model","version","schemas","at"}]}. Its
 * entries are read once and kept up to date in memory, so that the process asks the disk no second
 * time; each new entry also goes into the file as other processes have left it. */
#include "infrastructure/models/endpoint/endpoint_memory.h"
#include "application/ports/runtime.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/repositories/locked_json.h"
#include "infrastructure/runtime/task_lock.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <stdlib.h>
#include <string.h>

#define FILE_NAME "endpoints.json"

static const struct locked_json_form form = {
    .what = "endpoints",
    .member = "endpoints",
    .type = JSON_ARRAY,
    .max_bytes = ENDPOINT_MEMORY_MAX_BYTES,
    .is_cache = true,
};

struct address {
    struct address *next;
    char *base_url;
    struct task_lock queue;
};

struct endpoint_memory {
    struct uv_runtime *runtime;
    bool has_folder;
    struct locked_json files; /* where there is a folder */
    json_t *entries;          /* array, oldest first; NULL before the file was read */
    struct address *addresses;
};

/* What was found out; lies in the frame of the task that waits until it is in the file. */
struct finding {
    const struct endpoint_key *key;
    enum model_schema_support support;
    int64_t now_ms;
};

static bool is_recent(const json_t *entry, int64_t now_ms)
{
    int64_t at_ms = json_get_int(entry, "at", 0);
    return at_ms <= now_ms && now_ms - at_ms <= ENDPOINT_MEMORY_MAX_AGE_MS;
}

static bool is_same(const json_t *entry, const json_t *other)
{
    static const char *const words[] = { "base_url", "kind", "model", "version" };
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
        if (!text_equal(json_get_string(entry, words[i]), json_get_string(other, words[i])))
            return false;
    return true;
}

/* The entries; read from the file the first time. */
static json_t *entries_of(struct endpoint_memory *memory)
{
    if (!memory->entries && (!memory->has_folder ||
                             locked_json_read(&memory->files, FILE_NAME, &memory->entries, NULL)))
        memory->entries = json_array();
    return memory->entries;
}

static json_t *entry_of(const struct endpoint_key *key, enum model_schema_support support,
                        int64_t now_ms)
{
    size_t bytes =
        strlen(key->base_url) + strlen(key->kind) + strlen(key->model) + strlen(key->version);
    if (bytes > ENDPOINT_MEMORY_MAX_KEY)
        return NULL;
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:I}", "base_url", key->base_url, "kind", key->kind,
                     "model", key->model, "version", key->version, "schemas",
                     model_schema_support_name(support), "at", (json_int_t)now_ms);
}

/* Puts the finding behind the entries that may stay; false when it is too long to be kept. */
static bool put_finding(void *context, json_t *entries)
{
    const struct finding *finding = context;
    json_t *entry = entry_of(finding->key, finding->support, finding->now_ms);
    if (!entry)
        return false;
    for (size_t i = json_array_size(entries); i-- > 0;) {
        const json_t *old = json_array_get(entries, i);
        if (!is_recent(old, finding->now_ms) || is_same(old, entry))
            json_array_remove(entries, i);
    }
    while (json_array_size(entries) >= ENDPOINT_MEMORY_MAX_ENTRIES)
        json_array_remove(entries, 0);
    return json_array_append_new(entries, entry) == 0;
}

static enum model_schema_support support_of(const char *name)
{
    static const enum model_schema_support all[] = { MODEL_SCHEMA_ENFORCED, MODEL_SCHEMA_IGNORED,
                                                     MODEL_SCHEMA_REFUSED };
    for (size_t i = 0; i < ARRAY_LENGTH(all); i++)
        if (text_equal(name, model_schema_support_name(all[i])))
            return all[i];
    return MODEL_SCHEMA_UNKNOWN;
}

enum model_schema_support endpoint_memory_get(struct endpoint_memory *memory,
                                              const struct endpoint_key *key)
{
    enum model_schema_support support = MODEL_SCHEMA_UNKNOWN;
    if (!memory)
        return support;
    const json_t *entries = entries_of(memory);
    int64_t now_ms = runtime_wall_ms(uv_runtime_port(memory->runtime));
    json_auto_t *wanted = entry_of(key, support, now_ms);
    for (size_t i = 0; wanted && i < json_array_size(entries); i++) {
        const json_t *entry = json_array_get(entries, i);
        if (is_recent(entry, now_ms) && is_same(entry, wanted))
            support = support_of(json_get_string(entry, "schemas"));
    }
    return support;
}

void endpoint_memory_put(struct endpoint_memory *memory, const struct scope *scope,
                         const struct endpoint_key *key, enum model_schema_support support)
{
    if (!memory)
        return;
    struct finding finding = { key, support, runtime_wall_ms(uv_runtime_port(memory->runtime)) };
    if (put_finding(&finding, entries_of(memory)) && memory->has_folder)
        (void)!locked_json_change(&memory->files, scope, FILE_NAME, put_finding, &finding, NULL);
}

struct endpoint_memory *endpoint_memory_create(struct uv_runtime *runtime, const char *folder)
{
    struct endpoint_memory *memory = calloc(1, sizeof *memory);
    if (!memory)
        abort();
    memory->runtime = runtime;
    memory->has_folder = folder != NULL;
    if (folder)
        memory->files = locked_json_of(runtime, folder, &form);
    return memory;
}

static struct address *add_address(struct endpoint_memory *memory, const char *base_url)
{
    struct address *address = calloc(1, sizeof *address);
    char *copy = strdup(base_url);
    if (!address || !copy)
        abort();
    *address = (struct address){ .next = memory->addresses, .base_url = copy };
    memory->addresses = address;
    return address;
}

struct task_lock *endpoint_memory_queue(struct endpoint_memory *memory, const char *base_url)
{
    struct address *address = memory->addresses;
    while (address && strcmp(address->base_url, base_url) != 0)
        address = address->next;
    return &(address ? address : add_address(memory, base_url))->queue;
}

void endpoint_memory_destroy(struct endpoint_memory *memory)
{
    if (!memory)
        return;
    if (memory->has_folder)
        locked_json_finish(&memory->files);
    json_decref(memory->entries);
    for (struct address *address = memory->addresses, *next; address; address = next) {
        next = address->next;
        free(address->base_url);
        free(address);
    }
    free(memory);
}
