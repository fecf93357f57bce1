/* A stack that can be left in the middle and entered again: what every task of the application
 * runs on. Only this folder (and the virtual-time runtime of the tests) may include this header;
 * all others wait through a port, and adapters through completion.h.
 *
 * Exactly one thread uses fibers. Two transfers exist: fiber_resume goes in, fiber_yield or
 * returning comes out. Stacks have a guard page below, are pooled, and are announced to
 * AddressSanitizer, LeakSanitizer, ThreadSanitizer and valgrind. An assertion of cmocka must not
 * fail on a fiber: it leaves by longjmp, and the module would believe that the fiber still runs. */
#ifndef INFRASTRUCTURE_RUNTIME_FIBER_H
#define INFRASTRUCTURE_RUNTIME_FIBER_H

#include <stdbool.h>
#include <stddef.h>

#define FIBER_STACK_BYTES (1024 * 1024) /* jansson at depth 256 needs some 160 KiB with ASan */

struct fiber;
typedef void fiber_fn(void *argument);

/* A suspended fiber, its stack from the pool if there is one. Aborts when memory is out. */
struct fiber *fiber_create(fiber_fn *fn, void *argument);
/* Of a finished or never entered fiber; its stack goes to the pool. NULL is fine. */
void fiber_destroy(struct fiber *fiber);
/* Runs the fiber until it yields or returns. */
void fiber_resume(struct fiber *fiber);
void fiber_yield(void);
/* The running fiber, or NULL on the thread's own stack. */
struct fiber *fiber_self(void);
bool fiber_is_done(const struct fiber *fiber);
/* Fibers that exist, and the deepest stack use seen since fiber_paint_stacks(true). */
size_t fiber_count(void);
void fiber_paint_stacks(bool on);
size_t fiber_high_water_bytes(void);
/* Releases pooled stacks: for leak checkers at the end of a process. */
void fiber_pool_drain(void);
/* Says so when a task overflows its stack, before the process dies: without this a guard page ends
 * it with a bare "Segmentation fault". Installs a SIGSEGV handler on a signal stack of its own;
 * other faults go on to the handler that was there before. Calling it again changes nothing. */
void fiber_guard_install(void);

#endif
