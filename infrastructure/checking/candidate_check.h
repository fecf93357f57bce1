/* One candidate against its examples, on whatever thread: everything it needs is here, and what it
 * finds is left here. The checks by kind are files of their own; each reads its examples whole
 * before it looks at the candidate, so that examples of another form are told as what they are. */
#ifndef INFRASTRUCTURE_CHECKING_CANDIDATE_CHECK_H
#define INFRASTRUCTURE_CHECKING_CANDIDATE_CHECK_H

#include "application/ports/candidate_checker.h"
#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#define CHECK_SHOWN_COLUMNS 120 /* of a text or a row in a sentence */

struct candidate_check {
    struct arena arena;
    const char *candidate;  /* canonical */
    const json_t *examples; /* object, or NULL */
    int64_t max_ms;
    size_t max_rows;
    const char *failure; /* out: in the arena; NULL: it does what they ask */
};

/* ERR_INVALID: the examples are none, with their path. */
MUST_CHECK
enum err_code check_text_candidate(struct candidate_check *check, struct err *err);
MUST_CHECK
enum err_code check_json_candidate(struct candidate_check *check, struct err *err);
MUST_CHECK
enum err_code check_number_candidate(struct candidate_check *check, struct err *err);
MUST_CHECK
enum err_code check_regex_candidate(struct candidate_check *check, struct err *err);
MUST_CHECK
enum err_code check_sql_candidate(struct candidate_check *check, struct err *err);

/* Foreign text on one line, in quotes. */
const char *check_quoted(struct candidate_check *check, const char *text);
/* A value's JSON on one line, cut. */
const char *check_shown(struct candidate_check *check, const json_t *value);
/* Sets the failure. Later ones are passed over: one thing at a time. */
void check_fails(struct candidate_check *check, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
