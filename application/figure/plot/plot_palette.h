/* Colours of a plot's series: the lines of a style, made lighter or darker until each series is of
 * another lightness, so that a copier and people who do not see all colours tell them apart. One
 * series has the style's own colour. Pure. */
#ifndef APPLICATION_FIGURE_PLOT_PLOT_PALETTE_H
#define APPLICATION_FIGURE_PLOT_PLOT_PALETTE_H

#include "domain/figure/figure_style.h"
#include "domain/figure/plot_spec.h"

#define PLOT_COLOR_SIZE 8 /* "#rrggbb" */

struct plot_palette {
    char series[PLOT_MAX_SERIES][PLOT_COLOR_SIZE]; /* the first n_series of them */
    const char *colors[PLOT_MAX_SERIES];           /* the same as a list, into the palette */
    char background[PLOT_COLOR_SIZE], text[PLOT_COLOR_SIZE], line[PLOT_COLOR_SIZE];
};

/* Lines and points stand out from the background, and boxes from the median in them, which has the
 * colour of the text. Bars, areas and boxes may be as light as the background, because they have
 * outlines of the colour `line`. */
void plot_palette_init(struct plot_palette *palette, const struct figure_style *style,
                       enum plot_mark mark, size_t n_series);

#endif
