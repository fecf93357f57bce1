/* Blocking libraries (SQLite, fsync) off the loop: a FIFO of whole operations on libuv's thread
 * pool, one at a time per worker. A job owns the memory it uses: no arena and no json_t crosses a
 * thread. It is cancelled only before it started. */
#ifndef INFRASTRUCTURE_RUNTIME_WORKER_H
#define INFRASTRUCTURE_RUNTIME_WORKER_H

#include "domain/base/attributes.h"
#include "domain/base/err.h"
#include "domain/base/scope.h"

struct uv_runtime;
struct worker;

typedef void job_fn(void *job);
/* A job that may fail. */
typedef enum err_code failing_job_fn(void *job, struct err *err);

struct worker *worker_create(struct uv_runtime *runtime);
/* Jobs queued so far are done first: on a task by waiting, else by running the loop. NULL is fine.
 */
awaits void worker_destroy(struct worker *worker);

/* Runs fn(job) on the pool after all jobs queued before, and waits for it. When the scope ends
 * before it started the job is dropped: ERR_CANCELLED or ERR_TIMEOUT, and fn was not called. Once
 * started it is waited for and the result is ERR_NONE, whatever the scope says. */
awaits MUST_CHECK enum err_code worker_run(struct worker *worker, const struct scope *scope,
                                           job_fn *fn, void *job, struct err *err);
/* As worker_run, and returns what the job returned. */
awaits MUST_CHECK enum err_code worker_try(struct worker *worker, const struct scope *scope,
                                           failing_job_fn *fn, void *job, struct err *err);
/* Queues without waiting; done(job) is called on the loop's stack afterwards (may be NULL). */
void worker_post(struct worker *worker, job_fn *fn, job_fn *done, void *job);

#endif
