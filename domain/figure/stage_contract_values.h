/* The values of which the contracts between the stages are made, each held against what the seed
 * says of it. A check adds what is wrong with the value at `path`; the value is there. Pure. */
#ifndef DOMAIN_FIGURE_STAGE_CONTRACT_VALUES_H
#define DOMAIN_FIGURE_STAGE_CONTRACT_VALUES_H

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
/* Nobody reads a longer list, and a hostile file could fill memory with one. */
bool stage_is_full(const struct stage_check *check);

stage_value_fn stage_check_text;     /* a string with something in it */
stage_value_fn stage_check_string;   /* a string, which may be empty */
stage_value_fn stage_check_texts;    /* an array of such texts, which may be empty */
stage_value_fn stage_check_flag;     /* true or false */
stage_value_fn stage_check_round;    /* an integer from 0 */
stage_value_fn stage_check_mode;     /* S1-14 */
stage_value_fn stage_check_artifact; /* S1-15, X26 */
stage_value_fn stage_check_refs;     /* S1-6, S1-7 */
stage_value_fn stage_check_confidence;
stage_value_fn stage_check_pool;     /* S1-5 */
stage_value_fn stage_check_examples; /* S1-9 */
stage_value_fn stage_check_gate;     /* S1-17 */

/* stop_flag is only for a figure that passed both gates. path: of the critique. */
void stage_check_stop(const struct stage_check *check, const json_t *critique, const char *path);
/* What a mode gives: a picture or code, and words in place of either (X26). Wrong types are others'
 * business. */
void stage_check_artifact_of_mode(const struct stage_check *check, const json_t *mode,
                                  const json_t *artifact, const char *path);
/* Texts that differ only in white space, which a text made elsewhere may have wrapped. */
bool stage_same_words(const char *a, const char *b);

#endif
