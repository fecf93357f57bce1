#include "infrastructure/runtime/process.h"
#include "infrastructure/runtime/completion.h"
#include "infrastructure/runtime/descriptor.h"
#include "infrastructure/runtime/process_internal.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct process {
    struct uv_runtime *runtime;
    struct process_options options; /* its strings are not kept */
    pid_t pid;
    struct child_input in;
    struct child_output out, err;
    struct stderr_tail tail;
    /* Tells that the child has ended, without reaping it: until it is reaped its id, which is also
     * the id of its process group, cannot be given to another process. */
    union {
        uv_handle_t any;
        uv_poll_t poll;     /* of pidfd */
        uv_signal_t signal; /* SIGCHLD, where the system has no pidfd */
    } exit;
    int pidfd; /* -1: by signal */
    bool is_borrowed, is_lent;
    struct completion ended, closed;
    unsigned open_handles;
    char room[CHILD_OUTPUT_ROOM];
};

static void on_stderr_end(void *context)
{
    stderr_tail_end(context);
}

/* How it ended, without reaping it. False: it has not. */
static bool read_end(const struct process *process, siginfo_t *out)
{
    *out = (siginfo_t){ .si_pid = 0 };
    return waitid(P_PID, (id_t)process->pid, out, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           out->si_pid == process->pid;
}

/* What the child wrote last is still in the pipes, and is read before its end is told. The pipes
 * may stay open after it: a grandchild can hold them. */
static void look_for_end(struct process *process)
{
    siginfo_t info;
    if (process->ended.done || !read_end(process, &info))
        return;
    bool exited = info.si_code == CLD_EXITED;
    if (process->pidfd < 0)
        uv_signal_stop(&process->exit.signal);
    else
        uv_poll_stop(&process->exit.poll);
    if (!process->is_lent) {
        child_output_drain(&process->out);
        child_output_drain(&process->err);
    }
    process->options.on_exit(process->options.context, exited ? info.si_status : 0,
                             exited ? 0 : info.si_status);
    completion_complete(&process->ended);
}

static void on_pidfd(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    look_for_end(poll->data);
}

static void on_sigchld(uv_signal_t *signal, int number)
{
    (void)number;
    look_for_end(signal->data);
}

/* The signal may have come before it was listened for. Looking at once would call back before
 * process_start has returned, so the loop is made to deliver one more. */
static void watch_exit(struct process *process, uv_loop_t *loop)
{
    process->pidfd = (int)syscall(SYS_pidfd_open, process->pid, 0);
    if (process->pidfd < 0) {
        uv_signal_init(loop, &process->exit.signal);
        uv_signal_start(&process->exit.signal, on_sigchld, SIGCHLD);
        raise(SIGCHLD);
    } else {
        uv_poll_init(loop, &process->exit.poll, process->pidfd);
        uv_poll_start(&process->exit.poll, UV_READABLE, on_pidfd);
    }
    process->exit.any.data = process;
}

static struct process *create(struct uv_runtime *runtime, const struct process_options *options,
                              const struct spawned *spawned)
{
    uv_loop_t *loop = uv_runtime_loop(runtime);
    struct process *process = calloc(1, sizeof *process);
    if (!process)
        abort();
    process->pid = spawned->pid;
    process->pidfd = -1;
    process->runtime = runtime;
    process->options = *options;
    process->ended = completion_of(runtime);
    process->closed = completion_of(runtime);
    stderr_tail_init(&process->tail, options->stderr_bytes);
    process->tail.on_line = options->on_stderr_line;
    process->tail.context = options->context;
    process->out = (struct child_output){ .room = process->room,
                                          .on_bytes = options->on_stdout,
                                          .on_end = options->on_stdout_end,
                                          .context = options->context };
    process->err = (struct child_output){ .room = process->room,
                                          .on_bytes = stderr_tail_add,
                                          .on_end = on_stderr_end,
                                          .context = &process->tail };
    child_input_start(&process->in, loop, spawned->in);
    child_output_start(&process->out, loop, spawned->out);
    child_output_start(&process->err, loop, spawned->err);
    process->open_handles = 3;
    return process;
}

enum err_code process_start(struct uv_runtime *runtime, const struct process_options *options,
                            struct process **out, struct err *err)
{
    struct spawned spawned;
    enum err_code code = process_spawn(options, &spawned, err);
    if (code)
        return code;
    *out = create(runtime, options, &spawned);
    watch_exit(*out, uv_runtime_loop(runtime));
    (*out)->open_handles++;
    return ERR_NONE;
}

struct process *process_borrow(struct uv_runtime *runtime, const struct process_options *options,
                               int pid, const int pipes[static 3])
{
    const struct spawned spawned = { .pid = pid, .in = pipes[0], .out = pipes[1], .err = pipes[2] };
    struct process *process = create(runtime, options, &spawned);
    process->is_borrowed = true;
    return process;
}

void process_lend(struct process *process, int out_pipes[static 3])
{
    child_output_serve(&process->out, false);
    child_output_serve(&process->err, false);
    process->is_lent = true;
    out_pipes[0] = process->in.fd;
    out_pipes[1] = process->out.fd;
    out_pipes[2] = process->err.fd;
}

void process_take_back(struct process *process)
{
    process->is_lent = false;
    child_output_serve(&process->out, true);
    child_output_serve(&process->err, true);
}

bool process_has_ended(const struct process *process)
{
    siginfo_t ignored;
    return process->ended.done || read_end(process, &ignored);
}

bool process_has_written(const struct process *process)
{
    return !process->in.first;
}

enum err_code process_write(struct process *process, struct buf *bytes, size_t max_pending,
                            struct err *err)
{
    return child_input_write(&process->in, bytes, max_pending, err);
}

void process_end_input(struct process *process)
{
    child_input_finish(&process->in);
}

const char *process_stderr(struct process *process, size_t *out_length)
{
    return stderr_tail_text(&process->tail, out_length);
}

int process_id(const struct process *process)
{
    return (int)process->pid;
}

/* At most half of the time that is left, so that the next step has some as well. */
static void wait_for_end(struct process *process, const struct scope *scope)
{
    int64_t now_ms = runtime_now_ms(uv_runtime_port(process->runtime));
    int64_t half_ms = (scope_deadline(scope) - now_ms) / 2,
            wait_ms = process->options.close_wait_ms;
    int64_t until = now_ms + (half_ms < wait_ms ? half_ms : wait_ms);
    /* Ended, waited long enough, or no time left: the next step looks. */
    (void)!completion_await_until(&process->ended, scope, &until, NULL);
}

static void on_closed(uv_handle_t *handle)
{
    struct process *process = handle->data;
    if (--process->open_handles == 0)
        completion_complete(&process->closed);
}

/* From here on the handle leads to the process, not to its part: nothing else is called. */
static void close_handle(struct process *process, uv_handle_t *handle)
{
    handle->data = process;
    uv_close(handle, on_closed);
}

/* The group is signalled although the child may have ended: what it left behind must not outlive
 * it. The id is still ours because the child is reaped last. */
static void end_group(struct process *process, const struct scope *scope)
{
    wait_for_end(process, scope);
    if (!process->ended.done) {
        kill(-process->pid, SIGTERM);
        wait_for_end(process, scope);
    }
    kill(-process->pid, SIGKILL);
    completion_await_end(&process->ended);
    while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
}

static void close_handles(struct process *process)
{
    close_handle(process, (uv_handle_t *)&process->out.poll);
    child_output_end(&process->out);
    close_handle(process, (uv_handle_t *)&process->err.poll);
    child_output_end(&process->err);
    if (!process->is_borrowed)
        close_handle(process, &process->exit.any);
    descriptor_close(&process->pidfd);
    completion_await_end(&process->closed);
}

void process_close(struct process *process, const struct scope *scope)
{
    if (!process)
        return;
    close_handle(process, (uv_handle_t *)&process->in.poll);
    child_input_end(&process->in);
    if (!process->is_borrowed)
        end_group(process, scope);
    close_handles(process);
    stderr_tail_finish(&process->tail);
    free(process);
}
