/* What every use case that does work has in common: a run in the log, a bound in time, the tools
 * of the configured servers and the invoker that calls them. It lies in the use case's frame. */
#ifndef APPLICATION_USE_CASES_RUNS_JOB_H
#define APPLICATION_USE_CASES_RUNS_JOB_H

#include "application/services.h"
#include "application/tools/invoke.h"

#define JOB_TITLE_BYTES 200
#define JOB_CLOSE_MS 5000 /* for the log to reach the disk, also after cancelling */

struct job {
    struct services *services;
    struct arena *arena;
    struct scope scope; /* the caller's, bounded by limits.run_seconds */
    struct journal journal;
    struct toolbox *toolbox; /* NULL before job_open_tools */
    struct invoker invoker;
    struct tool_server **servers; /* whose events are in the journal */
    size_t n_servers;
    int64_t started_ms;
};

/* Opens the run. From then on job_end must be called. */
MUST_CHECK
enum err_code job_begin(struct job *job, struct services *services, const struct scope *scope,
                        struct arena *arena, const char *kind, const char *session_id,
                        const char *title, struct err *err);
/* Makes toolbox and invoker; no server is started. session_approvals as in invoker_init. */
awaits MUST_CHECK enum err_code job_open_tools(struct job *job, json_t *session_approvals,
                                               struct err *err);
/* Lists every server; dead ones are warnings unless all are. */
awaits MUST_CHECK enum err_code job_refresh_tools(struct job *job, struct err *err);
/* ERR_TIMEOUT that came from limits.run_seconds is ERR_LIMIT; other codes stay. */
enum err_code job_code(const struct job *job, enum err_code code, struct err *err);
/* Closes the run in the log and releases what the job has. why may be NULL. What was done is done:
 * a log that cannot be written is a warning. */
awaits void job_end(struct job *job, enum run_status status, const struct err *why);

#endif
