#include "infrastructure/runtime/child_input.h"
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct chunk {
    struct chunk *next;
    char *bytes;
    size_t length, written;
};

static void drop_first(struct child_input *input)
{
    struct chunk *chunk = input->first;
    input->pending -= chunk->length - chunk->written;
    input->first = chunk->next;
    if (!input->first)
        input->newest = NULL;
    free(chunk->bytes);
    free(chunk);
}

static void drop_all(struct child_input *input)
{
    while (input->first)
        drop_first(input);
}

/* Writes what the pipe takes now. Any error but a full pipe means that nobody reads any more. */
static void write_now(struct child_input *input)
{
    while (input->first) {
        struct chunk *chunk = input->first;
        ssize_t n = write(input->fd, chunk->bytes + chunk->written, chunk->length - chunk->written);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n < 0) {
            input->broken = true;
            drop_all(input);
            return;
        }
        chunk->written += (size_t)n;
        input->pending -= (size_t)n;
        if (chunk->written == chunk->length)
            drop_first(input);
    }
}

static void close_end(struct child_input *input)
{
    if (input->fd >= 0)
        close(input->fd);
    input->fd = -1;
}

static void on_writable(uv_poll_t *poll, int status, int events)
{
    struct child_input *input = poll->data;
    (void)status;
    (void)events;
    write_now(input);
    if (input->first)
        return;
    uv_poll_stop(poll);
    if (input->last)
        close_end(input);
}

void child_input_start(struct child_input *input, uv_loop_t *loop, int fd)
{
    *input = (struct child_input){ .fd = fd };
    uv_poll_init(loop, &input->poll, fd);
    input->poll.data = input;
}

static void append(struct child_input *input, struct buf *bytes)
{
    struct chunk *chunk = calloc(1, sizeof *chunk);
    if (!chunk)
        abort();
    chunk->length = bytes->length;
    chunk->bytes = buf_take(bytes);
    input->pending += chunk->length;
    if (input->newest)
        input->newest->next = chunk;
    else
        input->first = chunk;
    input->newest = chunk;
}

enum err_code child_input_write(struct child_input *input, struct buf *bytes, size_t max_pending,
                                struct err *err)
{
    if (input->fd < 0 || input->last || input->broken)
        return err_set(err, ERR_UNAVAILABLE, EPIPE, "it closed its standard input");
    if (bytes->length > max_pending || input->pending > max_pending - bytes->length)
        return err_set(err, ERR_LIMIT, 0, "it does not read: %zu bytes wait to be written",
                       input->pending);
    if (bytes->length == 0)
        return ERR_NONE;
    bool was_empty = !input->first;
    append(input, bytes);
    if (was_empty) {
        write_now(input);
        if (input->first)
            uv_poll_start(&input->poll, UV_WRITABLE, on_writable);
    }
    if (input->broken)
        return err_set(err, ERR_UNAVAILABLE, EPIPE, "it closed its standard input");
    return ERR_NONE;
}

void child_input_finish(struct child_input *input)
{
    input->last = true;
    if (!input->first)
        close_end(input);
}

void child_input_end(struct child_input *input)
{
    drop_all(input);
    close_end(input);
}
