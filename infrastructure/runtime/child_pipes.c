/* How the pipes of a child are served. Its stdin: what the pipe does not take at once waits in
 * chunks, and is written when libuv says that there is room. Its stdout and stderr: read when there
 * is something, a bounded number of times in a row, and drained when the child has ended. The end
 * of stderr is kept in a buffer of twice its size, so that it is not moved for every byte. */
#include "infrastructure/runtime/descriptor.h"
#include "infrastructure/runtime/process_internal.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
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

/* Writes what the pipe takes now. Any error but a full pipe means that the child does not read any
 * more. */
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
        descriptor_close(&input->fd);
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
        descriptor_close(&input->fd);
}

void child_input_end(struct child_input *input)
{
    drop_all(input);
    descriptor_close(&input->fd);
}

/* A pipe holds 1 MiB at most, unless a grandchild fills it again while we read. */
#define MAX_DRAIN_READS 17
/* A child that writes much would otherwise wait for us after every 64 KiB. It does not matter when
 * the system refuses. */
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
    child_output_serve(output, true);
}

void child_output_serve(struct child_output *output, bool is_served)
{
    if (output->is_over)
        return;
    if (is_served)
        uv_poll_start(&output->poll, UV_READABLE, on_readable);
    else
        uv_poll_stop(&output->poll);
}

void child_output_drain(struct child_output *output)
{
    for (unsigned n = 0; !output->is_over && n < MAX_DRAIN_READS; n++)
        if (!read_some(output))
            return;
}

void child_output_end(struct child_output *output)
{
    output->is_over = true;
    close(output->fd);
}

void stderr_tail_init(struct stderr_tail *tail, size_t max_bytes)
{
    *tail = (struct stderr_tail){ .max_bytes = max_bytes };
    buf_init(&tail->kept, 2 * max_bytes);
    buf_init(&tail->line, STDERR_LINE_MAX);
}

void stderr_tail_finish(struct stderr_tail *tail)
{
    buf_finish(&tail->kept);
    buf_finish(&tail->line);
}

static void keep(struct stderr_tail *tail, const char *bytes, size_t length)
{
    if (length > tail->max_bytes) {
        bytes += length - tail->max_bytes;
        length = tail->max_bytes;
    }
    size_t total = tail->kept.length + length;
    if (total > 2 * tail->max_bytes)
        buf_consume(&tail->kept, total - tail->max_bytes);
    (void)!buf_append(&tail->kept, bytes, length);
}

static void end_line(struct stderr_tail *tail)
{
    size_t length = tail->line.length;
    if (length > 0 && tail->line.bytes[length - 1] == '\r')
        length--;
    tail->on_line(tail->context, buf_string(&tail->line), length);
    buf_clear(&tail->line);
}

static void add_to_line(struct stderr_tail *tail, const char *bytes, size_t length)
{
    while (length > 0) {
        size_t room = STDERR_LINE_MAX - tail->line.length, part = length < room ? length : room;
        (void)!buf_append(&tail->line, bytes, part);
        bytes += part;
        length -= part;
        if (tail->line.length == STDERR_LINE_MAX)
            end_line(tail);
    }
}

static void split_lines(struct stderr_tail *tail, const char *bytes, size_t length)
{
    const char *newline;
    while ((newline = memchr(bytes, '\n', length))) {
        size_t part = (size_t)(newline - bytes);
        add_to_line(tail, bytes, part);
        end_line(tail);
        bytes += part + 1;
        length -= part + 1;
    }
    add_to_line(tail, bytes, length);
}

void stderr_tail_add(void *context, const char *bytes, size_t length)
{
    struct stderr_tail *tail = context;
    keep(tail, bytes, length);
    if (tail->on_line)
        split_lines(tail, bytes, length);
}

void stderr_tail_end(struct stderr_tail *tail)
{
    if (tail->on_line && tail->line.length > 0)
        end_line(tail);
}

const char *stderr_tail_text(const struct stderr_tail *tail, size_t *out_length)
{
    size_t length = tail->kept.length,
           skip = length > tail->max_bytes ? length - tail->max_bytes : 0;
    *out_length = length - skip;
    return buf_string(&tail->kept) + skip;
}
