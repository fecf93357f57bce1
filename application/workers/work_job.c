#include "application/workers/work_job.h"
#include "application/use_cases/kept_run.h"
#include "application/use_cases/resume_run.h"
#include "application/workers/run_result.h"
#include "application/workers/withdraw_run.h"
#include "domain/base/text.h"
#include <stdlib.h>
#include <string.h>

#define LOOKS 5 /* at what is kept of a run, before it counts as damaged */
#define TWIN_PAUSE_MS 50
#define OPERATION_MS 10000 /* for the store to answer */

int64_t work_longer_pause(int64_t pause_ms)
{
    int64_t longer_ms = pause_ms ? 2 * pause_ms : WORK_MIN_PAUSE_MS;
    return longer_ms < WORK_MAX_PAUSE_MS ? longer_ms : WORK_MAX_PAUSE_MS;
}

static struct runtime *runtime_of(const struct work_job *job)
{
    return job->crew->services->runtime;
}

/* Pauses between attempts of what only the store can do end with the time for that. */
static struct scope last_scope(const struct work_job *job)
{
    return scope_child(NULL, job->crew->is_draining ? job->crew->drained_ms : SCOPE_NO_DEADLINE);
}

static struct scope operation_scope(const struct work_job *job)
{
    return scope_child(NULL, runtime_now_ms(runtime_of(job)) + OPERATION_MS);
}

/* What the queue is told of the end, in the place of the session, whose result may be incomplete
 * where it failed. */
static struct turn_result result_of(const struct work_job *job, const struct run_session *session,
                                    enum run_status status, const struct err *why)
{
    struct turn_result result = { .usage = usage_none() };
    if (session->result)
        result = *session->result;
    result.run_id = job->run->run_id;
    result.status = status;
    result.is_resumable = run_session_leaves_state(session, status);
    if (!result.err.code && why)
        result.err = *why;
    return result;
}

static bool end_run(struct run_host *host, const struct run_session *session,
                    enum run_status status, const struct err *why)
{
    struct work_job *job = (struct work_job *)host;
    const struct turn_result result = result_of(job, session, status, why);
    bool is_cancelled = job->was_cancelled && status == RUN_CANCELLED;
    struct scope scope = operation_scope(job);
    job->has_ended = !run_queue_end(job->crew->queue, &scope, job->run,
                                    is_cancelled ? QUEUE_CANCELLED : QUEUE_ENDED,
                                    run_result_text(&job->arena, &result), NULL);
    job->ended = status;
    return job->has_ended;
}

/* The job of a run that this worker lost, and took again while it was still at it. */
static struct work_job *twin_of(const struct work_job *job)
{
    for (size_t i = 0; i < WORK_MAX_JOBS; i++) {
        struct work_job *other = job->crew->jobs[i];
        if (other && other->number < job->number && !other->is_done &&
            strcmp(other->run->run_id, job->run->run_id) == 0)
            return other;
    }
    return NULL;
}

awaits static void wait_for_twin(struct work_job *job)
{
    for (struct work_job *twin; (twin = twin_of(job));) {
        work_job_give_back(twin, /* at_once */ true);
        if (runtime_sleep(runtime_of(job), &job->scope, TWIN_PAUSE_MS, NULL))
            return;
    }
}

/* What the store says of the run; in the arena. */
awaits static enum err_code look_up(struct work_job *job, struct scope *scope, struct arena *arena,
                                    struct queued_run **out, struct err *err)
{
    return run_queue_find(job->crew->queue, scope, job->run->run_id, arena, out, err);
}

/* From here on nobody takes the run while its claim is held. Its end may have been asked for before
 * there was a job that could hear of it. */
static enum err_code check_run(struct run_host *host, struct scope *scope, struct err *err)
{
    struct work_job *job = (struct work_job *)host;
    AUTO(arena) arena = { 0 };
    struct queued_run *now = NULL;
    enum err_code r = look_up(job, scope, &arena, &now, err);
    if (!r && now->taking != job->run->taking)
        r = err_set(err, ERR_MISMATCH, 0, "run %.40s was lost to another worker", now->run_id);
    if (!r && now->is_cancelled)
        work_job_cancel(job);
    return r;
}

/* What cannot be read although the store answers is damaged. */
awaits static enum err_code go_on(struct work_job *job, struct err *err)
{
    const struct resume_request request = { .run_id = job->run->run_id,
                                            .uncertain = UNCERTAIN_ASK,
                                            .host = &job->host };
    int64_t pause_ms = 0;
    for (unsigned looks = 0;;) {
        AUTO(arena) arena = { 0 };
        struct queued_run *now;
        enum err_code r =
            resume_run(job->crew->services, &job->scope, &job->arena, &request, &job->result, err);
        if (r != ERR_UNAVAILABLE || job->result.run_id)
            return r;
        looks += !look_up(job, &job->scope, &arena, &now, NULL);
        if (looks == LOOKS)
            return r;
        pause_ms = work_longer_pause(pause_ms);
        if (runtime_sleep(runtime_of(job), &job->scope, pause_ms, err))
            return err->code;
    }
}

