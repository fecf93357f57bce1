/* `mistro runs wait ID`: until a run is over, whoever does it. Where the store tells what happens
 * to the runs of its queue, nothing is asked meanwhile; else the log is looked at again and again.
 * A store that is away once the run was found is waited for, too. */
#ifndef APPLICATION_WORKERS_WAIT_RUN_H
#define APPLICATION_WORKERS_WAIT_RUN_H

#include "application/services.h"

#define WAIT_RUN_LOOKS_MS 200 /* between looks at the log */

/* *out: what it came to, as turn_result_to_json has it; of a run that was not queued, or that was
 * gone on with by hand since, what the log has of that, without secrets: status, answer, questions
 * and error. In the arena. run_id: or a unique prefix. ERR_NOT_FOUND: there is no such run. */
awaits MUST_CHECK enum err_code wait_for_run(struct services *services, struct scope *scope,
                                             struct arena *arena, const char *run_id,
                                             const json_t **out, struct err *err);

#endif
