/* Columns for people: cells are padded to the widest of their column; the last one is cut to the
 * terminal's width, or folded. In a pipe they are separated by tabs and never cut, so that cut(1)
 * and awk work. Foreign text is made safe here. */
#ifndef PRESENTATION_CLI_OUTPUT_TABLE_H
#define PRESENTATION_CLI_OUTPUT_TABLE_H

#include "presentation/cli/cli.h"

#define TABLE_MAX_COLUMNS 64

struct table {
    struct arena *arena; /* borrowed */
    size_t n_columns;
    bool folds; /* the last cell goes on below, where the terminal is too narrow for it */
    const char **cells;
    size_t n, capacity;
};

void table_init(struct table *table, struct arena *arena, size_t n_columns);
/* n_columns strings; NULL is "". */
void table_row(struct table *table, ...);
/* n_columns of them, likewise. */
void table_cells(struct table *table, const char *const *cells);
/* A line for each row: padded as on a terminal of so many columns (SIZE_MAX: without end), with
 * tabs for 0. In the arena of the table. */
const char *table_text(const struct table *table, size_t columns);
/* False once stdout is closed. */
bool table_print(struct table *table, struct cli *cli);

#endif
