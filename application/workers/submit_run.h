/* `mistro submit`: a plan or a request becomes a run that a worker begins. The run is kept first,
 * in the log and as a state, and then queued: that it is queued is the acknowledgement. */
#ifndef APPLICATION_WORKERS_SUBMIT_RUN_H
#define APPLICATION_WORKERS_SUBMIT_RUN_H

#include "application/orchestrators/mistral_orchestrator.h"
#include "application/use_cases/run_plan.h"

struct submission {
    const struct run_plan_request *plan; /* NULL: it is a turn */
    const struct turn_request *turn;
    const char *queue;     /* a valid name */
    const char *key;       /* a valid key, or NULL */
    int64_t not_before_ms; /* wall clock; 0: at once */
};

/* ERR_NONE: out->status is QUEUED, and out->run_id the run that does it; *out_was_there: it had
 * been queued before, with the same key. Or *out is as of queue_plan for a plan that may not run.
 * Its servers are those that the plan names, or all that are configured here for a turn.
 * ERR_INVALID: there is no queue, or nothing is kept of runs. ERR_UNAVAILABLE: the store is away;
 * where out->run_id is set, whether the run was queued is unknown. */
awaits MUST_CHECK enum err_code submit_run(struct services *services, struct scope *scope,
                                           struct arena *arena, const struct submission *submission,
                                           struct turn_result *out, bool *out_was_there,
                                           struct err *err);

#endif
