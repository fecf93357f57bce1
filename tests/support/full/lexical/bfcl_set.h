/* Requests of the Berkeley Function Calling Leaderboard (not part of the repository:
 * $MISTRO_TEST_DATA or beside the source tree): JSON lines with the functions of each request, and
 * their answers in a file of their own. A set without answers has requests that no tool is for, or,
 * where its name has "relevance", requests that some tool is for. Lines count from 0; even ones
 * were used while the rules were written. */
#ifndef TESTS_SUPPORT_FULL_LEXICAL_BFCL_SET_H
#define TESTS_SUPPORT_FULL_LEXICAL_BFCL_SET_H

#include "tests/support/full/lexical/calibration.h"
#include <stdbool.h>

enum bfcl_half { BFCL_EVEN, BFCL_ODD, BFCL_HALVES };

struct bfcl_tally {
    unsigned n;
    unsigned chosen;  /* called, or asked about values of, the right tools */
    unsigned touched; /* called, or asked about values of, any tool */
    unsigned exact;   /* called them with the right arguments */
    unsigned refused;
    unsigned which; /* asked which tool is meant */
};

/* How likely what it did was right, and whether it was: of the tool, and of the whole call. */
struct bfcl_samples {
    struct calibration *tools, *calls;
};

/* False when there is no such set or a request could not be analysed. name: "multiple",
 * "live_simple"; has_answers is set where there is a file of them. tell: prints what goes wrong on
 * even lines. */
bool bfcl_set_measure(const char *name, bool tell, struct bfcl_tally out[BFCL_HALVES],
                      bool *has_answers, const struct bfcl_samples *samples);

/* The names of the sets in the data folder that begin with prefix; calls each with its name. */
void bfcl_each_set(const char *prefix, void (*each)(void *context, const char *name),
                   void *context);

#endif
