#include "infrastructure/runtime/process.h"
#include "infrastructure/runtime/child_input.h"
#include "infrastructure/runtime/child_output.h"
#include "infrastructure/runtime/completion.h"
#include "infrastructure/runtime/exit_watch.h"
#include "infrastructure/runtime/process_spawn.h"
#include "infrastructure/runtime/stderr_tail.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

struct process {
    struct uv_runtime *runtime;
    struct process_options options; /* its strings are not kept */
    pid_t pid;
    struct child_input in;
    struct child_output out, err;
    struct exit_watch exit;
    struct stderr_tail tail;
    struct completion ended, closed;
    unsigned open_handles;
    char room[CHILD_OUTPUT_ROOM];
};

static void on_stdout(void *context, const char *bytes, size_t length)
{
    struct process *process = context;
    process->options.on_stdout(process->options.context, bytes, length);
}

static void on_stdout_end(void *context)
{
    struct process *process = context;
    process->options.on_stdout_end(process->options.context);
}

static void on_stderr(void *context, const char *bytes, size_t length)
{
    struct process *process = context;
    stderr_tail_add(&process->tail, bytes, length);
}

static void on_stderr_end(void *context)
{
    struct process *process = context;
    stderr_tail_end(&process->tail);
}

/* Its last words are still in the pipes, and are heard before its end is told. The pipes may stay
 * open after it: a grandchild can hold them. */
static void on_child_exit(void *context, int status, int signal)
{
    struct process *process = context;
    child_output_drain(&process->out);
    child_output_drain(&process->err);
    process->options.on_exit(process->options.context, status, signal);
    completion_complete(&process->ended);
}

static void prepare(struct process *process, struct uv_runtime *runtime,
                    const struct process_options *options)
{
    process->runtime = runtime;
    process->options = *options;
    process->ended = completion_of(runtime);
    process->closed = completion_of(runtime);
    stderr_tail_init(&process->tail, options->stderr_bytes);
    process->tail.on_line = options->on_stderr_line;
    process->tail.context = options->context;
    process->out = (struct child_output){
        .room = process->room, .on_bytes = on_stdout, .on_end = on_stdout_end, .context = process
    };
    process->err = (struct child_output){
        .room = process->room, .on_bytes = on_stderr, .on_end = on_stderr_end, .context = process
    };
}

enum err_code process_start(struct uv_runtime *runtime, const struct process_options *options,
                            struct process **out, struct err *err)
{
    struct spawned spawned;
    uv_loop_t *loop = uv_runtime_loop(runtime);
    enum err_code code = process_spawn(options, &spawned, err);
    if (code)
        return code;
    struct process *process = calloc(1, sizeof *process);
    if (!process)
        abort();
    prepare(process, runtime, options);
    process->pid = spawned.pid;
    child_input_start(&process->in, loop, spawned.in);
    child_output_start(&process->out, loop, spawned.out);
    child_output_start(&process->err, loop, spawned.err);
    exit_watch_start(&process->exit, loop, spawned.pid, on_child_exit, process);
    process->open_handles = 4;
    *out = process;
    return ERR_NONE;
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

static void wait_for_end(struct process *process, const struct scope *scope)
{
    int64_t until =
        runtime_now_ms(uv_runtime_port(process->runtime)) + process->options.close_wait_ms;
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
    close_handle(process, (uv_handle_t *)&process->in.poll);
    child_input_end(&process->in);
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
    close_handle(process, &process->exit.handle.any);
    exit_watch_end(&process->exit);
    completion_await_end(&process->closed);
}

void process_close(struct process *process, const struct scope *scope)
{
    if (!process)
        return;
    end_group(process, scope);
    close_handles(process);
    stderr_tail_finish(&process->tail);
    free(process);
}
