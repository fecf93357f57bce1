/* A runtime for scenario tests: real fibers on invented time. When nobody can go on, the clock
 * jumps to the next moment somebody waits for; among those who can, the seed decides who does. So
 * a test explores one interleaving per seed, takes no time, and a seed that failed fails again.
 *
 * A fake adapter waits with virtual_wait (or runtime_sleep on the port) and draws latencies and
 * fates from virtual_runtime_random. When every task waits and no moment is left to jump to, that
 * is said on stderr with the seed, and the program aborts. */
#ifndef TESTS_SUPPORT_FULL_VIRTUAL_RUNTIME_H
#define TESTS_SUPPORT_FULL_VIRTUAL_RUNTIME_H

#include "application/ports/runtime.h"

/* 2026-01-01T00:00:00Z, where the wall clock begins; the other clock begins at 0. */
#define VIRTUAL_WALL_START_MS INT64_C(1767225600000)

struct virtual_runtime;

struct virtual_runtime *virtual_runtime_create(uint64_t seed);
/* No task may be left (asserted). NULL is fine. */
void virtual_runtime_destroy(struct virtual_runtime *runtime);
struct runtime *virtual_runtime_port(struct virtual_runtime *runtime);

/* Runs fn as a task, and all others with it, until fn has returned; returns its result. Not from a
 * fiber. May be called again: time goes on where it stopped. */
enum err_code virtual_runtime_run(struct virtual_runtime *runtime, struct scope *scope, task_fn *fn,
                                  void *argument);
/* Somebody sets the wall clock: it is off by so much from here on. The other clock goes on. */
void virtual_runtime_set_wall(struct virtual_runtime *runtime, int64_t off_ms);
/* As runtime_sleep. */
awaits MUST_CHECK enum err_code virtual_wait(struct virtual_runtime *runtime, struct scope *scope,
                                             int64_t ms, struct err *err);
/* The next number of the seed's sequence, below n. */
uint64_t virtual_runtime_random(struct virtual_runtime *runtime, uint64_t n);
/* The scope is cancelled when the clock reaches the moment; one at a time, NULL takes it back. */
void virtual_runtime_cancel_at(struct virtual_runtime *runtime, struct scope *scope, int64_t at_ms);

/* How often a task went on, and how many exist now (0 after a good test). */
size_t virtual_runtime_switches(const struct virtual_runtime *runtime);
size_t virtual_runtime_tasks(const struct virtual_runtime *runtime);

#endif
