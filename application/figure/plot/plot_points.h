/* What a plot draws of a table: rows that have what is asked for, series and places told apart,
 * values added up. Both kinds of plot code are written from this, so they show the same. Pure. */
#ifndef APPLICATION_FIGURE_PLOT_PLOT_POINTS_H
#define APPLICATION_FIGURE_PLOT_PLOT_POINTS_H

#include "domain/figure/plot_spec.h"

struct plot_point {
    const json_t *x, *y;  /* y is NULL for a histogram */
    size_t place, series; /* indices */
    size_t row;           /* of the table; of what is added up, 0 */
};

struct plot_points {
    struct plot_point *list;
    size_t n;
    const char **places; /* the different x, in the order in which they are drawn */
    size_t n_places;
    bool has_places;     /* x is one of the places, and not a number or a day */
    bool is_date;        /* x is a day */
    const char **series; /* names, in the order in which they came; one of "" without colour */
    size_t n_series;
    size_t n_missing; /* rows that are left out because x or y is missing */
};

/* The spec must fit the data (plot_spec_from_json). Everything is in the arena. */
void plot_points_init(struct arena *arena, const struct plot_spec *spec,
                      const struct plot_data *data, struct plot_points *out);

#endif
