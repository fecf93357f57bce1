/* What stands at the axes and above the legend: the label of the spec, else the name of the column
 * in words, with its unit ("latency_ms" as "Latency (ms)"), and what was done to its values. */
#ifndef APPLICATION_FIGURE_PLOT_PLOT_TITLES_H
#define APPLICATION_FIGURE_PLOT_PLOT_TITLES_H

#include "domain/figure/plot_spec.h"

/* All in the arena. The title of series is "" where there are none. */
const char *plot_x_title(struct arena *arena, const struct plot_spec *spec);
const char *plot_y_title(struct arena *arena, const struct plot_spec *spec);
const char *plot_series_title(struct arena *arena, const struct plot_spec *spec);

#endif
