/* A run that was queued, that no worker has, and that none is to begin any more. */
#ifndef APPLICATION_WORKERS_WITHDRAW_RUN_H
#define APPLICATION_WORKERS_WITHDRAW_RUN_H

#include "application/services.h"

/* The log says that it was cancelled, and its state goes unless calls were made. What cannot be
 * written stays as it is: a run of which the queue knows nothing, or that it is over. */
awaits void withdraw_run(struct services *services, const char *run_id);

/* `runs cancel ID`, an id in full. *out_was_queued: it is over; else its worker was asked to end it
 * with the next call at the latest. As run_queue_cancel. */
awaits MUST_CHECK enum err_code cancel_run(struct services *services, struct scope *scope,
                                           const char *run_id, bool *out_was_queued,
                                           struct err *err);

#endif
