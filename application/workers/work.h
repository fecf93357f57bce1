/* `mistro worker`: takes runs from a queue and goes on with them (resume_run.h), several at once,
 * until it is asked to end. What may not be repeated is not repeated on any machine, by the same
 * rules as on one.
 *
 * A run is over when its log, its state and its row in the queue say so, in this order, and while
 * one of them cannot be written the run has not ended: it is queued again, or its lease runs out
 * and another worker finds it, comes to the same end by what is kept, and calls nothing on the way.
 * A call whose outcome is unknown becomes a question, which ends the run in this queue.
 *
 * When it is to end, it takes no more runs, and those under way stop before their next call and are
 * queued again. Calls under way get worker.drain_seconds. While the store is away it asks again
 * after pauses that grow to WORK_MAX_PAUSE_MS. */
#ifndef APPLICATION_WORKERS_WORK_H
#define APPLICATION_WORKERS_WORK_H

#include "application/orchestrators/turn_result.h"
#include "application/services.h"

#define WORK_MAX_JOBS 256
#define WORK_MIN_PAUSE_MS 100
#define WORK_MAX_PAUSE_MS 10000

/* X(end, word): what became of a run in this worker. */
#define WORK_ENDS(X)                                                                               \
    X(ENDED, "ended")           /* the result says how */                                          \
    X(GIVEN_BACK, "given back") /* it is queued again */                                           \
    X(LOST, "lost")             /* another worker has it, or will take it */

enum work_end {
#define X(end, word) WORK_##end,
    WORK_ENDS(X)
#undef X
};

struct work_report {
    const struct queued_run *run;
    enum work_end end;
    const struct turn_result
        *result; /* its code is that of what the run failed with before it began */
    int64_t took_ms;
};

/* What a worker tells. All mandatory. */
struct work_watch {
    void (*began)(struct work_watch *watch, const struct queued_run *run);
    void (*ended)(struct work_watch *watch, const struct work_report *report);
    /* The store is away, and why; or back, where why is NULL. */
    void (*store)(struct work_watch *watch, const struct err *why);
};

struct work_options {
    const char *name;  /* of this worker, for people */
    const char *queue; /* a valid name */
    unsigned jobs;     /* at most WORK_MAX_JOBS */
    struct work_watch *watch;
};

/* Returns when the scope has ended and nothing is under way any more: ERR_NONE. ERR_INVALID: there
 * is no queue, or it is of a newer mistro. */
awaits MUST_CHECK enum err_code work(struct services *services, struct scope *scope,
                                     const struct work_options *options, struct err *err);

#endif
