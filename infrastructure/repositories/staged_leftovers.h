/* The hidden names of staged folders, and what dead processes left under them. Everything here
 * blocks. */
#ifndef INFRASTRUCTURE_REPOSITORIES_STAGED_LEFTOVERS_H
#define INFRASTRUCTURE_REPOSITORIES_STAGED_LEFTOVERS_H

#include <stdbool.h>
#include <stddef.h>

/* A fresh hidden name for `name`. */
void staged_name_make(const char *name, char *out, size_t size);
/* What a folder is called while the one that replaces it takes its name, where the file system
 * cannot exchange the two: the hidden name with a mark behind it. */
void staged_name_aside(const char *hidden, char *out, size_t size);

/* Opens the folder without following a link and locks it without waiting; -1 when it is not a
 * folder, or another process works in it. Closing the descriptor releases the lock. */
int staged_claim(int parent, const char *name);
/* Removes the files of a folder and the folder, which stays when it holds another folder. */
void staged_remove(int parent, const char *name);
/* Removes the hidden folders in `parent` that no process works in any more. A folder that was put
 * aside and never replaced gets its name back. */
void staged_sweep(int parent);

#endif
