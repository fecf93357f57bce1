/* Text that others wrote, behind a bar on every line of the screen. It is folded here, at blanks
 * where there are any, so that no part of it can pass for mistro's own words. */
#ifndef PRESENTATION_CLI_TERMINAL_QUOTE_H
#define PRESENTATION_CLI_TERMINAL_QUOTE_H

#include "application/ports/console.h"

#define TERMINAL_QUOTE_LINE_BYTES 72
#define TERMINAL_QUOTE_MIN_BYTES 16 /* a screen narrower than this wraps lines itself */
#define TERMINAL_QUOTE_MAX_INDENT 8

/* Lines above max_lines become one "…". */
void terminal_quote(struct console *console, const char *text, size_t max_lines);

/* Every line. The lines that a long one is folded into are indented by so many columns, deeper than
 * what mistro itself begins a line with. False once the stream is closed. */
MUST_CHECK bool terminal_quote_all(struct console *console, enum console_stream stream,
                                   const char *text, unsigned indent);

#endif
