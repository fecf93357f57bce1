/* One line typed by a person, from a terminal in its ordinary line mode: for approvals and forms.
 * (The chat's own prompt is edited with libedit, see line_editor.h.) */
#ifndef PRESENTATION_CLI_TERMINAL_LINE_INPUT_H
#define PRESENTATION_CLI_TERMINAL_LINE_INPUT_H

#include "application/ports/console.h"
#include "domain/base/arena.h"
#include "domain/base/buf.h"

#define LINE_INPUT_MAX_BYTES 65536 /* of one line with its newline */

/* Without the newline (LF or CRLF). What was typed beyond it waits for the next call in pending
 * (initialised by the caller, kept between calls). ERR_CANCELLED at the end of input, ERR_INVALID
 * for a line with a NUL byte (which is dropped). */
awaits MUST_CHECK enum err_code line_input_read(struct console *console, struct scope *scope,
                                                struct buf *pending, struct arena *arena,
                                                const char **out_line, struct err *err);

#endif
