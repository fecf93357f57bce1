/* The runtime port on one libuv loop: a fiber per task, woken from the loop.
 *
 * Callbacks of libuv and libcurl never switch stacks: they complete something (completion.h),
 * which marks a fiber ready; ready fibers are resumed on the loop's own stack after each poll. An
 * await does not return before its operation is gone, so operations may live in the waiting
 * frame. The loop belongs to the thread that created the runtime. */
#ifndef INFRASTRUCTURE_RUNTIME_UV_RUNTIME_H
#define INFRASTRUCTURE_RUNTIME_UV_RUNTIME_H

#include "application/ports/runtime.h"

struct uv_runtime;
struct uv_loop_s;

/* Also makes the process ignore SIGPIPE (a peer that is gone is an error of write) and name a stack
 * overflow on stderr before it dies. */
struct uv_runtime *uv_runtime_create(void);
/* No task may be left. Closes what is left of the loop's own handles; asserts that adapters closed
 * theirs. NULL is fine. */
void uv_runtime_destroy(struct uv_runtime *runtime);

struct runtime *uv_runtime_port(struct uv_runtime *runtime);
struct uv_loop_s *uv_runtime_loop(struct uv_runtime *runtime);

/* Runs fn as a task and the loop with it, until fn has returned. Returns its result. Not from a
 * fiber. May be called again afterwards. */
enum err_code uv_runtime_run(struct uv_runtime *runtime, struct scope *scope, task_fn *fn,
                             void *argument);

/* Stacks that are kept for tasks to come are the system's again. */
void uv_runtime_give_back(void);

/* For debugging: told, on the loop's stack, when a task ran for more than 50 ms without waiting and
 * so kept all others from running. NULL: no one is. */
void uv_runtime_on_long_slice(struct uv_runtime *runtime, void (*hook)(void *context, int64_t ms),
                              void *context);

#endif
