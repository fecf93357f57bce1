/* What became of one step of a plan: its bound arguments and its result, or why there is none. */
#ifndef APPLICATION_EXECUTION_STEP_OUTCOME_H
#define APPLICATION_EXECUTION_STEP_OUTCOME_H

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
    X(SKIPPED,                                                                                     \
      "skipped")        /* needs what failed, was cut off by the end, or its condition is false */ \
    X(CACHED, "cached") /* an identical call was made earlier in the turn */

enum step_state {
#define X(state, name) STEP_##state,
    STEP_STATES(X)
#undef X
};

struct step_outcome {
    const struct step *step;
    enum step_state state;
    const json_t *args;    /* bound; NULL before the step's turn */
    bool is_kept;          /* of an earlier process, which made the call */
    const char *kept_args; /* of that call, JSON text: there may be many that nobody looks at */
    bool has_result;
    struct step_result result; /* also of a tool's own failure */
    struct err err;            /* why it is ERROR or SKIPPED */
    int64_t started_at_ms;     /* since 1970; 0 when it never began */
    int64_t duration_ms;
    /* Of a step in a body, of whose calls none is kept here: how many there were; of a loop in a
     * dry run how many there are at most. */
    int64_t n_times, n_failed;
};

struct call_record;

/* The result of its call. The failure of a tool is told in its own words where it has any. */
void step_outcome_take(struct arena *arena, struct step_outcome *outcome,
                       const struct step_result *result);
/* What an earlier process had of its call, which is done or failed. Of a call that a person said is
 * done there may be no result. */
void step_outcome_keep(struct arena *arena, struct step_outcome *outcome,
                       const struct call_record *call, size_t max_values);
/* What a step gives that is no call of its own: a text and a value (stolen). A value that is nested
 * too deep is an error of the outcome. */
void step_outcome_give(struct arena *arena, struct step_outcome *outcome, const char *text,
                       json_t *value);
const char *step_state_name(enum step_state state);
/* For people, what a step does: its tool, or "steps", "use other.yml", "approve", "ask". */
const char *step_label(const struct step *step);
/* {"id","tool","args","status","duration_ms","result","error"}, of another kind of step "kind" in
 * the place of "tool"; owned by the caller. */
json_t *step_outcome_to_json(const struct step_outcome *outcome);
/* What the host vouches for: {"step","tool","args","status","at","duration_ms"}; NULL for a step
 * that made no call. Owned by the caller. */
json_t *step_outcome_receipt(const struct step_outcome *outcome);

#endif
