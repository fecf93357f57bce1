/* Run states of one of several processes that share a store: claims are the leases of its queue
 * (fake_run_queue.h), and what a process commits that has lost a run is not written. A hook may
 * keep the process waiting, cut it off, or end it. */
#ifndef TESTS_SUPPORT_FULL_FAKE_LEASED_STATES_H
#define TESTS_SUPPORT_FULL_FAKE_LEASED_STATES_H

#include "tests/support/fakes/fake_run_queue.h"
#include "tests/support/fakes/fake_run_states.h"

struct fake_leased_states {
    struct run_states base; /* hand this to the code under test */
    struct fake_run_states *store;
    struct fake_run_queue *queue; /* of the same process; its hook is asked here as well */
    struct arena arena;
    struct leased_run **runs; /* that were claimed, those given up too */
    size_t n, capacity;
};

void fake_leased_states_init(struct fake_leased_states *fake, struct fake_run_states *store,
                             struct fake_run_queue *queue);
void fake_leased_states_finish(struct fake_leased_states *fake);

#endif
