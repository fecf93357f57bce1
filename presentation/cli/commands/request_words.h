/* What a person asks for in words: the operands, what is piped in beside them, and the files and
 * resources that the operands name with @. A lone pipe (or -) is the request itself. */
#ifndef PRESENTATION_CLI_COMMANDS_REQUEST_WORDS_H
#define PRESENTATION_CLI_COMMANDS_REQUEST_WORDS_H

#include "presentation/cli/cli.h"

struct request_words {
    const char *message;  /* NULL: nothing was said */
    const char *attached; /* goes along as data; NULL for none */
};

/* alone: the command makes sense without words, and a pipe is read only for "-". ERR_INVALID: what
 * is piped in is no text, or an attachment cannot be had; ERR_LIMIT: beyond limits.request_bytes.
 */
awaits MUST_CHECK enum err_code request_words_read(struct cli *cli, bool alone,
                                                   struct request_words *out, struct err *err);

#endif
