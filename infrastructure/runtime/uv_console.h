/* The console port on the process's own standard streams. Input is read through the loop, be it a
 * terminal, a pipe or a file; output is written with write(2), blocking; SIGINT comes through a
 * signal handle that exists only while interrupts are listened for.
 *
 * A terminal is shared with the shell and other programs: O_NONBLOCK is never left set on it, and
 * it is written to correctly if another program set it. The width is asked for each time, so a
 * window that changed its size needs no signal. */
#ifndef INFRASTRUCTURE_RUNTIME_UV_CONSOLE_H
#define INFRASTRUCTURE_RUNTIME_UV_CONSOLE_H

#include "application/ports/console.h"

struct uv_runtime;

/* Touches nothing until it is used. */
struct console *uv_console_create(struct uv_runtime *runtime);
/* Not while a task reads. Gives the terminal back in the mode it had at the first read,
 * whatever changed it. NULL is fine. */
void uv_console_destroy(struct console *console);
/* Why standard output could not be written (errno: a full disk), 0 when it could be or when the
 * other side of the pipe had enough. */
int uv_console_output_error(const struct console *console);

#endif
