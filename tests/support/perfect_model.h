/* A model that always gives the right answer, because the test told it which: one text per
 * purpose, for as long as it is not told another. Streams in one piece; never waits. */
#ifndef TESTS_SUPPORT_PERFECT_MODEL_H
#define TESTS_SUPPORT_PERFECT_MODEL_H

#include "application/ports/model.h"

#define PERFECT_MODEL_MAX 8

struct perfect_model {
    struct model base;
    struct {
        const char *purpose, *text; /* borrowed */
    } answers[PERFECT_MODEL_MAX];
    size_t n_answers;
    uint64_t asked;
};

void perfect_model_init(struct perfect_model *perfect);
/* Replaces the answer for a purpose. */
void perfect_model_know(struct perfect_model *perfect, const char *purpose, const char *text);

#endif
