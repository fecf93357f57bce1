/* Runs that wait for a worker, and the workers that there are. A run is added once its state is
 * kept (run_states.h): that it was added is the promise that it will be done. One worker takes it,
 * and whoever has it may die.
 *
 * A run that is taken belongs to the process that took it, by a lease: no other process can claim
 * it (run_states_claim), and claims of the same process come and go within the lease, which lasts
 * until the run is given back or ends. A heartbeat renews the leases of its process. A process
 * whose heartbeat fails to come for as long as a lease lasts is taken for dead, and the heartbeat
 * of any other worker queues its runs again. Should it live, it has lost them: what it does to
 * them afterwards fails, here and in their states.
 *
 * There is one queue for each name. Times are those of the store's clock, so that the clocks of
 * workers need not agree. Every operation may fail with ERR_UNAVAILABLE: the store is away, and
 * whether the operation took effect is unknown. */
#ifndef DOMAIN_REPOSITORIES_RUN_QUEUE_H
#define DOMAIN_REPOSITORIES_RUN_QUEUE_H

#include "domain/base/arena.h"
#include "domain/base/attributes.h"
#include "domain/base/scope.h"
#include "domain/entities/queued_run.h"

#define RUN_QUEUE_LIST_MAX 1000

/* X(kind): what may have happened. */
#define QUEUE_NOTICES(X)                                                                           \
    X(RUNS)   /* a run of this queue was added, or given back */                                   \
    X(CANCEL) /* somebody asks the worker of this run to end it */                                 \
    X(END)    /* this run of this queue is over */                                                 \
    X(LOST)   /* notices may have been missed: look again */

enum queue_notice_kind {
#define X(kind) NOTICE_##kind,
    QUEUE_NOTICES(X)
#undef X
};

struct queue_notice {
    enum queue_notice_kind kind;
    char run_id[RUN_ID_MAX]; /* of CANCEL and END */
    char queue[QUEUE_NAME_MAX + 1];
};

struct queue_pulse {
    bool is_due;        /* there is a run that this worker could take now */
    int64_t next_in_ms; /* until the next one is due that it could take; -1: none waits */
};

struct run_queue;

struct run_queue_ops {
    /* All mandatory. */
    enum err_code (*add)(struct run_queue *q, struct scope *sc, const struct queued_run *run,
                         struct arena *arena, const char **out_run_id, struct err *err);
    enum err_code (*find_key)(struct run_queue *q, struct scope *sc, const char *key,
                              struct arena *arena, const char **out_run_id, struct err *err);
    enum err_code (*take)(struct run_queue *q, struct scope *sc, const struct queue_worker *me,
                          struct arena *arena, struct queued_run **out, struct err *err);
    enum err_code (*give_back)(struct run_queue *q, struct scope *sc, const struct queued_run *run,
                               struct err *err);
    enum err_code (*end)(struct run_queue *q, struct scope *sc, const struct queued_run *run,
                         enum queue_state state, const char *result, struct err *err);
    enum err_code (*cancel)(struct run_queue *q, struct scope *sc, const char *run_id,
                            bool *out_was_queued, struct err *err);
    enum err_code (*beat)(struct run_queue *q, struct scope *sc, const struct queue_worker *me,
                          struct queue_pulse *out, struct err *err);
    enum err_code (*leave)(struct run_queue *q, struct scope *sc, struct err *err);
    enum err_code (*next_notice)(struct run_queue *q, struct scope *sc, struct queue_notice *out,
                                 struct err *err);
    enum err_code (*find)(struct run_queue *q, struct scope *sc, const char *run_id,
                          struct arena *arena, struct queued_run **out, struct err *err);
    enum err_code (*list)(struct run_queue *q, struct scope *sc, const char *queue,
                          const enum queue_state *state, size_t max, struct arena *arena,
                          struct queued_run **out, size_t *out_n, struct err *err);
    enum err_code (*totals)(struct run_queue *q, struct scope *sc, struct arena *arena,
                            struct queue_totals **out, size_t *out_n, struct err *err);
    enum err_code (*workers)(struct run_queue *q, struct scope *sc, struct arena *arena,
                             struct queue_worker **out, size_t *out_n, struct err *err);
    enum err_code (*prune)(struct run_queue *q, struct scope *sc, int64_t keep_ms, size_t max,
                           size_t *out_removed, struct err *err);
    void (*destroy)(struct run_queue *q);
};

struct run_queue {
    const struct run_queue_ops *ops;
};

/* Queues the run, durably when it returns, and wakes workers. Of the run everything down to
 * not_before_ms counts. *out_run_id: its id, or that of the run that has its key already; then
 * nothing was added. ERR_INVALID: the queue has a run of this id. */
awaits MUST_CHECK static inline enum err_code run_queue_add(struct run_queue *q, struct scope *sc,
                                                            const struct queued_run *run,
                                                            struct arena *arena,
                                                            const char **out_run_id,
                                                            struct err *err)
{
    return q->ops->add(q, sc, run, arena, out_run_id, err);
}
/* The run that was added with this key; NULL: there is none. */
awaits MUST_CHECK static inline enum err_code run_queue_find_key(struct run_queue *q,
                                                                 struct scope *sc, const char *key,
                                                                 struct arena *arena,
                                                                 const char **out_run_id,
                                                                 struct err *err)
{
    return q->ops->find_key(q, sc, key, arena, out_run_id, err);
}
/* The run that has waited longest of those in the worker's queue that are due, whose servers it
 * has, and that no other process has claimed. It belongs to this process from then on. *out is NULL
 * where there is none, or where queue_jobs runs of the queue are taken. */
