/* Files that a person names on the command line. They are read whole and within a bound; "-" is
 * standard input, read through the console. They are replaced whole, by way of another file in the
 * same folder, so that neither a full disk nor a kill leaves half of one. */
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

/* That, of a file in a folder that anybody may have made: no link is followed, "-" is a name, and
 * what is no plain file is ERR_INVALID. */
MUST_CHECK enum err_code files_read_plain(const struct file_reader *reader, const char *path,
                                          const char **out_bytes, size_t *out_length,
                                          struct err *err);

/* Whether files_write may have the file, as far as that can be told before: asked early, so that no
 * work is lost for a mistyped folder. ERR_INVALID: no. */
MUST_CHECK enum err_code files_may_write(const char *path, struct err *err);
#define FILES_MAX_NAMES 10000 /* of one folder; more are ERR_LIMIT */

/* The names of the files in a folder that have one of the endings, sorted; hidden ones are left
 * out. In the arena. ERR_INVALID when it cannot be read. */
MUST_CHECK enum err_code files_list(struct arena *arena, const char *folder,
                                    const char *const *endings, size_t n_endings,
                                    const char ***out_names, size_t *out_n, struct err *err);

/* Creates the file. ERR_INVALID, with EEXIST as its origin where there is one of that name: it
 * cannot be written, and is as it was. */
MUST_CHECK enum err_code files_create(const char *path, const char *bytes, size_t length,
                                      struct err *err);
/* Creates or replaces the file; of one that is there the mode stays, and of a link its target is
 * replaced. What is no plain file (a device, a pipe, a name in /dev or /proc), and a file in a
 * folder that takes no other, is written straight. ERR_INVALID, and the old file is whole: it
 * cannot be written. */
MUST_CHECK enum err_code files_write(const char *path, const char *bytes, size_t length,
                                     struct err *err);

#endif
