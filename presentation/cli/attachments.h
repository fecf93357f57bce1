/* `@path` in a message a person types: the file's text goes along with the message. A word that
 * begins with '@' and goes on with something else than a blank or another '@' names a file,
 * @"with blanks" likewise; punctuation behind a name is not part of it. Only what a person typed is
 * looked at, never piped text: that could name files its author may not see. */
#ifndef PRESENTATION_CLI_ATTACHMENTS_H
#define PRESENTATION_CLI_ATTACHMENTS_H

#include "application/ports/console.h"
#include "domain/base/arena.h"

#define ATTACHMENTS_MAX_FILES 16

struct attachments {
    const char *message; /* without the '@' of names; "@@" has become "@" */
    const char *text; /* "PATH:\n<text>" of each file in the order of the message; NULL without */
};

/* ERR_INVALID for a file that is not there, cannot be read or is no text; ERR_LIMIT above
 * max_bytes in all or ATTACHMENTS_MAX_FILES. */
awaits MUST_CHECK enum err_code attachments_read(struct console *console, struct scope *scope,
                                                 struct arena *arena, const char *message,
                                                 size_t max_bytes, struct attachments *out,
                                                 struct err *err);

#endif
