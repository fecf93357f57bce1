/* The end of what a program wrote to stderr, and its lines as they come. Private to process.c. */
#ifndef INFRASTRUCTURE_RUNTIME_STDERR_TAIL_H
#define INFRASTRUCTURE_RUNTIME_STDERR_TAIL_H

#include "domain/base/buf.h"
#include <stddef.h>

#define STDERR_LINE_MAX 4096 /* longer lines come in pieces */

struct stderr_tail {
    struct buf kept; /* up to twice max_bytes, so that it is not moved for every byte */
    size_t max_bytes;
    struct buf line;                                                 /* begun, not ended yet */
    void (*on_line)(void *context, const char *line, size_t length); /* may be NULL */
    void *context;
};

void stderr_tail_init(struct stderr_tail *tail, size_t max_bytes);
void stderr_tail_finish(struct stderr_tail *tail);
void stderr_tail_add(struct stderr_tail *tail, const char *bytes, size_t length);
/* A last line that has no newline. */
void stderr_tail_end(struct stderr_tail *tail);
/* At most max_bytes; borrowed until the next change. */
const char *stderr_tail_text(const struct stderr_tail *tail, size_t *out_length);

#endif
