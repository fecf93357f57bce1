/* A console in memory: input is scripted, output is kept, terminals are pretended. */
#ifndef TESTS_SUPPORT_FAKES_FAKE_CONSOLE_H
#define TESTS_SUPPORT_FAKES_FAKE_CONSOLE_H

#include "application/ports/console.h"
#include "domain/base/buf.h"

struct fake_console {
    struct console base;
    const char *input; /* what is still to be read */
    size_t chunk;      /* bytes per read; 0 = all */
    struct buf out, err;
    bool terminals[3]; /* by enum console_stream */
    unsigned columns, rows;
    bool echo_off;
    bool keys;      /* are read one by one */
    size_t n_drops; /* of what was typed ahead */
    bool out_closed;
};

void fake_console_init(struct fake_console *console, const char *input);
void fake_console_finish(struct fake_console *console);

#endif
