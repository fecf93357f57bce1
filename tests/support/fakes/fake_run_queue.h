/* A queue in memory, for several processes on virtual time: a store that outlives them, and for
 * each process its view of the queue. A process dies by going silent: its leases run out. The hook
 * of a view can keep its process waiting, cut it off from the store, or end it. */
#ifndef TESTS_SUPPORT_FAKES_FAKE_RUN_QUEUE_H
#define TESTS_SUPPORT_FAKES_FAKE_RUN_QUEUE_H

#include "application/ports/runtime.h"
#include "domain/repositories/run_queue.h"

#define FAKE_QUEUE_PROCESSES 64
#define FAKE_QUEUE_NOTICES 8 /* that a view keeps until they are asked for */

struct fake_run_queue;

/* That a process owns a run. */
struct fake_lease {
    const char *run_id;
    const struct fake_run_queue *holder; /* NULL: nobody has it */
    bool is_taken;                       /* from the queue; else it is a claim only */
    unsigned n_claims;
    uint64_t fence; /* grows with each new holder */
    int64_t expires_ms;
};

struct fake_queue_row {
    struct queued_run run;
    const struct fake_run_queue *taker;
    int64_t over_ms;
};

struct fake_queue_store {
    struct runtime *runtime;
    struct arena arena;
    int64_t lease_ms;
    uint64_t fence;
    struct fake_queue_row *rows; /* in the order in which they were added */
    size_t n_rows, rows_capacity;
    struct fake_lease *leases;
    size_t n_leases, leases_capacity;
    struct fake_run_queue *views[FAKE_QUEUE_PROCESSES];
    size_t n_views;
};

struct fake_run_queue {
    struct run_queue base; /* hand this to the code under test */
    struct fake_queue_store *store;
    struct queue_worker
        worker; /* as of its last heartbeat; its name is NULL where it is not there */
    struct queue_notice notices[FAKE_QUEUE_NOTICES];
    size_t n_notices;
    struct scope *waiting; /* for a notice */
    unsigned n_uses;
    /* May be NULL. Called before an operation does anything, and after; may wait. Its error is the
     * operation's, which took effect where it comes after. */
    enum err_code (*on_use)(void *context, struct scope *scope, struct err *err);
    void *context;
};

void fake_queue_store_init(struct fake_queue_store *store, struct runtime *runtime,
                           int64_t lease_ms);
void fake_queue_store_finish(struct fake_queue_store *store);
/* A process of its own. Destroyed through the port it gets no more notices; what it has stays its
 * own until its leases run out. */
struct fake_run_queue *fake_run_queue_create(struct fake_queue_store *store);
/* As run_states_claim, run_states_release and run_states_owner of the same process. *out_fence is
 * what writes are held against. */
enum err_code fake_run_queue_claim(struct fake_run_queue *queue, const char *run_id,
                                   uint64_t *out_fence, struct err *err);
void fake_run_queue_release(struct fake_run_queue *queue, const char *run_id);
bool fake_run_queue_is_owned(struct fake_queue_store *store, const char *run_id);
/* Whether what was claimed with this fence may still be written. */
bool fake_run_queue_holds(const struct fake_run_queue *queue, const char *run_id, uint64_t fence);
/* A waiting next_notice asks its hook again. */
void fake_run_queue_disturb(struct fake_run_queue *queue);

#endif
