/* A growing byte buffer with a maximum. Everything that grows with what the outside sends is one
 * of these, so nothing grows without a bound. The bytes are always followed by a NUL that is not
 * counted. An append that would pass the maximum changes nothing and returns false. */
#ifndef DOMAIN_BASE_BUF_H
#define DOMAIN_BASE_BUF_H

#include "domain/base/attributes.h"
#include "domain/base/cleanup.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
    char *bytes; /* NULL while nothing was appended */
    size_t length;
    size_t capacity;
    size_t max_bytes;
};

void buf_init(struct buf *buf, size_t max_bytes);
void buf_finish(struct buf *buf);
/* Forgets the content, keeps the memory. */
void buf_clear(struct buf *buf);

MUST_CHECK
bool buf_append(struct buf *buf, const void *bytes, size_t length);
MUST_CHECK
bool buf_puts(struct buf *buf, const char *string);
MUST_CHECK
bool buf_printf(struct buf *buf, const char *format, ...) PRINTF_LIKE(2, 3);
MUST_CHECK
bool buf_append_integer(struct buf *buf, int64_t number);
/* Room for at least `room` more bytes at buf->bytes + buf->length; after writing there, add to
 * buf->length and call buf_terminate. */
MUST_CHECK
bool buf_reserve(struct buf *buf, size_t room);
void buf_terminate(struct buf *buf);
/* Drops the first n bytes. */
void buf_consume(struct buf *buf, size_t n);
/* The content as a string, "" when empty; borrowed until the next change. */
const char *buf_string(const struct buf *buf);
/* Takes the content out as a malloc'd string the caller owns; the buffer is empty afterwards. */
char *buf_take(struct buf *buf);

#endif
