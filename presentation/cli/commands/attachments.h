/* `@path`, `@server:uri` and `@uri` in a message a person types: the text of the file or of the
 * MCP resource goes along with the message, as data. A word that begins with '@' and goes on with
 * something else than a blank or another '@' names one, @"with blanks" likewise; punctuation behind
 * a name is not part of it. A name with a ':' that is no file is a resource. Only what a person
 * typed is looked at, never piped text or a prompt of a server: those could name what their author
 * may not see. */
#ifndef PRESENTATION_CLI_COMMANDS_ATTACHMENTS_H
#define PRESENTATION_CLI_COMMANDS_ATTACHMENTS_H

#include "application/ports/console.h"
#include "application/services.h"
#include "domain/base/arena.h"

#define ATTACHMENTS_MAX_FILES 16 /* resources count as well */

struct attachment_sources {
    struct console *console;
    struct services *services; /* NULL: files only */
};

struct attachments {
    const char *message; /* without the '@' of names; "@@" has become "@" */
    const char *text;    /* "NAME:\n<text>" of each in the order of the message; NULL without */
};

/* ERR_INVALID for a file that is not there, cannot be read or is no text; ERR_NOT_FOUND for an
 * unknown resource; ERR_LIMIT above max_bytes in all or ATTACHMENTS_MAX_FILES. */
awaits MUST_CHECK enum err_code attachments_read(const struct attachment_sources *from,
                                                 struct scope *scope, struct arena *arena,
                                                 const char *message, size_t max_bytes,
                                                 struct attachments *out, struct err *err);

#endif
