/* What is written to the stdin of a child: at once where the pipe has room, the rest in order as
 * room comes. Private to process.c. */
#ifndef INFRASTRUCTURE_RUNTIME_CHILD_INPUT_H
#define INFRASTRUCTURE_RUNTIME_CHILD_INPUT_H

#include "domain/base/attributes.h"
#include "domain/base/buf.h"
#include "domain/base/err.h"
#include <stdbool.h>
#include <uv.h>

struct child_input {
    uv_poll_t poll;
    int fd;      /* -1: closed by us */
    bool broken; /* the child closed its end */
    bool last;   /* closed as soon as nothing is pending */
    struct chunk *first, *newest;
    size_t pending; /* bytes in the chunks */
};

void child_input_start(struct child_input *input, uv_loop_t *loop, int fd);
/* As process_write. */
MUST_CHECK
enum err_code child_input_write(struct child_input *input, struct buf *bytes, size_t max_pending,
                                struct err *err);
/* Nothing comes after what was written so far: the child reads end of file behind it. */
void child_input_finish(struct child_input *input);
/* The child reads end of file; what is pending is dropped. Once, after the handle was closed
 * (child_output.h). */
void child_input_end(struct child_input *input);

#endif
