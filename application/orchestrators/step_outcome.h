/* What became of one step of a plan: its bound arguments and its result, or why there is none. */
#ifndef APPLICATION_ORCHESTRATORS_STEP_OUTCOME_H
#define APPLICATION_ORCHESTRATORS_STEP_OUTCOME_H

#include "domain/base/err.h"
#include "domain/plan/plan.h"
#include "domain/tool/step_result.h"
#include <jansson.h>

/* X(state, status of the result object) */
#define STEP_STATES(X)                                                                             \
    X(WAITING, "waiting")                                                                          \
    X(RUNNING, "running")                                                                          \
    X(OK, "ok")                                                                                    \
    X(ERROR, "error")                                                                              \
    X(SKIPPED, "skipped") /* something it needs failed, or the run ended before its turn */        \
    X(CACHED, "cached")   /* an identical call was made earlier in the turn */

enum step_state {
#define X(state, name) STEP_##state,
    STEP_STATES(X)
#undef X
};

struct step_outcome {
    const struct step *step;
    enum step_state state;
    const json_t *args; /* bound; NULL before the step's turn */
    bool has_result;
    struct step_result result; /* also of a tool's own failure */
    struct err err;            /* why it is ERROR or SKIPPED */
    int64_t started_at_ms;     /* since 1970; 0 when it never began */
    int64_t duration_ms;
};

const char *step_state_name(enum step_state state);
/* {"id","tool","args","status","duration_ms","result","error"}; owned by the caller. */
json_t *step_outcome_to_json(const struct step_outcome *outcome);
/* What the host vouches for: {"step","tool","args","status","at","duration_ms"}; NULL for a step
 * that made no call. Owned by the caller. */
json_t *step_outcome_receipt(const struct step_outcome *outcome);

#endif
