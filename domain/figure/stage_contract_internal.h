/* The values that the contracts between the stages and the round log are made of. A check adds what
 * is wrong with the value at `path`, and is only called for a value that is there. Pure. */
#ifndef DOMAIN_FIGURE_STAGE_CONTRACT_INTERNAL_H
#define DOMAIN_FIGURE_STAGE_CONTRACT_INTERNAL_H

#include "domain/base/problem.h"
#include "domain/figure/figure_stage.h"

struct stage_check {
    const char *payload; /* "input", "output"; NULL for a log */
    struct problems *problems;
};

typedef void stage_value_fn(const struct stage_check *check, const json_t *value, const char *path);

struct stage_field {
    const char *name;
    stage_value_fn *check;
    bool is_optional;
};

/* Adds a problem; fix is a constant. */
void stage_problem(const struct stage_check *check, const char *path, const char *fix,
                   const char *format, ...) PRINTF_LIKE(4, 5);
/* The fields of an object, the last of which has no name. */
void stage_check_fields(const struct stage_check *check, const json_t *object, const char *path,
                        const struct stage_field *fields);

stage_value_fn stage_check_text;   /* a string with something in it */
stage_value_fn stage_check_string; /* a string, which may be empty */
stage_value_fn stage_check_flag;   /* true or false */
stage_value_fn stage_check_round;  /* an integer from 0 */
stage_value_fn stage_check_mode;
stage_value_fn stage_check_artifact;
stage_value_fn stage_check_gate; /* the two gates of a critique */

/* stop_flag is only for a figure that passed both gates. path: of the critique. */
void stage_check_stop(const struct stage_check *check, const json_t *critique, const char *path);
/* A mode gives a picture or code, or words in place of either. Values of the wrong type are passed
 * over: their own checks complain. */
void stage_check_artifact_of_mode(const struct stage_check *check, const json_t *mode,
                                  const json_t *artifact, const char *path);

#endif
