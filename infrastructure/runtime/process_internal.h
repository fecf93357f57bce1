/* The parts of a child process, private to this folder: process.c is the child from its start to
 * its end, process_spawn.c starts it, child_pipes.c serves its three pipes. */
#ifndef INFRASTRUCTURE_RUNTIME_PROCESS_INTERNAL_H
#define INFRASTRUCTURE_RUNTIME_PROCESS_INTERNAL_H

#include "infrastructure/runtime/process.h"
#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>
#include <uv.h>

/* Starts a child on three pipes: vfork, so that it costs the same however much memory we use, then
 * only what POSIX allows in such a child, then execve. PR_SET_PDEATHSIG follows the *thread* that
 * started the child: children are started on the loop's thread only, which lives as long as the
 * program. Our ends of the pipes are close-on-exec; the caller closes them and reaps the child. */
struct spawned {
    pid_t pid; /* also the id of its session and process group */
    int in, out, err;
};

/* ERR_NOT_FOUND, ERR_INVALID (no such directory) or ERR_UNAVAILABLE. */
MUST_CHECK
enum err_code process_spawn(const struct process_options *options, struct spawned *out,
                            struct err *err);

bool program_is_there(const char *path);
/* Looks the name up in the folders of PATH (NULL: the usual ones). Those that are empty or relative
 * are skipped: what runs must not depend on the current folder. */
bool program_find(const char *path, const char *name, size_t length, char out[static PATH_MAX]);

/* What is written to the stdin of a child: at once where the pipe has room, the rest in order as
 * room comes. */
struct child_input {
    uv_poll_t poll;
    int fd;      /* -1: closed by us */
    bool broken; /* the child closed its end */
    bool last;   /* closed as soon as nothing is pending */
    struct chunk *first, *newest;
    size_t pending; /* bytes in the chunks */
};

void child_input_start(struct child_input *input, uv_loop_t *loop, int fd);
/* As process_write. */
MUST_CHECK
enum err_code child_input_write(struct child_input *input, struct buf *bytes, size_t max_pending,
                                struct err *err);
/* Nothing comes after what was written so far: the child reads end of file behind it. */
void child_input_finish(struct child_input *input);
/* The child reads end of file; what is pending is dropped. Once, after the handle was closed. */
void child_input_end(struct child_input *input);

/* Reads what a child writes to one pipe, into a buffer that the child's pipes share. */
#define CHILD_OUTPUT_ROOM (64 * 1024) /* what a pipe holds */

struct child_output {
    uv_poll_t poll;
    int fd;
    bool is_over; /* nothing more comes */
    char *room;   /* CHILD_OUTPUT_ROOM bytes, borrowed */
    void (*on_bytes)(void *context, const char *bytes, size_t length);
    void (*on_end)(void *context); /* may be NULL */
    void *context;
};

/* room, the callbacks and context are set already. */
void child_output_start(struct child_output *output, uv_loop_t *loop, int fd);
/* Whether it is read, or left to another program. */
void child_output_serve(struct child_output *output, bool is_served);
/* Reads what is in the pipe now, for when the child has ended. */
void child_output_drain(struct child_output *output);
/* Reads no more. After the handle was closed, and not before: closing it makes libuv forget the
 * number of the descriptor, which may belong to another file by then. */
void child_output_end(struct child_output *output);

/* The end of what a program wrote to stderr, and its lines as they come. */
#define STDERR_LINE_MAX 4096 /* longer lines come in pieces */

struct stderr_tail {
    struct buf kept; /* up to twice max_bytes, so that it is not moved for every byte */
    size_t max_bytes;
    struct buf line;                                                 /* begun, not ended yet */
    void (*on_line)(void *context, const char *line, size_t length); /* may be NULL */
    void *context;
};

void stderr_tail_init(struct stderr_tail *tail, size_t max_bytes);
void stderr_tail_finish(struct stderr_tail *tail);
/* context: the tail; fits child_output.on_bytes. */
void stderr_tail_add(void *context, const char *bytes, size_t length);
/* A last line that has no newline. */
void stderr_tail_end(struct stderr_tail *tail);
/* At most max_bytes; borrowed until the next change. */
const char *stderr_tail_text(const struct stderr_tail *tail, size_t *out_length);

#endif
