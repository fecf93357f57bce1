/* `mistro servers review [NAME]`: everything that waits for a person, shown whole and asked about:
 * what the project folder brings, then the tools of each server that are not what was approved. */
#ifndef PRESENTATION_CLI_COMMANDS_COMMAND_REVIEW_H
#define PRESENTATION_CLI_COMMANDS_COMMAND_REVIEW_H

#include "presentation/cli/cli.h"

awaits int command_review(struct cli *cli);

#endif
