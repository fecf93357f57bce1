/* What a plan of version 2 makes of what its steps gave: whether a step is to run, whether it is
 * to be repeated, whether what it gave is right, and the outputs of plans and blocks. They are told
 * by results alone, so that a run that is resumed decides as the one before. Pure. */
#ifndef DOMAIN_PLAN_STEP_CONDITIONS_H
#define DOMAIN_PLAN_STEP_CONDITIONS_H

#include "domain/plan/expression.h"
#include "domain/plan/references.h"

/* Whether the step refers to one that gave nothing, or the failure of its tool, but for what stands
 * in default(). */
bool step_lacks_result(struct arena *arena, const struct frame *frame, size_t at);
/* Whether the step's `when` holds; true without one. ERR_FAILED: it cannot be told. */
MUST_CHECK
enum err_code step_condition_holds(struct arena *arena, const struct frame *frame, size_t at,
                                   bool *out, struct err *err);
/* ERR_CHECK_FAILED: one of the step's checks does not hold, or cannot be told; with what it says
 * and the values that it looked at. */
MUST_CHECK
enum err_code step_checks_hold(struct arena *arena, const struct frame *frame, size_t at,
                               struct err *err);
/* Whether a step that is repeated is done: the frame has what it gave last. *out_values, which may
 * be NULL, are for people. ERR_FAILED: it cannot be told. */
MUST_CHECK
enum err_code step_repeat_is_over(struct arena *arena, const struct frame *frame, size_t at,
                                  bool *out, const char **out_values, struct err *err);
/* Whether a call took effect: the frame has what the verify gave. ERR_FAILED: it cannot be told. */
MUST_CHECK
enum err_code step_verify_is_done(struct arena *arena, const struct frame *frame, size_t at,
                                  bool *out, struct err *err);
/* The outputs of the plan, of a used plan or of a block, an object in the arena: references bound
 * as in args; null where one leads to a step that gave no result. The frame is that of its list;
 * body_of as in struct step. ERR_FAILED: a result has no such member, or a value does not fit the
 * schema of its output. */
MUST_CHECK
enum err_code plan_outputs(struct arena *arena, const struct frame *frame, const json_t *outputs,
                           size_t body_of, const json_t **out, struct err *err);

#endif
