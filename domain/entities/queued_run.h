/* A run in the queue, and a worker that takes runs from it. */
#ifndef DOMAIN_ENTITIES_QUEUED_RUN_H
#define DOMAIN_ENTITIES_QUEUED_RUN_H

#include "domain/entities/run.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QUEUE_NAME_MAX 64 /* bytes of [A-Za-z0-9_.-] */
#define QUEUE_DEFAULT "default"
#define QUEUE_KEY_MAX 200 /* bytes of UTF-8 */
#define QUEUE_MAX_SERVERS 256
#define QUEUE_RESULT_MAX (16 * 1024 * 1024) /* bytes */
#define QUEUE_MAX_DEATHS 3                  /* of workers that had the run */

/* X(state, name) */
#define QUEUE_STATES(X)                                                                            \
    X(QUEUED, "queued") /* waits for a worker, or for its time */                                  \
    X(TAKEN, "taken")   /* a worker has it */                                                      \
    X(ENDED, "ended")   /* however it ended: the run log says how */                               \
    X(CANCELLED, "cancelled")                                                                      \
    X(POISONED, "poisoned") /* set aside: QUEUE_MAX_DEATHS workers died while they had it */

enum queue_state {
#define X(state, name) QUEUE_##state,
    QUEUE_STATES(X)
#undef X
};

struct queued_run {
    const char *run_id, *queue;
    const char *key;            /* the same key means the same run; or NULL */
    const char *const *servers; /* names of those that a worker must have */
    size_t n_servers;
    int64_t not_before_ms; /* wall clock; 0: at once */
    int64_t added_ms;      /* wall clock of the queue, as is everything below */
    enum queue_state state;
    unsigned n_deaths;
    const char *worker; /* the name of the one that has it or had it last; or NULL */
    const char *reason; /* why it was set aside; or NULL */
    bool is_cancelled;  /* somebody asked its worker to end it */
    uint64_t taking;    /* tells one taking of the run from the others; 0: it is not taken */
    const char
        *result; /* of one that ended, JSON text; NULL: there is none, or it is one of a list */
};

struct queue_worker {
    const char *name;           /* for people: host and process */
    const char *queue;          /* that it takes runs from */
    const char *const *servers; /* names of those that it has */
    size_t n_servers;
    unsigned jobs, n_busy;   /* runs that it works at side by side, at most and now */
    const uint64_t *takings; /* of these n_busy runs, where it is the worker that speaks */
    unsigned queue_jobs;     /* runs of the queue that are taken at most, by all workers; 0: any */
    int64_t seen_ms;         /* its last heartbeat, by the clock of the queue */
};

/* What of a queue is not over, and what was set aside. */
struct queue_totals {
    const char *queue;
    uint64_t n_queued, n_taken, n_poisoned;
    int64_t since_ms; /* from when on the one that waits longest may be taken; 0: none waits */
};

const char *queue_state_name(enum queue_state state);
bool queue_name_is_valid(const char *name);
/* Not empty, at most QUEUE_KEY_MAX bytes of UTF-8. */
bool queue_key_is_valid(const char *key);

#endif
