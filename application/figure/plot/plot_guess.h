/* A plot spec without a model: from the words of caption and intent and the columns of the data.
 * Columns that are named come first, and by default what reads best: bars over few names, a line
 * over numbers or days, points where two numbers are compared. Pure. */
#ifndef APPLICATION_FIGURE_PLOT_PLOT_GUESS_H
#define APPLICATION_FIGURE_PLOT_PLOT_GUESS_H

#include "domain/figure/plot_spec.h"

/* A spec that fits the data; it lives in the arena. False when the data have nothing to draw, which
 * takes a column of numbers or one of few different values. */
bool plot_spec_guess(struct arena *arena, const struct plot_data *data, const char *caption,
                     const char *intent, struct plot_spec *out);

#endif
