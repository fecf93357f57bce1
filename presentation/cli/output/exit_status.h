/* From how a run ended to the exit status of the process (`cli.md`, Streams and exit codes). */
#ifndef PRESENTATION_CLI_OUTPUT_EXIT_STATUS_H
#define PRESENTATION_CLI_OUTPUT_EXIT_STATUS_H

#include "domain/entities/run.h"

/* why: the code of the failure for RUN_FAILED; ignored otherwise. */
int exit_status_of_run(enum run_status status, int failure_status);

#endif
