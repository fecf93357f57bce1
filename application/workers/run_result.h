/* What a run came to, as the queue keeps it: the result object of `run --json`. */
#ifndef APPLICATION_WORKERS_RUN_RESULT_H
#define APPLICATION_WORKERS_RUN_RESULT_H

#include "application/orchestrators/turn_result.h"

/* At most QUEUE_RESULT_MAX bytes, in the arena: in the place of a larger one, an error with the
 * status of the run. */
const char *run_result_text(struct arena *arena, const struct turn_result *result);

#endif
