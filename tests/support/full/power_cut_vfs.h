/* A file system below SQLite on which the power can be cut. What was written and not forced to disk
 * is lost then, or survives in part and in any order, as on a disk with a cache; what was forced to
 * disk stays. One for the process, used by every database that is opened after it was installed. */
#ifndef TESTS_SUPPORT_FULL_POWER_CUT_VFS_H
#define TESTS_SUPPORT_FULL_POWER_CUT_VFS_H

#include <stdbool.h>
#include <stdint.h>

/* Once, before any database is opened. */
void power_cut_vfs_install(void);
/* The power is on, and goes off at the n-th operation that changes a file (0: never). */
void power_cut_vfs_on(unsigned n);
/* Operations fail from the cut on. */
bool power_cut_vfs_is_off(void);
/* After every database was closed: files become what a disk would have of them. The seed decides
 * what survives of that which was not forced to disk. */
void power_cut_vfs_restore(uint64_t seed);
/* How often something was forced to disk so far. */
unsigned power_cut_vfs_syncs(void);
/* Forgets all files. */
void power_cut_vfs_forget(void);

#endif
