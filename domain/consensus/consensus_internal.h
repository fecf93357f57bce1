/* What the kinds of canonical text and the rules about candidates are made with. A canonical_* of a
 * kind reads text that is UTF-8 and not too long, and appends to a buffer that has a bound: when it
 * is full, the error is canonical_full(). Pure. */
#ifndef DOMAIN_CONSENSUS_CONSENSUS_INTERNAL_H
#define DOMAIN_CONSENSUS_CONSENSUS_INTERNAL_H

#include "domain/base/buf.h"
#include "domain/base/embedded_file.h"
#include "domain/base/err.h"
#include <jansson.h>
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

/* How many of its words say what should stand there: "answer", "your", "number". */
size_t candidate_gap_words(struct span text);

extern const struct embedded_file consensus_sayings[]; /* data/consensus/ */

/* non_answer.c: each of its sentences agrees, refuses, asks back or points elsewhere, and none says
 * anything. Not where the task offers these words, or asks for a translation. */
bool candidate_says_nothing(struct span text, const char *task);
/* The task may want a program that does nothing. */
bool candidate_may_be_idle(const char *task);
/* There is no word in it but those of the task and those that talk about answers. */
bool candidate_restates(struct span text, const char *task);
/* "the name of the customer" under the key "name": the key, and else only words of the task. */
bool candidate_only_names(const char *text, const char *key, const char *task);
/* non_code.c: code without a statement of its own, where the task wants some. */
bool candidate_is_stub(struct span code, const char *task);
/* A sentence or several, without any sign of code. */
bool candidate_is_prose(struct span text);
/* A regex of words that only say that a pattern should be there. */
bool candidate_is_pattern_gap(struct span text, const char *task);
/* Canonical SQL that is no statement, or has a gap or a textbook's name where a name should be. */
bool candidate_is_sql_gap(struct span sql, const char *task);
/* non_json.c: a JSON value whose texts say what should stand in their places. */
bool candidate_is_form(const json_t *value, const char *task);

#endif
