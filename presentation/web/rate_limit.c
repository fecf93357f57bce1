#include "presentation/web/rate_limit.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MINUTE_MS = 60000, NAME_SIZE = 65 };

/* A request is MINUTE_MS of level, so that a millisecond adds a whole number: the requests that a
 * minute may have. */
struct bucket {
    char who[NAME_SIZE];
    int64_t level, at_ms;
};

struct rate_limit {
    int64_t per_minute;
    size_t n;
    struct bucket buckets[RATE_LIMIT_MAX_KNOWN];
};

struct rate_limit *rate_limit_create(int64_t requests_per_minute)
{
    struct rate_limit *limit = calloc(1, sizeof *limit);
    if (!limit)
        abort();
    limit->per_minute = requests_per_minute;
    return limit;
}

void rate_limit_destroy(struct rate_limit *limit)
{
    free(limit);
}

static int64_t level_of(const struct rate_limit *limit, const struct bucket *bucket, int64_t now_ms)
{
    int64_t full = limit->per_minute * MINUTE_MS, passed_ms = now_ms - bucket->at_ms;
    if (passed_ms >= MINUTE_MS)
        return full;
    int64_t level = bucket->level + (passed_ms > 0 ? passed_ms : 0) * limit->per_minute;
    return level < full ? level : full;
}

static struct bucket *fullest(struct rate_limit *limit, int64_t now_ms)
{
    struct bucket *best = limit->buckets;
    for (size_t i = 1; i < limit->n; i++)
        if (level_of(limit, &limit->buckets[i], now_ms) > level_of(limit, best, now_ms))
            best = &limit->buckets[i];
    return best;
}

static struct bucket *bucket_of(struct rate_limit *limit, const char *who, int64_t now_ms)
{
    for (size_t i = 0; i < limit->n; i++)
        if (strncmp(limit->buckets[i].who, who, NAME_SIZE - 1) == 0)
            return &limit->buckets[i];
    struct bucket *bucket =
        limit->n < RATE_LIMIT_MAX_KNOWN ? &limit->buckets[limit->n++] : fullest(limit, now_ms);
    *bucket = (struct bucket){ .level = limit->per_minute * MINUTE_MS, .at_ms = now_ms };
    (void)snprintf(bucket->who, sizeof bucket->who, "%s", who);
    return bucket;
}

bool rate_limit_take(struct rate_limit *limit, const char *who, int64_t now_ms,
                     int64_t *out_retry_seconds)
{
    struct bucket *bucket = bucket_of(limit, who, now_ms);
    bucket->level = level_of(limit, bucket, now_ms);
    bucket->at_ms = now_ms;
    if (bucket->level >= MINUTE_MS) {
        bucket->level -= MINUTE_MS;
        return true;
    }
    int64_t per_second = limit->per_minute * 1000;
    *out_retry_seconds = (MINUTE_MS - bucket->level + per_second - 1) / per_second;
    return false;
}
