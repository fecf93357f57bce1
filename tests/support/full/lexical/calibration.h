/* Whether a score means what it says: of the cases scored 0.8, four fifths should be right. Cases
 * are kept in the order they come in; case i belongs to fold i % 5. */
#ifndef TESTS_SUPPORT_FULL_LEXICAL_CALIBRATION_H
#define TESTS_SUPPORT_FULL_LEXICAL_CALIBRATION_H

#include <stdbool.h>
#include <stddef.h>

enum { CALIBRATION_BINS = 10, CALIBRATION_FOLDS = 5 };

struct calibration_case {
    double score; /* 0..1 */
    bool is_right;
};

struct calibration {
    struct calibration_case *cases; /* owned */
    size_t n, capacity;
};

struct calibration_bin {
    size_t n;
    double score, right; /* sums */
};

/* Platt's mapping: 1 / (1 + exp(-(slope * logit(score) + offset))). */
struct calibration_map {
    double slope, offset;
};

void calibration_add(struct calibration *calibration, double score, bool is_right);
void calibration_finish(struct calibration *calibration);

/* Expected calibration error, 0..1, of the scores as they are, in bins of equal width: the mean
 * distance between score and share of right cases, by the cases of each bin. */
double calibration_error(const struct calibration *calibration,
                         struct calibration_bin out_bins[CALIBRATION_BINS]);
/* The mapping of greatest likelihood over all cases but those of one fold (CALIBRATION_FOLDS: all
 * cases). A slight penalty keeps it finite where scores part right from wrong. */
struct calibration_map calibration_fit(const struct calibration *calibration, size_t left_out);
double calibration_mapped(struct calibration_map map, double score);
/* The expected calibration error of scores mapped by what was fitted on the other folds. */
double calibration_cross_validated(const struct calibration *calibration);

#endif
