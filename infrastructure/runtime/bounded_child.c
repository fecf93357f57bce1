#include "infrastructure/runtime/bounded_child.h"
#include "domain/base/text.h"
#include "infrastructure/runtime/completion.h"
#include "infrastructure/runtime/process.h"
#include "infrastructure/runtime/stderr_summary.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct running {
    const struct bounded_child *child;
    struct process *process;
    struct completion ended; /* it exited, or wrote too much */
    int status, signal;
    bool too_much;
};

static void on_stdout(void *context, const char *bytes, size_t length)
{
    struct running *running = context;
    if (running->too_much || buf_append(running->child->output, bytes, length))
        return;
    running->too_much = true;
    completion_complete(&running->ended);
}

static void on_stdout_end(void *context)
{
    (void)context;
}

static void on_exit_status(void *context, int status, int signal)
{
    struct running *running = context;
    running->status = status;
    running->signal = signal;
    completion_complete(&running->ended);
}

static enum err_code start(struct uv_runtime *runtime, struct running *running, struct err *err)
{
    char **environment = process_environment(NULL, 0);
    struct process_options options = {
        .command = running->child->command,
        .arguments = running->child->arguments,
        .directory = running->child->directory,
        .environment = (const char *const *)environment,
        .stderr_bytes = BOUNDED_CHILD_WORDS,
        .close_wait_ms = BOUNDED_CHILD_CLOSE_MS,
        .memory_bytes = running->child->memory_bytes,
        .file_bytes = running->child->file_bytes,
        .on_stdout = on_stdout,
        .on_stdout_end = on_stdout_end,
        .on_exit = on_exit_status,
        .context = running,
    };
    enum err_code r = process_start(runtime, &options, &running->process, err);
    process_environment_free(environment);
    return r;
}

/* A child may read only a part of its input, or nothing. */
static void feed(struct running *running)
{
    struct buf bytes;
    const char *input = running->child->input ? running->child->input : "";
    buf_init(&bytes, strlen(input) + 1);
    if (buf_puts(&bytes, input))
        (void)!process_write(running->process, &bytes, strlen(input) + 1, NULL);
    process_end_input(running->process);
    buf_finish(&bytes);
}

static enum err_code judge(struct running *running, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    size_t length;
    const char *text = process_stderr(running->process, &length);
    const char *words = stderr_summary(&scratch, text, length);
    if (running->child->words)
        (void)!buf_append(running->child->words, text, length);
    if (running->too_much)
        return err_set(err, ERR_LIMIT, 0, "it wrote more than %zu bytes",
                       running->child->output->max_bytes);
    if (running->signal == SIGXFSZ)
        return err_set(err, ERR_LIMIT, SIGXFSZ, "a file became larger than %llu bytes",
                       (unsigned long long)running->child->file_bytes);
    const char *said = words ? arena_printf(&scratch, "; its stderr says: \"%s\"", words) : "";
    if (running->signal)
        return err_set(err, ERR_FAILED, -running->signal, "it was ended by signal %d (%s)%s",
                       running->signal, strsignal(running->signal), said);
    if (running->status)
        return err_set(err, ERR_FAILED, running->status, "it exited with status %d%s",
                       running->status, said);
    return ERR_NONE;
}

enum err_code bounded_child_run(struct uv_runtime *runtime, const struct scope *scope,
                                const struct bounded_child *child, struct err *err)
{
    struct running running = { .child = child, .ended = completion_of(runtime) };
    int64_t until_ms = runtime_now_ms(uv_runtime_port(runtime)) + child->milliseconds;
    enum err_code r = start(runtime, &running, err);
    if (r)
        return r;
    feed(&running);
    r = completion_await_until(&running.ended, scope, &until_ms, err);
    if (!r)
        r = judge(&running, err);
    else if (r == ERR_TIMEOUT &&
             scope_check(scope, runtime_now_ms(uv_runtime_port(runtime)), NULL) == ERR_NONE)
        r = err_set(err, ERR_TIMEOUT, 0, "it was not done after %lld s",
                    (long long)(child->milliseconds / 1000));
    process_close(running.process, scope);
    return r;
}
