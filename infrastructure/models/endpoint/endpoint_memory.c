#include "infrastructure/models/endpoint/endpoint_memory.h"
#include "application/ports/runtime.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/repositories/stored_file.h"
#include "infrastructure/runtime/task_lock.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "infrastructure/runtime/worker.h"
#include <stdlib.h>
#include <string.h>

#define FILE_NAME "endpoints.json"
#define FORMAT_VERSION 1

struct address {
    struct address *next;
    char *base_url;
    struct task_lock queue;
};

struct endpoint_memory {
    struct uv_runtime *runtime;
    struct worker *worker; /* NULL before the first entry is kept */
    char *folder;          /* or NULL */
    json_t *entries;       /* array, oldest first; NULL before the file was read */
    struct address *addresses;
};

/* One entry on its way to the file; lies in the frame of the task that waits for it. Texts only:
 * no JSON value crosses a thread. */
struct keeping {
    const char *folder;
    char *entry;
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

/* The array of the file; an empty one when there is no file of a known form. */
static json_t *read_entries(const char *folder)
{
    AUTO(buf) text;
    json_auto_t *value = NULL;
    buf_init(&text, ENDPOINT_MEMORY_MAX_BYTES);
    if (!folder || stored_file_read(folder, FILE_NAME, &text, NULL) ||
        json_parse(buf_string(&text), text.length, JSON_OURS, &value, NULL) ||
        json_get_int(value, "version", 0) != FORMAT_VERSION ||
        !json_is_array(json_object_get(value, "endpoints")))
        return json_array();
    return json_incref(json_object_get(value, "endpoints"));
}

/* A fresh array: what may stay, and the new entry behind it. */
static json_t *with_entry(const json_t *entries, json_t *entry, int64_t now_ms)
{
    json_t *kept = json_array();
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const json_t *old = json_array_get(entries, i);
        if (is_recent(old, now_ms) && !is_same(old, entry))
            json_array_append_new(kept, json_share(old));
    }
    while (json_array_size(kept) >= ENDPOINT_MEMORY_MAX_ENTRIES)
        json_array_remove(kept, 0);
    json_array_append(kept, entry);
    return kept;
}

static void keep_job(void *argument)
{
    const struct keeping *keeping = argument;
    json_auto_t *entry = NULL;
    auto_fd lock = -1;
    if (json_parse(keeping->entry, strlen(keeping->entry), JSON_OURS, &entry, NULL) ||
        stored_folder_create(keeping->folder, NULL) ||
        stored_folder_lock(keeping->folder, &lock, NULL))
        return;
    json_auto_t *before = read_entries(keeping->folder);
    json_auto_t *whole = json_pack("{s:i, s:o}", "version", FORMAT_VERSION, "endpoints",
                                   with_entry(before, entry, keeping->now_ms));
    auto_str text = json_print_pretty(whole);
    (void)!stored_file_replace(keeping->folder, FILE_NAME, text, strlen(text), NULL);
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
    if (!memory->entries)
        memory->entries = read_entries(memory->folder);
    int64_t now_ms = runtime_wall_ms(uv_runtime_port(memory->runtime));
    json_auto_t *wanted = entry_of(key, support, now_ms);
    for (size_t i = 0; wanted && i < json_array_size(memory->entries); i++) {
        const json_t *entry = json_array_get(memory->entries, i);
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
    int64_t now_ms = runtime_wall_ms(uv_runtime_port(memory->runtime));
    json_auto_t *entry = entry_of(key, support, now_ms);
    if (!entry)
        return;
    json_auto_t *before = memory->entries ? memory->entries : read_entries(memory->folder);
    memory->entries = with_entry(before, entry, now_ms);
    if (!memory->folder)
        return;
    auto_str text = json_print(entry);
    struct keeping keeping = { memory->folder, text, now_ms };
    if (!memory->worker)
        memory->worker = worker_create(memory->runtime);
    (void)!worker_run(memory->worker, scope, keep_job, &keeping, NULL);
}

struct endpoint_memory *endpoint_memory_create(struct uv_runtime *runtime, const char *folder)
{
    struct endpoint_memory *memory = calloc(1, sizeof *memory);
    char *copy = folder ? strdup(folder) : NULL;
    if (!memory || (folder && !copy))
        abort();
    *memory = (struct endpoint_memory){ .runtime = runtime, .folder = copy };
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

static void free_addresses(struct address *address)
{
    while (address) {
        struct address *next = address->next;
        free(address->base_url);
        free(address);
        address = next;
    }
}

void endpoint_memory_destroy(struct endpoint_memory *memory)
{
    if (!memory)
        return;
    worker_destroy(memory->worker);
    json_decref(memory->entries);
    free_addresses(memory->addresses);
    free(memory->folder);
    free(memory);
}
