/* Colours, dashes and marks of a plot's series, from the lines of a style: each of them stands out
 * from the background, as the style was checked for. No two series of a plot look the same, also
 * for somebody who sees no colours. Pure. */
#ifndef APPLICATION_FIGURE_PLOT_PALETTE_H
#define APPLICATION_FIGURE_PLOT_PALETTE_H

#include "domain/entities/figure_style.h"
#include "domain/entities/plot_spec.h"

#define PLOT_COLOR_SIZE 8 /* "#rrggbb" */

struct plot_palette {
    char series[PLOT_MAX_SERIES][PLOT_COLOR_SIZE];
    char background[PLOT_COLOR_SIZE], text[PLOT_COLOR_SIZE], line[PLOT_COLOR_SIZE];
};

void plot_palette_init(struct plot_palette *palette, const struct figure_style *style);

#endif
