/* A job whose run can be gone on with: a turn, a consensus, a figure, a studio turn. Its state has
 * the request of the job beside calls and model replies. A job that is resumed begins anew with
 * that request, so that it comes by itself to what was not answered. */
#ifndef APPLICATION_USE_CASES_JOB_STATE_H
#define APPLICATION_USE_CASES_JOB_STATE_H

#include "application/runs/kept_plan.h"
#include "application/use_cases/resume_run.h"

/* Makes the state with the request (given away; NULL: it is not UTF-8), and returns when a killed
 * process would leave it; before a power cut as well it is on disk with the first call that may not
 * be repeated, since a job without one had better not wait for the disk. kind: what it is kept
 * under. Nothing with runs.keep_state: never. A job whose state cannot be written goes on with a
 * warning: it can still ask models, and call what may be repeated. */
awaits MUST_CHECK enum err_code job_state_begin(struct run_session *session, const char *kind,
                                                json_t *request, struct err *err);
/* In the arena. ERR_NOT_FOUND: the state is not one of this kind. ERR_UNAVAILABLE: it cannot be
 * read. */
MUST_CHECK
enum err_code job_state_read(struct arena *arena, const struct run_contents *contents,
                             const char *kind, struct kept_job *out, struct err *err);
/* Before a job begins anew: its model is held against the one that it had, then its calls are
 * settled as settle_calls says. */
awaits MUST_CHECK enum err_code job_state_settle(struct run_session *session,
                                                 const struct resumption *resumed,
                                                 const struct kept_plan *plans, size_t n_plans,
                                                 const struct intent **out_open, struct err *err);
/* Whether recorded replies would lead to the same end once more. */
bool job_end_is_final(enum err_code code);

/* How the run of a job without a plan ended. */
struct job_end {
    const struct intent *open; /* calls to be settled before it can go on; or NULL */
    const char *run_id;        /* "" where none began */
    enum run_status status;
    bool is_resumable;
};

struct job {
    const char *kind;                 /* of the run as well */
    bool asks_model;                  /* as in struct run_options */
    bool keeps_nothing;               /* its run cannot be resumed */
    json_t *request;                  /* given away; NULL where it is resumed, or keeps nothing */
    const struct resumption *resumed; /* NULL: the run is a new one */
    run_body *work;
    void *context; /* of work */
    struct job_end *end;
};

/* Runs a job as a run, with its state. After an error its end is filled in as well. */
awaits MUST_CHECK enum err_code job_do(struct services *services, struct scope *scope,
                                       struct arena *arena, struct job *job, const char *session_id,
                                       const char *title, struct err *err);

#endif
