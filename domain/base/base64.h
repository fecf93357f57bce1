/* Base64 (RFC 4648), for bytes that travel as text. Pure. */
#ifndef DOMAIN_BASE_BASE64_H
#define DOMAIN_BASE_BASE64_H

#include "domain/base/arena.h"
#include "domain/base/buf.h"

/* With padding. False when the buffer is full. */
MUST_CHECK
bool base64_append(struct buf *out, const void *bytes, size_t length);
/* With padding; in the arena. */
char *base64_text(struct arena *arena, const void *bytes, size_t length);
/* For URLs: with "-" and "_", without padding; in the arena. */
char *base64url_text(struct arena *arena, const void *bytes, size_t length);
/* Reads text with padding and ignores blanks in it. Owned by the caller (malloc); NULL when the
 * text is not base64. */
char *base64_decode(const char *text, size_t *out_length);

#endif
