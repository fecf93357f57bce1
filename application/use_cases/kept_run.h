/* A run of the past with what is kept of it, for `runs resume`, `fork` and `replay`: found in the
 * log, owned by this process, its state open. */
#ifndef APPLICATION_USE_CASES_KEPT_RUN_H
#define APPLICATION_USE_CASES_KEPT_RUN_H

#include "application/runs/run_session.h"

#define KEPT_RUN_NOTHING "state" /* what an ERR_NOT_FOUND is about where no state is kept */

/* The run as the log has it; without a log, or behind one that lost it, what its id says, with the
 * kind of plans. run_id: or a unique prefix. ERR_NOT_FOUND: there cannot be such a run. */
awaits MUST_CHECK enum err_code kept_run_find(struct services *services, struct scope *scope,
                                              struct arena *arena, const char *run_id,
                                              struct run_resumption *out, struct err *err);
/* Of a run that was found. ERR_INVALID: another process works at it. ERR_NOT_FOUND: nothing is kept
 * of it. ERR_UNAVAILABLE: it cannot be read. After an error there is nothing to be closed. */
awaits MUST_CHECK enum err_code kept_run_open(struct services *services, struct scope *scope,
                                              struct run_resumption *run, struct err *err);
/* Unless a session has taken it over. remove: the state as well. */
awaits void kept_run_close(struct services *services, struct run_resumption *run, bool remove);

#endif
