/* The suite that every queue passes: PostgreSQL and the fake. */
#ifndef TESTS_SUPPORT_FULL_CONTRACTS_RUN_QUEUE_CONTRACT_H
#define TESTS_SUPPORT_FULL_CONTRACTS_RUN_QUEUE_CONTRACT_H

#include "tests/support/repository_subject.h"

struct queue_subject {
    /* `open` may be called again before `close`: each queue is a process of its own. `reopen` is
     * not used. */
    struct repository_subject base;
    /* Within a task: every lease and heartbeat is older than a lease lasts. */
    void (*lapse)(struct queue_subject *s, struct scope *scope);
};

/* Returns what main returns. */
int run_run_queue_contract(struct queue_subject *subject);

#endif
