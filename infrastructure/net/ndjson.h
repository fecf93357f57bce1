/* Newline-delimited JSON, cut into lines out of a byte stream that arrives in pieces of any size.
 * A CR before the newline belongs to the line's end, blank lines are skipped, a line is bounded.
 * Pure: no I/O; whether a line is JSON is the caller's question. */
#ifndef INFRASTRUCTURE_NET_NDJSON_H
#define INFRASTRUCTURE_NET_NDJSON_H

#include "domain/base/buf.h"
#include "domain/base/err.h"

/* line is borrowed. False: the rest of the stream does not matter. */
typedef bool ndjson_line_fn(void *context, const char *line, size_t length);

struct ndjson {
    struct buf line;
    bool stopped;
};

void ndjson_init(struct ndjson *ndjson, size_t max_line_bytes);
void ndjson_finish(struct ndjson *ndjson);
/* ERR_LIMIT when a line is too long. */
MUST_CHECK
enum err_code ndjson_feed(struct ndjson *ndjson, const char *bytes, size_t length,
                          ndjson_line_fn *on_line, void *context, struct err *err);
/* The stream is over: hands over a last line that has no newline. */
void ndjson_end(struct ndjson *ndjson, ndjson_line_fn *on_line, void *context);

#endif
