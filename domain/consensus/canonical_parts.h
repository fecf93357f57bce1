/* What the kinds of canonical text are made with; for canonical_*.c and the rules about candidates
 * alone. Each reads text that is UTF-8 and not too long, and appends to a buffer that has a bound:
 * a false for "full" is canonical_full(). Pure. */
#ifndef DOMAIN_CONSENSUS_CANONICAL_PARTS_H
#define DOMAIN_CONSENSUS_CANONICAL_PARTS_H

#include "domain/base/buf.h"
#include "domain/base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum canonical_character {
    CHARACTER_SEEN,
    CHARACTER_BLANK,  /* white space of any sort, line breaks too */
    CHARACTER_NOTHING /* of no width: byte order mark, joiners, direction marks */
};

enum canonical_character canonical_character(uint32_t code);

/* A part of a text that somebody else owns. */
struct span {
    const char *text;
    size_t length;
};

/* Without what is blank or nothing at its ends. */
struct span canonical_trim(struct span span);
/* What stands within a fence around the whole of it, blanks and all; itself when there is none. */
struct span canonical_within_fence(struct span span);
/* The same, trimmed. */
struct span canonical_unfence(struct span span);

MUST_CHECK enum err_code canonical_full(struct err *err);
MUST_CHECK enum err_code canonical_number(struct buf *out, struct span text, struct err *err);
MUST_CHECK enum err_code canonical_json(struct buf *out, struct span text, struct err *err);
MUST_CHECK enum err_code canonical_regex(struct buf *out, struct span text, struct err *err);
MUST_CHECK enum err_code canonical_sql(struct buf *out, struct span text, struct err *err);

#endif
