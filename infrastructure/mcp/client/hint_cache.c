#include "infrastructure/mcp/client/hint_cache.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/tool/offering.h"
#include <stdlib.h>
#include <string.h>

static void release(struct hint_cache *cache, struct hint_entry **at)
{
    struct hint_entry *entry = *at;
    *at = entry->next;
    cache->n--;
    cache->bytes -= entry->bytes;
    json_decref(entry->value);
    free(entry->key);
    free(entry->text);
    free(entry);
}

typedef bool is_meant_fn(const struct hint_entry *entry, const char *what);

static void drop(struct hint_cache *cache, is_meant_fn *is_meant, const char *what)
{
    struct hint_entry **at = &cache->first;
    cache->n_changes++;
    while (*at)
        if (is_meant(*at, what))
            release(cache, at);
        else
            at = &(*at)->next;
}

static bool is_any(const struct hint_entry *entry, const char *what)
{
    (void)entry;
    (void)what;
    return true;
}

static bool is_private(const struct hint_entry *entry, const char *what)
{
    (void)what;
    return entry->is_private;
}

static bool has_method(const struct hint_entry *entry, const char *method)
{
    return strcmp(entry->method, method) == 0;
}

static bool is_of_resource(const struct hint_entry *entry, const char *uri)
{
    return has_method(entry, "resources/read") &&
           (offering_uri_is_within(uri, entry->key) || offering_uri_is_within(entry->key, uri));
}

void hint_cache_drop_all(struct hint_cache *cache)
{
    drop(cache, is_any, NULL);
}

void hint_cache_drop_private(struct hint_cache *cache)
{
    drop(cache, is_private, NULL);
}

void hint_cache_drop(struct hint_cache *cache, const char *method)
{
    drop(cache, has_method, method);
}

void hint_cache_drop_resource(struct hint_cache *cache, const char *uri)
{
    drop(cache, is_of_resource, uri);
}

void hint_cache_finish(struct hint_cache *cache)
{
    hint_cache_drop_all(cache);
}

int64_t hint_ttl_ms(const json_t *result)
{
    double ttl_ms = json_get_number(result, "ttlMs", 0);
    if (!(ttl_ms > 0))
        return 0;
    return ttl_ms < HINT_CACHE_MAX_TTL_MS ? (int64_t)ttl_ms : HINT_CACHE_MAX_TTL_MS;
}

static struct hint_entry **find(struct hint_cache *cache, const char *method, const char *key)
{
    struct hint_entry **at = &cache->first;
    while (*at && (!has_method(*at, method) || strcmp((*at)->key, key) != 0))
        at = &(*at)->next;
    return at;
}

const struct hint_entry *hint_cache_find(const struct hint_cache *cache, const char *method,
                                         const char *key)
{
    return *find((struct hint_cache *)(uintptr_t)cache, method, key);
}

static void make_room(struct hint_cache *cache, size_t bytes)
{
    while (cache->first &&
           (cache->n >= HINT_CACHE_MAX_ENTRIES || cache->bytes + bytes > HINT_CACHE_MAX_BYTES)) {
        struct hint_entry **oldest = &cache->first;
        for (struct hint_entry **at = oldest; *at; at = &(*at)->next)
            if ((*at)->until_ms < (*oldest)->until_ms)
                oldest = at;
        release(cache, oldest);
    }
}

/* cacheScope is private unless it says otherwise. */
static void add(struct hint_cache *cache, struct hint_entry entry)
{
    struct hint_entry *kept = malloc(sizeof *kept);
    if (!kept || !entry.key)
        abort();
    entry.is_private = !text_equal(json_get_string(entry.value, "cacheScope"), "public");
    entry.next = cache->first;
    *kept = entry;
    cache->first = kept;
    cache->n++;
    cache->bytes += entry.bytes;
}

void hint_cache_keep(struct hint_cache *cache, const struct hint_answer *answer, int64_t now_ms,
                     uint64_t n_changes)
{
    struct hint_entry **old = find(cache, answer->method, answer->key);
    int64_t ttl_ms = hint_ttl_ms(answer->value);
    size_t bytes = answer->text ? 2 * answer->length : answer->length;
    if (*old)
        release(cache, old);
    if (!ttl_ms || bytes > HINT_CACHE_MAX_ENTRY_BYTES || n_changes != cache->n_changes)
        return;
    make_room(cache, bytes);
    char *copy = answer->text ? strndup(answer->text, answer->length) : NULL;
    if (answer->text && !copy)
        abort();
    add(cache, (struct hint_entry){ .method = answer->method,
                                    .key = strdup(answer->key),
                                    .value = json_incref(answer->value),
                                    .text = copy,
                                    .length = answer->length,
                                    .bytes = bytes,
                                    .until_ms = now_ms + ttl_ms });
}
