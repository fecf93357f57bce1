/* Plots without a model in between: data as a table, a spec guessed of words, and a spec as what
 * draws it elsewhere. Pure. */
#ifndef APPLICATION_FIGURE_PLOT_PLOT_H
#define APPLICATION_FIGURE_PLOT_PLOT_H

#include "domain/base/embedded_file.h"
#include "domain/figure/figure_findings.h"
#include "domain/figure/figure_style.h"
#include "domain/figure/plot_spec.h"
#include "domain/tool/step_result.h"

/* The data of a plot as a table, from the text of a CSV or JSON file or from the result of a tool.
 *
 * JSON is an array of objects, of arrays or of plain values, or an object that has one, under
 * "data", "rows", "values" and the like (with the names in "columns", if there are any), or arrays
 * of one length under the names of the columns. A column whose cells are all numbers, or text that
 * reads as one, is one of numbers; empty cells, and in such a column NA and NaN, are missing
 * (null). Text is made valid UTF-8 without U+0000.
 *
 * Everything in *out lives in the arena. origin: "measurements.csv", for messages and the log.
 * ERR_LIMIT: more than max_bytes (figure.max_data_bytes), PLOT_MAX_ROWS, _COLUMNS or _CELLS;
 * ERR_INVALID: it is not a table, or an empty one. */
MUST_CHECK
enum err_code plot_table_from_text(struct arena *arena, const char *bytes, size_t length,
                                   size_t max_bytes, const char *origin, struct plot_data *out,
                                   struct err *err);
/* structuredContent if that is a table, else the text. ERR_FAILED: the tool failed. */
MUST_CHECK
enum err_code plot_table_from_result(struct arena *arena, const struct step_result *result,
                                     size_t max_bytes, const char *origin, struct plot_data *out,
                                     struct err *err);

/* A line for each column: its name, its kind and the first few different values, in the arena. A
 * model sees no more of the data. */
const char *plot_data_in_words(struct arena *arena, const struct plot_data *data);

/* A spec that fits the data, from the words of caption and intent and the columns; in the arena.
 * Columns that are named come first, and by default what reads best: bars over few names, a line
 * over numbers or days, points where two numbers are compared. False when the data have nothing to
 * draw, which takes a column of numbers or one of few different values. */
bool plot_spec_guess(struct arena *arena, const struct plot_data *data, const char *caption,
                     const char *intent, struct plot_spec *out);
/* What caption and intent ask for beside the columns, whoever chose those: bars by height where
 * they speak of a rank, unless the bars stand along an axis, and logarithms where the data allow
 * them. */
void plot_spec_heed(struct arena *arena, const struct plot_data *data, const char *caption,
                    const char *intent, struct plot_spec *spec);
/* What was asked for in words and is not in the spec: a mark ("mark_replaced", with the reason
 * where the data do not allow it), and of a guess what no word names ("column_guessed"; time needs
 * no name). */
void find_plot_faults(struct figure_findings *findings, const struct plot_data *data,
                      const char *caption, const char *intent, const struct plot_spec *spec,
                      bool is_guess);

/* A Vega-Lite specification, owned by the caller. */
json_t *plot_vega_lite(const struct plot_spec *spec, const struct plot_data *data,
                       const struct figure_style *style);
/* The parts of the script for matplotlib, and the units that columns end with: data/figure/. */
extern const struct embedded_file plot_files[];
/* A Python script for matplotlib that has the data within; in the arena. A renderer runs it
 * (infrastructure/rendering/matplotlib.c), so nothing of the data may stand in it but as data. */
const char *plot_matplotlib(struct arena *arena, const struct plot_spec *spec,
                            const struct plot_data *data, const struct figure_style *style);

#endif
