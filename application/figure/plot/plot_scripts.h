/* The fixed parts of a script for matplotlib (plot_code.h), in the order in which they follow each
 * other; the constants and the data stand between the first two. */
#ifndef APPLICATION_FIGURE_PLOT_PLOT_SCRIPTS_H
#define APPLICATION_FIGURE_PLOT_PLOT_SCRIPTS_H

#include "domain/figure/plot_spec.h"

extern const char plot_script_begin[], plot_script_helpers[];
/* One of these: what x is. */
extern const char plot_script_places[], plot_script_days[], plot_script_numbers[];
extern const char *const plot_script_marks[PLOT_BOX + 1];
extern const char plot_script_end[];

#endif
