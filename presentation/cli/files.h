/* Files that a person names on the command line, read whole and within a bound; "-" is standard
 * input, read through the console. */
#ifndef PRESENTATION_CLI_FILES_H
#define PRESENTATION_CLI_FILES_H

#include "application/ports/console.h"
#include "domain/base/arena.h"
#include "domain/base/err.h"
#include "domain/base/scope.h"

/* The content, NUL-terminated, in the arena. ERR_INVALID when it cannot be read, ERR_LIMIT when it
 * is larger than max_bytes. */
awaits MUST_CHECK enum err_code files_read(struct console *console, struct scope *scope,
                                           struct arena *arena, const char *path, size_t max_bytes,
                                           const char **out_bytes, size_t *out_length,
                                           struct err *err);
/* files_read for standard input. */
awaits MUST_CHECK enum err_code files_read_input(struct console *console, struct scope *scope,
                                                 struct arena *arena, size_t max_bytes,
                                                 const char **out_bytes, size_t *out_length,
                                                 struct err *err);

#endif
