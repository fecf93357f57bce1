/* A runtime for unit tests: nothing really waits. Sleeping moves the clock, a spawned task runs at
 * once and to its end inside spawn, deadlines and cancellation are honoured. So the order of
 * everything is the order of the source. Lies in the test's frame; no fibers. */
#ifndef TESTS_SUPPORT_IMMEDIATE_RUNTIME_H
#define TESTS_SUPPORT_IMMEDIATE_RUNTIME_H

#include "application/ports/runtime.h"

/* 2026-01-01T00:00:00Z, where the wall clock begins; the other clock begins at 0. */
#define IMMEDIATE_WALL_START_MS INT64_C(1767225600000)

struct immediate_runtime {
    struct runtime port;
    int64_t now_ms;
    size_t tasks; /* spawned and not yet waited for: 0 at the end of a good test */
    size_t sleeps;
    /* Set by a test: the scope is cancelled when the clock reaches the moment. */
    struct scope *cancel_scope;
    int64_t cancel_at_ms;
};

struct immediate_runtime immediate_runtime(void);

#endif
