/* Server-sent events, cut out of a byte stream that arrives in pieces of any size.
 *
 * Lines end in LF, CR or CRLF; a BOM at the start and comments are skipped; several data lines are
 * joined by a newline; an event ends at a blank line, and one that the stream leaves unfinished
 * is dropped. Line ends are looked for at the speed of memchr, and a long line is not copied again
 * to become data. What a stream can be resumed with is kept: the id of the last event that ended,
 * and the wait that the server asks for. Line and event are bounded. Pure: no I/O, the memory is
 * the parser's own. */
#ifndef INFRASTRUCTURE_NET_SSE_H
#define INFRASTRUCTURE_NET_SSE_H

#include "domain/base/buf.h"
#include "domain/base/err.h"

#define SSE_NAME_SIZE 64
/* A longer id counts as none: the stream cannot be resumed. */
#define SSE_ID_SIZE 1024

/* name is "" for an event without one, and cut where it is longer than any we know. data is
 * borrowed. False: the rest of the stream does not matter. */
typedef bool sse_event_fn(void *context, const char *name, const char *data, size_t length);

struct sse {
    struct buf line; /* one that is not whole yet */
    struct buf data; /* of the event, from data_at */
    size_t data_at, max_bytes;
    char name[SSE_NAME_SIZE];
    char id[SSE_ID_SIZE];      /* of the last event; "" when there is none */
    char next_id[SSE_ID_SIZE]; /* of the event that is being read */
    int64_t retry_ms;          /* -1 before the server asked for a wait */
    bool has_data, after_cr, first_line, stopped;
};

/* max_bytes: of what one line says, and of the joined data of one event. */
void sse_init(struct sse *sse, size_t max_bytes);
void sse_finish(struct sse *sse);
/* ERR_LIMIT when a line or an event is too long. After the callback said false nothing more is
 * looked at. */
MUST_CHECK
enum err_code sse_feed(struct sse *sse, const char *bytes, size_t length, sse_event_fn *on_event,
                       void *context, struct err *err);

#endif
