/* A child process with three pipes: its stdin to write to, its stdout read in chunks, the end of
 * its stderr kept. Started with vfork and execve, never through a shell, in a session and process
 * group of its own, with the environment it is given and no other, no descriptor but its three,
 * and told to die with its parent (PR_SET_PDEATHSIG). Ended politely: stdin closed, then SIGTERM,
 * then SIGKILL to the whole group, each after a wait; it is always reaped.
 *
 * One program may lend a child to another, which serves the pipes until it gives the child back and
 * never ends it. */
#ifndef INFRASTRUCTURE_RUNTIME_PROCESS_H
#define INFRASTRUCTURE_RUNTIME_PROCESS_H

#include "domain/base/attributes.h"
#include "domain/base/buf.h"
#include "domain/base/scope.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct process;
struct uv_runtime;

struct process_options {
    /* Looked up in PATH of `environment` unless it has a '/'; relative parts of PATH are skipped.
     */
    const char *command;
    const char *const *arguments;   /* without the command; NULL-terminated */
    const char *const *environment; /* "NAME=value"; NULL-terminated */
    const char *directory;          /* NULL: as the parent */
    size_t stderr_bytes;            /* how much of the end of stderr is kept */
    int64_t close_wait_ms;          /* between the steps of ending it */
    uint64_t memory_bytes;          /* of its address space; 0: as the parent */
    uint64_t file_bytes;            /* of a file it writes; 0: as the parent */
    /* Called on the loop's stack: must not wait. Bytes are borrowed. */
    void (*on_stdout)(void *context, const char *bytes, size_t length);
    void (*on_stdout_end)(void *context);
    void (*on_stderr_line)(void *context, const char *line, size_t length); /* may be NULL */
    void (*on_exit)(void *context, int status, int signal);
    void *context;
};

/* ERR_NOT_FOUND (no such program, with PATH in the hint), ERR_UNAVAILABLE. Does not wait. */
MUST_CHECK
enum err_code process_start(struct uv_runtime *runtime, const struct process_options *options,
                            struct process **out, struct err *err);
/* Serves the pipes of a child that another program lends; they are taken over. Its end shows only
 * in that they are closed. */
struct process *process_borrow(struct uv_runtime *runtime, const struct process_options *options,
                               int pid, const int pipes[static 3]);
/* Does not serve the pipes until they are taken back: stdin, stdout, stderr, borrowed. */
void process_lend(struct process *process, int out_pipes[static 3]);
void process_take_back(struct process *process);
/* Whether it has ended, which the kernel knows before the loop does. Not of a borrowed one. */
bool process_has_ended(const struct process *process);
/* Whether all that was written has reached the pipe. */
bool process_has_written(const struct process *process);
/* Takes the content of the buffer (left empty) and writes it in order after what was written
 * before. Fails once the child closed its stdin. Pending bytes are bounded by max_pending. */
MUST_CHECK
enum err_code process_write(struct process *process, struct buf *bytes, size_t max_pending,
                            struct err *err);
/* Its stdin ends behind what was written: nothing can be written any more. */
void process_end_input(struct process *process);
/* The end of stderr so far; borrowed until the next wait. */
const char *process_stderr(struct process *process, size_t *out_length);
int process_id(const struct process *process);
/* Ends it as described, unless it is borrowed, and frees it; what was not written yet is dropped.
 * No callback comes after it returned. A scope that ends only shortens the waits. NULL is fine. */
awaits void process_close(struct process *process, const struct scope *scope);

/* PATH HOME LANG LC_* TERM TMPDIR USER SHELL LOGNAME of our own environment (values that start
 * with "()" left out) plus extra, as malloc'd NULL-terminated array; free with
 * process_environment_free. */
char **process_environment(const char *const *extra, size_t n_extra);
void process_environment_free(char **environment);

#endif
