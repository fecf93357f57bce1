#include "infrastructure/runtime/child_output.h"
#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

/* A pipe holds 1 MiB at most, unless a grandchild fills it again while we read. */
#define MAX_DRAIN_READS 17

void child_output_end(struct child_output *output)
{
    if (output->fd < 0)
        return;
    uv_poll_stop(&output->poll);
    close(output->fd);
    output->fd = -1;
}

/* False when nothing more can be read now. */
static bool read_some(struct child_output *output)
{
    ssize_t n;
    do
        n = read(output->fd, output->room, CHILD_OUTPUT_ROOM);
    while (n < 0 && errno == EINTR);
    if (n > 0) {
        output->on_bytes(output->context, output->room, (size_t)n);
        return true;
    }
    if (n < 0 && errno == EAGAIN)
        return false;
    child_output_end(output);
    if (output->on_end)
        output->on_end(output->context);
    return false;
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    (void)read_some(poll->data);
}

void child_output_start(struct child_output *output, uv_loop_t *loop, int fd)
{
    output->fd = fd;
    uv_poll_init(loop, &output->poll, fd);
    output->poll.data = output;
    uv_poll_start(&output->poll, UV_READABLE, on_readable);
}

void child_output_drain(struct child_output *output)
{
    for (unsigned n = 0; output->fd >= 0 && n < MAX_DRAIN_READS; n++)
        if (!read_some(output))
            return;
}
