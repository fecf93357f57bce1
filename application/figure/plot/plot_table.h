/* The data of a plot as a table, from the text of a CSV or JSON file or from the result of a tool,
 * and never from a model.
 *
 * JSON is an array of objects, of arrays or of plain values, or an object that has one, under
 * "data", "rows", "values" and the like (with the names in "columns", where there are such), or
 * arrays of one length under the names of the columns. A column whose cells are all numbers, or
 * text that reads as one, is one of numbers; empty cells, and in such a column NA and NaN, are
 * missing (null). Text is made valid UTF-8 without U+0000. Pure. */
#ifndef APPLICATION_FIGURE_PLOT_PLOT_TABLE_H
#define APPLICATION_FIGURE_PLOT_PLOT_TABLE_H

#include "domain/figure/plot_spec.h"
#include "domain/tool/step_result.h"

/* Everything in *out lives in the arena. origin: "measurements.csv", for messages and the log.
 * ERR_LIMIT: more than max_bytes (figure.max_data_bytes), PLOT_MAX_ROWS, _COLUMNS or _CELLS;
 * ERR_INVALID: it is no table, or an empty one. */
MUST_CHECK
enum err_code plot_table_from_text(struct arena *arena, const char *bytes, size_t length,
                                   size_t max_bytes, const char *origin, struct plot_data *out,
                                   struct err *err);
/* structuredContent if that is a table, else the text. ERR_FAILED: the tool failed. */
MUST_CHECK
enum err_code plot_table_from_result(struct arena *arena, const struct step_result *result,
                                     size_t max_bytes, const char *origin, struct plot_data *out,
                                     struct err *err);

#endif
