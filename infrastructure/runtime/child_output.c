#include "infrastructure/runtime/child_output.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* A pipe holds 1 MiB at most, unless a grandchild fills it again while we read. */
#define MAX_DRAIN_READS 17

void child_output_end(struct child_output *output)
{
    output->is_over = true;
    close(output->fd);
}

/* Asked for because a child that writes much would else wait for us at every 64 KiB; a system that
 * has no more to give is left alone. */
#define PIPE_BYTES (256 * 1024)
/* So many full reads in a row before others get their turn. */
#define MAX_READS_AT_ONCE 8

/* How many bytes there were; 0 when nothing more can be read now. */
static size_t read_some(struct child_output *output)
{
    ssize_t n;
    do
        n = read(output->fd, output->room, CHILD_OUTPUT_ROOM);
    while (n < 0 && errno == EINTR);
    if (n > 0) {
        output->on_bytes(output->context, output->room, (size_t)n);
        return (size_t)n;
    }
    if (n < 0 && errno == EAGAIN)
        return 0;
    uv_poll_stop(&output->poll);
    output->is_over = true;
    if (output->on_end)
        output->on_end(output->context);
    return 0;
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    struct child_output *output = poll->data;
    for (unsigned n = 0; !output->is_over && n < MAX_READS_AT_ONCE; n++)
        if (read_some(output) < CHILD_OUTPUT_ROOM)
            return;
}

void child_output_start(struct child_output *output, uv_loop_t *loop, int fd)
{
    output->fd = fd;
    (void)fcntl(fd, F_SETPIPE_SZ, PIPE_BYTES);
    uv_poll_init(loop, &output->poll, fd);
    output->poll.data = output;
    uv_poll_start(&output->poll, UV_READABLE, on_readable);
}

void child_output_drain(struct child_output *output)
{
    for (unsigned n = 0; !output->is_over && n < MAX_DRAIN_READS; n++)
        if (!read_some(output))
            return;
}
