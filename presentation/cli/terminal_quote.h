/* What somebody else wrote, behind a bar on every line of the screen: it is folded here, at blanks
 * where there are any, so that no part of it can stand where mistro's own words do. */
#ifndef PRESENTATION_CLI_TERMINAL_QUOTE_H
#define PRESENTATION_CLI_TERMINAL_QUOTE_H

#include "application/ports/console.h"

#define TERMINAL_QUOTE_LINE_BYTES 72
#define TERMINAL_QUOTE_MIN_BYTES 16 /* on a screen that is narrower than this all is lost */
#define TERMINAL_QUOTE_MAX_INDENT 8

/* Lines above max_lines become one "…". */
void terminal_quote(struct console *console, const char *text, size_t max_lines);

/* All of it. What a line is folded into is indented by so many columns, behind what mistro itself
 * began the line with. False once nobody reads. */
MUST_CHECK bool terminal_quote_all(struct console *console, enum console_stream stream,
                                   const char *text, unsigned indent);

#endif
