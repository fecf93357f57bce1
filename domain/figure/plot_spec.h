/* A plot as its typed spec: what is drawn over what, from which columns. The data never come
 * from a model but from a file or a tool, and the spec only names their columns. */
#ifndef DOMAIN_FIGURE_PLOT_SPEC_H
#define DOMAIN_FIGURE_PLOT_SPEC_H

#include "domain/base/arena.h"
#include "domain/base/problem.h"
#include <jansson.h>
#include <stdbool.h>

#define PLOT_MAX_COLUMNS 256
#define PLOT_MAX_ROWS 100000
#define PLOT_MAX_SERIES 12
#define PLOT_MAX_CELLS 4000000   /* of a table: rows by columns */
#define PLOT_MAX_CATEGORIES 100  /* bars or boxes beside each other */
#define PLOT_MAX_NAME_BYTES 200  /* of a column */
#define PLOT_MAX_CELL_BYTES 1000 /* longer ones are cut with … */
#define PLOT_MAX_LABEL_BYTES 300 /* of an axis */

/* X(mark, name) */
#define PLOT_MARKS(X)                                                                              \
    X(BAR, "bar")                                                                                  \
    X(LINE, "line")                                                                                \
    X(POINT, "point")                                                                              \
    X(AREA, "area")                                                                                \
    X(HISTOGRAM, "histogram")                                                                      \
    X(BOX, "box")

enum plot_mark {
#define X(mark, name) PLOT_##mark,
    PLOT_MARKS(X)
#undef X
};

/* X(aggregate, name) */
#define PLOT_AGGREGATES(X)                                                                         \
    X(NONE, "none")                                                                                \
    X(SUM, "sum")                                                                                  \
    X(MEAN, "mean")                                                                                \
    X(COUNT, "count")

enum plot_aggregate {
#define X(aggregate, name) PLOT_AGGREGATE_##aggregate,
    PLOT_AGGREGATES(X)
#undef X
};

/* A table in memory: columns by name, cells as numbers or text. */
struct plot_column {
    const char *name;
    bool is_number; /* every cell that is there is one */
};

struct plot_data {
    struct plot_column *columns;
    size_t n_columns, n_rows;
    const json_t *rows; /* array of arrays: number, string or null */
    const char *origin; /* "measurements.csv", "server/tool": said in the figure's log */
};

/* Index of the column with that name, or -1. */
int plot_data_find(const struct plot_data *data, const char *name);
/* Number, string or null; never NULL for a row and a column of the table. */
const json_t *plot_data_cell(const struct plot_data *data, size_t row, size_t column);
/* The first different values of a column, at most max; returns how many. */
size_t plot_data_values(const struct plot_data *data, size_t column, const json_t **out,
                        size_t max);
/* How many different values a column has, without those that are missing; max + 1 stands for more
 * than max. */
size_t plot_data_distinct(const struct plot_data *data, size_t column, size_t max);
/* A month, a day or a day and a time: 2026-11, 2026-11-21 (or 2026/11/21), 2026-11-21 08:15 and on
 * to RFC 3339; what has no zone is taken for UTC. ms since 1970; false for any other text. */
bool plot_time_read(const char *text, int64_t *out_ms);
/* True when every cell that is there is a point in time. */
bool plot_data_is_time(const struct plot_data *data, size_t column);
/* The same of whole numbers from 1900 to 2100 under a name with "year". */
bool plot_data_is_year(const struct plot_data *data, size_t column);

/* Whether several rows have the same x and, unless that is -1, colour. */
bool plot_data_repeats(struct arena *arena, const struct plot_data *data, int x, int color);

struct plot_spec {
    enum plot_mark mark;
    const char *x, *y; /* columns; y may be NULL for a histogram */
    const char *color; /* column of the series, or NULL */
    enum plot_aggregate aggregate;
    const char *x_label, *y_label; /* axes; "": the name of the column in words */
    bool log_x, log_y;
    bool sorted; /* bars by height */
};

/* The y axis has numbers of rows. */
static inline bool plot_counts(const struct plot_spec *spec)
{
    return spec->mark == PLOT_HISTOGRAM || spec->aggregate == PLOT_AGGREGATE_COUNT;
}
/* Series stand on each other, the first at the bottom. */
static inline bool plot_is_stacked(const struct plot_spec *spec)
{
    return spec->mark == PLOT_AREA || spec->mark == PLOT_HISTOGRAM;
}

/* {"mark","x","y","color","aggregate","x_label","y_label","log_x","log_y","sorted"}; mark and x are
 * required, y where the mark does not count. Columns that do not exist, text where a number is
 * needed, more series or bars than can be told apart, a logarithm of what is not above 0, sums of
 * what cannot be added up and unknown words are problems, each with its path and what to do.
 * Further members are passed over.
 */
bool plot_spec_from_json(struct arena *arena, const json_t *value, const struct plot_data *data,
                         struct plot_spec *out, struct problems *problems);
json_t *plot_spec_to_json(const struct plot_spec *spec); /* owned by the caller */
const char *plot_mark_name(enum plot_mark mark);

#endif
