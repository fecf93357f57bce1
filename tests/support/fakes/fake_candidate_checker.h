/* A checker for tests: candidates are fine unless they are the one it was told to fail. */
#ifndef TESTS_SUPPORT_FAKES_FAKE_CANDIDATE_CHECKER_H
#define TESTS_SUPPORT_FAKES_FAKE_CANDIDATE_CHECKER_H

#include "application/ports/candidate_checker.h"

struct fake_candidate_checker {
    struct candidate_checker base;
    const char *refuses; /* this canonical text … */
    const char *failure; /* … because of this */
    enum err_code fails; /* the checker itself */
    unsigned n_checks;
    const json_t *examples; /* of the last check */
};

void fake_candidate_checker_init(struct fake_candidate_checker *fake);

#endif
