/* A conversation with one child process, shared by the tests of processes: what was asked of it,
 * what was heard, and what came of it. Nothing here asserts on a task: what came is recorded. */
#ifndef TESTS_INTEGRATION_PROCESS_TALK_H
#define TESTS_INTEGRATION_PROCESS_TALK_H

#include "infrastructure/runtime/completion.h"
#include "infrastructure/runtime/fiber.h"
#include "infrastructure/runtime/process.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PEER(name) BUILD_DIR "/tests/peer_" name
#define PATIENCE_MS 20000 /* of a test that would otherwise hang */

static const char *const no_environment[] = { NULL };

/* A conversation with one child: what it is, what was heard, and what came of it. */
struct talk {
    struct uv_runtime *runtime;
    struct process_options options;
    struct process *process;
    enum err_code start_code, write_code;
    struct err err;
    char out[12288];
    size_t out_length, lines;
    char first_line[64], last_line[64];
    char tail[256];
    size_t tail_length;
    int status, signal;
    bool before_exit; /* stdout was heard before the end was told */
    struct completion spoke, out_ended, exited;
    int64_t close_took_ms;
};

static inline void on_stdout(void *context, const char *bytes, size_t length)
{
    struct talk *talk = context;
    size_t room = sizeof talk->out - 1 - talk->out_length;
    memcpy(talk->out + talk->out_length, bytes, length < room ? length : room);
    talk->out_length += length < room ? length : room;
    talk->before_exit = !talk->exited.done;
    completion_complete(&talk->spoke);
}

static inline void on_stdout_end(void *context)
{
    completion_complete(&((struct talk *)context)->out_ended);
}

static inline void on_stderr_line(void *context, const char *line, size_t length)
{
    struct talk *talk = context;
    if (talk->lines++ == 0)
        snprintf(talk->first_line, sizeof talk->first_line, "%.*s", (int)length, line);
    snprintf(talk->last_line, sizeof talk->last_line, "%.*s", (int)length, line);
}

static inline void on_exited(void *context, int status, int signal)
{
    struct talk *talk = context;
    talk->status = status;
    talk->signal = signal;
    completion_complete(&talk->exited);
}

static inline int setup(void **state)
{
    static struct talk talk;
    struct uv_runtime *runtime = uv_runtime_create();
    talk = (struct talk){
        .runtime = runtime,
        .options = { .environment = no_environment,
                     .stderr_bytes = 32,
                     .close_wait_ms = 50,
                     .on_stdout = on_stdout,
                     .on_stdout_end = on_stdout_end,
                     .on_stderr_line = on_stderr_line,
                     .on_exit = on_exited,
                     .context = &talk },
        .spoke = completion_of(runtime),
        .out_ended = completion_of(runtime),
        .exited = completion_of(runtime),
    };
    *state = &talk;
    return 0;
}

static inline int teardown(void **state)
{
    struct talk *talk = *state;
    uv_runtime_destroy(talk->runtime);
    return fiber_count() == 0 ? 0 : -1;
}

static inline void await(struct completion *completion, const struct scope *scope)
{
    (void)!completion_await(completion, scope, NULL);
}

static inline void close_it(struct talk *talk, struct runtime *port, const struct scope *scope)
{
    int64_t began = runtime_now_ms(port);
    const char *tail = process_stderr(talk->process, &talk->tail_length);
    memcpy(talk->tail, tail, talk->tail_length);
    process_close(talk->process, scope);
    talk->close_took_ms = runtime_now_ms(port) - began;
}

static inline void run(struct talk *talk, task_fn *script)
{
    struct scope scope = runtime_scope(uv_runtime_port(talk->runtime), NULL, PATIENCE_MS);
    (void)uv_runtime_run(talk->runtime, &scope, script, talk);
}

static inline enum err_code listen_to_the_end(struct runtime *port, struct scope *scope,
                                              void *argument)
{
    struct talk *talk = argument;
    talk->start_code = process_start(talk->runtime, &talk->options, &talk->process, &talk->err);
    if (talk->start_code)
        return talk->start_code;
    await(&talk->exited, scope);
    await(&talk->out_ended, scope);
    close_it(talk, port, scope);
    return ERR_NONE;
}

static inline enum err_code close_after_first_word(struct runtime *port, struct scope *scope,
                                                   void *argument)
{
    struct talk *talk = argument;
    talk->start_code = process_start(talk->runtime, &talk->options, &talk->process, &talk->err);
    await(&talk->spoke, scope);
    close_it(talk, port, scope);
    return ERR_NONE;
}

#endif
