/* How a figure reaches whoever asked for it: as a folder, a file, or on standard output. */
#ifndef PRESENTATION_CLI_OUTPUT_FIGURE_OUTPUT_H
#define PRESENTATION_CLI_OUTPUT_FIGURE_OUTPUT_H

#include "application/figure/stages/figure.h"
#include "presentation/cli/cli.h"

#define FIGURE_DEFAULT_FOLDER "runs"

/* --out; on a terminal without -o and --json the default folder; else NULL. */
const char *figure_output_parent(struct cli *cli);
/* ERR_INVALID: a suffix of -o that no figure has. */
MUST_CHECK
enum err_code figure_output_check(struct cli *cli, struct err *err);
/* Returns the exit status. folder "": nothing was written. */
int figure_output(struct cli *cli, const struct figure_result *result, const char *run_id,
                  const char *folder);

#endif
