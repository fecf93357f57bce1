/* A run repository in memory. It keeps the contract of domain/repositories/run_repository.h (the
 * same suite as for SQLite runs on it) and tells tests what was asked of it. */
#ifndef TESTS_SUPPORT_FAKES_FAKE_RUN_REPOSITORY_H
#define TESTS_SUPPORT_FAKES_FAKE_RUN_REPOSITORY_H

#include "domain/repositories/run_repository.h"

struct fake_run_repository {
    struct run_repository base; /* hand this to the code under test */
    struct arena arena;
    struct run *runs; /* in the order in which they began; removed ones have no id */
    size_t n_runs, runs_capacity;
    struct event *events; /* in the order in which they came */
    size_t n_events, events_capacity;
    size_t n_synced;         /* events that were there when sync was last asked */
    unsigned n_syncs;        /* how often sync was asked */
    enum err_code next_sync; /* what the next sync reports, once */
    /* May be NULL. Called by every sync before it does anything; may wait. */
    void (*on_sync)(void *context, struct scope *scope);
    void *context;
};

void fake_run_repository_init(struct fake_run_repository *fake);
void fake_run_repository_finish(struct fake_run_repository *fake);
/* One on the heap, destroyed through the port. */
struct run_repository *fake_run_repository_create(void);

/* The n-th event of a kind (from 0), or NULL. Borrowed. */
const struct event *fake_run_repository_event(const struct fake_run_repository *fake,
                                              enum event_kind kind, size_t n);

#endif
