#include "infrastructure/mcp/server/byte_streams.h"
#include "infrastructure/runtime/completion.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#define READ_BYTES 65536

/* What the loop knows of a descriptor. */
union end {
    uv_handle_t handle;
    uv_stream_t stream;
    uv_pipe_t pipe;
    uv_tty_t tty;
};

/* False: the descriptor is a file, or another kind of thing that is used without the loop. */
static bool open_end(union end *end, struct uv_runtime *runtime, int fd, bool may_be_terminal,
                     void *data)
{
    uv_loop_t *loop = uv_runtime_loop(runtime);
    uv_handle_type type = uv_guess_handle(fd);
    bool is_terminal = type == UV_TTY && may_be_terminal;
    if (!is_terminal && type != UV_NAMED_PIPE && type != UV_TCP)
        return false;
    if (!is_terminal && uv_pipe_init(loop, &end->pipe, 0) != 0)
        abort();
    if (is_terminal ? uv_tty_init(loop, &end->tty, fd, 0) != 0 : uv_pipe_open(&end->pipe, fd) != 0)
        return false;
    end->handle.data = data;
    return true;
}

struct byte_input {
    union end uv;
    struct uv_runtime *runtime;
    struct completion *waiting; /* of the task that wants a line */
    struct buf bytes;
    size_t taken;   /* the lines before it were handed out */
    size_t scanned; /* no newline between taken and here */
    size_t max_line_bytes;
    int fd; /* of a file, which is read without the loop; else -1 */
    bool ended, skipping;
};

struct byte_input *byte_input_create(struct uv_runtime *runtime, int fd, size_t max_line_bytes)
{
    struct byte_input *input = calloc(1, sizeof *input);
    if (!input)
        abort();
    input->runtime = runtime;
    input->max_line_bytes = max_line_bytes;
    buf_init(&input->bytes, max_line_bytes + 2 * READ_BYTES);
    input->fd = open_end(&input->uv, runtime, fd, true, input) ? -1 : fd;
    return input;
}

static void release_input(struct byte_input *input)
{
    buf_finish(&input->bytes);
    free(input);
}

static void on_input_close(uv_handle_t *handle)
{
    release_input(handle->data);
}

void byte_input_destroy(struct byte_input *input)
{
    if (input->fd < 0) {
        uv_close(&input->uv.handle, on_input_close);
        return;
    }
    if (input->fd > STDERR_FILENO)
        close(input->fd);
    release_input(input);
}

static void wake_reader(struct byte_input *input)
{
    if (input->waiting)
        completion_complete(input->waiting);
}

void byte_input_end(struct byte_input *input)
{
    input->ended = true;
    wake_reader(input);
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
    wake_reader(input);
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

struct byte_output {
    union end uv;
    struct uv_runtime *runtime;
    uv_write_t request;
    struct buf writing; /* what the request is about; empty when there is none */
    struct buf waiting; /* what comes after it */
    struct completion *drained;
    size_t drain_to;
    void (*on_broken)(void *context);
    void *context;
    int fd; /* of a file, which is written without the loop; else -1 */
    bool is_broken, is_overfull, is_destroyed;
    int error; /* of the write that it broke at */
};

struct byte_output *byte_output_create(struct uv_runtime *runtime, int fd, size_t max_waiting,
                                       void (*on_broken)(void *context), void *context)
{
    struct byte_output *output = calloc(1, sizeof *output);
    if (!output)
        abort();
    output->runtime = runtime;
    output->on_broken = on_broken;
    output->context = context;
    buf_init(&output->writing, max_waiting);
    buf_init(&output->waiting, max_waiting);
    output->fd = open_end(&output->uv, runtime, fd, false, output) ? -1 : fd;
    return output;
}

static void release_output(struct byte_output *output)
{
    buf_finish(&output->writing);
    buf_finish(&output->waiting);
    free(output);
}

static void on_output_close(uv_handle_t *handle)
{
    release_output(handle->data);
}

void byte_output_destroy(struct byte_output *output)
{
    output->is_destroyed = true;
    if (output->fd < 0) {
        uv_close(&output->uv.handle, on_output_close);
        return;
    }
    if (output->fd > STDERR_FILENO)
        close(output->fd);
    release_output(output);
}

static void wake_drainer(struct byte_output *output)
{
    size_t left = output->writing.length + output->waiting.length;
    if (output->drained && (output->is_broken || left <= output->drain_to))
        completion_complete(output->drained);
}

static void break_off(struct byte_output *output, int error)
{
    if (output->is_broken || output->is_destroyed)
        return;
    output->is_broken = true;
    output->error = error;
    buf_finish(&output->waiting);
    output->on_broken(output->context);
    wake_drainer(output);
}

static void write_waiting(struct byte_output *output);

static void on_written(uv_write_t *request, int status)
{
    struct byte_output *output = request->data;
    buf_clear(&output->writing);
    if (output->is_destroyed)
        return;
    if (status < 0)
        break_off(output, -status);
    else
        write_waiting(output);
    wake_drainer(output);
}

static void write_waiting(struct byte_output *output)
{
    if (output->waiting.length == 0 || output->writing.length)
        return;
    struct buf empty = output->writing;
    output->writing = output->waiting;
    output->waiting = empty;
    uv_buf_t bytes = uv_buf_init(output->writing.bytes, (unsigned)output->writing.length);
    output->request.data = output;
    int r = uv_write(&output->request, &output->uv.stream, &bytes, 1, on_written);
    if (r != 0) {
        buf_clear(&output->writing);
        break_off(output, -r);
    }
}

static void write_file(struct byte_output *output, struct buf *bytes)
{
    size_t at = 0;
    while (at < bytes->length) {
        ssize_t n = write(output->fd, bytes->bytes + at, bytes->length - at);
        if (n < 0 && errno != EINTR) {
            break_off(output, errno);
            break;
        }
        at += n > 0 ? (size_t)n : 0;
    }
    buf_clear(bytes);
}

void byte_output_send(struct byte_output *output, struct buf *bytes)
{
    if (output->is_broken || output->fd >= 0) {
        if (!output->is_broken)
            write_file(output, bytes);
        buf_clear(bytes);
        return;
    }
    if (output->waiting.length == 0 && output->writing.length == 0) {
        uv_buf_t now = uv_buf_init(bytes->bytes, (unsigned)bytes->length);
        int n = uv_try_write(&output->uv.stream, &now, 1);
        if (n > 0)
            buf_consume(bytes, (size_t)n);
        else if (n < 0 && n != UV_EAGAIN)
            break_off(output, -n);
    }
    if (!output->is_broken && !buf_append(&output->waiting, bytes->bytes, bytes->length)) {
        output->is_overfull = true;
        break_off(output, ENOBUFS);
    }
    buf_clear(bytes);
    if (!output->is_broken)
        write_waiting(output);
}

enum err_code byte_output_drain(struct byte_output *output, size_t most, const struct scope *scope,
                                struct err *err)
{
    struct completion drained = completion_of(output->runtime);
    enum err_code r = ERR_NONE;
    if (!output->is_broken && output->writing.length + output->waiting.length > most) {
        output->drained = &drained;
        output->drain_to = most;
        r = completion_await(&drained, scope, err);
        output->drained = NULL;
    }
    if (r == ERR_NONE && output->is_overfull)
        return err_set(err, ERR_LIMIT, 0,
                       "the client does not read its answers: more than %zu bytes waited for it",
                       output->waiting.max_bytes);
    if (r == ERR_NONE && output->is_broken)
        return err_set(err, ERR_FAILED, 0, "the client did not take all of its answers: %s",
                       strerror(output->error));
    return r;
}