awaits MUST_CHECK static inline enum err_code run_queue_take(struct run_queue *q, struct scope *sc,
                                                             const struct queue_worker *me,
                                                             struct arena *arena,
                                                             struct queued_run **out,
                                                             struct err *err)
{
    return q->ops->take(q, sc, me, arena, out, err);
}
/* A run, as take gave it, waits again, in its old place, and wakes workers. A run whose end
 * was asked for meanwhile is cancelled instead. ERR_MISMATCH: this process has lost it. */
awaits MUST_CHECK static inline enum err_code run_queue_give_back(struct run_queue *q,
                                                                  struct scope *sc,
                                                                  const struct queued_run *run,
                                                                  struct err *err)
{
    return q->ops->give_back(q, sc, run, err);
}
/* A run, as take gave it, is over: QUEUE_ENDED or QUEUE_CANCELLED, with its result, which may be
 * NULL. Durable when it returns. ERR_MISMATCH: this process has lost it. */
awaits MUST_CHECK static inline enum err_code run_queue_end(struct run_queue *q, struct scope *sc,
                                                            const struct queued_run *run,
                                                            enum queue_state state,
                                                            const char *result, struct err *err)
{
    return q->ops->end(q, sc, run, state, result, err);
}
/* A run that waits is cancelled at once; the worker of one that is taken is asked to end it.
 * Nothing changes where it was asked before. ERR_NOT_FOUND: the queue does not have it.
 * ERR_INVALID: it is over, or was set aside. */
awaits MUST_CHECK static inline enum err_code run_queue_cancel(struct run_queue *q,
                                                               struct scope *sc, const char *run_id,
                                                               bool *out_was_queued,
                                                               struct err *err)
{
    return q->ops->cancel(q, sc, run_id, out_was_queued, err);
}
/* The heartbeat: this worker is there, every lease of its process lasts again, even one that ran
 * out and that nobody has taken over. A run that this process took and that is not among its
 * takings is queued again: nobody has heard that it was taken. Then the runs of the dead are queued
 * again in their old places, each with one more death: at QUEUE_MAX_DEATHS it is POISONED instead,
 * with the reason, and one whose end was asked for is CANCELLED. Workers that died are forgotten.
 * The first heartbeat of a worker that was itself silent for longer than its lease leaves the dead
 * to the next one, because it cannot tell them from workers that were cut off together with it. */
awaits MUST_CHECK static inline enum err_code run_queue_beat(struct run_queue *q, struct scope *sc,
                                                             const struct queue_worker *me,
                                                             struct queue_pulse *out,
                                                             struct err *err)
{
    return q->ops->beat(q, sc, me, out, err);
}
/* This worker takes no more runs and is no longer listed. Runs that it has stay its own. */
awaits MUST_CHECK static inline enum err_code run_queue_leave(struct run_queue *q, struct scope *sc,
                                                              struct err *err)
{
    return q->ops->leave(q, sc, err);
}
/* Waits for the next notice; one task at a time. The first call, and one after the store was away,
 * may give LOST: what came before is not told. */
awaits MUST_CHECK static inline enum err_code run_queue_next_notice(struct run_queue *q,
                                                                    struct scope *sc,
                                                                    struct queue_notice *out,
                                                                    struct err *err)
{
    return q->ops->next_notice(q, sc, out, err);
}
/* ERR_NOT_FOUND: the queue does not have it. */
awaits MUST_CHECK static inline enum err_code run_queue_find(struct run_queue *q, struct scope *sc,
                                                             const char *run_id,
                                                             struct arena *arena,
                                                             struct queued_run **out,
                                                             struct err *err)
{
    return q->ops->find(q, sc, run_id, arena, out, err);
}
/* Newest first, in one queue or, where it is NULL, in all; max: at most RUN_QUEUE_LIST_MAX. */
awaits MUST_CHECK static inline enum err_code run_queue_list(struct run_queue *q, struct scope *sc,
                                                             const char *queue, size_t max,
                                                             struct arena *arena,
                                                             struct queued_run **out, size_t *out_n,
                                                             struct err *err)
{
    return q->ops->list(q, sc, queue, NULL, max, arena, out, out_n, err);
}
/* The same of all queues, in one state. */
awaits MUST_CHECK static inline enum err_code run_queue_list_in(
    struct run_queue *q, struct scope *sc, enum queue_state state, size_t max, struct arena *arena,
    struct queued_run **out, size_t *out_n, struct err *err)
{
    return q->ops->list(q, sc, NULL, &state, max, arena, out, out_n, err);
}
/* By name, at most RUN_QUEUE_LIST_MAX queues: those that have a run which is queued, taken or
 * poisoned. */
awaits MUST_CHECK static inline enum err_code run_queue_totals(struct run_queue *q,
                                                               struct scope *sc,
                                                               struct arena *arena,
                                                               struct queue_totals **out,
                                                               size_t *out_n, struct err *err)
{
    return q->ops->totals(q, sc, arena, out, out_n, err);
}
/* By name, at most RUN_QUEUE_LIST_MAX. */
awaits MUST_CHECK static inline enum err_code run_queue_workers(struct run_queue *q,
                                                                struct scope *sc,
                                                                struct arena *arena,
                                                                struct queue_worker **out,
                                                                size_t *out_n, struct err *err)
{
    return q->ops->workers(q, sc, arena, out, out_n, err);
}
/* Forgets at most max runs that were over longer ago than keep_ms, and their keys. */
awaits MUST_CHECK static inline enum err_code run_queue_prune(struct run_queue *q, struct scope *sc,
                                                              int64_t keep_ms, size_t max,
                                                              size_t *out_removed, struct err *err)
{
    return q->ops->prune(q, sc, keep_ms, max, out_removed, err);
}
/* NULL is fine. */
awaits static inline void run_queue_destroy(struct run_queue *q)
{
    if (q)
        q->ops->destroy(q);
}

#endif
