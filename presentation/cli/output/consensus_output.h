/* How a consensus run ends on the command line: the agreed text, or both candidates, and the vote
 * beside it. */
#ifndef PRESENTATION_CLI_OUTPUT_CONSENSUS_OUTPUT_H
#define PRESENTATION_CLI_OUTPUT_CONSENSUS_OUTPUT_H

#include "application/use_cases/reach_consensus.h"
#include "presentation/cli/cli.h"

/* Returns the exit status: 0 agreed, 1 not, 8 when the rounds were used up, 3 (4: a login is
 * needed) when an agent was lost. */
int consensus_output(struct cli *cli, const struct consensus_result *result, const char *run_id,
                     enum canonical_kind kind);
int consensus_exit_status(const struct consensus_result *result);

#endif
