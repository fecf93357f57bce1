/* Before a run goes on, the tools of the calls that are still to be made are held against what they
 * were, and every call whose outcome is uncertain is settled: it is to be made again, it is done,
 * or it failed. */
#ifndef APPLICATION_USE_CASES_SETTLE_CALLS_H
#define APPLICATION_USE_CASES_SETTLE_CALLS_H

#include "application/runs/kept_plan.h"
#include "application/use_cases/resume_run.h"
#include "domain/plan/intent.h"

/* Whether the words of the request are about uncertain calls of the state and agree with each
 * other. ERR_INVALID: one names another call, is none of the words, or says that a call is not done
 * for which a result is given. */
MUST_CHECK
enum err_code settle_calls_check(struct arena *arena, const struct run_contents *contents,
                                 const struct resume_request *request, struct err *err);

/* Of the plans that the run has come to, in order, as a checked request says. session->kept becomes
 * what was decided, and that is on disk. *out_open: the questions that nobody answered, NULL
 * without any; the rest was settled. ERR_INVALID: a result is given that does not fit the tool's
 * output schema; then nothing was settled. Otherwise as kept_plan_compare_tools. */
awaits MUST_CHECK enum err_code settle_calls(struct run_session *session,
                                             const struct kept_plan *plans, size_t n_plans,
                                             const struct resume_request *request,
                                             const struct intent **out_open, struct err *err);

#endif
