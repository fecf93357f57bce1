/* What the state of a run has of a plan that the run carries out, beside its calls: the tools as
 * they were when the plan was checked, and, of a turn, the plan itself. A run of a plan file has
 * one plan; a turn whose plan failed makes another one, and the calls of both must not meet in the
 * state. */
#ifndef APPLICATION_RUNS_KEPT_PLAN_H
#define APPLICATION_RUNS_KEPT_PLAN_H

#include "application/runs/run_session.h"
#include "domain/plan/plan.h"

struct kept_plan {
    const struct plan *plan;
    unsigned number; /* 1, 2, … in its run; 0 as 1 */
};

/* Where a call of the plan is in the state: its address in the plan, which is the id of its step,
 * or "b[17].c" of one in bodies; behind "p2." in a second plan. In the arena. */
const char *kept_plan_path(struct arena *arena, unsigned number, const char *address);
/* The address at the end of such a path. */
const char *kept_plan_step(const char *path);
/* The step of the plan that the call at this path is of, or -1. */
int kept_plan_find(const struct kept_plan *kept, const char *path);
/* Whether the calls of the step are over: nothing is sent for it any more. Of one in a body, or in
 * a loop, that is not known. */
bool kept_plan_is_over(struct arena *arena, const struct run_contents *contents,
                       const struct kept_plan *kept, const struct step *step);

/* Whether the tools of the plan are kept: before they were, no call of it was made. */
bool kept_plan_has_tools(const struct run_contents *contents);
/* Queues what the tools of all steps, found before, are now. */
awaits void kept_plan_put_tools(struct run_session *session, const struct kept_plan *kept);
/* Finds the tools of the steps that are not over, and, with_failed, of those that failed, and
 * compares them. ERR_NOT_FOUND: one is gone.
 * ERR_MISMATCH: a definition or the configuration of its server is another one; with accepts it is
 * taken, and that is an event. */
awaits MUST_CHECK enum err_code kept_plan_compare_tools(struct run_session *session,
                                                        const struct kept_plan *kept, bool accepts,
                                                        bool with_failed, struct err *err);

/* A turn is about to carry out a plan: queues it with its tools. Of a turn that is resumed it must
 * be the plan that was kept. ERR_MISMATCH: it is another one, although calls of that plan were
 * made. Nothing in a run without a state. */
awaits MUST_CHECK enum err_code kept_plan_enter(struct run_session *session,
                                                const struct kept_plan *kept, struct err *err);
/* A turn that is resumed ended well. ERR_MISMATCH: it did so without any plan, although calls of
 * one were made. */
MUST_CHECK
enum err_code kept_plan_check_end(struct run_session *session, struct err *err);
/* The plans that an earlier process of the turn entered, in order and in the arena.
 * ERR_UNAVAILABLE: one cannot be read. */
MUST_CHECK
enum err_code kept_plans_read(struct arena *arena, const struct run_contents *contents,
                              struct kept_plan **out, size_t *out_n, struct err *err);

#endif
