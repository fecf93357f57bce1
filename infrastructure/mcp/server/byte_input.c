#include "infrastructure/mcp/server/byte_input.h"
#include "domain/base/buf.h"
#include "infrastructure/runtime/completion.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#define READ_BYTES 65536

struct byte_input {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_pipe_t pipe;
        uv_tty_t tty;
    } uv;
    struct uv_runtime *runtime;
    struct completion *waiting; /* of the task that wants a line */
    struct buf bytes;
    size_t taken;   /* the lines before it were handed out */
    size_t scanned; /* no newline between taken and here */
    size_t max_line_bytes;
    int fd; /* of a file, which is read without the loop; else -1 */
    bool ended, skipping;
};

static bool open_stream(struct byte_input *input, int fd)
{
    uv_loop_t *loop = uv_runtime_loop(input->runtime);
    uv_handle_type type = uv_guess_handle(fd);
    if (type == UV_TTY)
        return uv_tty_init(loop, &input->uv.tty, fd, 0) == 0;
    if (type != UV_NAMED_PIPE && type != UV_TCP)
        return false;
    if (uv_pipe_init(loop, &input->uv.pipe, 0) != 0)
        abort();
    return uv_pipe_open(&input->uv.pipe, fd) == 0;
}

struct byte_input *byte_input_create(struct uv_runtime *runtime, int fd, size_t max_line_bytes)
{
    struct byte_input *input = calloc(1, sizeof *input);
    if (!input)
        abort();
    input->runtime = runtime;
    input->max_line_bytes = max_line_bytes;
    input->fd = fd;
    buf_init(&input->bytes, max_line_bytes + 2 * READ_BYTES);
    if (open_stream(input, fd)) {
        input->fd = -1;
        input->uv.handle.data = input;
    }
    return input;
}

static void release(uv_handle_t *handle)
{
    struct byte_input *input = handle->data;
    buf_finish(&input->bytes);
    free(input);
}

void byte_input_destroy(struct byte_input *input)
{
    if (input->fd < 0) {
        uv_close(&input->uv.handle, release);
        return;
    }
    if (input->fd > STDERR_FILENO)
        close(input->fd);
    buf_finish(&input->bytes);
    free(input);
}

static void wake(struct byte_input *input)
{
    if (input->waiting)
        completion_complete(input->waiting);
}

void byte_input_end(struct byte_input *input)
{
    input->ended = true;
    wake(input);
}

/* Makes room behind what was read, and drops the beginning of a line that is too long. */
static void make_room(struct byte_input *input)
{
    buf_consume(&input->bytes, input->taken);
    input->scanned -= input->taken;
    input->taken = 0;
    if (input->scanned > input->max_line_bytes) {
        input->skipping = true;
        buf_finish(&input->bytes);
        input->scanned = 0;
    }
    if (!buf_reserve(&input->bytes, READ_BYTES))
        abort();
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *out)
{
    struct byte_input *input = handle->data;
    (void)suggested;
    make_room(input);
    *out = uv_buf_init(input->bytes.bytes + input->bytes.length, READ_BYTES);
}

static void note_bytes(struct byte_input *input, size_t n)
{
    input->bytes.length += n;
    buf_terminate(&input->bytes);
}

/* Moves scanned to the next newline; false when there is none. */
static bool find_newline(struct byte_input *input)
{
    if (input->scanned == input->bytes.length)
        return false;
    const char *from = input->bytes.bytes + input->scanned;
    const char *newline = memchr(from, '\n', input->bytes.length - input->scanned);
    input->scanned = newline ? (size_t)(newline - input->bytes.bytes) : input->bytes.length;
    return newline != NULL;
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *unused)
{
    struct byte_input *input = stream->data;
    (void)unused;
    if (n == 0)
        return;
    if (n > 0)
        note_bytes(input, (size_t)n);
    else
        input->ended = true;
    if (n >= 0 && !find_newline(input))
        return;
    /* libuv would go on reading before the task that waits has run. */
    uv_read_stop(stream);
    wake(input);
}

static void read_file(struct byte_input *input)
{
    ssize_t n;
    make_room(input);
    do
        n = read(input->fd, input->bytes.bytes + input->bytes.length, READ_BYTES);
    while (n < 0 && errno == EINTR);
    if (n > 0)
        note_bytes(input, (size_t)n);
    else
        input->ended = true;
}

awaits MUST_CHECK static enum err_code wait_for_bytes(struct byte_input *input,
                                                      const struct scope *scope, struct err *err)
{
    struct completion more = completion_of(input->runtime);
    if (input->fd >= 0) {
        read_file(input);
        return ERR_NONE;
    }
    input->waiting = &more;
    if (uv_read_start(&input->uv.stream, on_alloc, on_read) != 0) {
        input->ended = true;
        return ERR_NONE;
    }
    enum err_code r = completion_await(&more, scope, err);
    uv_read_stop(&input->uv.stream);
    input->waiting = NULL;
    return r;
}

/* The line that ends at scanned. False when it is empty or the end of a skipped one. */
static bool take_line(struct byte_input *input, const char **out_line, size_t *out_length)
{
    const char *line = input->bytes.bytes + input->taken;
    size_t length = input->scanned - input->taken;
    if (length && line[length - 1] == '\r')
        length--;
    input->taken = input->scanned;
    if (input->scanned < input->bytes.length)
        input->taken = ++input->scanned;
    *out_line = line;
    *out_length = length;
    return length > 0;
}

enum err_code byte_input_next(struct byte_input *input, const struct scope *scope,
                              const char **out_line, size_t *out_length, struct err *err)
{
    for (;;) {
        bool found = find_newline(input);
        bool is_last = !found && input->ended && input->taken < input->bytes.length;
        if (found || is_last) {
            bool is_line = take_line(input, out_line, out_length);
            if (input->skipping || *out_length > input->max_line_bytes) {
                input->skipping = false;
                return err_set(err, ERR_LIMIT, 0, "a message longer than %zu bytes",
                               input->max_line_bytes);
            }
            if (is_line)
                return ERR_NONE;
            continue;
        }
        if (input->ended)
            return err_set(err, ERR_UNAVAILABLE, 0, "the client has gone");
        enum err_code r = wait_for_bytes(input, scope, err);
        if (r)
            return r;
    }
}
