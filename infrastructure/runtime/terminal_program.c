#include "infrastructure/runtime/terminal_program.h"
#include "infrastructure/runtime/completion.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <stdio.h>
#include <unistd.h>
#include <uv.h>

struct running {
    uv_process_t handle;
    struct completion exited, closed;
    int64_t status;
    int signal;
};

static void on_exit_status(uv_process_t *handle, int64_t status, int signal)
{
    struct running *running = handle->data;
    running->status = status;
    running->signal = signal;
    completion_complete(&running->exited);
}

static void on_closed(uv_handle_t *handle)
{
    completion_complete(&((struct running *)handle->data)->closed);
}

enum err_code terminal_program_run(struct uv_runtime *runtime, const char *command,
                                   const char *operand, struct err *err)
{
    char words[1024];
    uv_stdio_container_t streams[] = {
        { .flags = UV_INHERIT_FD, .data.fd = STDIN_FILENO },
        { .flags = UV_INHERIT_FD, .data.fd = STDOUT_FILENO },
        { .flags = UV_INHERIT_FD, .data.fd = STDERR_FILENO },
    };
    char *arguments[] = { (char[]){ "sh" }, (char[]){ "-c" },           words,
                          (char[]){ "sh" }, (char *)(uintptr_t)operand, NULL };
    struct running running = { .exited = completion_of(runtime), .closed = completion_of(runtime) };
    uv_process_options_t options = { .exit_cb = on_exit_status,
                                     .file = "/bin/sh",
                                     .args = arguments,
                                     .stdio = streams,
                                     .stdio_count = ARRAY_LENGTH(streams) };
    /* Ctrl-C, which the program may take for a key, is not to end the shell around it. */
    if ((size_t)snprintf(words, sizeof words, "trap : INT; %s \"$1\"", command) >= sizeof words)
        return err_set(err, ERR_INVALID, 0, "a command of more than %zu bytes", sizeof words);
    running.handle.data = &running;
    int started = uv_spawn(uv_runtime_loop(runtime), &running.handle, &options);
    if (!started)
        completion_await_end(&running.exited);
    uv_close((uv_handle_t *)&running.handle, on_closed);
    completion_await_end(&running.closed);
    if (started)
        return err_set(err, ERR_UNAVAILABLE, -started, "/bin/sh: %s", uv_strerror(started));
    if (running.status || running.signal)
        return err_set(err, ERR_FAILED, 0, "%.100s ended with status %d", command,
                       running.signal ? 128 + running.signal : (int)running.status);
    return ERR_NONE;
}
