/* What a dead server's stderr says of its end, on one line: the last line that names an error, as
 * the runtimes of Node and Python print it before or behind much else, or its last few lines. */
#ifndef INFRASTRUCTURE_RUNTIME_STDERR_SUMMARY_H
#define INFRASTRUCTURE_RUNTIME_STDERR_SUMMARY_H

#include "domain/base/arena.h"
#include <stddef.h>

#define LAST_WORDS_LINES 3
#define LAST_WORDS_COLUMNS 240

/* Escaped and cut, in the arena; NULL when there are none. */
const char *stderr_summary(struct arena *arena, const char *text, size_t length);

#endif
