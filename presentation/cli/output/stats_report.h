/* `mistro runs stats`: how dependable each model was for each contract, and what it took. */
#ifndef PRESENTATION_CLI_OUTPUT_STATS_REPORT_H
#define PRESENTATION_CLI_OUTPUT_STATS_REPORT_H

#include "presentation/cli/cli.h"

/* Returns the exit status. */
int stats_report(struct cli *cli);

#endif
