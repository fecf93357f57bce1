/* A plot spec and its data as what draws it elsewhere: a Vega-Lite specification, and a Python
 * script for matplotlib that has the data within. Nothing here is executed. Pure. */
#ifndef APPLICATION_FIGURE_PLOT_PLOT_CODE_H
#define APPLICATION_FIGURE_PLOT_PLOT_CODE_H

#include "domain/figure/figure_style.h"
#include "domain/figure/plot_spec.h"

/* Owned by the caller. */
json_t *plot_vega_lite(const struct plot_spec *spec, const struct plot_data *data,
                       const struct figure_style *style);
/* In the arena. */
const char *plot_matplotlib(struct arena *arena, const struct plot_spec *spec,
                            const struct plot_data *data, const struct figure_style *style);

#endif
