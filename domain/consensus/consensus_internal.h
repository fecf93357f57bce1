/* What the kinds of canonical text and the rules about candidates are made with. A canonical_* of a
 * kind reads text that is UTF-8 and not too long, and appends to a buffer that has a bound: when it
 * is full, the error is canonical_full(). Pure. */
#ifndef DOMAIN_CONSENSUS_CONSENSUS_INTERNAL_H
#define DOMAIN_CONSENSUS_CONSENSUS_INTERNAL_H

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

/* A part of a text; borrowed. */
struct span {
    const char *text;
    size_t length;
};

/* Without what is blank or nothing at its ends. */
struct span canonical_trim(struct span span);
/* What stands within a fence around the whole of it, blanks and all; itself when there is none. */
struct span canonical_within_fence(struct span span);
/* What canonical_within_fence gives, trimmed. */
struct span canonical_unfence(struct span span);

MUST_CHECK enum err_code canonical_full(struct err *err);
MUST_CHECK enum err_code canonical_number(struct buf *out, struct span text, struct err *err);
MUST_CHECK enum err_code canonical_json(struct buf *out, struct span text, struct err *err);
MUST_CHECK enum err_code canonical_sql(struct buf *out, struct span text, struct err *err);

/* candidate_gap.c: text without quotes, stars, backticks and the point of a sentence around it. */
struct span candidate_bare(const char *text);
/* Nothing but marks: "…", "___", "\"\"". */
bool candidate_is_blank(struct span text);
/* The whole is a gap to be filled: "<NUMBER>", "{answer}", "[your answer here]", "${x}", "tbd"; or
 * a short sentence has one within. */
bool candidate_is_gap(struct span text);
/* For text that may have brackets of its own: only a gap that cannot be meant. */
bool candidate_is_plain_gap(struct span text);

#endif
