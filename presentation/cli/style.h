/* Colour, only where it is welcome: on a terminal, unless NO_COLOR, TERM=dumb or --color say
 * otherwise. A style without colour prints empty strings, so callers never ask. */
#ifndef PRESENTATION_CLI_STYLE_H
#define PRESENTATION_CLI_STYLE_H

#include <stdbool.h>

struct style {
    const char *bold, *dim, *red, *green, *yellow, *blue, *reset;
    bool is_terminal;
    bool moves_cursor; /* a terminal that is not dumb */
};

/* when: "auto", "always", "never" or NULL (auto). */
struct style style_make(bool is_terminal, const char *when, const char *no_color, const char *term);

#endif
