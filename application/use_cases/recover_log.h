/* The log of a run is written in groups, its state at once: what a killed process knew last is in
 * the state only. A resumed run completes the log before it goes on. */
#ifndef APPLICATION_USE_CASES_RECOVER_LOG_H
#define APPLICATION_USE_CASES_RECOVER_LOG_H

#include "application/runs/run_session.h"

/* Adds a tool_call and a tool_result, marked as recovered, for each kept call of which the log has
 * no such event of the same effect and attempt; no call where the state says that the process
 * before came to its end: from here on it says that this one has not. Tells session->replies
 * which replies the log has; the others are added as they are recalled, which a process that only
 * asked a question has not done. A log that cannot be read is a warning. */
awaits void recover_log(struct run_session *session);

#endif
