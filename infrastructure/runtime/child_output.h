/* Reads what a child writes to one pipe, into a buffer that the child's pipes share. Private to
 * process.c. */
#ifndef INFRASTRUCTURE_RUNTIME_CHILD_OUTPUT_H
#define INFRASTRUCTURE_RUNTIME_CHILD_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#define CHILD_OUTPUT_ROOM (64 * 1024) /* what a pipe holds */

struct child_output {
    uv_poll_t poll;
    int fd;
    bool is_over; /* nothing more comes */
    char *room;   /* CHILD_OUTPUT_ROOM bytes, borrowed */
    void (*on_bytes)(void *context, const char *bytes, size_t length);
    void (*on_end)(void *context); /* may be NULL */
    void *context;
};

/* room, the callbacks and context are set already. */
void child_output_start(struct child_output *output, uv_loop_t *loop, int fd);
/* Reads what lies in the pipe now, for when the child has ended. */
void child_output_drain(struct child_output *output);
/* Reads no more. After the handle was closed, and not before: closing it makes libuv forget the
 * number of the descriptor, whoever has been given that number by then. */
void child_output_end(struct child_output *output);

#endif
