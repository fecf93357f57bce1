/* Files that a person names on the command line, read whole and within a bound; "-" is standard
 * input, read through the console. */
#ifndef PRESENTATION_CLI_FILES_H
#define PRESENTATION_CLI_FILES_H

#include "application/ports/console.h"
#include "domain/base/arena.h"
#include "domain/base/err.h"
#include "domain/base/scope.h"

struct file_reader {
    struct console *console;
    struct scope *scope;
    struct arena *arena; /* keeps the content */
    size_t max_bytes;
};

/* The content, NUL-terminated. ERR_INVALID when it cannot be read, ERR_LIMIT when it is larger than
 * max_bytes. */
awaits MUST_CHECK enum err_code files_read(const struct file_reader *reader, const char *path,
                                           const char **out_bytes, size_t *out_length,
                                           struct err *err);

#endif
