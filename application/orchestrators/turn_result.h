/* How a turn ended: the answer or the questions, with everything that led there. Its JSON form is
 * the result object that `ask --json` and `run --json` print. Lives in the arena of the turn. */
#ifndef APPLICATION_ORCHESTRATORS_TURN_RESULT_H
#define APPLICATION_ORCHESTRATORS_TURN_RESULT_H

#include "application/execution/step_outcome.h"
#include "domain/base/problem.h"
#include "domain/entities/run.h"
#include "domain/plan/intent.h"
#include "domain/plan/plan.h"

#define TURN_RESULT_VERSION 1

/* Where an answer comes from: the model's words, found to stand on the results; its words where
 * there was nothing, or too much, to hold them against; a result as it is. */
#define TURN_ANSWER_CHECKED "checked"
#define TURN_ANSWER_UNCHECKED "unchecked"
#define TURN_ANSWER_RESULT "result"

struct usage {
    int64_t model_calls;
    int64_t prompt_tokens, cached_tokens, completion_tokens; /* -1 where no endpoint said */
    int64_t model_ms, tool_ms, overhead_ms;
};

struct turn_result {
    const char *run_id, *session_id; /* session_id NULL without a session */
    enum run_status status;
    const char *answer;        /* NULL unless turn_has_answer; text for people when NEEDS_ANSWER */
    const char *answer_source; /* TURN_ANSWER_*; NULL without an answer */
    const json_t *ungrounded;  /* texts: what the model's answer was not shown for; or NULL */
    const char *analyst;       /* "model" or "lexical"; NULL for a plan file */
    const struct intent *intent; /* NULL for a plan file; its questions are what to ask */
    const char *dropped;     /* that the questions which waited are dropped; NULL: they are not */
    const struct plan *plan; /* NULL when none was made */
    const json_t *outputs;   /* of a plan of version 2 that has any; else NULL */
    const json_t *approval;  /* of struct execution: what needs a person's yes; else NULL */
    const struct step_outcome *steps;
    size_t n_steps;
    const struct problems *problems; /* of a plan that may not run; else NULL */
    bool is_resumable;               /* `runs resume` goes on with it */
    bool is_ungrounded;              /* the answer was made without any tool */
    const json_t *dry_run; /* of dry_run_summary; NULL where calls were made, or there is no plan */
    struct usage usage;
    int64_t context_tokens; /* of the model that was asked; 0 or less: unknown, or none was */
    struct err err;         /* why it did not complete; code NONE when it did or asks */
    /* Why the session was not saved; code NONE when it was, or when there is none. A turn that did
     * what was asked is then FAILED with this as its err, and its answer and plan stand. */
    struct err not_saved;
    bool had_answer; /* before it failed: to be saved, or to be answered in words for its results */
};

static inline bool turn_has_answer(const struct turn_result *result)
{
    return result->status == RUN_COMPLETED || result->had_answer;
}
/* Makes a result of a turn one whose session was not saved. */
void turn_result_not_saved(struct turn_result *result, const struct err *why);

/* No work yet: no endpoint has told a number of tokens. */
static inline struct usage usage_none(void)
{
    return (struct usage){ .prompt_tokens = -1, .cached_tokens = -1, .completion_tokens = -1 };
}
/* Adds tokens of a further model call: -1 (unknown) counts as nothing. */
void usage_add(struct usage *usage, unsigned calls, int64_t prompt, int64_t cached,
               int64_t completion, int64_t ms);
/* Owned by the caller. */
json_t *turn_result_to_json(const struct turn_result *result);
/* What a person is shown of it, back from its JSON form: identity, status, answer, outputs,
 * questions, what waits for a yes, and the error; not how it came to that. In the arena. */
struct turn_result turn_result_from_json(struct arena *arena, const json_t *value);

#endif
