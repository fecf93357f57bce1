/* What the run of a turn keeps beside its calls, plans and model replies: what was asked and when,
 * and the conversation as it was then. A turn that is resumed begins anew with all of that, so that
 * it comes by itself to the call behind those that were answered. */
#ifndef APPLICATION_USE_CASES_TURN_STATE_H
#define APPLICATION_USE_CASES_TURN_STATE_H

#include "application/orchestrators/mistral_orchestrator.h"
#include "application/use_cases/job_state.h"
#include "application/use_cases/stored_conversation.h"

#define TURN_STATE_KIND "turn" /* what it is kept under, as in job_state.h */

/* As job_state_begin. */
awaits MUST_CHECK enum err_code turn_state_begin(struct run_session *session,
                                                 const struct turn_request *request,
                                                 const struct stored_conversation *stored,
                                                 struct err *err);
/* The request as it was kept, in the arena, and the conversation as it was then, for
 * stored_conversation_resume. */
struct turn_request turn_state_request(struct arena *arena, const json_t *kept);
const json_t *turn_state_conversation(const json_t *kept);
/* Before a turn begins anew, with the plans that it came to. As job_state_settle. */
awaits MUST_CHECK enum err_code turn_state_settle(struct run_session *session,
                                                  const struct resumption *resumed,
                                                  const struct intent **out_open, struct err *err);
/* Whether the state of a turn that ended like this is of use: false for one that would end in the
 * same way again, or has nothing but its request. */
bool turn_state_is_worth_keeping(const struct run_session *session,
                                 const struct turn_result *result, enum err_code code);

#endif
