/* Colours of a plot's series: the lines of a style and shades of them that stand out from its
 * background. They are chosen one after the other, so that each is as different from those before
 * it as can be, and at least somewhat for people who do not see all colours. Pure. */
#ifndef APPLICATION_FIGURE_PLOT_PLOT_PALETTE_H
#define APPLICATION_FIGURE_PLOT_PLOT_PALETTE_H

#include "domain/figure/figure_style.h"
#include "domain/figure/plot_spec.h"

#define PLOT_COLOR_SIZE 8 /* "#rrggbb" */

struct plot_palette {
    char series[PLOT_MAX_SERIES][PLOT_COLOR_SIZE];
    char background[PLOT_COLOR_SIZE], text[PLOT_COLOR_SIZE], line[PLOT_COLOR_SIZE];
};

void plot_palette_init(struct plot_palette *palette, const struct figure_style *style);

#endif
