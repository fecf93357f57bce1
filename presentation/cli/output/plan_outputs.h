/* `run --as FORM`: the outputs of a plan alone. text is the answer as it always is; json the object
 * of the outputs, or what the last step gave where there are none; table lists of objects as tables
 * with a heading, lists of other values a line each, and everything else as text. */
#ifndef PRESENTATION_CLI_OUTPUT_PLAN_OUTPUTS_H
#define PRESENTATION_CLI_OUTPUT_PLAN_OUTPUTS_H

#include "application/orchestrators/turn_result.h"
#include "presentation/cli/cli.h"

/* What is wrong with --as of `run`, and of `runs resume` and `runs fork`; NULL: nothing. */
const char *plan_outputs_misused(const struct arguments *args);
/* In the arena of the cli. NULL: the answer as it is. */
const char *plan_outputs_text(struct cli *cli, const struct turn_result *result);

#endif
