/* The shapes in which JSON holds a table (plot_table.h). Pure. */
#ifndef APPLICATION_FIGURE_PLOT_PLOT_JSON_H
#define APPLICATION_FIGURE_PLOT_PLOT_JSON_H

#include "application/figure/plot/plot_builder.h"

#define PLOT_MAX_WRAPPERS 4 /* objects around the table: {"data":{"values":[…]}} */

/* Fills the builder. ERR_INVALID: it is no table. */
MUST_CHECK
enum err_code plot_json_read(struct plot_builder *builder, const json_t *value);

#endif
