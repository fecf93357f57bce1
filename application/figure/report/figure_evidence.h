/* What is known of one round of a figure without asking anybody: what the checks found, what the
 * critic's gates say, what was drawn and how large it became. Scores and the page are made of it.
 * Pure. */
#ifndef APPLICATION_FIGURE_REPORT_FIGURE_EVIDENCE_H
#define APPLICATION_FIGURE_REPORT_FIGURE_EVIDENCE_H

#include "application/figure/stages/figure.h"

#define FIGURE_LONG_LABEL_BYTES 48 /* more than fits in two lines */

struct figure_counts {
    unsigned critical, others;
};

struct figure_evidence {
    const struct figure_round *round;               /* NULL when no round was finished */
    struct figure_counts faithfulness, readability; /* findings */
    bool is_plot;                                   /* drawn is a plot spec, not a graph */
    size_t n_nodes, n_edges, n_long_labels;
    double width, height; /* of the picture, points; 0 when nobody knows */
};

struct figure_evidence figure_evidence_of(const struct figure_result *result, size_t round);
/* The chosen round; without any, its round is NULL. */
struct figure_evidence figure_evidence_best(const struct figure_result *result);
/* Whether somebody may print it as it is: drawn, read by a critic, both gates, nothing critical. */
bool figure_is_ready(const struct figure_result *result);

#endif
