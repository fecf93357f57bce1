/* Before a run of a plan goes on, every call of it whose outcome is uncertain is settled: it is to
 * be made again, it is done, or it failed. */
#ifndef APPLICATION_USE_CASES_SETTLE_CALLS_H
#define APPLICATION_USE_CASES_SETTLE_CALLS_H

#include "application/use_cases/plan_state.h"
#include "application/use_cases/resume_plan.h"
#include "domain/plan/intent.h"

/* The contents become what was decided, and that is on disk. *out_open: the questions that nobody
 * answered, NULL without any; the rest was settled. ERR_INVALID: the request names a call that is
 * not uncertain, or says of one what is none of the words. */
awaits MUST_CHECK enum err_code settle_calls(struct run_session *session, const struct plan *plan,
                                             const struct run_contents *contents,
                                             const struct resume_request *request,
                                             const struct intent **out_open, struct err *err);

#endif
