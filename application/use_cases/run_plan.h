/* `run FILE`: executes a plan from a file. No model is contacted, and the command is
 * consent to the calls it names; a deny rule still stops them. A plan from elsewhere is run as a
 * model's is: the policy asks. */
#ifndef APPLICATION_USE_CASES_RUN_PLAN_H
#define APPLICATION_USE_CASES_RUN_PLAN_H

#include "application/execution/executor.h"
#include "application/orchestrators/turn_result.h"
#include "application/services.h"
#include "application/use_cases/plans/link_plan.h"
#include "domain/base/problem.h"

#define RUN_KIND_OF_PLANS "run"                 /* in the log */
#define RUN_PLAN_REFUSED "the plan may not run" /* begins the error of a plan with problems */

struct resumption;
struct run_contents;
struct run_state;

/* A run whose results a new one takes over. */
struct plan_fork {
    const char *run_id;
    struct run_state *state; /* gets a note of the new run */
    const struct run_contents *kept;
};

struct run_plan_request {
    const json_t *plan;               /* as parsed from the file */
    const struct linked_plan *linked; /* what it was read as, for the places of problems; or NULL */
    const struct problems *faults;    /* of the file, for which it may not run; NULL: none */
    const json_t *vars;               /* object of --var values, or NULL; strings in version 1 */
    const json_t *approvals;          /* as of struct executor */
    bool dry_run;                     /* bind and check every call, make none */
    bool is_foreign;  /* the plan did not come from the user: it is not consent to its calls */
    bool was_checked; /* by an earlier process; else no call was made */
    const struct resumption *resumed; /* NULL: a new run */
    const struct plan_fork *forked;   /* NULL: every call is made */
};

/* ERR_NONE: *out tells how it ended; the answer is the text of the last step that gave one. A
 * plan that may not run is status FAILED with err.code ERR_BAD_PLAN and the problems. Anything
 * else (no server, cancelled): of *out only run_id and is_resumable are set. */
awaits MUST_CHECK enum err_code run_plan(struct services *services, struct scope *scope,
                                         struct arena *arena,
                                         const struct run_plan_request *request,
                                         struct turn_result *out, struct err *err);

/* Begins the run of a plan for a worker: everything is kept, and no server is asked. Of the request
 * dry_run, resumed and forked do not count. ERR_NONE: *out has status QUEUED, or FAILED as run_plan
 * where the plan may not run, as far as that can be told without its tools. ERR_INVALID: nothing is
 * kept of runs here. */
awaits MUST_CHECK enum err_code queue_plan(struct services *services, struct scope *scope,
                                           struct arena *arena,
                                           const struct run_plan_request *request,
                                           struct turn_result *out, struct err *err);

/* `runs fork ID --plan FILE`: a new run of an edited plan, which does not make again what the run
 * ID did: a step takes over the result of a call with the same tool and equal arguments. The state
 * of the other run says then that it was forked, and nothing else of it changes. As run_plan, with
 * the request of the new run. run_id: of the other one, or a unique prefix. ERR_INVALID: it is
 * being run, or is no plan's. ERR_NOT_FOUND: there is no such run, or it keeps nothing. */
awaits MUST_CHECK enum err_code fork_plan(struct services *services, struct scope *scope,
                                          struct arena *arena, const char *run_id,
                                          const struct run_plan_request *request,
                                          struct turn_result *out, struct err *err);

#endif
