/* The console port on the process's own standard streams: reads through the loop, writes with
 * write(2), SIGINT through a signal handle that exists only while somebody listens. */
#ifndef INFRASTRUCTURE_RUNTIME_UV_CONSOLE_H
#define INFRASTRUCTURE_RUNTIME_UV_CONSOLE_H

#include "application/ports/console.h"

struct uv_runtime;

/* Touches nothing until it is used. */
struct console *uv_console_create(struct uv_runtime *runtime);
/* Not while somebody reads. Restores what it changed. NULL is fine. */
void uv_console_destroy(struct console *console);

#endif
