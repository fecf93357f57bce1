/* A call that a job makes by itself, without a plan: the picture of a figure, the image of a studio
 * turn. Where the run has a state, the call is written ahead as a call of a plan is, and one that
 * an earlier process was answered is not made again. */
#ifndef APPLICATION_RUNS_KEPT_CALL_H
#define APPLICATION_RUNS_KEPT_CALL_H

#include "application/runs/run_session.h"
#include "domain/plan/plan.h"

/* As invoke, with the tool and the arguments. name: what the call is for, unique in the run; it is
 * its path in the state and its step in the log. A job may come to other arguments than before, as
 * when the outcome of an earlier call was settled otherwise than it went on with: that is another
 * call, whose path has a number behind the name. ERR_FAILED also stands for an error of any kind
 * that an earlier process was given. */
awaits MUST_CHECK enum err_code kept_call(struct run_session *session, const char *name,
                                          const struct tool *tool, const json_t *arguments,
                                          struct invoke_outcome *out, struct err *err);

/* The result of a call that has one, as it was for the process that made the call: where it could
 * not be used, an error that says why. In the arena. ERR_PROTOCOL: it is none. */
MUST_CHECK
enum err_code kept_result(struct arena *arena, const struct call_record *record, size_t max_values,
                          struct step_result *out, struct err *err);

/* The calls that are kept, as the steps of a plan, to be settled. In the arena. ERR_UNAVAILABLE:
 * one cannot be read. */
MUST_CHECK
enum err_code kept_calls_as_plan(struct run_session *session, struct plan *out, struct err *err);

#endif
