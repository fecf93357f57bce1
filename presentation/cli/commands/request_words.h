/* What a person asks for in words: the operands, what is piped in beside them, and the files and
 * resources that the operands name with @. A lone pipe (or -) is the request itself. */
#ifndef PRESENTATION_CLI_COMMANDS_REQUEST_WORDS_H
#define PRESENTATION_CLI_COMMANDS_REQUEST_WORDS_H

#include "presentation/cli/cli.h"

#define ATTACHMENTS_MAX_FILES 16 /* resources count as well */

struct request_words {
    const char *message;  /* NULL: no request was made */
    const char *attached; /* goes along as data; NULL for none */
};

struct attachment_sources {
    struct console *console;
    struct services *services; /* NULL: files only */
};

/* Reads what a message that a person typed names with '@': @FILE, @server:uri and @uri. The text of
 * the file or of the MCP resource goes along with the message, as data. A word that begins with '@'
 * and goes on with something else than a blank or another '@' names one, @"with blanks" likewise;
 * punctuation behind a name is not part of it. A name with a ':' that is not a file is a resource.
 * Only what a person typed is looked at, never piped text or a prompt of a server: those could name
 * what their author may not see.
 *
 * *out: the message without the '@' of names ("@@" has become "@"), and "NAME:\n<text>" of each in
 * the order of the message. ERR_INVALID for a file that cannot be read or is not text,
 * ERR_NOT_FOUND for an unknown resource, ERR_LIMIT above max_bytes in all or ATTACHMENTS_MAX_FILES.
 */
awaits MUST_CHECK enum err_code request_words_attach(const struct attachment_sources *from,
                                                     struct scope *scope, struct arena *arena,
                                                     const char *message, size_t max_bytes,
                                                     struct request_words *out, struct err *err);

/* alone: the command makes sense without words, and a pipe is read only for "-". ERR_INVALID: what
 * is piped in is not text, or an attachment cannot be read; ERR_LIMIT: beyond
 * limits.request_bytes. */
awaits MUST_CHECK enum err_code request_words_read(struct cli *cli, bool alone,
                                                   struct request_words *out, struct err *err);

#endif