/* That of a run which could not be begun: nothing is kept of it, or not for this mistro. What is
 * complete has no other result than the log's. */
awaits static enum err_code end_unbegun(struct work_job *job, const struct err *why)
{
    struct scope scope = operation_scope(job);
    struct turn_result result = { .run_id = job->run->run_id,
                                  .status = run_status_of(why->code),
                                  .usage = usage_none(),
                                  .err = *why };
    bool is_told = !text_equal(why->what, KEPT_RUN_NOTHING);
    if (job->was_cancelled)
        withdraw_run(job->crew->services, job->run->run_id);
    job->result = result;
    return run_queue_end(job->crew->queue, &scope, job->run,
                         job->was_cancelled ? QUEUE_CANCELLED : QUEUE_ENDED,
                         is_told ? run_result_text(&job->arena, &result) : NULL, NULL);
}

awaits static enum err_code give_back(struct work_job *job)
{
    struct scope scope = operation_scope(job);
    return run_queue_give_back(job->crew->queue, &scope, job->run, NULL);
}

/* Until the store has heard of it, or another worker has the run. One that could not end here may
 * fail to end again, and its calls that may be repeated are made each time: it comes back the later
 * the longer none has ended. */
static enum work_end leave_run(struct work_job *job, const struct err *why)
{
    struct work_crew *crew = job->crew;
    bool was_begun = job->result.run_id || job->host.gives_back;
    int64_t pause_ms = 0;
    if (was_begun && !job->host.gives_back)
        pause_ms = crew->unended_pause_ms = work_longer_pause(crew->unended_pause_ms);
    for (;; pause_ms = work_longer_pause(pause_ms)) {
        struct scope scope = last_scope(job);
        if (pause_ms && runtime_sleep(runtime_of(job), &scope, pause_ms, NULL))
            return WORK_LOST;
        enum err_code r = was_begun ? give_back(job) : end_unbegun(job, why);
        if (r == ERR_NONE)
            return was_begun ? WORK_GIVEN_BACK : WORK_ENDED;
        if (r == ERR_MISMATCH)
            return WORK_LOST;
    }
}

static enum err_code do_job(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)scope;
    struct work_job *job = argument;
    int64_t began_ms = runtime_now_ms(runtime);
    struct err err = { 0 };
    job->crew->watch->began(job->crew->watch, job->run);
    wait_for_twin(job);
    enum err_code r = go_on(job, &err);
    if (job->has_ended)
        job->crew->unended_pause_ms = 0;
    job->end = job->has_ended ? WORK_ENDED : leave_run(job, &err);
    if (r)
        job->result.err = err;
    if (job->has_ended) /* which the body of the run cannot know */
        job->result.status = job->ended;
    else if (r)
        job->result.status = run_status_of(r);
    job->took_ms = runtime_now_ms(runtime) - began_ms;
    job->is_done = true;
    job->crew->wake(job->crew);
    return ERR_NONE;
}

struct work_job *work_job_create(struct work_crew *crew)
{
    struct work_job *job = calloc(1, sizeof *job);
    if (!job)
        abort();
    *job = (struct work_job){ .host = { .check = check_run, .end = end_run },
                              .crew = crew,
                              .scope = { .deadline_ms = SCOPE_NO_DEADLINE } };
    return job;
}

void work_job_start(struct work_job *job)
{
    size_t at = 0;
    while (job->crew->jobs[at])
        at++;
    job->number = ++job->crew->n_started;
    job->crew->jobs[at] = job;
    job->crew->n_jobs++;
    job->task = runtime_spawn(runtime_of(job), &job->scope, do_job, job);
}

void work_job_destroy(struct work_job *job)
{
    for (size_t i = 0; i < WORK_MAX_JOBS; i++) {
        if (job->crew->jobs[i] != job)
            continue;
        job->crew->jobs[i] = NULL;
        job->crew->n_jobs--;
    }
    arena_finish(&job->arena);
    free(job);
}

void work_job_give_back(struct work_job *job, bool at_once)
{
    job->host.gives_back = !job->was_cancelled;
    if (at_once)
        runtime_cancel(runtime_of(job), &job->scope);
}

void work_job_cancel(struct work_job *job)
{
    job->was_cancelled = true;
    job->host.gives_back = false;
    runtime_cancel(runtime_of(job), &job->scope);
}
