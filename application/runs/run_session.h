/* A run while it is under way: everything that a body of work is handed. It is made by
 * run_session_do, which opens the run in the log, calls the body and closes the run again, however
 * the body ended. Orchestrator, executor, studio, consensus and figure take it as it is. */
#ifndef APPLICATION_RUNS_RUN_SESSION_H
#define APPLICATION_RUNS_RUN_SESSION_H

#include "application/runs/run_stats.h"
#include "application/services.h"
#include "application/structured/engine.h"
#include "application/structured/reply_ledger.h"
#include "application/tools/invoke.h"

#define RUN_SESSION_CLOSE_MS 5000 /* for the log to reach the disk, also after cancelling */

/* In a state: how the run ended when it was last worked at, and the folder it was begun in. */
#define RUN_FACT_STATUS "status"
#define RUN_FACT_FOLDER "folder"
/* And the trace of the caller, where there was one. */
#define RUN_FACT_TRACE_PARENT "traceparent"
#define RUN_FACT_TRACE_STATE "tracestate"

struct run_session;
struct turn_result;

/* Whoever has the run of a queue in hand, a worker. What becomes of such a run counts once all of
 * it is written: a run whose log or state fails to reach the store has not ended, and neither it
 * nor its `finally` goes on in this process. One whose state the store refuses would fail in the
 * same way anywhere, with its calls made again each time: it ends FAILED. */
struct run_host {
    /* May be set while the run is under way: then it makes no further call and stops, QUEUED, to be
     * gone on with by another process. */
    bool gives_back;
    /* Whether the run, which is claimed, is still in the hands of this host: asked before anything
     * of it is done, when the error is that of the run, and before it ends with a state that the
     * store refused. */
    enum err_code (*check)(struct run_host *host, struct scope *scope, struct err *err);
    /* The run has ended, which the log has; its state goes only after this. Outside of any scope.
     * False: that could not be noted, and the run has not ended. */
    bool (*end)(struct run_host *host, const struct run_session *session, enum run_status status,
                const struct err *why);
};

/* What the run's events count, for `runs stats`. */
struct run_counter {
    struct observer base;
    struct run_stats stats;
};

struct run_session {
    struct services *services;
    struct arena *arena;
    struct scope scope; /* the caller's, bounded by limits.run_seconds */
    struct journal journal;
    struct toolbox *toolbox; /* NULL before run_session_open_tools */
    struct invoker invoker;
    struct tool_server **servers; /* whose events are in the journal */
    size_t n_servers;
    json_t *session_approvals; /* as in invoker_init: set by a body that calls start_tools */
    bool opens_ahead;          /* set by one that keeps a state before that */
    struct task *opening;      /* of the tools; NULL: it was waited for, or never began */
    struct scope opening_scope;
    struct err opening_err;
    int64_t started_ms;
    struct run_claim *claim; /* that this process owns the run; NULL where that cannot be noted */
    struct run_state *state; /* NULL: the run cannot be taken up again */
    struct run_tape *tape;   /* of a state that is kept whatever happens; or NULL */
    struct err unkept;       /* why a run that should have a state has none; or NONE */
    const struct run_contents *kept;  /* what an earlier process left in it; NULL: there was none */
    struct reply_ledger replies;      /* of the state; empty unless the run has one */
    const json_t *answers;            /* of struct run_resumption */
    struct run_host *host;            /* or NULL */
    bool is_queued;                   /* of struct run_options */
    const struct turn_result *result; /* set by a body that has one before it ends; or NULL */
    unsigned n_plans;                 /* that a turn came to, see kept_plan.h */
    int64_t set_back_ms;              /* of a turn that is resumed: so long ago it began */
    bool drops_state;                 /* set by a body that leaves nothing to go on with */
    bool is_dry;                      /* what completes ends as DRY in the log */
    struct run_counter counter;
    /* How the run ended, for the log: set by a body that returns ERR_NONE although it did not
     * complete, or why it did not. */
    enum run_status status;
    struct err why;
};

/* A run that is gone on with: what this process has of it. */
struct run_resumption {
    const struct run *run; /* as the log has it, or its id, kind and title only */
    bool is_logged;
    struct run_claim *claim; /* both are the session's once it has begun */
    struct run_state *state;
    const struct run_contents *kept;
    const json_t *answers; /* APPROVE_KEY and a path -> the hash of what is approved; or NULL */
    struct run_host *host; /* NULL: it was asked for by a person */
};

struct run_options {
    const char *kind;                     /* as in struct run */
    const char *session_id;               /* NULL: the run belongs to no conversation */
    const char *title;                    /* may be NULL */
    bool asks_model;                      /* it may, where there is one */
    const struct run_resumption *resumed; /* NULL: the run is a new one */
    bool is_dry;                          /* nothing is called: it does not end as COMPLETED */
    bool is_queued; /* begun for a worker, on a machine and in a folder that nobody knows yet */
};

