/* `runs resume ID`: goes on with a plan, a turn of `ask` and `chat`, or another job (job_state.h)
 * that ended early or was interrupted. What was answered is never called again. A call whose
 * outcome is uncertain is called again only where that was permitted, and else settled first, by
 * what the request says or by a person. */
#ifndef APPLICATION_USE_CASES_RESUME_RUN_H
#define APPLICATION_USE_CASES_RESUME_RUN_H

#include "application/orchestrators/turn_result.h"
#include "application/runs/run_session.h"

/* X(choice, word) */
#define UNCERTAIN_CHOICES(X)                                                                       \
    X(REPEAT, "repeat") /* call it again */                                                        \
    X(DONE, "done")     /* it took effect; its result is the one that is given, or none */         \
    X(FAIL, "fail")     /* it did not, and the step failed */                                      \
    X(ASK, "ask")

enum uncertain_choice {
#define X(choice, word) UNCERTAIN_##choice,
    UNCERTAIN_CHOICES(X)
#undef X
};

#define UNCERTAIN_KEY "uncertain." /* before the path of a call: the key of its question */

#define RESUME_RUN_FORKED "fork"

struct resume_request {
    const char *run_id;              /* or a unique prefix */
    enum uncertain_choice uncertain; /* for calls about which nothing else is said */
    /* Object: UNCERTAIN_KEY and a path -> one of the words; APPROVE_KEY and a path -> the hash
     * that approval_asked had. */
    const json_t *answers;
    const json_t *results; /* object: path -> result of a call that is done */
    bool accepts_changes;  /* of tools */
    bool retries_failed;
    /* One of all that were interrupted: ERR_INVALID about RESUME_RUN_FORKED where it was forked,
     * and ERR_NOT_FOUND about KEPT_RUN_NOTHING where it is not in the log and has ended. */
    bool is_one_of_all;
    struct resumed_job *job; /* out; may be NULL */
    /* A worker, for which a run whose log says that it is complete goes on to its end once more, as
     * long as its state is there: nothing is called on the way. NULL: a person. */
    struct run_host *host;
};

/* What a job came to that has a result of its own beside the one of a turn; else NULL. In the
 * arena. */
struct resumed_job {
    const struct reached_consensus *consensus;
    const struct made_figure *figure;
};

/* What the state has of a job beside calls and replies, see job_state.h. */
struct kept_job {
    const json_t *request;
    const char *model; /* settings.model_name; NULL: it was queued, and a worker begins it */
    int64_t local_ms;  /* when it began, in local time */
};

/* What a run of any kind goes on with. */
struct resumption {
    struct run_resumption run;
    const struct resume_request *request;
    struct kept_job job; /* empty for a plan */
};

bool uncertain_choice_parse(const char *word, enum uncertain_choice *out);
/* Whether runs of this kind can be resumed. */
bool resume_run_knows(const char *kind);

/* As run_plan, mistral_chat_turn, reach_consensus, make_figure or studio_chat_turn. ERR_INVALID:
 * the run is complete, is being run, or the request names a call that is not uncertain, contradicts
 * itself or gives a result that the tool cannot have.
 * ERR_NOT_FOUND: there is no such run, it keeps nothing, or a tool is gone. ERR_MISMATCH: a tool is
 * not what it was, or the turn comes to another plan. A call about which nothing is known makes the
 * status NEEDS_ANSWER, with a question for each. */
awaits MUST_CHECK enum err_code resume_run(struct services *services, struct scope *scope,
                                           struct arena *arena,
                                           const struct resume_request *request,
                                           struct turn_result *out, struct err *err);

#endif
