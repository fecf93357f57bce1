#include "infrastructure/mcp/server/byte_output.h"
#include "infrastructure/runtime/completion.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <uv.h>

struct byte_output {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_pipe_t pipe;
        uv_tty_t tty;
    } uv;
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
};

static bool open_stream(struct byte_output *output, int fd)
{
    uv_loop_t *loop = uv_runtime_loop(output->runtime);
    uv_handle_type type = uv_guess_handle(fd);
    if (type != UV_NAMED_PIPE && type != UV_TCP)
        return false;
    if (uv_pipe_init(loop, &output->uv.pipe, 0) != 0)
        abort();
    return uv_pipe_open(&output->uv.pipe, fd) == 0;
}

struct byte_output *byte_output_create(struct uv_runtime *runtime, int fd, size_t max_waiting,
                                       void (*on_broken)(void *context), void *context)
{
    struct byte_output *output = calloc(1, sizeof *output);
    if (!output)
        abort();
    output->runtime = runtime;
    output->on_broken = on_broken;
    output->context = context;
    output->fd = fd;
    buf_init(&output->writing, max_waiting);
    buf_init(&output->waiting, max_waiting);
    if (open_stream(output, fd)) {
        output->fd = -1;
        output->uv.handle.data = output;
    }
    return output;
}

static void release(struct byte_output *output)
{
    buf_finish(&output->writing);
    buf_finish(&output->waiting);
    free(output);
}

static void on_close(uv_handle_t *handle)
{
    release(handle->data);
}

void byte_output_destroy(struct byte_output *output)
{
    output->is_destroyed = true;
    if (output->fd < 0) {
        uv_close(&output->uv.handle, on_close);
        return;
    }
    if (output->fd > STDERR_FILENO)
        close(output->fd);
    release(output);
}

static void wake_drainer(struct byte_output *output)
{
    size_t left = output->writing.length + output->waiting.length;
    if (output->drained && (output->is_broken || left <= output->drain_to))
        completion_complete(output->drained);
}

static void break_off(struct byte_output *output)
{
    if (output->is_broken || output->is_destroyed)
        return;
    output->is_broken = true;
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
        break_off(output);
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
    if (uv_write(&output->request, &output->uv.stream, &bytes, 1, on_written) != 0) {
        buf_clear(&output->writing);
        break_off(output);
    }
}

static void write_file(struct byte_output *output, struct buf *bytes)
{
    size_t at = 0;
    while (at < bytes->length) {
        ssize_t n = write(output->fd, bytes->bytes + at, bytes->length - at);
        if (n < 0 && errno != EINTR) {
            break_off(output);
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
            break_off(output);
    }
    if (!output->is_broken && !buf_append(&output->waiting, bytes->bytes, bytes->length)) {
        output->is_overfull = true;
        break_off(output);
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
        return err_set(err, ERR_UNAVAILABLE, 0, "the client has gone");
    return r;
}
