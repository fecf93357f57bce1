/* How often each person may come: a bucket that holds as many requests as a minute may have, and
 * fills up again evenly. What is remembered is bounded: of RATE_LIMIT_MAX_KNOWN the fullest bucket
 * is forgotten, which matters least, because who is not known begins with a full one. Pure. */
#ifndef PRESENTATION_WEB_RATE_LIMIT_H
#define PRESENTATION_WEB_RATE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#define RATE_LIMIT_MAX_KNOWN 1024

struct rate_limit;

struct rate_limit *rate_limit_create(int64_t requests_per_minute);
/* NULL is fine. */
void rate_limit_destroy(struct rate_limit *limit);
/* One request of theirs; now_ms is monotonic. False: it is one too many, and *out_retry_seconds (at
 * least 1) says when the next may come. who: a name of at most 64 bytes; what is behind is not
 * looked at. */
bool rate_limit_take(struct rate_limit *limit, const char *who, int64_t now_ms,
                     int64_t *out_retry_seconds);

#endif
