/* A program that runs once from beginning to end: its input is known beforehand, its output is
 * kept, and its time, memory and output have bounds. Started as process.h does it: no shell, the
 * minimal environment, nothing left behind. */
#ifndef INFRASTRUCTURE_RUNTIME_BOUNDED_CHILD_H
#define INFRASTRUCTURE_RUNTIME_BOUNDED_CHILD_H

#include "domain/base/attributes.h"
#include "domain/base/buf.h"
#include "domain/base/scope.h"
#include <stdint.h>

#define BOUNDED_CHILD_WORDS 2048   /* of the end of its stderr */
#define BOUNDED_CHILD_CLOSE_MS 200 /* between the steps of ending it */

struct uv_runtime;

struct bounded_child {
    const char *command;
    const char *const *arguments; /* without the command; NULL-terminated */
    const char *directory;        /* in which it runs; NULL: the current one */
    const char *input;            /* its stdin; NULL: empty */
    int64_t milliseconds;
    uint64_t memory_bytes, file_bytes; /* of process.h */
    struct buf *output;                /* its stdout; the buffer's bound is the bound */
    struct buf *words;                 /* takes the end of its stderr; or NULL */
};

/* ERR_NONE: it exited with 0. ERR_NOT_FOUND: there is no such program; ERR_TIMEOUT; ERR_LIMIT: too
 * much output, or a file of more than file_bytes; ERR_FAILED: it ended with another status or by a
 * signal (the origin of the error, a signal with a minus), with the end of its stderr in the
 * message. */
awaits MUST_CHECK enum err_code bounded_child_run(struct uv_runtime *runtime,
                                                  const struct scope *scope,
                                                  const struct bounded_child *child,
                                                  struct err *err);

#endif
