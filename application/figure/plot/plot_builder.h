/* A table while it grows: columns get their names, rows their cells, and at the end it shows which
 * columns are numbers. Every bound of a table is kept here. */
#ifndef APPLICATION_FIGURE_PLOT_PLOT_BUILDER_H
#define APPLICATION_FIGURE_PLOT_PLOT_BUILDER_H

#include "domain/figure/plot_spec.h"

struct plot_builder {
    struct arena *arena;
    struct plot_column *columns;
    size_t n_columns, capacity;
    json_t *by_name;    /* index of each column */
    json_t *rows;       /* arrays of cells, which may be short until the end */
    bool decimal_comma; /* 1,5 is a number */
    struct err *err;
};

/* Everything lives in the arena. */
void plot_builder_init(struct plot_builder *builder, struct arena *arena, struct err *err);
/* Adds a column: an empty name becomes "column 3", one that is taken "name (2)". */
MUST_CHECK
enum err_code plot_builder_add_column(struct plot_builder *builder, const char *bytes,
                                      size_t length);
/* Index of a column, or -1. */
int plot_builder_find(const struct plot_builder *builder, const char *name);
/* A row without cells yet, borrowed; NULL with the error when there are too many. */
json_t *plot_builder_add_row(struct plot_builder *builder);
/* Sets a cell of a row, which grows with null up to it. Steals value; what is not a number, text or
 * null becomes text. */
void plot_builder_set(json_t *row, size_t column, json_t *value);
/* Text from outside as a cell; null when it is empty. */
json_t *plot_builder_text(const char *bytes, size_t length);
/* Evens the rows out and finds the columns of numbers. */
MUST_CHECK
enum err_code plot_builder_finish(struct plot_builder *builder, const char *origin,
                                  struct plot_data *out);

#endif
