/* What a plot draws of a table: rows that have what is asked for, series and places told apart,
 * values added up, bins counted. Both kinds of plot code are written from this, so they show the
 * same. Pure. */
#ifndef APPLICATION_FIGURE_PLOT_PLOT_POINTS_H
#define APPLICATION_FIGURE_PLOT_PLOT_POINTS_H

#include "domain/figure/figure_style.h"
#include "domain/figure/plot_spec.h"

struct plot_point {
    const json_t *x, *y;  /* of a histogram, the edge at which a bin begins and what is in it */
    size_t place, series; /* indices */
    size_t row;           /* of the table; of what is added up, 0 */
};

struct plot_points {
    struct plot_point *list;
    size_t n;
    const char **places; /* the different x in the order in which they are drawn; of a bar or box
                            over time also those between them that have no value */
    size_t n_places;
    bool has_places; /* x is one of the places, and not a number or a point in time */
    bool is_time;    /* x is "2026-11-21" or "2026-11-21T08:15:00", UTC; with places a month too */
    bool is_number;  /* x is a number, which a year is as well */
    bool is_year;    /* it is written without a thousands separator */
    const double *edges; /* of a histogram's bins, one more than there are; NULL */
    size_t n_bins;
    const char **series; /* names: numbers and times in their order, texts in the order in which
                            they came; one of "" without colour */
    size_t n_series;
};

/* The spec must fit the data (plot_spec_from_json). Everything is in the arena. */
void plot_points_init(struct arena *arena, const struct plot_spec *spec,
                      const struct plot_data *data, struct plot_points *out);

/* Whether the labels of a logarithmic axis are powers of ten, all of them: where a value has too
 * many digits before or behind the point. */
bool plot_has_powers(const struct plot_points *points, bool of_y);

#define PLOT_TIME_LABELS 5    /* of an axis of time: with fewer, matplotlib warns of some spans */
#define PLOT_LABEL_COLUMNS 40 /* of the name of a place or a series; longer ones are cut */

/* How much room a plot has between its axes, and how names stand at it. */
struct plot_layout {
    unsigned width, height; /* pixels of 1/86 inch: 480 by 300, more where there are many places */
    bool is_horizontal;     /* bars and boxes whose names do not fit beside each other lie */
    bool is_turned;         /* other names that do not are written upwards */
    size_t label_step;      /* every so many places have their name */
    bool has_marks;         /* points on a line */
};

struct plot_layout plot_layout_of(const struct plot_spec *spec, const struct plot_points *points,
                                  const struct figure_style *style);

#endif
