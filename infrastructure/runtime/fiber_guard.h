/* Says so when a task overflows its stack, before the process dies: without this a guard page
 * ends it with a bare "Segmentation fault". */
#ifndef INFRASTRUCTURE_RUNTIME_FIBER_GUARD_H
#define INFRASTRUCTURE_RUNTIME_FIBER_GUARD_H

#include <stdbool.h>

/* Installs a SIGSEGV handler on a signal stack of its own; other faults go on to whatever handler
 * was there before. Calling it again changes nothing. */
void fiber_guard_install(void);

/* Whether the address lies in the guard page of the running fiber (fiber.c). */
bool fiber_guard_holds(const void *address);

#endif
