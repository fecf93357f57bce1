/* What a test may have left behind: descriptors, children nobody reaped, processes that outlived
 * whoever started them. Those are known by a variable in their environment, which a grandchild
 * inherits, whoever its parent is by then. */
#ifndef TESTS_SUPPORT_FULL_LEFTOVERS_H
#define TESTS_SUPPORT_FULL_LEFTOVERS_H

#include <stdbool.h>
#include <stddef.h>

/* Open in this process. */
size_t leftover_descriptors(void);
/* Whether this process has children, alive or not reaped. */
bool leftover_children(void);
/* Processes with "NAME=value" in their environment; one that is killed has half a second to go. */
size_t leftover_processes(const char *variable);

#endif
