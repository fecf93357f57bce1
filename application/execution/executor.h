/* Runs a checked plan. Steps of a list that need nothing from each other run side by side, at most
 * tools.max_parallel at once, and so do the elements of a loop, as many as it says; references are
 * bound just before each step, so that a step sees exactly what earlier ones gave. A step that
 * fails stops what depends on it (unless it says on_error: continue), not what does not. People are
 * asked about one call at a time. When this returns, nothing it started is running any more. */
#ifndef APPLICATION_EXECUTION_EXECUTOR_H
#define APPLICATION_EXECUTION_EXECUTOR_H

#include "application/execution/forked_calls.h"
#include "application/execution/step_outcome.h"
#include "application/runs/run_session.h"
#include "domain/entities/call_record.h"

#define FACT_APPROVED "approved." /* in a state, before the path of an approve step: its hash */

struct data_meeting;
struct result_cache;

struct executor {
    struct run_session *session;
    struct result_cache *cache; /* of the turn; NULL: every call is made, as the user wrote it */
    const json_t *vars;         /* the variables' values */
    bool named_by_user;         /* the plan was written by the user: it is consent to its calls */
    const struct data_meeting *heard; /* what the author of the plan had seen; or NULL */
    bool dry_run;
    bool ends_unkept; /* when the state of the run cannot be written, nothing more is called */
    unsigned number;  /* of the plan in its run, see kept_plan.h */
    /* What became of the calls of an earlier process; or NULL. A call of the same plan that is done
     * or failed is not made again. */
    const struct run_contents *kept;
    struct forked_calls *forked; /* of another run, whose results are taken over; or NULL */
    const json_t *approvals; /* what was answered: APPROVE_KEY and a path -> the hash; or NULL */
};

struct execution {
    struct step_outcome *steps; /* one per step of the plan; of those in bodies sums */
    size_t n_steps;
    const struct step_outcome *failed; /* the first that failed and was not to be continued after */
    bool in_circles;                   /* the same call a third time: answer with what there is */
    /* What a person would have had to approve, {step, text, hash, show, calls}; or NULL. */
    const json_t *approval;
};

/* ERR_NONE when every step ended, failed or was skipped: see *out. Otherwise what ended the run as
 * a whole: ERR_CANCELLED, ERR_TIMEOUT of the run, ERR_DENIED, ERR_LIMIT. *out is always
 * filled. */
awaits MUST_CHECK enum err_code executor_run(struct executor *executor, const struct plan *plan,
                                             struct execution *out, struct err *err);

/* The failure of the plan, seen from outside: what is the caller's mistake in one call (arguments,
 * a reference) is a task that failed. ERR_NONE when nothing failed. */
MUST_CHECK
enum err_code execution_verdict(const struct execution *execution, struct err *err);

#endif
