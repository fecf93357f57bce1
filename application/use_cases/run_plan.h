/* `run FILE`: executes a plan from a file. No model is contacted, and the command is
 * consent to the calls it names; a deny rule still stops them. A plan from elsewhere is run as a
 * model's is: the policy asks. */
#ifndef APPLICATION_USE_CASES_RUN_PLAN_H
#define APPLICATION_USE_CASES_RUN_PLAN_H

#include "application/orchestrators/turn_result.h"
#include "application/services.h"

struct run_plan_request {
    const json_t *plan; /* as parsed from the file */
    const json_t *vars; /* object of --var values (strings), or NULL */
    bool dry_run;       /* bind and check every call, make none */
    bool is_foreign;    /* the plan did not come from the user: it is not consent to its calls */
};

/* ERR_NONE: *out tells how it ended; the answer is the text of the last step that gave one. A
 * plan that may not run is status FAILED with err.code ERR_BAD_PLAN and the problems. Anything
 * else (no server, cancelled): *out is untouched. */
awaits MUST_CHECK enum err_code run_plan(struct services *services, struct scope *scope,
                                         struct arena *arena,
                                         const struct run_plan_request *request,
                                         struct turn_result *out, struct err *err);

#endif
