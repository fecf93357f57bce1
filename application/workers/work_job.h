/* One run in a worker: gone on with, and its end noted, or given back. */
#ifndef APPLICATION_WORKERS_WORK_JOB_H
#define APPLICATION_WORKERS_WORK_JOB_H

#include "application/runs/run_session.h"
#include "application/workers/work.h"

struct work_job;

/* What the runs of a worker have in common. */
struct work_crew {
    struct services *services;
    struct run_queue *queue;
    struct work_watch *watch;
    struct work_job *jobs[WORK_MAX_JOBS];
    unsigned n_jobs, n_started;
    bool is_away;             /* the store */
    int64_t pause_ms;         /* until it is asked again */
    int64_t unended_pause_ms; /* before the latest run that could not end was given back; 0: one has
                                 ended since */
    bool is_draining;
    int64_t drained_ms; /* when that is over */
    void (*wake)(struct work_crew *crew);
};

struct work_job {
    struct run_host host; /* first */
    struct work_crew *crew;
    unsigned number; /* in the order in which they were started */
    struct task *task;
    struct scope scope;
    struct arena arena;
    struct queued_run *run;
    struct turn_result result;
    bool has_ended, was_cancelled, is_done;
    enum run_status ended; /* how, where it has */
    enum work_end end;
    int64_t took_ms;
};

/* 0 gives the shortest. */
int64_t work_longer_pause(int64_t pause_ms);

/* Without a run, which the caller takes into its arena; then it is started, or destroyed. */
struct work_job *work_job_create(struct work_crew *crew);
/* Its task is spawned. */
void work_job_start(struct work_job *job);
/* It was waited for, or never started. */
void work_job_destroy(struct work_job *job);
/* Its run stops before its next call, or at_once, and is queued again; one that was cancelled ends.
 */
void work_job_give_back(struct work_job *job, bool at_once);
/* Its run ends, as by Ctrl-C. */
void work_job_cancel(struct work_job *job);

#endif