/* The work of a run. Its error is the run's; ERR_NONE leaves the end to session->status and ->why,
 * which say COMPLETED unless the body changes them. */
typedef enum err_code run_body(struct run_session *session, void *context, struct err *err);

/* Runs a body as a run. The body's error comes back, with ERR_LIMIT for a timeout that
 * limits.run_seconds caused; the log's own failure at the beginning is an error too. What was done
 * is done: a log that cannot be written at the end is a warning. */
awaits MUST_CHECK enum err_code run_session_do(struct services *services, struct scope *scope,
                                               struct arena *arena,
                                               const struct run_options *options, run_body *body,
                                               void *context, struct err *err);

/* The two ends of run_session_do, for a caller whose work is not one function. End must follow
 * begin. why may be NULL. */
MUST_CHECK
enum err_code run_session_begin(struct run_session *session, struct services *services,
                                const struct scope *scope, struct arena *arena,
                                const struct run_options *options, struct err *err);
awaits void run_session_end(struct run_session *session, enum run_status status,
                            const struct err *why);

/* From here on the run has a state, unless runs.keep_state is never: an empty one, which is on disk
 * with the next commit. ERR_UNAVAILABLE: it cannot be written. It is removed when the run completes
 * (with runs.keep_state: failed), and where drops_state was set. */
awaits MUST_CHECK enum err_code run_session_keep_state(struct run_session *session,
                                                       struct err *err);
/* Of a run that is begun for a worker. ERR_INVALID: it has no state that a worker could begin. */
MUST_CHECK
enum err_code run_session_check_kept(const struct run_session *session, struct err *err);

/* Whether the run goes on in another process: nothing that belongs to its end is done in this one.
 */
bool run_session_goes_on_elsewhere(const struct run_session *session);
/* Whether the run can be taken up again when it ends like this. */
bool run_session_leaves_state(const struct run_session *session, enum run_status status);

/* Makes toolbox and invoker, once; no server is started. session_approvals as in invoker_init. */
awaits MUST_CHECK enum err_code run_session_open_tools(struct run_session *session,
                                                       json_t *session_approvals, struct err *err);
/* Lists every server; dead ones are warnings unless all are. */
awaits MUST_CHECK enum err_code run_session_refresh_tools(struct run_session *session,
                                                          struct err *err);
/* Both, with session->session_approvals. With opens_ahead they began once the run was in the log,
 * beside the making of its state, and what is left of them is waited for. A run that is taped lists
 * its servers after the tape has begun all the same. */
awaits MUST_CHECK enum err_code run_session_start_tools(struct run_session *session,
                                                        struct err *err);

/* From here on what models say is kept in the state of the run, where it has one. Part of
 * run_session_model; for models that are had otherwise. */
void run_session_open_replies(struct run_session *session);

struct run_model {
    struct engine engine;       /* its model is NULL when there is none */
    struct model_status status; /* of the model */
    enum model_choice choice;   /* also filled in when the model cannot be used */
};

/* The model of the process, ready to be asked in this run. ERR_NONE without a model is
 * MODEL_CHOICE_LEXICAL; a model that does not answer or is not there is ERR_UNAVAILABLE. */
awaits MUST_CHECK enum err_code run_session_model(struct run_session *session,
                                                  struct run_model *out, struct err *err);

/* ERR_TIMEOUT that came from limits.run_seconds is ERR_LIMIT; other codes stay. */
enum err_code run_session_code(const struct run_session *session, enum err_code code,
                               struct err *err);
static inline int64_t run_session_now_ms(const struct run_session *session)
{
    return runtime_now_ms(session->services->runtime);
}
/* ERR_NONE while the run may go on; else that it was cancelled, or that its time is over. */
MUST_CHECK
static inline enum err_code run_session_check(const struct run_session *session, struct err *err)
{
    return scope_check(&session->scope, run_session_now_ms(session), err);
}
/* What the run has taken so far beside the busy_ms of models and tools. */
int64_t run_session_overhead_ms(const struct run_session *session, int64_t busy_ms);

/* Removes old runs from the log: runs.keep_days and runs.max_mb. At most max_runs, or all that must
 * go where it is 0; *out_removed is less than max_runs once the bounds hold. The spared run (or
 * NULL) stays, however old a clock that was set forward makes it. */
awaits MUST_CHECK enum err_code prune_runs(struct services *services, struct scope *scope,
                                           size_t max_runs, const char *spared, size_t *out_removed,
                                           struct err *err);
/* Removes what old runs need to go on: runs.keep_days and runs.max_state_mb. At most of max_runs,
 * or all that must go where it is 0. */
awaits MUST_CHECK enum err_code prune_run_states(struct services *services, struct scope *scope,
                                                 size_t max_runs, size_t *out_removed,
                                                 struct err *err);

#endif
