/* What a figure came to: when its rounds end and why, which round is the best, and what a person
 * still has to look at. Private to application/figure; pure. */
#ifndef APPLICATION_FIGURE_STAGES_VERDICT_H
#define APPLICATION_FIGURE_STAGES_VERDICT_H

#include "application/figure/stages/figure_work.h"

#define FIGURE_USELESS_ROUNDS 2   /* of a critic in a row end the figure (B2) */
#define FIGURE_UNCHANGED_ROUNDS 2 /* descriptions in a row, likewise; rules would only repeat */

/* After the critic of this round. True when it was the last one, with *out_end. Counts rounds in a
 * row in the work. */
bool verdict_is_over(struct figure_work *work, unsigned round, enum figure_end *out_end);
size_t verdict_best(const struct figure_round *rounds, size_t n);
/* Everything of the result but the stages, which may already be there. */
void verdict_fill(const struct figure_work *work, enum figure_end end, struct figure_result *out);

#endif
