/* Answers of a modern server that say how long they hold (ttlMs): lists page by page,
 * and what resources hold. One is fresh until its time is over or the server says that it changed;
 * then it is dropped at once. One that is only old remains: it is better than nothing when the
 * server cannot answer just now.
 *
 * Each client has one, so the server is part of the key. Nothing outlives the process, nor the
 * server's session: most answers are `private`, and another process cannot know whether it is
 * another user to the server; within this one they are dropped when that changes
 * (hint_cache_drop_private). What server/discover said holds for the session, which begins with
 * it. */
#ifndef INFRASTRUCTURE_MCP_CLIENT_HINT_CACHE_H
#define INFRASTRUCTURE_MCP_CLIENT_HINT_CACHE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HINT_CACHE_MAX_ENTRIES 256
#define HINT_CACHE_MAX_BYTES (16 * 1024 * 1024)
#define HINT_CACHE_MAX_ENTRY_BYTES (4 * 1024 * 1024)
/* A longer ttlMs counts as this. */
#define HINT_CACHE_MAX_TTL_MS (24 * 60 * 60 * 1000)

struct hint_entry {
    struct hint_entry *next;
    const char *method; /* of static life */
    char *key;          /* what was asked for: a cursor, a URI; "" for a first page */
    json_t *value;      /* the result */
    char *text;         /* as it came; or NULL where it need not be kept */
    size_t length, bytes;
    int64_t until_ms;
    bool is_private;
};

/* What was asked for, and the answer. */
struct hint_answer {
    const char *method; /* of static life */
    const char *key;
    json_t *value;
    const char *text; /* NULL: it need not be kept */
    size_t length;    /* of the text, kept or not */
};

/* Zeroed at first. */
struct hint_cache {
    struct hint_entry *first;
    size_t n, bytes;
    uint64_t n_changes; /* an answer that was asked for before the latest of them is not kept */
};

void hint_cache_finish(struct hint_cache *cache);

/* How long a result holds by its own account: absent, negative and no number are 0. */
int64_t hint_ttl_ms(const json_t *result);

/* Borrowed until the cache is changed; NULL when there is none. */
const struct hint_entry *hint_cache_find(const struct hint_cache *cache, const char *method,
                                         const char *key);
static inline bool hint_entry_is_fresh(const struct hint_entry *entry, int64_t now_ms)
{
    return entry && now_ms < entry->until_ms;
}
/* Keeps a result that holds for a while and is not too long, in place of an earlier one; the entry
 * whose time is over first makes room. n_changes: of the cache when the answer
 * was asked for. */
void hint_cache_keep(struct hint_cache *cache, const struct hint_answer *answer, int64_t now_ms,
                     uint64_t n_changes);

/* The answers to this method changed. */
void hint_cache_drop(struct hint_cache *cache, const char *method);
/* What this resource holds changed, with those below and above it. */
void hint_cache_drop_resource(struct hint_cache *cache, const char *uri);
/* The server is talked to as another user. */
void hint_cache_drop_private(struct hint_cache *cache);
void hint_cache_drop_all(struct hint_cache *cache);

#endif
