/* A program that has our terminal until it ends: the editor of a person. Unlike process.h it stays
 * in our process group, so that it is in the foreground, has our environment and our streams. */
#ifndef INFRASTRUCTURE_RUNTIME_TERMINAL_PROGRAM_H
#define INFRASTRUCTURE_RUNTIME_TERMINAL_PROGRAM_H

#include "domain/base/attributes.h"
#include "domain/base/err.h"

struct uv_runtime;

/* command: words for a shell, which gets the operand behind them. Waits for its end whatever is
 * cancelled meanwhile. ERR_UNAVAILABLE: it could not be started; ERR_FAILED: it ended with another
 * status than 0. */
awaits MUST_CHECK enum err_code terminal_program_run(struct uv_runtime *runtime,
                                                     const char *command, const char *operand,
                                                     struct err *err);

#endif
