/* Checks one candidate against its examples, on any thread: struct candidate_check holds everything
 * the check needs and what it found. Each kind has a function of its own (plain_checks.c,
 * regex_check.c, sql_check.c). It first holds all examples against the members and types that its
 * kind allows, so that a mistake in the examples is reported as one and never blamed on the
 * candidate. */
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
    const char *failure; /* out: in the arena; NULL: the candidate does what the examples ask */
};

/* ERR_INVALID: the examples do not have the form of their kind; the message has their path. */
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

enum example_type {
    EXAMPLE_TEXT,
    EXAMPLE_NUMBER,
    EXAMPLE_COUNT, /* a whole number from 0 */
    EXAMPLE_FLAG,
    EXAMPLE_ANY,
    EXAMPLE_TEXTS, /* at most CANDIDATE_MAX_EXAMPLES of them */
    EXAMPLE_ROWS,  /* lists of values, at most CANDIDATE_MAX_EXAMPLES of them */
};

struct example_member {
    const char *name;
    enum example_type type;
};

/* Holds the examples, as people write them, against the members that there may be. ERR_INVALID: not
 * an object, an unknown member, a wrong type, too many; the first mistake is told with its path.
 * examples may be NULL. */
MUST_CHECK
enum err_code examples_check(const json_t *examples, const struct example_member *members, size_t n,
                             struct err *err);

/* Foreign text on one line, in quotes. */
const char *check_quoted(struct candidate_check *check, const char *text);
/* A value's JSON on one line, cut. */
const char *check_shown(struct candidate_check *check, const json_t *value);
/* Sets the failure; only the first one is kept, so that one thing is mended at a time. */
void check_fails(struct candidate_check *check, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
