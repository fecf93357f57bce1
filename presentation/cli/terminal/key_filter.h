/* Tells a key that is one byte from the bytes of a longer one: arrows and the like send ESC and a
 * few letters (ECMA-48, 5.4), Alt sends ESC before its key, terminals answer what nobody asked, and
 * a paste has marks around it. None of these bytes may count as the key of its letter. */
#ifndef PRESENTATION_CLI_TERMINAL_KEY_FILTER_H
#define PRESENTATION_CLI_TERMINAL_KEY_FILTER_H

#include <stdbool.h>

struct key_filter { /* all zero at first */
    enum { KEY_PLAIN, KEY_ESCAPED, KEY_PARAMETERS, KEY_ONE_MORE, KEY_STRING } state;
    unsigned number; /* that is read in KEY_PARAMETERS */
    bool pasting;
};

/* The next byte of the input; whether it is a key by itself. */
bool key_filter_takes(struct key_filter *filter, char byte);

#endif
